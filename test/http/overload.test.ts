import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Overload } from '../../packages/overload/src/overload.ts';

// The clock and the timers are the test's own: what counts is how late a timer comes by this clock, and how much the
// process has worked meanwhile.

const TICK_MS = 50;
let nowMs = 0;
let workedMs = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] });
});

let shed = 0;

function watchOverload(limits: Partial<ConstructorParameters<typeof Overload>[0]> = {}): Overload {
  const clock = { now: () => nowMs, worked: () => workedMs };
  shed = 0;
  const onShed = (): void => void (shed += 1);
  const overload = new Overload({ operations: 1_000_000, lateMs: 3_600_000, ...limits }, onShed, clock);
  onTestFinished(() => overload.close());
  return overload;
}

/** Keeps the event loop from turning, with work of the process's own. */
function block(ms: number): void {
  nowMs += ms;
  workedMs += ms;
}

/** Keeps the event loop from turning because other programs have the processor, but for a share of the time. */
function starve(ms: number, share = 0): void {
  nowMs += ms;
  workedMs += ms * share;
}

/** Lets the event loop turn once; the timer of the samples is due in each turn. */
function nextTurn(): void {
  vi.advanceTimersByTime(TICK_MS);
}

/** Lets turns pass in which every timer is in time, with something that is done at the end of each. */
function pass(ms: number, doInTurn: () => void = () => undefined): void {
  for (let passed = 0; passed < ms; passed += TICK_MS) {
    block(TICK_MS);
    doInTurn();
    nextTurn();
  }
}

test('as many operations as allowed run at once, and an end, even reported twice, makes room for one', () => {
  const overload = watchOverload({ operations: 2 });
  // Callers that are turned away are told to retry at different times.
  const seconds = new Set(Array.from({ length: 1_000 }, () => overload.refusal().headers['retry-after']));
  expect([...seconds].toSorted()).toEqual(['1', '2', '3', '4', '5']);
  const [first] = [overload.enter(), overload.enter()];
  expect(overload.enter()).toBeNull();
  first?.();
  first?.();
  expect(overload.enter()).not.toBeNull();
  expect([overload.enter(), shed]).toEqual([null, 2]);
});

test.each([
  [99, 0, false],
  [100, 0, true],
  // Over a longer time, as many are no sign.
  [100, 5_100, false],
])(
  '%i rejections, the last one %i ms later, make the server report itself overloaded: %s',
  (count, ms, isPersistent) => {
    const overload = watchOverload({ operations: 1 });
    overload.enter();
    for (let rejected = 1; rejected < count; rejected += 1) overload.enter();
    pass(ms);
    overload.enter();
    expect(overload.isPersistent).toBe(isPersistent);
  },
);

test('while the heap is nearly full every request is turned away', () => {
  const statistics = v8.getHeapStatistics();
  const read = vi.spyOn(v8, 'getHeapStatistics');
  const showHeap = (used: number): void => {
    read.mockReturnValue({ ...statistics, heap_size_limit: 1_000, used_heap_size: used });
    syncBuiltinESMExports();
  };
  onTestFinished(() => {
    read.mockRestore();
    syncBuiltinESMExports();
  });
  const overload = watchOverload();
  showHeap(901);
  pass(600);
  expect([overload.turnsAway(), overload.isPersistent]).toEqual([true, true]);
  showHeap(899);
  pass(600);
  expect(overload.turnsAway()).toBe(false);
});

test('no request is turned away while the timers are in time, however busy the process is, nor for a single late moment', () => {
  const overload = watchOverload({ lateMs: 200 });
  pass(1_600, () => expect(overload.turnsAway()).toBe(false));
  block(350);
  expect(overload.turnsAway()).toBe(false);
  nextTurn();
  pass(1_200, () => expect(overload.turnsAway()).toBe(false));
  expect(overload.isPersistent).toBe(false);
});

test('a request that arrives in a turn of more than twice the allowed delay is turned away', () => {
  const overload = watchOverload({ lateMs: 200 });
  expect(overload.turnsAway()).toBe(false);
  block(450);
  expect(overload.turnsAway()).toBe(true);
  nextTurn();
  expect(overload.turnsAway()).toBe(false);
  // For five seconds each turn takes on requests for a few milliseconds only.
  block(10);
  expect(overload.turnsAway()).toBe(true);
});

test('while timers are late repeatedly, each turn accepts requests for a few milliseconds, until they are in time again', () => {
  let backlogMs = 1_000;
  const overload = watchOverload({ lateMs: 100, backlogMs: () => backlogMs });
  // Two samples of 500 ms are needed before the process counts as late.
  for (let time = 0; time < 4; time += 1) {
    block(600);
    nextTurn();
  }
  expect(overload.isPersistent).toBe(true);
  // A turn in which nothing begins takes on no more than one that works can do.
  nextTurn();
  expect(overload.turnsAway()).toBe(true);
  backlogMs = 30;
  expect(overload.turnsAway()).toBe(false);
  shed = 0;
  for (let turn = 1; turn <= 3; turn += 1) {
    nextTurn();
    expect(overload.turnsAway()).toBe(false);
    block(10);
    expect([overload.turnsAway(), overload.turnsAway(), shed]).toEqual([true, true, turn * 2]);
  }
  nextTurn();
  // Three samples in time, and five seconds after the last that was late.
  pass(1_600 + 5_000);
  expect(overload.turnsAway()).toBe(false);
  block(10);
  expect(overload.turnsAway()).toBe(false);
});

const SHARES = [0, 0.1, 0.3];

test.each(SHARES)(
  'a process that gets %f of a processor turns no request away, however late its timers come',
  (share) => {
    const overload = watchOverload({ lateMs: 200 });
    for (let turn = 0; turn < 20; turn += 1) {
      expect(overload.turnsAway()).toBe(false);
      starve(600, share);
      expect(overload.turnsAway()).toBe(false);
      nextTurn();
    }
    expect([shed, overload.isPersistent]).toEqual([0, false]);
  },
);

test.each([...SHARES, 1])(
  'a process that gets %f of a processor turns requests away once as much of its own work waits',
  (share) => {
    const overload = watchOverload({ lateMs: 200 });
    for (let turn = 0; turn < 4; turn += 1) {
      // The same work takes longer the less of the processor there is.
      block(300);
      starve(share === 0 ? 60_000 : 300 / share - 300);
      nextTurn();
    }
    expect(overload.isPersistent).toBe(true);
    expect(overload.turnsAway()).toBe(false);
    starve(1_000);
    expect(overload.turnsAway()).toBe(false);
    block(10);
    expect([overload.turnsAway(), shed]).toEqual([true, 1]);
  },
);

const [LEAST_WORK_US, MOST_WORK_US] = [100_000, 10_000_000];

test('by the readings of the real process, it is its work that turns requests away, and not its sleep', async () => {
  vi.useRealTimers();
  const overload = new Overload({ operations: 1, lateMs: 200 });
  onTestFinished(() => overload.close());
  for (let turn = 0; turn < 3; turn += 1) {
    expect(overload.turnsAway()).toBe(false);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    expect(overload.turnsAway()).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  expect(overload.isPersistent).toBe(false);
  expect(overload.turnsAway()).toBe(false);
  const begun = process.cpuUsage();
  let used = 0;
  // On a busy machine, this turn may have begun long after the last tick, which then counts as time without work.
  while (used < MOST_WORK_US && !overload.turnsAway()) {
    const { user, system } = process.cpuUsage(begun);
    used = user + system;
  }
  expect(used).toBeGreaterThan(LEAST_WORK_US);
  expect(used).toBeLessThan(MOST_WORK_US);
});
