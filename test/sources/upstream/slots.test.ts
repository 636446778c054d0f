import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cases } from '../../support/depth.ts';
import {
  always,
  fakeSurface,
  guarded,
  outcomeOf,
  outcomesOf,
  readOf,
  writeOf,
} from '../../support/fake-surface.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const settle = async (): Promise<unknown> => await vi.advanceTimersByTimeAsync(0);
const kinds = (outcomes: readonly unknown[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1;
  return counts;
};

test('one caller has sixteen calls in flight, all together have sixty-four, reads and writes alike', async () => {
  const fake = fakeSurface();
  const guardian = guarded(fake);
  const alone = outcomesOf(100, (page) => guardian.send(page % 2 ? readOf(page) : writeOf()));
  await settle();
  expect(fake.open).toBe(16);
  const others = outcomesOf(900, (page) => guardian.send(readOf(page, { caller: `caller ${page % 9}` })));
  await settle();
  expect(fake.open).toBe(64);
  for (let answered = 0; answered < fake.calls.length; answered += 1) {
    fake.calls[answered]?.answer();
    await settle();
  }
  expect(kinds([...(await alone), ...(await others)])).toEqual({ 200: 1_000 });
  expect(fake.mostOpen).toBe(64);
});

test('the cap holds while calls end and begin in every order', async () => {
  const fake = fakeSurface((call, count) =>
    setTimeout(() => (count % 7 ? call.answer() : call.fail('unavailable')), count % 13),
  );
  const guardian = guarded(fake, { calls: 5, callsPerCaller: 2, attempts: 1 });
  const all = outcomesOf(600, (page) => guardian.send(readOf(page, { caller: `caller ${page % 6}` })));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(kinds(await all)).toMatchObject({ 200: expect.any(Number) });
  expect(fake.mostOpen).toBe(5);
  expect(fake.open).toBe(0);
});

test('beyond 256 that wait, a caller’s calls are refused at once; who waits for a second is refused then', async () => {
  const fake = fakeSurface();
  const guardian = guarded(fake);
  const outcomes = outcomesOf(2_000, (page) => guardian.send(readOf(page)));
  const refused = vi.fn<() => void>();
  void outcomeOf(guardian.send(readOf(9_999))).then(refused);
  await settle();
  expect(refused).toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  // The deadlines of those that were sent.
  expect(vi.getTimerCount()).toBe(16);
  for (const call of fake.calls) call.answer();
  expect(kinds(await outcomes)).toEqual({ 200: 16, overloaded: 1_984 });
  expect(fake.calls).toHaveLength(16);
  expect(vi.getTimerCount()).toBe(0);
});

test('a caller that floods the surface leaves room for the others, however many of its calls wait', async () => {
  const fake = fakeSurface();
  const guardian = guarded(fake);
  const flood = outcomesOf(2_000, (page) => guardian.send(readOf(page)));
  await settle();
  const other = outcomesOf(16, (page) => guardian.send(readOf(page, { caller: 'bob' })));
  await settle();
  expect(fake.calls.filter(({ request }) => request.caller === 'bob')).toHaveLength(16);
  await vi.advanceTimersByTimeAsync(1_000);
  for (const call of fake.calls) call.answer();
  expect(await other).toEqual(Array<number>(16).fill(200));
  await flood;
});

test('callers who wait take turns, so that one call does not wait for the queues of many', async () => {
  const fake = fakeSurface();
  const guardian = guarded(fake);
  const flood = outcomesOf(1_000, (page) => guardian.send(readOf(page, { caller: `crowd ${page % 5}` })));
  await settle();
  const bobs = outcomeOf(guardian.send(readOf(1, { caller: 'bob' })));
  await settle();
  expect(fake.calls.some(({ request }) => request.caller === 'bob')).toBe(false);
  for (const call of fake.calls.slice(0, 6)) call.answer();
  await settle();
  const his = fake.calls.find(({ request }) => request.caller === 'bob');
  his?.answer();
  expect(await bobs).toBe(200);
  await vi.advanceTimersByTimeAsync(1_000);
  for (const call of fake.calls) call.answer();
  await flood;
});

test('callers who wait take turns, also where one call ends at a time', async () => {
  const fake = fakeSurface();
  const guardian = guarded(fake);
  const flood = outcomesOf(1_000, (page) => guardian.send(readOf(page, { caller: `crowd ${page % 5}` })));
  const bobs = outcomeOf(guardian.send(readOf(1, { caller: 'bob' })));
  await settle();
  for (const call of fake.calls.slice(0, 6)) {
    call.answer();
    await settle();
  }
  expect(fake.calls.map(({ request }) => request.caller)).toContain('bob');
  await vi.advanceTimersByTimeAsync(1_000);
  for (const call of fake.calls) call.answer();
  await Promise.all([bobs, flood]);
});

test('calls of one caller are made in the order in which they came', async () => {
  const fake = fakeSurface((call) => setTimeout(() => call.answer(), 1));
  const guardian = guarded(fake, { callsPerCaller: 1 });
  const all = outcomesOf(50, (page) => guardian.send(readOf(page)));
  await vi.advanceTimersByTimeAsync(500);
  await all;
  expect(fake.calls.map(({ request }) => request.path)).toEqual(
    Array.from({ length: 50 }, (_, page) => `/accounts/list?page=${page}`),
  );
});

test('a read whose caller leaves while it waits is never made, and gives its place to another', async () => {
  const fake = fakeSurface();
  const guardian = guarded(fake);
  const running = outcomesOf(16, (page) => guardian.send(readOf(page)));
  const leaving = new AbortController();
  const { signal } = leaving;
  const left = outcomesOf(256, (page) => guardian.send(readOf(100 + page, { signal })));
  await settle();
  expect(await outcomeOf(guardian.send(readOf(500)))).toBe('overloaded');
  leaving.abort();
  expect(kinds(await left)).toEqual({ cancelled: 256 });
  const waits = outcomeOf(guardian.send(readOf(501)));
  await settle();
  for (const call of fake.calls) call.answer();
  await settle();
  fake.calls[16]?.answer();
  expect(await waits).toBe(200);
  await running;
  expect(fake.calls).toHaveLength(17);
});

test('calls that have waited in vain keep no place in the queue', async () => {
  const fake = fakeSurface();
  const guardian = guarded(fake);
  const running = outcomesOf(16, (page) => guardian.send(readOf(page)));
  const inVain = outcomesOf(256, (page) => guardian.send(readOf(100 + page)));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(kinds(await inVain)).toEqual({ overloaded: 256 });
  const next = outcomeOf(guardian.send(readOf(500)));
  await settle();
  for (const call of fake.calls) call.answer();
  await settle();
  fake.calls[16]?.answer();
  expect(await next).toBe(200);
  await running;
});

test('a wait takes from the deadline of the read, not from the patience of its caller', async () => {
  const fake = fakeSurface();
  const guardian = guarded(fake, { callsPerCaller: 1 });
  const first = outcomeOf(guardian.send(readOf(1)));
  const second = outcomeOf(guardian.send(readOf(2)));
  await vi.advanceTimersByTimeAsync(900);
  fake.calls[0]?.answer();
  await settle();
  await vi.advanceTimersByTimeAsync(14_100);
  expect(await Promise.all([first, second])).toEqual([200, 'timeout']);
});

/** Rounds of a hundred callers each, whose names have ten megabytes, however many they are. */
const ROUNDS = cases(50, 200);
const NAME_CHARS = 100_000 / ROUNDS;
/** A name of its own bytes: one made by `repeat` would share nearly all of them with itself. */
const nameOf = (words: string): string => Buffer.alloc(NAME_CHARS, words).toString('latin1');

test('what was known of thousands of callers is forgotten when their calls have ended', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heldMiB = (): number => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const fake = fakeSurface(always(200));
  const guardian = guarded(fake);
  const once = async (round: number): Promise<unknown> => {
    fake.forget();
    return await outcomesOf(100, (n) =>
      guardian.send(readOf(1, { caller: nameOf(`caller ${round} ${n} `) })),
    );
  };
  await once(0);
  const before = heldMiB();
  for (let round = 1; round <= ROUNDS; round += 1) await once(round);
  // The names alone would be ten.
  expect(heldMiB() - before).toBeLessThan(5);
  await guardian.send(readOf());
});

test('a call waits for as long as those before it come to an end, however many there are', async () => {
  const fake = fakeSurface((call) => setTimeout(() => call.answer(), 400));
  const guardian = guarded(fake);
  const outcomes = outcomesOf(100, (page) => guardian.send(readOf(page)));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(kinds(await outcomes)).toEqual({ 200: 100 });
});
