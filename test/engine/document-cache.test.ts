import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { Preparation, type PreparationOptions, type PreparedDocument } from '../../src/engine/prepared.ts';
import { schema } from '../../src/schema/index.ts';
import { cases, isDeep } from '../support/depth.ts';
import { generateOperation } from '../support/documents.ts';
import { shareGraph } from '../support/graph.ts';
import { postJson } from '../support/http.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const heapAfterCollection = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

const MEGABYTE = 1_024 * 1_024;
/** Twice as many as the cache keeps of the largest, or many times. */
const DOCUMENTS = cases(140, 5_000);
/** So many show how much each takes. */
const SAMPLE = 10;
const OPTIONS: PreparationOptions = { schema, limits: readConfig({}).limits, introspection: true };

const NAMES =
  'id surface loginId displayName profileUrl avatarUrl isPaused color queuedPostCount platformCode network errorCount inboxCount hasInbox isBlocked isLocked pageId platformId';

/** A document like no other, with as many tokens as are allowed: every field becomes a closure once it is compiled. */
function uniqueDocument(index: number, bytes: number): string {
  const groups = `groups { accounts(first: 1) { nodes { ${NAMES} counterpart { ${NAMES} } } } }`;
  const lists = Array.from(
    { length: 9 },
    (_, at) => `a${at}: accounts(first: 1) { nodes { ${NAMES} ${groups} } }`,
  );
  return `{ ${lists.join(' ')} } #${index} `.padEnd(bytes, 'x');
}

describe('the cache of documents', () => {
  /** What many documents of a size leave behind when each is compiled, in bytes. */
  function grownBy(count: number, bytes: number, prepare: (text: string) => PreparedDocument): number {
    const before = heapAfterCollection();
    for (let index = 0; index < count; index += 1) {
      const document = prepare(uniqueDocument(index, bytes));
      expect(document.errors).toEqual([]);
      const { compiled } = document.operation(null);
      if (!('errors' in compiled)) void compiled.execute({ rootValue: {}, contextValue: {} });
    }
    return heapAfterCollection() - before;
  }

  test('keeps no more than 32 MB, however many documents come and however large they are', () => {
    for (const bytes of isDeep ? [2_048, 8_192, 16_384] : [2_048]) {
      const cache = new Preparation(OPTIONS);
      const grown = grownBy(DOCUMENTS, bytes, (text) => cache.prepare(text));
      expect(grown, `${bytes} bytes`).toBeLessThan(32 * MEGABYTE);
      expect(cache.has(uniqueDocument(0, bytes)), `${bytes} bytes`).toBe(false);
    }
    // The control: without bounds it would keep far more.
    const everything: PreparedDocument[] = [];
    const keep = (text: string): PreparedDocument => {
      everything.push(new Preparation(OPTIONS).prepare(text));
      return everything.at(-1) as PreparedDocument;
    };
    const each = grownBy(SAMPLE, 2_048, keep) / everything.length;
    expect(each * DOCUMENTS).toBeGreaterThan(40 * MEGABYTE);
  });

  test('keeps 500 documents, 4 MiB of text, and none that is larger than 8 KiB or cannot be parsed', () => {
    const cache = new Preparation(OPTIONS);
    const keptOf = (texts: readonly string[]): number => {
      for (const text of texts) cache.prepare(text);
      return texts.filter((text) => cache.has(text)).length;
    };
    expect(keptOf(Array.from({ length: 520 }, (_, index) => `{ a${index}: __typename }`))).toBe(500);
    const large = Array.from({ length: 520 }, (_, index) => `{ __typename } #${index} `.padEnd(8_191, 'x'));
    expect(keptOf(large)).toBe(500);
    expect(keptOf([`{ __typename } #${'x'.repeat(8_192)}`])).toBe(0);
    expect(() => cache.prepare('{')).toThrow('Syntax Error');
    expect(cache.has('{')).toBe(false);
  });

  // How many calls are made depends on the page sizes of earlier answers, so it may differ between two equal requests.
  const graph = shareGraph({ environment: { COST_IN_EXTENSIONS: 'off' } });

  test('makes no difference to responses', async () => {
    const answerTo = async (body: object): Promise<unknown> => {
      const { status, text } = await postJson(`${graph.url}/graphql`, body, graph.caller.both);
      const ofThisRequest = /"requestId":"[\da-f-]{36}"|"\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z"/g;
      return [status, text.replaceAll(ofThisRequest, '""')];
    };
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (g) => {
        const made = generateOperation(g);
        const at = g(fc.nat, { max: made.query.length - 1 });
        const damaged = { ...made, query: made.query.slice(0, at) + made.query.slice(at + 1) };
        const body = g(fc.boolean) ? made : damaged;
        const cold = await answerTo(body);
        expect(await answerTo(body)).toEqual(cold);
      }),
      { numRuns: cases(40, 2_000), endOnFailure: true },
    );
  });
});
