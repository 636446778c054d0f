import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SourceErrorKind } from '../../../src/sources/errors.ts';
import type { HttpAnswer } from '../../../src/sources/http-answer.ts';
import {
  fakeSurface,
  guarded,
  outcomeOf,
  outcomesOf,
  readOf,
  writeOf,
  type Failure,
} from '../../support/fake-surface.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const settle = async (): Promise<unknown> => await vi.advanceTimersByTimeAsync(0);

describe('equal reads in flight', () => {
  test('are one call for one caller and two for two; one after the other they are two', async () => {
    const fake = fakeSurface((call) => setTimeout(() => call.answer(), 10));
    const guardian = guarded(fake);
    const together = outcomesOf(50, () => guardian.send(readOf()));
    await settle();
    expect(fake.calls).toHaveLength(1);
    const others = outcomesOf(50, () => guardian.send(readOf(1, { caller: 'bob' })));
    await settle();
    expect(fake.calls).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(10);
    expect([...(await together), ...(await others)]).toEqual(Array<number>(100).fill(200));
    const again = outcomeOf(guardian.send(readOf()));
    await vi.advanceTimersByTimeAsync(10);
    expect(await again).toBe(200);
    expect(fake.calls).toHaveLength(3);
  });

  test('share a failure, and the next one starts anew', async () => {
    const fake = fakeSurface((call, count) =>
      setTimeout(() => (count === 1 ? call.fail('malformed') : call.answer()), 10),
    );
    const guardian = guarded(fake);
    const together = outcomesOf(20, () => guardian.send(readOf()));
    await vi.advanceTimersByTimeAsync(10);
    expect(await together).toEqual(Array<SourceErrorKind>(20).fill('malformed'));
    const next = outcomeOf(guardian.send(readOf()));
    await vi.advanceTimersByTimeAsync(10);
    expect(await next).toBe(200);
  });

  test('are not taken for equal when their parts, joined without care, would be', async () => {
    const fake = fakeSurface();
    const guardian = guarded(fake);
    const endpoint = readOf().endpoint;
    const named = (name: string) => ({ ...endpoint, name });
    const parts: readonly (readonly [caller: string, name: string, path: string, body?: string])[] = [
      ['ab', 'c', 'd'],
      ['a', 'bc', 'd'],
      ['a', 'b', 'cd'],
      ['', 'abcd', ''],
      ['abcd', '', ''],
      ['1:a', 'b', 'c'],
      ['1', ':a', 'bc'],
      ['a:b', 'c', 'd'],
      ['a', ':bc', 'd'],
      ['a\0b', 'c', 'd'],
      ['a', '\0bc', 'd'],
      ['a', 'b', 'c', 'd'],
      ['d', 'c', 'ba'],
      ['A', 'bc', 'd'],
    ];
    const all = parts.map(async ([caller, name, path, body]) => {
      const request = readOf(1, { caller, path, endpoint: named(name), ...(body ? { body } : {}) });
      return (await guardian.send(request)).text;
    });
    await settle();
    expect(fake.calls).toHaveLength(parts.length);
    for (const call of fake.calls)
      call.answer(
        200,
        {},
        JSON.stringify([call.request.caller, call.request.endpoint.name, call.request.path]),
      );
    expect(await Promise.all(all)).toEqual(
      parts.map(([caller, name, path]) => JSON.stringify([caller, name, path])),
    );
  });
});

describe('a hundred who wait for one read', () => {
  test('get the answer when the one who began it leaves, and ninety-nine of them', async () => {
    const fake = fakeSurface();
    const guardian = guarded(fake);
    const leavers = Array.from({ length: 100 }, () => new AbortController());
    const all = leavers.map(async ({ signal }) => await outcomeOf(guardian.send(readOf(1, { signal }))));
    await settle();
    for (const leaver of leavers.slice(0, 50)) leaver.abort();
    await settle();
    expect(fake.calls).toHaveLength(1);
    expect(fake.calls[0]?.isOver).toBe(false);
    fake.calls[0]?.answer();
    expect(await Promise.all(all)).toEqual([
      ...Array<string>(50).fill('cancelled'),
      ...Array<number>(50).fill(200),
    ]);
  });

  test('get the answer when the time of the one who began it is over', async () => {
    const fake = fakeSurface();
    const guardian = guarded(fake);
    const leader = outcomeOf(guardian.send(readOf(1, { endsAt: performance.now() + 500 })));
    const followers = outcomesOf(100, () => guardian.send(readOf(1, { endsAt: performance.now() + 10_000 })));
    await vi.advanceTimersByTimeAsync(500);
    expect(await leader).toBe('timeout');
    fake.calls[0]?.answer();
    expect(await followers).toEqual(Array<number>(100).fill(200));
    expect(fake.calls).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('end it when all of them have left, and who comes then begins another', async () => {
    const fake = fakeSurface();
    const guardian = guarded(fake);
    const leaving = new AbortController();
    const all = outcomesOf(100, () => guardian.send(readOf(1, { signal: leaving.signal })));
    await settle();
    leaving.abort();
    expect(fake.calls[0]?.isOver).toBe(true);
    const next = outcomeOf(guardian.send(readOf()));
    await settle();
    expect(fake.calls).toHaveLength(2);
    fake.calls[1]?.answer();
    expect(await next).toBe(200);
    expect(await all).toEqual(Array<string>(100).fill('cancelled'));
  });
});

describe('a read that nobody waits for', () => {
  test('is not sent: its caller had left, or its operation was over', async () => {
    const fake = fakeSurface();
    const guardian = guarded(fake);
    expect(await outcomeOf(guardian.send(readOf(1, { signal: AbortSignal.abort() })))).toBe('cancelled');
    expect(await outcomeOf(guardian.send(readOf(1, { endsAt: performance.now() - 1 })))).toBe('timeout');
    await settle();
    expect(fake.calls).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('ends when its operation does, and leaves nothing behind', async () => {
    const fake = fakeSurface();
    const guardian = guarded(fake);
    const startedAt = performance.now();
    const outcome = outcomeOf(guardian.send(readOf(1, { endsAt: startedAt + 2_000 })));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await outcome).toBe('timeout');
    expect(fake.calls[0]?.isOver).toBe(true);
    expect(fake.open).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

const text = async (answer: Promise<HttpAnswer>): Promise<string> => (await answer).text;

describe('a read after a write', () => {
  test('never gets the answer of a read that began before, on either surface', async () => {
    const effects = { count: 0 };
    const current = fakeSurface();
    const legacy = fakeSurface();
    const ofCurrent = guarded(current, {}, effects);
    const ofLegacy = guarded(legacy, {}, effects);
    const before = text(ofCurrent.send(readOf()));
    const writing = outcomeOf(ofLegacy.send(writeOf()));
    const during = text(ofCurrent.send(readOf()));
    await settle();
    expect(current.calls).toHaveLength(1);
    legacy.calls[0]?.answer();
    await writing;
    const after = text(ofCurrent.send(readOf()));
    const joining = text(ofCurrent.send(readOf()));
    await settle();
    expect(current.calls).toHaveLength(2);
    current.calls[0]?.answer(200, {}, 'as it was');
    current.calls[1]?.answer(200, {}, 'as it is');
    expect(await Promise.all([before, during, after, joining])).toEqual([
      'as it was',
      'as it was',
      'as it is',
      'as it is',
    ]);
  });

  test.each<Failure>(['timeout', 'unavailable', 'malformed'])(
    'that ended in %s is a read of its own too',
    async (kind) => {
      const fake = fakeSurface();
      const guardian = guarded(fake, { attempts: 1 });
      const before = text(guardian.send(readOf()));
      const writing = outcomeOf(guardian.send(writeOf()));
      await settle();
      fake.calls[1]?.fail(kind);
      expect(await writing).toBe(kind);
      const after = text(guardian.send(readOf()));
      await settle();
      expect(fake.calls).toHaveLength(3);
      fake.calls[0]?.answer(200, {}, 'as it was');
      fake.calls[2]?.answer(200, {}, 'as it is');
      expect(await Promise.all([before, after])).toEqual(['as it was', 'as it is']);
    },
  );
});

test('a read for the sake of a write joins no other, and no other joins it', async () => {
  const fake = fakeSurface();
  const guardian = guarded(fake);
  const all = [
    guardian.send(readOf()),
    guardian.send(readOf(1, { isFresh: true })),
    guardian.send(readOf(1, { isFresh: true })),
    guardian.send(readOf()),
  ];
  await settle();
  expect(fake.calls).toHaveLength(3);
  for (const call of fake.calls) call.answer();
  await Promise.all(all);
});

test('two writes that are equal are two', async () => {
  const fake = fakeSurface();
  const guardian = guarded(fake);
  const both = outcomesOf(2, () => guardian.send(writeOf()));
  await settle();
  expect(fake.calls).toHaveLength(2);
  for (const call of fake.calls) call.answer();
  expect(await both).toEqual([200, 200]);
});
