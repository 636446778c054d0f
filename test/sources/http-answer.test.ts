import { beforeEach, expect, test, vi } from 'vitest';
import { HttpAnswer, retryAfterOf } from '../../src/sources/http-answer.ts';

const NOW = Date.UTC(2030, 0, 4, 8);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
  // Dates without a zone must not be read by the clock of this machine.
  vi.stubEnv('TZ', 'America/New_York');
});

test.each([
  ['0', 0],
  ['7', 7_000],
  [' 7 ', 7_000],
  ['19.7', 19_700],
  ['19.0001', 19_001],
  ['5.', 5_000],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ['Fri, 04 Jan 2030 08:00:20 GMT', 20_000],
  ['Fri, 4 Jan 2030 10:00:20 +0200', 20_000],
  ['Friday, 04-Jan-30 08:00:20 GMT', 20_000],
  ['Fri Jan  4 08:00:20 2030', 20_000],
  ['2030-01-04T08:00:20Z', 20_000],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
  [['5', '20'], 5_000],
  ['-5', null],
  ['1.2.3', null],
  ['Infinity', null],
  ['5 minutes', null],
  ['sunny 5', null],
  ['soon', null],
  ['Fri, 99 Jan 2030 08:00:20 GMT', null],
  ['', null],
  [undefined, null],
])('Retry-After: %j is a pause of %j milliseconds', (header, pauseMs) => {
  expect(retryAfterOf({ headers: { 'retry-after': header } })).toBe(pauseMs);
});

test('a Retry-After of 16 KB is read without delay', () => {
  const start = performance.now();
  for (const long of ['5'.repeat(16_000), 'Sun, 06 Nov 1994 08:'.repeat(800), 'a, 1-a'.repeat(2_600)])
    expect(retryAfterOf({ headers: { 'retry-after': `${long}x` } })).toBeNull();
  expect(performance.now() - start).toBeLessThan(250);
});

const answerOf = (text: string) => new HttpAnswer({ status: 200, headers: {}, body: Buffer.from(text) });

test('other work is done before a large response is read, but a small one is read at once', async () => {
  const turns: string[] = [];
  setImmediate(() => turns.push('other work'));
  await answerOf('[]').pause();
  expect(turns).toEqual([]);
  await answerOf(' '.repeat(300_000)).pause();
  expect(turns).toEqual(['other work']);
});

test('a response is decoded whatever characters lie where', () => {
  for (let shift = 0; shift < 12; shift += 1) {
    const text = `${'x'.repeat(shift)}${'Ça va ☕️🥐'.repeat(400)}${'x'.repeat(3_000)}`;
    expect(answerOf(text).text).toBe(text);
  }
});
