import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { CallLimits } from '../../../src/config.ts';
import { SourceError } from '../../../src/sources/errors.ts';
import type { HttpAnswer } from '../../../src/sources/http-answer.ts';
import { CancellationSource } from '../../../src/sources/upstream/cancellation.ts';
import { RetryPolicy } from '../../../src/sources/upstream/retry.ts';
import { cases } from '../../support/depth.ts';
import {
  always,
  fakeSurface,
  guarded,
  outcomeOf,
  outcomesOf,
  readOf,
  writeOf,
  type Failure,
  type SentCall,
} from '../../support/upstream.ts';

// What stands between a call and the network: retries, pauses, the breaker, slots and shared reads. No time passes.

const NOW = Date.parse('2026-11-20T08:00:00Z');

// Responses are handed over in a real turn of the event loop.
const FAKED = ['setTimeout', 'clearTimeout', 'Date', 'performance'] as const;
beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: [...FAKED] }));

type CallDetails = Parameters<typeof readOf>[1];
type How = number | Failure;

const pass = async (ms = 0): Promise<unknown> => await vi.advanceTimersByTimeAsync(ms);
const setClockBack = (): unknown => vi.setSystemTime(Date.now() - 3_600_000);
const silent = (): void => undefined;
const respond = (call: SentCall, how: How = 200): void =>
  typeof how === 'string' ? call.fail(how) : call.answer(how);
const filled = (count: number, outcome: unknown): unknown[] => Array<unknown>(count).fill(outcome);
const textOf = async (answer: Promise<HttpAnswer>): Promise<string> => (await answer).text;

function counted(outcomes: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1;
  return counts;
}

/** A surface behind its policies, which answers as the test says at the moment. */
function surfaceOf(
  first: (call: SentCall, count: number) => void = silent,
  limits: Partial<CallLimits> = {},
  effects = { count: 0 },
) {
  let answer = first;
  const fake = fakeSurface((call, count) => answer(call, count));
  const upstream = guarded(fake, limits, effects);
  const read = async (page = 1, details: CallDetails = {}) =>
    await outcomeOf(upstream.send(readOf(page, details)));
  return {
    fake,
    upstream,
    is: (next: (call: SentCall, count: number) => void) => (answer = next),
    read,
    write: async () => await outcomeOf(upstream.send(writeOf())),
    /** So many reads at once that are not equal. */
    reads: async (count: number, details: (index: number) => CallDetails = () => ({})) =>
      await outcomesOf(count, (index) => upstream.send(readOf(index, details(index)))),
    /** So many reads one after the other, by three callers in turn unless told otherwise. */
    readInTurn: async (count: number, details?: CallDetails) => {
      const outcomes = [];
      for (let page = 1; page <= count; page += 1)
        outcomes.push(await read(page, details ?? { caller: `caller ${page % 3}` }));
      return outcomes;
    },
    answerAll: () => {
      for (const call of fake.calls) call.answer();
    },
    paths: () => fake.calls.map(({ request }) => request.path),
  };
}

describe('retries', () => {
  /** Sends a read to a surface that answers one way after the other. */
  async function readThrough(ways: readonly How[], attempts = 3) {
    const { fake, read } = surfaceOf((call, count) => respond(call, ways[count - 1]), { attempts });
    const outcome = read();
    await pass(15_000);
    return { outcome: await outcome, sent: fake.calls.length, times: fake.calls.map(({ at }) => at) };
  }

  const PASSING = [502, 503, 504, 520, 521, 522, 523, 524, 'unreachable', 'unavailable'] as const;
  const LASTING = [500, 501, 505, 519, 525, 530, 400, 401, 403, 404, 409, 422, 302, 204] as const;

  test.each<readonly [ways: readonly How[], outcome: How, sent: number]>([
    ...PASSING.map((how) => [[how, how, 200], 200, 3] as const),
    [[503, 503, 503, 200], 503, 3],
    [['unavailable', 'unavailable', 'unavailable', 200], 'unavailable', 3],
    [[503, 404], 404, 2],
    [[503, 'timeout'], 'timeout', 2],
    ...[...LASTING, 'timeout' as const, 'malformed' as const].map((how) => [[how, 200], how, 1] as const),
  ])('a read that gets %j ends with %s after %d attempts', async (ways, outcome, sent) => {
    expect(await readThrough(ways)).toMatchObject({ outcome, sent });
  });

  test.each<How>([500, 502, 503, 504, 522, 429, 'unreachable', 'unavailable', 'timeout', 'malformed'])(
    'a write that gets %s is sent once, and its caller cannot cancel it',
    async (how) => {
      const { fake, write } = surfaceOf((call) => respond(call, how));
      const outcome = write();
      await pass(30_000);
      expect(await outcome).toBe(how);
      expect(fake.calls.map(({ request }) => request.cancellation)).toEqual([undefined]);
    },
  );

  test('the pauses are random, up to 100 ms and then up to 200 ms', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.999_999);
    const [first = 0, second = 0, third = 0] = (await readThrough([503, 503, 200])).times;
    expect([second - first, third - second]).toEqual([expect.closeTo(100, -1), expect.closeTo(200, -1)]);
    random.mockReturnValue(0);
    const { times } = await readThrough([503, 503, 200]);
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeLessThan(5);
  });

  test('no attempt outlasts the deadline of the read, and none begins that could not end in time', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0);
    const slow = surfaceOf((call, count) => count === 1 && setTimeout(() => call.answer(503), 14_900));
    const startedAt = performance.now();
    const outcome = slow.read();
    await pass(15_000);
    expect([await outcome, performance.now() - startedAt]).toEqual(['timeout', 15_000]);
    expect(slow.fake.calls).toHaveLength(2);
    random.mockReturnValue(0.999);
    const late = surfaceOf((call) => setTimeout(() => call.answer(503), 14_950));
    const tooLate = late.read();
    await pass(14_950);
    expect([await tooLate, late.fake.calls.length]).toEqual([503, 1]);
  });

  test('nothing is sent again for a caller who has left between two attempts', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.9);
    const { fake, read } = surfaceOf(always(503));
    const leaving = new AbortController();
    const outcome = read(1, { signal: leaving.signal });
    await pass(10);
    leaving.abort();
    expect(await outcome).toBe('cancelled');
    await pass(5_000);
    expect([fake.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  test.each([
    ['at once', 0],
    ['a thousand a second', 100],
  ])(
    'many failing reads (%s) are retried for a tenth of them, and for three a second',
    async (_, everyMs) => {
      const count = cases(1_000, 10_000);
      const { fake, read } = surfaceOf(always(503));
      const startedAt = performance.now();
      const all: Promise<unknown>[] = [];
      for (let page = 0; page < count; page += 100) {
        for (let n = 0; n < 100; n += 1) all.push(read(page + n));
        await pass(everyMs);
      }
      await pass(2_000);
      expect(new Set(await Promise.all(all))).toEqual(new Set([503]));
      const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
      expect(fake.calls.length).toBeLessThanOrEqual(1.1 * count + 3 * seconds);
      expect(fake.calls.length).toBeGreaterThan(1.01 * count);
    },
  );

  test('three retries a second are left without any read that succeeds', () => {
    const retries = new RetryPolicy({ attempts: 3 });
    const failure = new SourceError('unavailable', 'current', 'no answer');
    const repeated = Array.from({ length: 4 }, () => {
      const pauses = Array.from({ length: 5 }, () => retries.pauseAfter(failure, 1, Infinity));
      vi.advanceTimersByTime(1_000);
      return pauses.filter((pauseMs) => pauseMs !== null).length;
    });
    expect(repeated).toEqual([3, 3, 3, 3]);
  });
});

const asking = (retryAfter?: string) => (retryAfter === undefined ? {} : { 'retry-after': retryAfter });

describe('a pause that the service asks for with 429', () => {
  const inSeconds = (seconds: number): string => new Date(NOW + seconds * 1_000).toUTCString();
  const once = (retryAfter?: string) => (call: SentCall, count: number) =>
    call.answer(count === 1 ? 429 : 200, asking(retryAfter));

  test.each([
    ['0', 0],
    ['19.7', 19_700],
    ['3600', 30_000],
    [inSeconds(10), 10_000],
    [undefined, 0],
  ])('Retry-After: %s keeps calls back for %d ms, whatever the wall clock does', async (header, quietMs) => {
    const { fake, read, write } = surfaceOf(once(header), { attempts: 1 });
    expect(await read()).toBe(429);
    setClockBack();
    if (quietMs > 0) {
      for (const later of [0, quietMs - 1]) {
        await pass(later);
        expect([await read(), await write()]).toEqual(['rate-limited', 'rate-limited']);
      }
      expect(fake.calls).toHaveLength(1);
      await pass(1);
    }
    expect(await read()).toBe(200);
  });

  test('is not shortened by a later answer', async () => {
    const { fake, read, reads } = surfaceOf(silent, { attempts: 1 });
    const both = reads(2);
    await pass();
    fake.calls[0]?.answer(429, asking('10'));
    fake.calls[1]?.answer(429, asking('1'));
    expect(await both).toEqual([429, 429]);
    await pass(9_000);
    const early = read(3);
    await pass();
    expect(fake.calls).toHaveLength(2);
    expect(await early).toBe('rate-limited');
  });

  test('is waited for by a read if it has at most two seconds, and once', async () => {
    const { fake, read, is } = surfaceOf(once('2'));
    const outcome = read();
    await pass(2_000);
    expect(fake.calls).toHaveLength(1);
    await pass(200);
    expect([await outcome, fake.calls.length]).toEqual([200, 2]);
    is(always(429, asking('0')));
    const second = read();
    await pass(1_000);
    expect([await second, fake.calls.length]).toEqual([429, 4]);
  });

  test.each(['3', inSeconds(10), undefined])(
    'is not waited for with Retry-After: %s, nor by a write',
    async (header) => {
      const { fake, read, write, is } = surfaceOf(always(429, asking(header)));
      expect([await read(), fake.calls.length]).toEqual([429, 1]);
      await pass(30_000);
      is(always(429, asking('0')));
      expect(await write()).toBe(429);
      await pass(5_000);
      expect(fake.calls).toHaveLength(2);
    },
  );

  test('holds for calls that were waiting for their connection', async () => {
    const { fake, read, write } = surfaceOf((call, count) => count > 1 && call.connectLater());
    const outcomes = Promise.all([read(), read(2), write()]);
    for (const call of fake.calls) call.answer(call === fake.calls[0] ? 429 : 200, asking('5'));
    expect(await outcomes).toEqual([429, 'rate-limited', 'rate-limited']);
    expect([await read(), fake.open]).toEqual(['rate-limited', 0]);
  });

  test('holds for calls that were waiting for their turn', async () => {
    const { fake, reads } = surfaceOf(silent, { callsPerCaller: 1, attempts: 1 });
    const all = reads(10);
    await pass();
    expect(fake.calls).toHaveLength(1);
    fake.calls[0]?.answer(429, asking('5'));
    expect(await all).toEqual([429, ...filled(9, 'rate-limited')]);
    expect(fake.calls).toHaveLength(1);
  });
});

describe('the breaker', () => {
  const LIMITS = { minCalls: 20, pauseMs: 5_000 };
  const breakable = (first: (call: SentCall, count: number) => void = always(500)) =>
    surfaceOf(first, { ...LIMITS, attempts: 1 });

  test('opens once half of twenty calls within ten seconds have failed: nothing is sent or retried', async () => {
    const { fake, upstream, is, readInTurn, reads, write } = surfaceOf(always(200), LIMITS);
    await readInTurn(10);
    is(always(500));
    await readInTurn(9);
    expect(upstream.isOutOfOrder).toBe(false);
    await readInTurn(1);
    expect(upstream.isOutOfOrder).toBe(true);
    is(always(200));
    expect(await reads(100)).toEqual(filled(100, 'unreachable'));
    expect([await write(), fake.calls.length]).toEqual(['unreachable', 20]);
  });

  test('lets one call through after its pause, and all once that has succeeded', async () => {
    for (const probes of ['read', 'write'] as const) {
      const surface = breakable();
      await surface.readInTurn(20);
      surface.is(silent);
      await pass(4_999);
      expect(await surface.read()).toBe('unreachable');
      await pass(1);
      const probe = surface[probes]();
      await pass();
      expect(await surface.reads(50, () => ({ caller: 'bob' }))).toEqual(filled(50, 'unreachable'));
      expect(surface.fake.calls).toHaveLength(21);
      surface.fake.calls[20]?.answer();
      expect(await probe).toBe(200);
      surface.is(always(200));
      expect(await surface.reads(10)).toEqual(filled(10, 200));
      expect(surface.upstream.isOutOfOrder).toBe(false);
    }
  });

  test('pauses twice as long each time, up to six times as long, and starts anew once a call succeeded', async () => {
    const { fake, upstream, is, read, readInTurn } = breakable();
    await readInTurn(20);
    for (const pauseMs of [5_000, 10_000, 20_000, 30_000, 30_000]) {
      setClockBack();
      await pass(pauseMs - 1);
      const before = fake.calls.length;
      expect([await read(), fake.calls.length]).toEqual(['unreachable', before]);
      await pass(1);
      expect([await read(), fake.calls.length]).toEqual([500, before + 1]);
    }
    await pass(30_000);
    is(always(200));
    expect(await read()).toBe(200);
    is(always(500));
    await readInTurn(20);
    expect(upstream.isOutOfOrder).toBe(true);
    await pass(5_000);
    expect(await read()).toBe(500);
  });

  test('stays open when the caller of its probe leaves; the next call is the probe', async () => {
    const { fake, upstream, is, read, reads, readInTurn } = breakable();
    await readInTurn(20);
    is(silent);
    await pass(5_000);
    const leaving = new AbortController();
    const probe = read(1, { signal: leaving.signal });
    await pass();
    leaving.abort();
    expect(await probe).toBe('cancelled');
    await pass();
    expect(upstream.isOutOfOrder).toBe(true);
    const next = reads(30);
    await pass();
    expect(fake.calls).toHaveLength(22);
    fake.calls[21]?.answer();
    expect(counted(await next)).toEqual({ 200: 1, unreachable: 29 });
    expect(upstream.isOutOfOrder).toBe(false);
  });

  test('is not opened by late failures of calls that began before it closed', async () => {
    const { fake, upstream, is, read, reads } = breakable(silent);
    const late = reads(40, (n) => ({ caller: `late ${n}` }));
    await pass();
    expect(fake.calls).toHaveLength(40);
    is(always(500));
    await reads(20, (n) => ({ caller: `caller ${n}` }));
    await pass(5_000);
    is(always(200));
    expect(await read()).toBe(200);
    await pass(10_000);
    expect(await late).toEqual(filled(40, 'timeout'));
    expect(upstream.isOutOfOrder).toBe(false);
  });

  test('keeps back calls that were waiting for their turn when it opened', async () => {
    const limits = { ...LIMITS, attempts: 1, calls: 20, callsPerCaller: 20 };
    const { fake, reads } = surfaceOf(silent, limits);
    const outcomes = reads(60, (n) => ({ caller: `caller ${n % 3}` }));
    await pass();
    for (const call of fake.calls.slice()) call.answer(503);
    await pass();
    expect(fake.calls).toHaveLength(20);
    expect(counted(await outcomes)).toEqual({ 503: 20, unreachable: 40 });
  });

  test.each<How>([500, 503, 'unreachable', 'unavailable', 'timeout', 'malformed'])(
    'counts %s as a failure',
    async (how) => {
      const { upstream, readInTurn } = breakable((call) => respond(call, how));
      await readInTurn(20);
      expect(upstream.isOutOfOrder).toBe(true);
    },
  );

  test.each([400, 401, 403, 404, 409, 422, 429])('does not count %d, however often', async (status) => {
    const { fake, upstream, readInTurn } = breakable(always(status));
    await readInTurn(40);
    expect([fake.calls.length, upstream.isOutOfOrder]).toEqual([40, false]);
  });

  test('does not count callers who leave', async () => {
    const { fake, upstream, read } = breakable(silent);
    for (let page = 0; page < 40; page += 1) {
      const leaving = new AbortController();
      const left = read(page, { signal: leaving.signal });
      await pass();
      leaving.abort();
      expect(await left).toBe('cancelled');
    }
    expect([fake.calls.length, upstream.isOutOfOrder]).toEqual([40, false]);
  });

  test('forgets failures after ten seconds', async () => {
    const { upstream, readInTurn } = breakable();
    await readInTurn(19);
    await pass(11_000);
    await readInTurn(1);
    expect(upstream.isOutOfOrder).toBe(false);
    await readInTurn(19);
    expect(upstream.isOutOfOrder).toBe(true);
  });

  test('stays closed for a surface that fails for one of several callers, in whatever order they call', async () => {
    const { upstream, readInTurn } = breakable((call) =>
      call.answer(call.request.caller === 'odd' ? 500 : 200),
    );
    expect(await readInTurn(1, { caller: 'ann' })).toEqual([200]);
    expect(await readInTurn(100, { caller: 'odd' })).toEqual(filled(100, 500));
    for (let round = 0; round < 100; round += 1) {
      await readInTurn(round % 7, { caller: 'odd' });
      expect(await readInTurn(round % 3, { caller: 'ann' })).not.toContain('unreachable');
      expect(await readInTurn(1, { caller: 'bob' })).toEqual([200]);
      await pass(100 * (round % 9));
    }
    expect(upstream.isOutOfOrder).toBe(false);
  });

  test('opens for all if the only caller fails', async () => {
    const { readInTurn } = breakable();
    await readInTurn(20, { caller: 'ann' });
    expect(await readInTurn(1, { caller: 'bob' })).toEqual(['unreachable']);
  });

  test('counts failures for all callers, though the same callers called more than ten seconds ago', async () => {
    const { is, reads, readInTurn } = breakable(always(200));
    const byFive = () => reads(20, (n) => ({ caller: `caller ${n % 5}` }));
    for (let round = 0; round < 3; round += 1) await byFive();
    await pass(11_000);
    is(always(500));
    await byFive();
    expect(await readInTurn(3, { caller: 'new' })).toEqual(filled(3, 'unreachable'));
  });
});

describe('slots', () => {
  test('one caller has sixteen calls in flight, all together sixty-four, reads and writes alike', async () => {
    const { fake, upstream, reads } = surfaceOf();
    const alone = outcomesOf(40, (page) => upstream.send(page % 2 ? readOf(page) : writeOf()));
    await pass();
    expect(fake.open).toBe(16);
    const others = reads(160, (n) => ({ caller: `caller ${n % 9}` }));
    await pass();
    expect(fake.open).toBe(64);
    for (let answered = 0; answered < fake.calls.length; answered += 1) {
      fake.calls[answered]?.answer();
      await pass();
    }
    expect(counted([...(await alone), ...(await others)])).toEqual({ 200: 200 });
    expect(fake.mostOpen).toBe(64);
  });

  test('beyond 256 that wait, calls of a caller are refused at once; those that wait are after a second', async () => {
    const { fake, read, reads, answerAll } = surfaceOf();
    const outcomes = reads(2_000);
    const refused = vi.fn<() => void>();
    void read(9_999).then(refused);
    await pass();
    expect(refused).toHaveBeenCalled();
    await pass(1_000);
    // The deadlines of those that were sent.
    expect(vi.getTimerCount()).toBe(16);
    answerAll();
    expect(counted(await outcomes)).toEqual({ 200: 16, overloaded: 1_984 });
    expect([fake.calls.length, vi.getTimerCount()]).toEqual([16, 0]);
  });

  test('calls that leave, or have waited in vain, make room for others', async () => {
    const { fake, read, reads, answerAll } = surfaceOf();
    const running = reads(16);
    const leaving = new AbortController();
    const left = reads(256, (n) => ({ signal: leaving.signal, path: `/left/${n}` }));
    await pass();
    expect(fake.open).toBe(16);
    expect(await read(500)).toBe('overloaded');
    leaving.abort();
    expect(counted(await left)).toEqual({ cancelled: 256 });
    const inVain = reads(256, (n) => ({ path: `/in-vain/${n}` }));
    await pass(1_000);
    expect(counted(await inVain)).toEqual({ overloaded: 256 });
    const waits = read(501);
    await pass();
    answerAll();
    await pass();
    fake.calls[16]?.answer();
    expect([await waits, counted(await running)]).toEqual([200, { 200: 16 }]);
    expect(fake.calls).toHaveLength(17);
  });

  test.each([
    ['at once', false],
    ['one after the other', true],
  ])('callers take turns when calls end %s', async (_how, inTurn) => {
    const { fake, read, reads, answerAll } = surfaceOf();
    const flood = reads(1_000, (n) => ({ caller: `crowd ${n % 5}` }));
    const his = read(1, { caller: 'bob' });
    await pass();
    for (const call of fake.calls.slice(0, 6)) {
      call.answer();
      if (inTurn) await pass();
    }
    await pass();
    expect(fake.calls.map(({ request }) => request.caller)).toContain('bob');
    await pass(1_000);
    answerAll();
    await Promise.all([his, flood]);
  });

  test('calls of one caller are made in order, and each waits for as long as those before it end', async () => {
    const limits = { callsPerCaller: 1, calls: 1 };
    const { reads, paths } = surfaceOf((call) => setTimeout(() => call.answer(), 400), limits);
    const all = reads(30);
    await pass(15_000);
    expect(counted(await all)).toEqual({ 200: 30 });
    expect(paths()).toEqual(Array.from({ length: 30 }, (_, page) => `/accounts/list?page=${page}`));
  });

  test('a freed slot goes to the call that waits for it, not to one that comes at that moment', async () => {
    const { fake, read, paths } = surfaceOf(silent, { callsPerCaller: 1 });
    const [first, waiting] = [read(1), read(2)];
    await pass();
    fake.calls[0]?.answer();
    const late = read(3);
    await first;
    expect(paths()).toEqual(['/accounts/list?page=1', '/accounts/list?page=2']);
    fake.calls[1]?.answer();
    await waiting;
    fake.calls[2]?.answer();
    expect(await late).toBe(200);
  });

  test('the deadline of a read includes its wait for a slot', async () => {
    const { fake, reads } = surfaceOf((call) => setTimeout(() => call.answer(), 900), { callsPerCaller: 1 });
    const outcomes = reads(20);
    await pass(20_000);
    expect(await outcomes).toEqual([...filled(16, 200), ...filled(4, 'timeout')]);
    expect([fake.calls.length, vi.getTimerCount()]).toEqual([17, 0]);
  });

  test('an operation listens to its signal once, however many calls it makes', async () => {
    const leaving = new AbortController();
    const listen = vi.spyOn(leaving.signal, 'addEventListener');
    const cancellation = new CancellationSource(leaving.signal);
    const { reads } = surfaceOf();
    expect(listen).not.toHaveBeenCalled();
    const outcomes = reads(16, () => ({ cancellation }));
    expect(listen).toHaveBeenCalledTimes(1);
    leaving.abort();
    expect(await outcomes).toEqual(filled(16, 'cancelled'));
    expect(vi.getTimerCount()).toBe(0);
  });

  test('callers are forgotten when their calls have ended', async () => {
    // Rounds of a hundred callers each, whose names have ten megabytes, however many they are.
    const rounds = cases(25, 200);
    // One made by `repeat` would share nearly all of its bytes with itself.
    const nameOf = (words: string): string => Buffer.alloc(100_000 / rounds, words).toString('latin1');
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heldMiB = (): number => {
      collect();
      return process.memoryUsage().heapUsed / 2 ** 20;
    };
    const { fake, read, reads } = surfaceOf(always(200));
    const callOnce = async (round: number): Promise<unknown> => {
      fake.forget();
      return await reads(100, (n) => ({ caller: nameOf(`caller ${round} ${n} `) }));
    };
    await callOnce(0);
    const before = heldMiB();
    for (let round = 1; round <= rounds; round += 1) await callOnce(round);
    // The names alone would be ten.
    expect(heldMiB() - before).toBeLessThan(5);
    await read();
  });
});

/** Lets follow what Node does after each socket that it has read from, in the same turn of the event loop. */
const socketRead = async (): Promise<void> => await new Promise((resolve) => process.nextTick(resolve));

test('responses that arrive in one turn of the event loop are handed over together', async () => {
  const { fake, read } = surfaceOf();
  const steps: string[] = [];
  const follow = async (page: number): Promise<void> => {
    await read(page);
    steps.push(`read ${page}`);
    await Promise.resolve();
    steps.push(`used ${page}`);
  };
  const followed = [follow(1), follow(2)];
  for (const call of fake.calls) {
    call.answer();
    await socketRead();
    expect(steps).toEqual([]);
  }
  await nextTurn();
  await Promise.all(followed);
  expect(steps).toEqual(['read 1', 'read 2', 'used 1', 'used 2']);
});

test('larger responses are handed over before the turn ends', async () => {
  const { fake, read } = surfaceOf();
  let count = 0;
  const followed = [1, 2].map((page) => read(page).then(() => (count += 1)));
  for (const call of fake.calls) call.answer(200, {}, ' '.repeat(40 * 1024));
  await socketRead();
  expect(count).toBe(2);
  await Promise.all(followed);
});

describe('equal reads in flight', () => {
  test('are one call for one caller and two for two, share a failure, and are read anew afterwards', async () => {
    const { fake, read } = surfaceOf();
    const of = (caller: string) => Array.from({ length: 50 }, async () => await read(1, { caller }));
    const all = Promise.all([...of('ann'), ...of('bob')]);
    await pass();
    expect(fake.calls).toHaveLength(2);
    fake.calls[0]?.answer();
    fake.calls[1]?.fail('malformed');
    expect(counted(await all)).toEqual({ 200: 50, malformed: 50 });
    const again = read(1, { caller: 'bob' });
    await pass();
    fake.calls[2]?.answer();
    expect([await again, fake.calls.length]).toEqual([200, 3]);
  });

  test('are not confused with others whose parts are the same text once they are joined', async () => {
    const { fake, upstream } = surfaceOf();
    const { endpoint } = readOf();
    const joined =
      'ab,c,d a,bc,d a,b,cd ,abcd, abcd,, 1:a,b,c 1,:a,bc a:b,c,d a,:bc,d a\0b,c,d a,\0bc,d a,b,c,d d,c,ba';
    const parts = joined.split(' ').map((part) => part.split(','));
    const all = parts.map(async ([caller = '', name = '', path = '', body]) => {
      const call = { caller, path, endpoint: { ...endpoint, name }, ...(body ? { body } : {}) };
      return await textOf(upstream.send(readOf(1, call)));
    });
    await pass();
    expect(fake.calls).toHaveLength(parts.length);
    for (const call of fake.calls) {
      const { caller, endpoint: asked, path } = call.request;
      call.answer(200, {}, JSON.stringify([caller, asked.name, path]));
    }
    expect(await Promise.all(all)).toEqual(
      parts.map(([caller, name, path]) => JSON.stringify([caller, name, path])),
    );
  });

  test('are answered when the one who began them leaves, or has no more time', async () => {
    const { fake, read } = surfaceOf();
    const leavers = Array.from({ length: 100 }, () => new AbortController());
    const all = leavers.map(async ({ signal }) => await read(1, { signal }));
    const timed = read(2, { endsAt: performance.now() + 500 });
    const followers = Array.from({ length: 50 }, () => read(2, { endsAt: performance.now() + 10_000 }));
    await pass();
    for (const leaver of leavers.slice(0, 50)) leaver.abort();
    await pass(500);
    expect(await timed).toBe('timeout');
    expect(fake.calls.map(({ isOver }) => isOver)).toEqual([false, false]);
    for (const call of fake.calls) call.answer();
    expect(await Promise.all(all)).toEqual([...filled(50, 'cancelled'), ...filled(50, 200)]);
    expect(await Promise.all(followers)).toEqual(filled(50, 200));
    expect(vi.getTimerCount()).toBe(0);
  });

  test('are cancelled when all of their callers have left; the next one is a new call', async () => {
    const { fake, read } = surfaceOf();
    const leaving = new AbortController();
    const all = Array.from({ length: 100 }, () => read(1, { signal: leaving.signal }));
    await pass();
    leaving.abort();
    expect(fake.calls.map(({ isOver }) => isOver)).toEqual([true]);
    const next = read();
    await pass();
    fake.calls[1]?.answer();
    expect([await next, fake.calls.length]).toEqual([200, 2]);
    expect(await Promise.all(all)).toEqual(filled(100, 'cancelled'));
  });

  test('that nobody waits for are not sent, or end with their operation', async () => {
    const { fake, read } = surfaceOf();
    expect(await read(1, { signal: AbortSignal.abort() })).toBe('cancelled');
    expect(await read(1, { endsAt: performance.now() - 1 })).toBe('timeout');
    await pass();
    expect(fake.calls).toHaveLength(0);
    const outcome = read(1, { endsAt: performance.now() + 2_000 });
    await pass(2_000);
    expect([await outcome, fake.calls[0]?.isOver, vi.getTimerCount()]).toEqual(['timeout', true, 0]);
  });

  test.each<How>([200, 'timeout', 'unavailable', 'malformed'])(
    'are not joined after a write on either surface that ended with %s',
    async (how) => {
      const effects = { count: 0 };
      const current = surfaceOf(silent, { attempts: 1 }, effects);
      const legacy = surfaceOf(silent, { attempts: 1 }, effects);
      const read = () => textOf(current.upstream.send(readOf()));
      const before = read();
      const writing = legacy.write();
      const during = read();
      await pass();
      expect(current.fake.calls).toHaveLength(1);
      for (const call of legacy.fake.calls) respond(call, how);
      expect(await writing).toBe(how);
      const [after, joining] = [read(), read()];
      await pass();
      expect(current.fake.calls).toHaveLength(2);
      current.fake.calls[0]?.answer(200, {}, 'old');
      current.fake.calls[1]?.answer(200, {}, 'new');
      expect(await Promise.all([before, during, after, joining])).toEqual(['old', 'old', 'new', 'new']);
    },
  );
});
