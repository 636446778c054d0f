import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { createDocumentCache } from '../../src/server/document-limits/document-cache.ts';
import { cases } from '../support/depth.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const heapAfterCollection = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

const MEGABYTE = 1_024 * 1_024;
/** Several times as many as the cache can keep of this many tokens. */
const DOCUMENTS = cases(500, 5_000);

/** A document of so many bytes that is like no other, with as many tokens as are allowed. */
function uniqueDocument(index: number, bytes: number): string {
  const body = `{ accounts(filter: { platformIds: [${'1 '.repeat(980)}] }) { totalCount } } #${index} `;
  return body + 'x'.repeat(Math.max(bytes - body.length, 0));
}

/** What many documents of a size leave behind in a cache, in bytes. */
function grownBy(bytes: number, { documentCache }: ReturnType<typeof createDocumentCache>): number {
  const before = heapAfterCollection();
  for (let index = 0; index < DOCUMENTS; index += 1) {
    const text = uniqueDocument(index, bytes);
    documentCache.set(text, parse(text));
  }
  return heapAfterCollection() - before;
}

test('the cache keeps no more than 32 MB, however many documents come and however large they are', () => {
  for (const bytes of [2_048, 8_192, 16_384]) {
    const cache = createDocumentCache();
    expect(grownBy(bytes, cache), `${bytes} bytes`).toBeLessThan(32 * MEGABYTE);
    expect(cache.documentCache.get(uniqueDocument(0, bytes)), `${bytes} bytes`).toBeUndefined();
  }
});

test('a cache without bounds would keep far more', () => {
  const everything = new Map();
  const unbounded = { ...createDocumentCache(), documentCache: everything };
  expect(grownBy(2_048, unbounded as unknown as ReturnType<typeof createDocumentCache>)).toBeGreaterThan(
    64 * MEGABYTE,
  );
  expect(everything.size).toBe(DOCUMENTS);
});

test('the cache keeps 500 documents, 4 MiB of text, and no document of more than 8 KiB', () => {
  const { documentCache } = createDocumentCache();
  const kept = (texts: readonly string[]): number => texts.filter((text) => documentCache.get(text)).length;
  const put = (texts: readonly string[]): void => {
    for (const text of texts) documentCache.set(text, parse(text));
  };
  const small = Array.from({ length: 600 }, (_, index) => `{ a${index} }`);
  put(small);
  expect(kept(small)).toBe(500);
  const large = Array.from({ length: 600 }, (_, index) => `{ a } #${String(index).padEnd(8_184, 'x')}`);
  expect(new Set(large.map((text) => text.length))).toEqual(new Set([8_191]));
  put(large);
  expect(kept(large)).toBe(500);
  const tooLarge = `{ a } #${'x'.repeat(8_192)}`;
  put([tooLarge]);
  expect(kept([tooLarge])).toBe(0);
});

test('a document that cannot be parsed is not cached', () => {
  const { errorCache } = createDocumentCache();
  errorCache.set();
  expect(errorCache.get()).toBeUndefined();
});
