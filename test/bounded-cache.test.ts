import { expect, test } from 'vitest';
import { createBoundedCache } from '../src/bounded-cache.ts';

const keysOf = (cache: { keys(): Iterable<string> }): string[] => [...cache.keys()].toReversed();

test('keeps so many entries, and forgets what is unused for longest', () => {
  const cache = createBoundedCache<number>({ maxEntries: 3 });
  for (const [value, name] of ['a', 'b', 'c'].entries()) cache.set(name, value);
  cache.get('a');
  cache.set('d', 3);
  expect(keysOf(cache)).toEqual(['c', 'a', 'd']);
  expect(cache.get('b')).toBeUndefined();
});

test('keeps no more than so much in all, and nothing that is larger', () => {
  const cache = createBoundedCache<string>({ maxEntries: 10, maxSize: 100, sizeOf: ({ length }) => length });
  cache.set('whole', 'x'.repeat(100));
  cache.set('half', 'x'.repeat(50));
  cache.set('third', 'x'.repeat(33));
  expect(keysOf(cache)).toEqual(['half', 'third']);
  cache.set('huge', 'x'.repeat(101));
  expect(keysOf(cache)).toEqual(['half', 'third']);
});

test('takes no memory for entries that it may keep one day', () => {
  const before = process.memoryUsage().arrayBuffers;
  const caches = Array.from({ length: 10 }, () => createBoundedCache<string>({ maxEntries: 10_000_000 }));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  expect(caches.map(({ size }) => size)).toEqual(Array<number>(10).fill(0));
});
