import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createDoorway } from '../src/overload.ts';

let nowMs = 0;
let immediates: (() => void)[] = [];

beforeEach(() => {
  immediates = [];
  vi.stubGlobal('setImmediate', (callback: () => void) => void immediates.push(callback));
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

/** A doorway, and turns of the event loop that take as long as they are said to. */
function doorway() {
  const doors = createDoorway();
  const begun: string[] = [];
  return {
    ...doors,
    begun,
    begin: (name: string): void => void (doors.whenClear() ?? Promise.resolve()).then(() => begun.push(name)),
    /** One turn, in which so much is done and a connection comes or not. */
    turn: async (comes: boolean, ms = 1): Promise<void> => {
      if (comes) doors.note();
      nowMs += ms;
      for (const callback of immediates.splice(0)) callback();
      await Promise.resolve().then(() => undefined);
    },
  };
}

describe('work that comes', () => {
  test('while nobody comes in begins at once', () => {
    expect(doorway().whenClear()).toBeNull();
  });

  test('beside a new connection begins when a turn has brought none', async () => {
    const { begin, begun, turn } = doorway();
    await turn(true, 0);
    begin('one');
    for (let count = 0; count < 5; count += 1) await turn(true);
    begin('other');
    expect(begun).toEqual([]);
    await turn(false);
    expect(begun).toEqual(['one', 'other']);
  });

  test('beside connections without end begins after 10 ms, in the order in which it came', async () => {
    const { begin, begun, turn } = doorway();
    await turn(true, 0);
    for (const name of ['a', 'b', 'c']) begin(name);
    for (let count = 0; count < 10; count += 1) await turn(true);
    expect(begun).toEqual([]);
    for (let count = 0; count < 3; count += 1) await turn(true);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  test('after work that took long waits as long, up to a quarter of a second', async () => {
    for (const [workedMs, waitedMs] of [
      [80, 80],
      [3_000, 250],
    ] as const) {
      const { begin, begun, turn } = doorway();
      await turn(true, 0);
      begin('long');
      while (begun.length === 0) await turn(true);
      await turn(true, workedMs);
      begin('next');
      for (let count = 0; count < waitedMs - 5; count += 1) await turn(true);
      expect(begun).toEqual(['long']);
      for (let count = 0; count < 10; count += 1) await turn(true);
      expect(begun).toEqual(['long', 'next']);
    }
  });

  test('tells how long it will take, by how long what began before took', async () => {
    const { begin, begun, turn, backlogMs } = doorway();
    await turn(true, 0);
    for (const name of ['a', 'b', 'c']) begin(name);
    expect(backlogMs()).toBe(0);
    while (begun.length === 0) await turn(true);
    await turn(true, 30);
    expect(backlogMs()).toBe(0);
    for (const name of ['d', 'e']) begin(name);
    expect(backlogMs()).toBe(20);
    while (begun.length === 3) await turn(true);
    expect(backlogMs()).toBe(0);
  });

  test('tells the same after a time in which nobody came', async () => {
    const { begin, begun, turn, backlogMs } = doorway();
    await turn(true, 0);
    begin('a');
    while (begun.length === 0) await turn(false);
    await turn(false, 5);
    await turn(false, 60_000);
    await turn(true);
    begin('b');
    expect(backlogMs()).toBe(5);
  });

  test('later is not held up any more', async () => {
    const { begin, begun, turn, ...doors } = doorway();
    await turn(true);
    begin('one');
    for (let count = 0; count < 3; count += 1) await turn(false);
    expect(begun).toEqual(['one']);
    expect(doors.whenClear()).toBeNull();
  });
});
