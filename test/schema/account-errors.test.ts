import { expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { SourceError, type SourceErrorKind } from '../../src/sources/errors.ts';
import { presentError } from '../../src/schema/errors.ts';
import { codeOf, errorsOf, onlyError } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { CUT_GZIP } from '../support/odd-answers.ts';
import { changingPage, MISSING } from '../support/wire-changes.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

/** One field of the current surface that fails, beside one of the legacy surface that must stand. */
const BOTH = `{
  accounts(first: 1) { totalCount }
  accountGroups(first: 1, surface: LEGACY) { nodes { name } }
  surfaces { surface }
}`;
const STANDS = {
  accountGroups: { nodes: [{ name: 'Shopfront' }] },
  surfaces: [{ surface: 'CURRENT' }, { surface: 'LEGACY' }],
};

interface Failure {
  readonly name: string;
  readonly fault: FaultKind;
  readonly code: string;
  readonly retryable: boolean;
}

const status = (code: number, body: unknown = { message: 'no' }): FaultKind => ({
  kind: 'status',
  status: code,
  body,
});
const failures = (code: string, retryable: boolean, faults: Readonly<Record<string, FaultKind>>): Failure[] =>
  Object.entries(faults).map(([name, fault]) => ({ name, fault, code, retryable }));

const FAILURES: readonly Failure[] = [
  ...[400, 402, 403, 404, 405, 409, 410, 413, 418, 422].map((code) => ({
    name: `HTTP ${code}`,
    fault: status(code),
    code: 'UPSTREAM_REJECTED',
    retryable: false,
  })),
  ...failures('CREDENTIAL_REJECTED', false, { 'HTTP 401': status(401) }),
  ...failures('RATE_LIMITED', true, { 'HTTP 429': status(429) }),
  ...[500, 501, 502, 503, 504, 520].map((code) => ({
    name: `HTTP ${code}`,
    fault: status(code),
    code: 'SURFACE_UNAVAILABLE',
    retryable: true,
  })),
  ...failures('SURFACE_UNAVAILABLE', true, {
    'a reset before any answer': { kind: 'reset-before-headers' },
    'a reset in the body': { kind: 'reset-in-body' },
    'a body shorter than announced': { kind: 'cut-body', framing: 'content-length' },
    'a chunked body that ends too soon': { kind: 'cut-body', framing: 'chunked' },
  }),
  ...failures('UPSTREAM_MALFORMED', false, {
    'a body cut where closing ends it': { kind: 'cut-body', framing: 'close' },
    'text that is no JSON': { kind: 'malformed-json' },
    'an empty body': { kind: 'empty-body' },
    'HTTP 204': { kind: 'empty-body', status: 204 },
    'a body too large': { kind: 'huge-body', bytes: 9 * 1024 * 1024 },
    'a body that claims to be too large': { kind: 'huge-body', bytes: 1_000, claim: 5_000_000_000 },
    'a compressed body cut short': CUT_GZIP,
    'a compressed bomb': { kind: 'gzip', inflatedBytes: 12_000_000 },
  }),
];

const NAMED_FAILURES = FAILURES.map((failure) => [failure.name, failure.code, failure] as const);

test.each(NAMED_FAILURES)(
  '%s is %s, and the rest of the operation stands',
  async (_name, code, { fault, retryable }) => {
    graph.sandbox.faults.add({ ...fault, endpoint: 'GET /accounts/list' });
    const answer = await graph.query(BOTH);
    expect(answer.data).toEqual({ accounts: null, ...STANDS });
    expect(errorsOf(answer)).toEqual([`accounts ${code}`]);
    expect(onlyError(answer).extensions).toMatchObject({ surface: 'CURRENT', retryable });
    expect(graph.sandbox.requests.count('GET /accounts/list')).toBe(1);
  },
);

const TEXTS_THAT_ARE_NO_ENVELOPE = [
  'null',
  'true',
  '12',
  '"text"',
  '[]',
  '[{"response":{}}]',
  '{}',
  '{"message":"Success"}',
  '{"message":"Success","response":null}',
  '{"message":"Success","response":"x"}',
  '{"message":"Success","response":[]}',
  '{"message":"Success","response":{}}',
  '{"__proto__":{"response":{"list":[]}}}',
  '{"response":{"currentPage":1,"pageLimit":1,"totalRecords":NaN,"list":[]}}',
  '{"response":{"currentPage":1}}\n{"response":{"currentPage":2}}',
  '<!doctype html><title>Welcome</title>',
  `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  `{"response":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`,
];

test.each(TEXTS_THAT_ARE_NO_ENVELOPE.map((text) => [text.slice(0, 60), text]))(
  '%s is no answer',
  async (_start, text) => {
    graph.sandbox.faults.add({ kind: 'malformed-json', text, endpoint: 'GET /accounts/list' });
    const answer = await graph.query(BOTH);
    expect(answer.data).toEqual({ accounts: null, ...STANDS });
    expect(errorsOf(answer)).toEqual(['accounts UPSTREAM_MALFORMED']);
  },
);

const BAD_PAGES: readonly Readonly<Record<string, unknown>>[] = [
  ...['currentPage', 'pageLimit', 'totalRecords'].flatMap((name) =>
    [MISSING, null, '', -1, 1.5, 'many', [], {}, 1e21].map((value) => ({ [name]: value })),
  ),
  { pageLimit: 0 },
  { currentPage: 2 },
  { currentPage: 0 },
  ...[MISSING, null, '', {}, 'x', 7].map((list) => ({ list })),
  { list: [{ loginId: 1 }, { loginId: 2 }] },
];

test('a page whose own numbers are missing, damaged or contradict its rows is malformed', async () => {
  for (const values of BAD_PAGES) {
    graph.sandbox.faults.clear();
    graph.sandbox.faults.add(changingPage('GET /accounts/list', values));
    const answer = await graph.query(BOTH);
    expect(errorsOf(answer), JSON.stringify(values)).toEqual(['accounts UPSTREAM_MALFORMED']);
    expect(answer.data).toEqual({ accounts: null, ...STANDS });
  }
});

const LISTS: readonly (readonly [field: string, endpoint: EndpointName])[] = [
  ['accounts', 'GET /accounts/list'],
  ['accountGroups', 'GET /group/list'],
  ['queuedPosts', 'GET /posts/queued'],
  ['aiGenerations', 'GET /openai/historyList'],
  ['libraryItems', 'GET /library/list'],
];
const EMPTY_PAGES: readonly Readonly<Record<string, unknown>>[] = [
  ...[[], MISSING, null, '', 'null', {}].map((list) => ({ list })),
  { list: null, totalRecords: '0', totalRecord: MISSING, totalCount: MISSING },
  { list: null, totalRecords: MISSING, totalCount: 0 },
  { list: [], currentPage: 0, pageLimit: 0 },
  { list: null, currentPage: null, pageLimit: MISSING },
];

test.each(LISTS)(
  '%s that are none are an empty connection, however that is spelt',
  async (field, endpoint) => {
    for (const values of EMPTY_PAGES) {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(
        changingPage(endpoint, { totalRecords: 0, totalRecord: 0, totalCount: 0, totalPages: 0, ...values }),
      );
      const { data, errors } = await graph.query(
        `{ ${field}(last: 5) { totalCount nodes { id } pageInfo { hasNextPage hasPreviousPage drifted } } }`,
      );
      expect(errors, JSON.stringify(values)).toEqual([]);
      expect(data[field]).toEqual({
        totalCount: 0,
        nodes: [],
        pageInfo: { hasNextPage: false, hasPreviousPage: false, drifted: false },
      });
    }
  },
);

test('a page whose numbers came as text is read', async () => {
  graph.sandbox.faults.add(
    changingPage('GET /accounts/list', { currentPage: '1', pageLimit: '1', totalRecords: '12' }),
  );
  const answer = await graph.query('{ accounts(first: 1) { totalCount } }');
  expect(errorsOf(answer)).toEqual([]);
  expect(answer.data.accounts.totalCount).toBe(12);
});

test.each([
  ['7', 7_000],
  ['0', 0],
  [undefined, undefined],
  ['soon', undefined],
  ['-5', undefined],
])('a pause asked for with Retry-After %s is told as %s milliseconds', async (header, retryAfterMs) => {
  const own = await startGraph();
  const headers = header === undefined ? {} : { 'retry-after': header };
  own.sandbox.faults.add({ kind: 'status', status: 429, headers, endpoint: 'GET /accounts/list' });
  const { extensions } = onlyError(await own.query(BOTH));
  expect(extensions['retryAfterMs']).toBe(retryAfterMs);
});

test('a pause asked for until a date is told in milliseconds', async () => {
  const own = await startGraph();
  const headers = { 'retry-after': new Date(Date.now() + 60_000).toUTCString() };
  own.sandbox.faults.add({ kind: 'status', status: 503, headers, endpoint: 'GET /accounts/list' });
  const { extensions } = onlyError(await own.query(BOTH));
  expect(extensions['retryAfterMs']).toBeGreaterThan(50_000);
  expect(extensions['retryAfterMs']).toBeLessThanOrEqual(60_000);
});

test.each([-1, 101, 2_147_483_647])('first: %d is bad input, and nothing is sent', async (first) => {
  const answer = await graph.query(`{ accounts(first: ${first}) { totalCount } surfaces { surface } }`);
  expect(errorsOf(answer)).toEqual(['accounts BAD_USER_INPUT']);
  expect(onlyError(answer).message).toContain('first');
  expect(answer.data).toEqual({ accounts: null, surfaces: STANDS.surfaces });
  expect(graph.sandbox.requests.count()).toBe(0);
});

const KINDS: readonly (readonly [SourceErrorKind, code: string, retryable: boolean])[] = [
  ['not-configured', 'SURFACE_NOT_CONFIGURED', false],
  ['credential-missing', 'CREDENTIAL_MISSING', false],
  ['unauthenticated', 'CREDENTIAL_REJECTED', false],
  ['rejected', 'UPSTREAM_REJECTED', false],
  ['rate-limited', 'RATE_LIMITED', true],
  ['unreachable', 'SURFACE_UNAVAILABLE', true],
  ['unavailable', 'SURFACE_UNAVAILABLE', true],
  ['timeout', 'UPSTREAM_TIMEOUT', true],
  ['malformed', 'UPSTREAM_MALFORMED', false],
];

test.each(KINDS)('a failure of kind %s is shown as %s', (kind, code, retryable) => {
  const cause = new SourceError(kind, 'legacy', 'for the log: http://10.0.0.7/secret', {
    endpoint: 'GET /oauth/accounts',
  });
  const { error, isUnexpected } = presentError(cause, '123e4567-e89b-12d3-a456-426614174000');
  expect(isUnexpected).toBe(false);
  expect(codeOf({ ...error.toJSON(), path: [], extensions: error.extensions })).toBe(code);
  expect(error.extensions).toMatchObject({ surface: 'LEGACY', retryable });
  expect(JSON.stringify(error)).not.toMatch(/10\.0\.0\.7|oauth\/accounts|for the log/);
});

test.each([
  new Error('at 10.0.0.7:5432'),
  new TypeError('x is not a function'),
  new AggregateError([new Error('ECONNREFUSED 10.0.0.7')], 'all failed'),
  'text',
  undefined,
  null,
  { secret: 'x' },
])('what was not foreseen, such as %s, is masked and counts as unexpected', (thrown) => {
  const { error, isUnexpected } = presentError(thrown, '123e4567-e89b-12d3-a456-426614174000');
  expect(isUnexpected).toBe(true);
  expect(error.toJSON()).toEqual({
    message: 'Internal server error.',
    extensions: {
      code: 'INTERNAL_SERVER_ERROR',
      retryable: false,
      requestId: '123e4567-e89b-12d3-a456-426614174000',
    },
  });
});
