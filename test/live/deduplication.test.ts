import { expect, test } from 'vitest';
import { createDeduplication } from '../../src/live/deduplication.ts';
import type { KnownGeneration } from '../../src/live/generations.ts';

const ended = (contentId: string, startedHere: boolean): KnownGeneration => ({
  contentId,
  startedHere,
  knownSince: 0,
  status: 'COMPLETE',
  wire: {},
});

test('an end is new once', () => {
  const followed = createDeduplication();
  expect(followed.isNew(ended('a', true))).toBe(true);
  expect(followed.isNew(ended('a', true))).toBe(false);
  expect(followed.isNew({ ...ended('b', true), status: 'EXPIRED' })).toBe(true);
  expect(followed.isNew(ended('b', true))).toBe(true);
  expect(followed.isNew(ended('c', true), false)).toBe(false);
});

test('an end that is seen before its origin is undecided until the origin is known, and new then', () => {
  const followed = createDeduplication();
  expect(followed.isNew(ended('a', false))).toBe(false);
  expect(followed.undecided()).toEqual(['a']);
  expect(followed.isNew(ended('a', true), false)).toBe(true);
  expect(followed.undecided()).toEqual([]);
  expect(followed.isNew(ended('a', true))).toBe(false);
});
