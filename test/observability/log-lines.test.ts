import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { forPeople } from '../../src/observability/log.ts';
import { openLog, type Log } from '../../src/observability/log.ts';

/** What a log writes to a terminal. */
function written(write: (log: Log) => void): string {
  let text = '';
  write(
    openLog(
      'debug',
      forPeople((line) => (text += line)),
    ),
  );
  return text;
}

test('an event is a line with its time, its level, what happened, and its fields', () => {
  const text = written((log) => log.info({ requestId: 'r-1', durationMs: 3.14159, failure: null }, 'done'));
  expect(stripVTControlCharacters(text)).toMatch(
    /^\d\d:\d\d:\d\d info {2}done {2}requestId=r-1 {2}durationMs=3\.1 {2}failure=null\n$/,
  );
});

test('an error is told with its stack', () => {
  const text = written((log) => log.error({ err: new TypeError('planted') }, 'it failed'));
  expect(stripVTControlCharacters(text)).toMatch(/^\S+ error it failed {2}\nTypeError: planted\n {4}at /);
});

test('what the log holds can neither forge a line nor steer the terminal', () => {
  const raw = written((log) =>
    log.warn({ field: 'a\r\nb\u001B[31m\u0007c', ['n\u001B']: 1 }, 'first\nsecond\u001B]0;title'),
  );
  expect(raw.split('\n')).toHaveLength(2);
  const [, ...escapes] = raw.split('\u001B');
  // Colours are the log's own.
  for (const escape of escapes) expect(escape).toMatch(/^\[(?:33|39|90)m/);
  for (const control of ['\r', '\u0007']) expect(raw).not.toContain(control);
});

test('of an error and its cause nothing is logged but the class, the message, the code and the stack', () => {
  const lines: string[] = [];
  const sent = { request: { headers: ['x-api-key', 'the-key'] }, body: 'the-body' };
  const cause = Object.assign(new Error('no connection'), { code: 'ECONNREFUSED', ...sent });
  const err = Object.assign(new TypeError('failed', { cause }), sent);
  openLog('info', (line) => lines.push(line)).error({ err }, 'an unexpected error');
  const [line = ''] = lines;
  expect(line).not.toMatch(/the-(?:key|body)/);
  const logged = (JSON.parse(line) as { err: { cause: object } }).err;
  expect(Object.keys(logged)).toEqual(['type', 'message', 'stack', 'cause']);
  expect(Object.keys(logged.cause)).toEqual(['type', 'message', 'code', 'stack']);
});
