import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../src/sandbox/endpoints.ts';
import { errorsOf, onlyError } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

const READS: readonly (readonly [EndpointName, field: string, query: string])[] = [
  ['GET /posts/queued', 'queuedPosts', '{ queuedPosts { totalCount } surfaces { surface } }'],
  ['GET /group/list', 'accountGroups', '{ accountGroups { totalCount } surfaces { surface } }'],
  ['GET /library/list', 'libraryItems', '{ libraryItems { totalCount } surfaces { surface } }'],
  ['GET /openai/historyList', 'aiGenerations', '{ aiGenerations { totalCount } surfaces { surface } }'],
  ['GET /membership/plan/list', 'membership', '{ membership { isBiannual } surfaces { surface } }'],
];

const CODES: Readonly<Record<number, string>> = {
  400: 'UPSTREAM_REJECTED',
  401: 'CREDENTIAL_REJECTED',
  403: 'UPSTREAM_REJECTED',
  404: 'UPSTREAM_REJECTED',
  409: 'UPSTREAM_REJECTED',
  418: 'UPSTREAM_REJECTED',
  422: 'UPSTREAM_REJECTED',
  429: 'RATE_LIMITED',
  500: 'SURFACE_UNAVAILABLE',
  503: 'SURFACE_UNAVAILABLE',
  302: 'UPSTREAM_MALFORMED',
};

describe.each(READS)('any status of %s, listed for it or not', (endpoint, field, query) => {
  test.each(Object.entries(CODES))('%s is %s, and never null alone', async (status, code) => {
    graph.sandbox.faults.add({ kind: 'status', status: Number(status), body: { message: 'no' }, endpoint });
    const answer = await graph.query(query);
    expect(errorsOf(answer)).toEqual([`${field} ${code}`]);
    expect(answer.data[field]).toBeNull();
    expect(answer.data.surfaces).toHaveLength(2);
    expect(graph.sandbox.requests.count(endpoint)).toBe(1);
  });

  test.each(['Error', 'Unauthorized', 'failed: 500', '', 7, null, undefined, { code: 401 }])(
    'a success stays one whatever its message says, such as %o',
    async (message) => {
      const change = (answer: unknown): unknown => ({ ...(answer as object), message });
      graph.sandbox.faults.add({ kind: 'rewrite', endpoint, change });
      const { data, errors } = await graph.query(query);
      expect(errors).toEqual([]);
      expect(data[field]).not.toBeNull();
    },
  );
});

test.each(['message', 'envelope', 'error-list', 'html', 'empty'] as const)(
  'a refusal whose body is of the kind %s is one all the same, and its words are plain text',
  async (errorBody) => {
    const strict = await startGraph({ sandbox: { quirks: { errorBody, maxLimit: 5, overLimit: 'error' } } });
    const answer = await strict.query('{ accountGroups(first: 20) { totalCount } }');
    expect(errorsOf(answer)).toEqual(['accountGroups UPSTREAM_REJECTED']);
    const { message } = onlyError(answer);
    expect(message).not.toMatch(/[<>]/);
    expect(message.includes('limit must not exceed 5.')).toBe(errorBody !== 'empty');
  },
);

test.each(['example', 'both'] as const)(
  'a library that counts under the names %s is counted',
  async (libraryTotals) => {
    const other = await startGraph({ sandbox: { quirks: { libraryTotals } } });
    const { data, errors } = await other.query(
      '{ libraryItems(last: 2) { totalCount nodes { title } pageInfo { hasPreviousPage } } }',
    );
    expect(errors).toEqual([]);
    expect(data.libraryItems).toMatchObject({ totalCount: 15, pageInfo: { hasPreviousPage: true } });
    expect(data.libraryItems.nodes).toHaveLength(2);
  },
);

/** The library's own page with one of its totals changed. */
function miscounted(answer: unknown): unknown {
  const { response } = answer as { response: object };
  return { ...(answer as object), response: { ...response, totalCount: 99 } };
}

test('totals that disagree are reported once as drift, without a word to the caller', async () => {
  const other = await startGraph();
  other.sandbox.faults.add({ kind: 'rewrite', endpoint: 'GET /library/list', times: 9, change: miscounted });
  for (const _ of [1, 2]) {
    const { data, errors } = await other.query('{ libraryItems { totalCount } }');
    expect(errors).toEqual([]);
    expect(data.libraryItems.totalCount).toBe(15);
  }
  const lines = other.log.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(
    lines.filter(({ endpoint, field }) => endpoint === 'GET /library/list' && field !== undefined),
  ).toHaveLength(1);
});
