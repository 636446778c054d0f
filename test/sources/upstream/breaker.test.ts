import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
} from '../../support/fake-surface.ts';

const CALLS = cases(200, 10_000);
const LIMITS = { minCalls: 20, pauseMs: 5_000, attempts: 1 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A read by one of three callers in turn: a single one of them counts for less than half. */
const readBySome = (page: number, over: Parameters<typeof readOf>[1] = {}) =>
  readOf(page, { caller: `caller ${page % 3}`, ...over });

/** A surface behind a guard that answers as told at the moment. */
function surface(first: (call: SentCall) => void) {
  let respond = first;
  const fake = fakeSurface((call) => respond(call));
  const guardian = guarded(fake, LIMITS);
  return {
    fake,
    guardian,
    is: (next: (call: SentCall) => void) => (respond = next),
    read: async (page: number) => await outcomeOf(guardian.send(readBySome(page))),
    /** Fails so many calls one after the other. */
    fail: async (count: number, how: (call: SentCall) => void = always(500)): Promise<void> => {
      respond = how;
      for (let page = 1; page <= count; page += 1) await outcomeOf(guardian.send(readBySome(page)));
    },
    /** Fails one call of each of twenty callers. */
    failForMany: async (): Promise<void> => {
      respond = always(500);
      await outcomesOf(20, (n) => guardian.send(readOf(1, { caller: `caller ${n}` })));
    },
  };
}

const silent = (): void => undefined;

describe('a surface out of order', () => {
  test('is left alone once half of twenty calls within ten seconds have failed', async () => {
    const { fake, guardian, is, read, fail } = surface(always(200));
    for (let page = 1; page <= 10; page += 1) await read(page);
    await fail(9);
    expect(guardian.isOutOfOrder).toBe(false);
    await read(20);
    expect(guardian.isOutOfOrder).toBe(true);
    is(always(200));
    expect(await outcomesOf(100, (page) => guardian.send(readBySome(page)))).toEqual(
      Array<string>(100).fill('unreachable'),
    );
    expect(await outcomeOf(guardian.send(writeOf()))).toBe('unreachable');
    expect(fake.calls).toHaveLength(20);
  });

  test('refuses a read at once, without trying it again', async () => {
    const fake = fakeSurface(always(500));
    const guardian = guarded(fake, { ...LIMITS, attempts: 3 });
    await outcomesOf(20, (page) => guardian.send(readBySome(page)));
    expect(guardian.isOutOfOrder).toBe(true);
    const refused = outcomeOf(guardian.send(readOf()));
    const isSettled = vi.fn<() => void>();
    void refused.then(isSettled);
    await vi.advanceTimersByTimeAsync(0);
    expect(isSettled).toHaveBeenCalled();
    expect(await refused).toBe('unreachable');
  });

  test('is asked by one call when its pause is over, and by all again when that succeeds', async () => {
    const { fake, guardian, is, fail } = surface(always(500));
    await fail(20);
    is(silent);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(await outcomeOf(guardian.send(readOf()))).toBe('unreachable');
    await vi.advanceTimersByTimeAsync(1);
    const probe = outcomeOf(guardian.send(readOf(1)));
    await vi.advanceTimersByTimeAsync(0);
    expect(await outcomesOf(50, (page) => guardian.send(readBySome(page + 2)))).toEqual(
      Array<string>(50).fill('unreachable'),
    );
    expect(fake.calls).toHaveLength(21);
    fake.calls[20]?.answer();
    expect(await probe).toBe(200);
    is(always(200));
    expect(await outcomesOf(10, (page) => guardian.send(readBySome(page)))).toEqual(
      Array<number>(10).fill(200),
    );
    expect(guardian.isOutOfOrder).toBe(false);
  });

  test('is left alone for longer each time, up to six times as long, and anew once it has worked', async () => {
    const { fake, guardian, is, read, fail } = surface(always(500));
    await fail(20);
    for (const pauseMs of [5_000, 10_000, 20_000, 30_000, 30_000]) {
      await vi.advanceTimersByTimeAsync(pauseMs - 1);
      const before = fake.calls.length;
      expect(await read(1)).toBe('unreachable');
      expect(fake.calls).toHaveLength(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(await read(1)).toBe(500);
      expect(fake.calls).toHaveLength(before + 1);
    }
    await vi.advanceTimersByTimeAsync(30_000);
    is(always(200));
    expect(await read(1)).toBe(200);
    await fail(20);
    expect(guardian.isOutOfOrder).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await read(1)).toBe(500);
  });

  test('stays so when the caller of the one call leaves, and the next call asks', async () => {
    const { fake, guardian, is, fail } = surface(always(500));
    await fail(20);
    is(silent);
    await vi.advanceTimersByTimeAsync(5_000);
    const leaving = new AbortController();
    const probe = outcomeOf(guardian.send(readOf(1, { signal: leaving.signal })));
    await vi.advanceTimersByTimeAsync(0);
    leaving.abort();
    expect(await probe).toBe('cancelled');
    await vi.advanceTimersByTimeAsync(0);
    expect(guardian.isOutOfOrder).toBe(true);
    const next = outcomesOf(30, (page) => guardian.send(readBySome(page)));
    await vi.advanceTimersByTimeAsync(0);
    expect(fake.calls).toHaveLength(22);
    fake.calls[21]?.answer();
    expect((await next).filter((outcome) => outcome === 200)).toHaveLength(1);
    expect(guardian.isOutOfOrder).toBe(false);
  });

  test('is asked by a write when nothing else comes, once', async () => {
    const { fake, guardian, is, fail } = surface(always(500));
    await fail(20);
    await vi.advanceTimersByTimeAsync(5_000);
    is(always(200));
    const outcomes = await outcomesOf(3, () => guardian.send(writeOf()));
    expect(fake.calls).toHaveLength(20 + outcomes.filter((outcome) => outcome === 200).length);
    expect(outcomes).toContain(200);
  });

  test('is told by calls that began before and fail late neither that it is broken nor for how long', async () => {
    const { fake, guardian, is, read, failForMany } = surface(silent);
    const late = outcomesOf(40, (page) => guardian.send(readOf(100 + page, { caller: `c${page}` })));
    await vi.advanceTimersByTimeAsync(0);
    expect(fake.calls).toHaveLength(40);
    await failForMany();
    await vi.advanceTimersByTimeAsync(5_000);
    is(always(200));
    expect(await read(1)).toBe(200);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await late).toEqual(Array<string>(40).fill('timeout'));
    expect(guardian.isOutOfOrder).toBe(false);
  });

  test('is not asked by calls that were waiting for their turn when it failed', async () => {
    const fake = fakeSurface();
    const guardian = guarded(fake, { ...LIMITS, calls: 20, callsPerCaller: 20 });
    const outcomes = outcomesOf(60, (page) => guardian.send(readBySome(page)));
    await vi.advanceTimersByTimeAsync(0);
    for (const call of fake.calls.slice()) call.answer(503);
    await vi.advanceTimersByTimeAsync(0);
    expect(fake.calls).toHaveLength(20);
    expect((await outcomes).filter((outcome) => outcome === 'unreachable')).toHaveLength(40);
  });

  test('is one whose clock may be set back', async () => {
    const { fail, read } = surface(always(500));
    await fail(20);
    vi.setSystemTime(Date.now() - 3_600_000);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await read(1)).toBe(500);
  });
});

describe('a surface in order', () => {
  test.each([400, 401, 403, 404, 409, 422, 429])('may refuse any number of calls with %d', async (status) => {
    const fake = fakeSurface(always(status));
    const guardian = guarded(fake, LIMITS);
    for (let page = 0; page < CALLS; page += 1) await outcomeOf(guardian.send(readBySome(page)));
    expect(fake.calls).toHaveLength(CALLS);
    expect(guardian.isOutOfOrder).toBe(false);
  });

  test.each<Failure | number>([500, 503, 'unreachable', 'unavailable', 'timeout', 'malformed'])(
    'is one no longer after %s twenty times',
    async (how) => {
      const { guardian, fail } = surface(always(200));
      await fail(20, (call) => (typeof how === 'number' ? call.answer(how) : call.fail(how)));
      expect(guardian.isOutOfOrder).toBe(true);
    },
  );

  test('is not held to what failed more than ten seconds ago', async () => {
    const { guardian, fail } = surface(always(500));
    await fail(19);
    await vi.advanceTimersByTimeAsync(11_000);
    await fail(1);
    expect(guardian.isOutOfOrder).toBe(false);
    await fail(19);
    expect(guardian.isOutOfOrder).toBe(true);
  });

  test('is not blamed for callers who leave', async () => {
    const { fake, guardian } = surface(silent);
    for (let page = 0; page < 100; page += 1) {
      const leaving = new AbortController();
      const left = outcomeOf(guardian.send(readOf(page, { signal: leaving.signal })));
      await vi.advanceTimersByTimeAsync(0);
      leaving.abort();
      expect(await left).toBe('cancelled');
    }
    expect(fake.calls).toHaveLength(100);
    expect(guardian.isOutOfOrder).toBe(false);
  });
});

/** A surface that fails for some callers. */
function surfaceFailingFor(isOdd: (caller: string) => boolean) {
  let fails = isOdd;
  const fake = fakeSurface((call: SentCall) => call.answer(fails(call.request.caller) ? 500 : 200));
  const guardian = guarded(fake, LIMITS);
  return {
    guardian,
    failFor: (next: (caller: string) => boolean) => (fails = next),
    /** So many calls of a caller, one after the other. */
    call: async (caller: string, times = 1): Promise<unknown[]> => {
      const outcomes = [];
      for (let page = 1; page <= times; page += 1)
        outcomes.push(await outcomeOf(guardian.send(readOf(page, { caller }))));
      return outcomes;
    },
  };
}

const filled = (count: number, outcome: unknown): unknown[] => Array<unknown>(count).fill(outcome);

describe('a surface that fails for one caller', () => {
  test('is left alone for nobody while others call it', async () => {
    const { guardian, call } = surfaceFailingFor((caller) => caller === 'odd');
    expect(await call('ann')).toEqual([200]);
    expect(await call('odd', 100)).toEqual(filled(100, 500));
    expect(await call('ann', 30)).toEqual(filled(30, 200));
    expect(guardian.isOutOfOrder).toBe(false);
  });

  test('never stops the others, in whatever order the calls come', async () => {
    const { guardian, call } = surfaceFailingFor((caller) => caller === 'odd');
    for (let round = 0; round < 200; round += 1) {
      await call('odd', round % 7);
      expect(await call('ann', round % 3)).not.toContain('unreachable');
      expect(await call('bob')).toEqual([200]);
      await vi.advanceTimersByTimeAsync(100 * (round % 9));
    }
    expect(guardian.isOutOfOrder).toBe(false);
  });
});

test('calls of more than ten seconds ago do not keep those of the same callers from counting for all', async () => {
  const { guardian, call, failFor } = surfaceFailingFor(() => false);
  const ofAll = () => outcomesOf(20, (n) => guardian.send(readOf(n, { caller: `caller ${n % 5}` })));
  for (let round = 0; round < 3; round += 1) await ofAll();
  await vi.advanceTimersByTimeAsync(11_000);
  failFor(() => true);
  await ofAll();
  expect(await call('new', 3)).toEqual(filled(3, 'unreachable'));
});

test('a surface that fails for many callers is left alone for all', async () => {
  const { guardian, call, failFor } = surfaceFailingFor(() => true);
  await outcomesOf(20, (n) => guardian.send(readOf(n, { caller: `caller ${n % 5}` })));
  expect(await call('new', 3)).toEqual(filled(3, 'unreachable'));
  expect(guardian.isOutOfOrder).toBe(true);
  failFor(() => false);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await call('new', 3)).toEqual(filled(3, 200));
  expect(guardian.isOutOfOrder).toBe(false);
});
