import { expect, test } from 'vitest';
import { paced } from '../../src/http/paced.ts';

const PER_SECOND = 180;

test('many are sent away one after the other, at most 180 in a second, so that they don’t come back all at once', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `socket ${index}`);
  const acted: string[] = [];
  const early: string[] = [];
  const startedAt = performance.now();
  await paced(names, (name) => {
    // Timers may be a millisecond early.
    const dueAt = startedAt + (acted.length * 1_000) / PER_SECOND - 2;
    if (performance.now() < dueAt) early.push(name);
    acted.push(name);
  });
  expect(acted).toEqual(names);
  expect(early).toEqual([]);
});
