import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { Preparation, type PreparationOptions, type PreparedDocument } from '../../src/engine/prepared.ts';
import { schema } from '../../src/schema/index.ts';
import { cases, isDeep } from '../support/depth.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const heapAfterCollection = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

const MEGABYTE = 1_024 * 1_024;
/** Twice as many as the cache keeps of this many tokens, or many times. */
const DOCUMENTS = cases(200, 5_000);
/** So many show how much each takes. */
const SAMPLE = 25;
const OPTIONS: PreparationOptions = { schema, limits: readConfig({}).limits, introspection: true };

/** Documents of so many bytes, each like no other, with as many tokens as are allowed. */
const UNIQUE: Readonly<Record<string, (index: number, bytes: number) => string>> = {
  'of many values': (index, bytes) =>
    padded(`{ accounts(filter: { platformIds: [${'1 '.repeat(970)}] }) { totalCount } } #${index} `, bytes),
  // Every field becomes a closure once the document is compiled.
  'of many fields': (index, bytes) => padded(`${manyFields()} #${index} `, bytes),
};

const padded = (body: string, bytes: number): string => body + 'x'.repeat(Math.max(bytes - body.length, 0));

const NAMES =
  'id surface loginId displayName profileUrl avatarUrl isPaused color queuedPostCount platformCode network errorCount inboxCount hasInbox isBlocked isLocked pageId platformId';

function manyFields(): string {
  const groups = `groups { accounts(first: 1) { nodes { ${NAMES} counterpart { ${NAMES} } } } }`;
  const places = Array.from(
    { length: 9 },
    (_, at) => `a${at}: accounts(first: 1) { nodes { ${NAMES} ${groups} } }`,
  );
  return `{ ${places.join(' ')} }`;
}

/** What many documents of a size leave behind when each is compiled, in bytes. */
function grownBy(
  count: number,
  make: (index: number) => string,
  prepare: (text: string) => PreparedDocument,
): number {
  const before = heapAfterCollection();
  for (let index = 0; index < count; index += 1) {
    const document = prepare(make(index));
    expect(document.errors).toEqual([]);
    const operation = document.operation(null);
    const { compiled } = operation;
    if (!('errors' in compiled)) void compiled.execute({ rootValue: {}, contextValue: {} });
  }
  return heapAfterCollection() - before;
}

test.each(Object.entries(UNIQUE))(
  'the cache keeps no more than 32 MB, however many documents %s come and however large they are',
  (_name, unique) => {
    for (const bytes of isDeep ? [2_048, 8_192, 16_384] : [2_048]) {
      const cache = new Preparation(OPTIONS);
      const grown = grownBy(
        DOCUMENTS,
        (index) => unique(index, bytes),
        (text) => cache.prepare(text),
      );
      expect(grown, `${bytes} bytes`).toBeLessThan(32 * MEGABYTE);
      expect(cache.has(unique(0, bytes)), `${bytes} bytes`).toBe(false);
    }
  },
);

test.each(Object.entries(UNIQUE))(
  'control: a cache without bounds would keep far more documents %s',
  (_name, unique) => {
    const everything = new Map<string, PreparedDocument>();
    const cache = new Preparation(OPTIONS);
    const grown = grownBy(
      SAMPLE,
      (index) => unique(index, 2_048),
      (text) => {
        const prepared = cache.prepare(text);
        everything.set(text, prepared);
        return prepared;
      },
    );
    expect(everything.size).toBe(SAMPLE);
    expect((grown / SAMPLE) * DOCUMENTS).toBeGreaterThan(40 * MEGABYTE);
  },
);

test('the cache keeps 500 documents, 4 MiB of text, and no document of more than 8 KiB', () => {
  const cache = new Preparation(OPTIONS);
  const kept = (texts: readonly string[]): number => texts.filter((text) => cache.has(text)).length;
  const put = (texts: readonly string[]): void => {
    for (const text of texts) cache.prepare(text);
  };
  const small = Array.from({ length: 520 }, (_, index) => `{ a${index}: __typename }`);
  put(small);
  expect(kept(small)).toBe(500);
  const large = Array.from(
    { length: 520 },
    (_, index) => `{ __typename } #${String(index).padEnd(8_175, 'x')}`,
  );
  expect(new Set(large.map((text) => text.length))).toEqual(new Set([8_191]));
  put(large);
  expect(kept(large)).toBe(500);
  const tooLarge = `{ __typename } #${'x'.repeat(8_192)}`;
  put([tooLarge]);
  expect(kept([tooLarge])).toBe(0);
});

test('a document that cannot be parsed is not cached', () => {
  const cache = new Preparation(OPTIONS);
  expect(() => cache.prepare('{')).toThrow('Syntax Error');
  expect(cache.has('{')).toBe(false);
});
