import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { errorsOf, onlyError } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

const READS: Readonly<Record<string, EndpointName>> = {
  queuedPosts: 'GET /posts/queued',
  accountGroups: 'GET /group/list',
  libraryItems: 'GET /library/list',
  aiGenerations: 'GET /openai/historyList',
  membership: 'GET /membership/plan/list',
};
const FIELDS = Object.keys(READS);
const ALL = `{ queuedPosts { totalCount } accountGroups { totalCount } libraryItems { totalCount }
  aiGenerations { totalCount } membership { isBiannual } surfaces { surface } }`;

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

test.each(Object.entries(CODES))(
  'the status %s of any call is %s, never null alone',
  async (status, code) => {
    for (const endpoint of Object.values(READS))
      graph.sandbox.faults.add({ kind: 'status', status: Number(status), body: { message: 'no' }, endpoint });
    const answer = await graph.query(ALL);
    expect(errorsOf(answer)).toEqual(FIELDS.map((field) => `${field} ${code}`).toSorted());
    expect(FIELDS.map((field) => answer.data[field] as unknown)).toEqual(FIELDS.map(() => null));
    expect(answer.data.surfaces).toHaveLength(2);
    for (const endpoint of Object.values(READS)) expect(graph.sandbox.requests.count(endpoint)).toBe(1);
  },
);

test('a success stays one whatever its message says', async () => {
  for (const message of ['Error', 'Unauthorized', 'failed: 500', '', 7, null, undefined, { code: 401 }]) {
    graph.sandbox.faults.clear();
    const change = (answer: unknown): unknown => ({ ...(answer as object), message });
    for (const endpoint of Object.values(READS))
      graph.sandbox.faults.add({ kind: 'rewrite', endpoint, change, times: 9 });
    const { data, errors } = await graph.query(ALL);
    expect(errors, inspect(message)).toEqual([]);
    for (const field of FIELDS) expect(data[field], field).not.toBeNull();
  }
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
