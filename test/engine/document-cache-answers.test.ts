import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../support/depth.ts';
import { generateOperation } from '../support/documents.ts';
import { postJson } from '../support/http.ts';
import { shareGraph } from '../support/graph.ts';

// How many calls are made depends on the page sizes of earlier answers, so it may differ between two equal requests.
const graph = shareGraph({ environment: { COST_IN_EXTENSIONS: 'off' } });

test('a document has the same response whether it is in the cache or not', async () => {
  const endpoint = `${graph.url}/graphql`;
  const answerTo = async (body: object, at: string): Promise<unknown> => {
    const { status, text } = await postJson(at, body, graph.caller.both);
    return [status, text.replaceAll(/"requestId":"[\da-f-]{36}"/g, '"requestId":""')];
  };
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const made = generateOperation(g, { depth: 5, width: 3 });
      const at = g(fc.nat, { max: made.query.length - 1 });
      const body = g(fc.boolean)
        ? made
        : { ...made, query: made.query.slice(0, at) + made.query.slice(at + 1) };
      const cold = await answerTo(body, endpoint);
      const warm = await answerTo(body, endpoint);
      expect(warm).toEqual(cold);
    }),
    { numRuns: cases(50, 2_000), endOnFailure: true },
  );
});
