import { setImmediate as nextTurn, setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createOverload, type Overload } from '../../src/server/overload.ts';

function watchOverload(operations = 1_000_000, lateMs = 3_600_000, onShed?: () => void): Overload {
  const overload = createOverload({ operations, lateMs }, onShed);
  onTestFinished(() => overload.close());
  return overload;
}

/** Keeps the event loop from turning. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('as many operations as allowed are let in at once, and the next when one has ended', () => {
  let shed = 0;
  const overload = watchOverload(2, undefined, () => (shed += 1));
  const leaves = [overload.enter(), overload.enter()];
  expect(overload.enter()).toBeNull();
  leaves[0]?.();
  expect(overload.enter()).not.toBeNull();
  expect([overload.enter(), shed]).toEqual([null, 2]);
});

test('an operation that ends twice makes room once', () => {
  const overload = watchOverload(2);
  const first = overload.enter();
  overload.enter();
  first?.();
  first?.();
  expect(overload.enter()).not.toBeNull();
  expect(overload.enter()).toBeNull();
});

test('those who are turned away are told to come back at different times, in one to five seconds', () => {
  const overload = watchOverload();
  const seconds = new Set(Array.from({ length: 1_000 }, () => overload.retryAfterSeconds()));
  expect([...seconds].toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5]);
});

test('a hundred that are turned away within seconds make others look elsewhere, ninety-nine don’t', () => {
  const overload = watchOverload(1);
  overload.enter();
  for (let count = 0; count < 99; count += 1) overload.enter();
  expect(overload.isPersistent).toBe(false);
  overload.enter();
  expect(overload.isPersistent).toBe(true);
});

test('nothing is turned away while the process is in time, however busy it is', async () => {
  const overload = watchOverload(1_000_000, 400);
  const end = performance.now() + 1_600;
  while (performance.now() < end) {
    block(20);
    expect(overload.turnsAway()).toBe(false);
    await nextTurn();
  }
  expect(overload.isPersistent).toBe(false);
});

test('one late moment is no reason to turn anything away', async () => {
  const overload = watchOverload(1_000_000, 200);
  expect(overload.turnsAway()).toBe(false);
  block(350);
  expect(overload.turnsAway()).toBe(false);
  const end = performance.now() + 1_200;
  while (performance.now() < end) {
    await nextTurn();
    expect(overload.turnsAway()).toBe(false);
  }
  expect(overload.isPersistent).toBe(false);
});

test('what comes within a turn that takes twice as long as counts as late is turned away', async () => {
  const overload = watchOverload(1_000_000, 200);
  expect(overload.turnsAway()).toBe(false);
  block(450);
  expect(overload.turnsAway()).toBe(true);
  await nextTurn();
  expect(overload.turnsAway()).toBe(false);
});

/** Makes the clock show a later time, as long as the test goes on. */
function skip(ms: number): void {
  const now = performance.now.bind(performance);
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
  onTestFinished(() => {
    spy.mockRestore();
  });
}

test('while the process is late again and again, each turn takes on a little, until all is well for a while', async () => {
  let shed = 0;
  const overload = watchOverload(1_000_000, 100, () => (shed += 1));
  // Longer than it takes to draw a conclusion: no turn of the event loop is in time.
  for (let time = 0; time < 4; time += 1) {
    block(600);
    await nextTurn();
  }
  expect(overload.isPersistent).toBe(true);
  for (let turn = 1; turn <= 3; turn += 1) {
    await nextTurn();
    expect(overload.turnsAway()).toBe(false);
    block(10);
    expect([overload.turnsAway(), overload.turnsAway(), shed]).toEqual([true, true, turn * 2]);
  }
  // Three samples in time, and five seconds after the last that was not.
  await after(1_700);
  skip(5_000);
  await after(50);
  expect(overload.turnsAway()).toBe(false);
  block(10);
  expect(overload.turnsAway()).toBe(false);
});
