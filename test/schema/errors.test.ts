import { buildSchema, GraphQLError, graphqlSync } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import type { Environment } from '../../src/config.ts';
import { presentError } from '../../src/schema/errors.ts';
import { errorsOf, onlyError, startGraph, shareGraph } from '../support/graph.ts';
import { onlyFaults } from '../support/sandbox.ts';
import { account, EXAMPLES, write } from '../support/writes.ts';

const graph = shareGraph();

const LIST = 'GET /accounts/list';
const LEGACY_LIST = 'GET /oauth/accounts';

/** A field of the current surface, a field of the legacy surface, and a field that needs neither. */
const BOTH = `{
  current: accounts(first: 1, surface: CURRENT) { totalCount }
  legacy: accounts(first: 1, surface: LEGACY) { totalCount }
  surfaces { surface }
}`;
const WHOLE = {
  current: { totalCount: 12 },
  legacy: { totalCount: 13 },
  surfaces: [{ surface: 'CURRENT' }, { surface: 'LEGACY' }],
};

const status = (code: number, body: unknown = { message: 'no' }): FaultKind => ({
  kind: 'status',
  status: code,
  body,
});

const LISTS = { current: LIST, legacy: LEGACY_LIST } as const;
const RETRYABLE = ['RATE_LIMITED', 'UPSTREAM_TIMEOUT', 'SURFACE_UNAVAILABLE'];

/** Reads while the list of one surface has another answer; the rest of the operation is complete. */
async function readWith(surface: keyof typeof LISTS, code: number, body: unknown) {
  onlyFaults(graph.sandbox, { ...status(code, body), endpoint: LISTS[surface] });
  const answer = await graph.query(BOTH);
  expect(answer.data).toEqual({ ...WHOLE, [surface]: null });
  const { extensions } = onlyError(answer);
  const retryable = RETRYABLE.includes(String(extensions['code']));
  expect(extensions).toMatchObject({ surface: surface.toUpperCase(), retryable });
  return answer;
}

test.each<[keyof typeof LISTS, code: number, body: unknown, expected: string]>([
  ['current', 404, { message: 'no' }, 'UPSTREAM_REJECTED'],
  ['current', 401, { message: 'no' }, 'CREDENTIAL_REJECTED'],
  ['current', 429, { message: 'no' }, 'RATE_LIMITED'],
  ['current', 408, { message: 'no' }, 'UPSTREAM_TIMEOUT'],
  ['current', 500, { message: 'no' }, 'SURFACE_UNAVAILABLE'],
  ['current', 302, { message: 'no' }, 'UPSTREAM_MALFORMED'],
  ['legacy', 401, { error: 1, msg: 'no' }, 'CREDENTIAL_REJECTED'],
  ['legacy', 429, { error: 1, msg: 'slowly' }, 'RATE_LIMITED'],
  ['legacy', 403, { message: 'no' }, 'UPSTREAM_REJECTED'],
  ['legacy', 404, '<h1>Not here</h1>', 'UPSTREAM_REJECTED'],
  ['legacy', 500, { error: 0, data: [] }, 'SURFACE_UNAVAILABLE'],
  ['legacy', 302, '', 'UPSTREAM_MALFORMED'],
  ['legacy', 200, {}, 'UPSTREAM_MALFORMED'],
  ['legacy', 200, { error: 0 }, 'UPSTREAM_MALFORMED'],
  ['legacy', 200, { error: 0, data: { note: 'x' } }, 'UPSTREAM_MALFORMED'],
  ['legacy', 200, { error: '0', data: { list: [] } }, 'UPSTREAM_MALFORMED'],
  ['legacy', 200, { error: 1, data: [] }, 'UPSTREAM_REJECTED'],
  ['legacy', 200, { error: null }, 'UPSTREAM_MALFORMED'],
  ['legacy', 200, { error: [], msg: 'Done' }, 'UPSTREAM_MALFORMED'],
  ['legacy', 200, { error: 'none', msg: 'Done', data: [] }, 'UPSTREAM_MALFORMED'],
  ['legacy', 401, { error: 'Unauthorized' }, 'CREDENTIAL_REJECTED'],
  ['legacy', 200, 'Success', 'UPSTREAM_MALFORMED'],
])('on the %s surface, HTTP %d with %j instead of a list is %s', async (surface, code, body, expected) => {
  expect(errorsOf(await readWith(surface, code, body))).toEqual([`${surface} ${expected}`]);
  expect(graph.sandbox.requests.count(LISTS[surface])).toBe(1);
});

test.each<[what: string, Environment, code: string, retryable: boolean]>([
  ['not configured', { CURRENT_API_URL: '' }, 'SURFACE_NOT_CONFIGURED', false],
  ['a host that does not exist', { CURRENT_API_URL: 'https://nowhere.invalid' }, 'SURFACE_UNAVAILABLE', true],
  ['a closed port', { CURRENT_API_URL: 'http://127.0.0.1:1' }, 'SURFACE_UNAVAILABLE', true],
])('a surface that is %s fails its own fields', async (_what, environment, code, retryable) => {
  const own = await startGraph({ environment });
  const answer = await own.query(BOTH);
  expect(errorsOf(answer)).toEqual([`current ${code}`]);
  expect(onlyError(answer).extensions).toMatchObject({ surface: 'CURRENT', retryable });
  expect(JSON.stringify(answer.errors)).not.toMatch(/127\.0\.0\.1|ECONN|nowhere/);
  expect(answer.data).toEqual({ ...WHOLE, current: null });
});

test.each([
  ['7', 7_000],
  ['3000000', 2 ** 31 - 1],
  ['soon', null],
])('a write refused with HTTP 429 and Retry-After %s has retryAfterMs %s', async (header, retryAfterMs) => {
  const own = await startGraph();
  const headers = { 'retry-after': header };
  own.sandbox.faults.add({ kind: 'status', status: 429, headers, endpoint: 'POST /draft/create' });
  const { userErrors } = await write(own, 'createDraft', EXAMPLES.createDraft, {
    selection: '... on WritePayload { userErrors { retryAfterMs } }',
  });
  expect(userErrors).toMatchObject([{ code: 'RATE_LIMITED', retryable: true, retryAfterMs }]);
});

describe('on the legacy surface', () => {
  test.each([1, '1', true, -1, 'E401', { code: 1 }])(
    'a failure flagged as %j is UPSTREAM_REJECTED, unless the status says otherwise',
    async (flag) => {
      const body = { error: flag, msg: '<p>Try &amp; try again</p>' };
      for (const code of [200, 400, 404, 422]) {
        const answer = await readWith('legacy', code, body);
        expect(errorsOf(answer)).toEqual(['legacy UPSTREAM_REJECTED']);
        expect(onlyError(answer).message).toBe(
          'The legacy surface rejected the request. The service says: Try & try again',
        );
      }
      expect(errorsOf(await readWith('legacy', 500, body))).toEqual(['legacy SURFACE_UNAVAILABLE']);
      expect(errorsOf(await readWith('legacy', 408, body))).toEqual(['legacy UPSTREAM_TIMEOUT']);
    },
  );

  test('a large failure is told without its message', async () => {
    const answer = await readWith('legacy', 200, { error: 1, msg: 'Denied', data: 'x'.repeat(300_000) });
    expect(onlyError(answer).message).toBe('The legacy surface rejected the request.');
  });

  const BOTH_LISTS = `{ accounts(surface: LEGACY) { nodes { loginId displayName platformCode isPaused groups { name } } }
    accountGroups(surface: LEGACY) { nodes { name accounts { nodes { displayName } } } } }`;

  test.each([0, '0', false])(
    'a list in an envelope with the flag %j is read like a bare one',
    async (flag) => {
      const bare = await graph.query(BOTH_LISTS);
      for (const endpoint of [LEGACY_LIST, 'GET /oauth/groups'] as const)
        graph.sandbox.faults.add({ kind: 'rewrite', endpoint, change: (data) => ({ error: flag, data }) });
      const data = await graph.dataOf(BOTH_LISTS);
      expect(data).toEqual(bare.data);
      expect(data.accounts.nodes).toHaveLength(13);
    },
  );

  test.each([[], ...[[], {}, null, '', 'null'].map((data) => ({ error: 0, data }))])(
    'an empty list written as %j is an empty connection',
    async (list) => {
      graph.sandbox.faults.add({ kind: 'rewrite', endpoint: LEGACY_LIST, change: () => list });
      const data = await graph.dataOf(
        '{ accounts(surface: LEGACY) { totalCount nodes { id } pageInfo { startCursor hasNextPage hasPreviousPage } } }',
      );
      const pageInfo = { startCursor: null, hasNextPage: false, hasPreviousPage: false };
      expect(data.accounts).toEqual({ totalCount: 0, nodes: [], pageInfo });
    },
  );
});

describe('the words of the service', () => {
  const messageFor = async (body: unknown, code = 400): Promise<string> => {
    onlyFaults(graph.sandbox, { ...status(code, body), endpoint: LIST });
    return onlyError(await graph.query('{ accounts(surface: CURRENT) { totalCount } }')).message;
  };
  const SUMMARY =
    '<div class="errorSummary"><p>Please fix the following input errors:</p>\n<ul><li>Status description cannot be blank.</li></ul></div>';

  test.each<[body: unknown, words: string]>([
    [{ message: 'A wrong page.', response: {} }, 'A wrong page.'],
    [{ errors: [{ field: 'page', message: 'is wrong' }] }, 'is wrong'],
    [{ error: { message: 'is wrong' } }, 'is wrong'],
    [{ message: ' ', errors: [''], response: { message: 'is wrong' } }, 'is wrong'],
    [{ msg: SUMMARY }, 'Please fix the following input errors: Status description cannot be blank.'],
    ['plain words', 'plain words'],
    ...['', '   ', {}, [], null, { message: '' }, { message: 7 }, '<br>', '<script>x</script>'].map(
      (body): [unknown, string] => [body, ''],
    ),
  ])('of a failure with %j are passed on as plain text, if there are any', async (body, words) => {
    const rejected = 'The current surface rejected the request.';
    expect(await messageFor(body)).toBe(words === '' ? rejected : `${rejected} The service says: ${words}`);
  });

  test('are left out where the body has more than 1,000 secrets', async () => {
    const secrets = Array.from({ length: 1_001 }, (_, at) => ({ token: `hush-0123456789-${at}` }));
    expect(await messageFor({ message: 'is wrong', secrets: secrets.slice(1) })).toContain('is wrong');
    expect(await messageFor({ message: 'is wrong', secrets })).not.toContain('is wrong');
  });

  test('have no part of a credential, wherever a long text is cut', async () => {
    const [{ apiKey }] = graph.sandbox.owners;
    const half = apiKey.length / 2;
    const [start, end] = ['<style>', '</style>Denied: '];
    const style = 'x'.repeat(16 * 1024 - start.length - end.length - half);
    expect(await messageFor(`${start}${style}${end}${apiKey}`)).toMatch(/ The service says: Denied: \[red/);
  });

  const FAILED = status(200, { message: 'Invalid API key', response: {} });

  test.each<[EndpointName, document: string]>([
    [LIST, '{ accounts { totalCount } }'],
    ['GET /accounts/view/{loginId}', `{ account(id: "${account()}") { connectedAt } }`],
    ['GET /oauth/groups', '{ accountGroups(surface: LEGACY) { totalCount } }'],
  ])('of a failure of %s with HTTP 200 are passed on', async (endpoint, document) => {
    graph.sandbox.faults.add({ ...FAILED, endpoint });
    const { message, extensions } = onlyError(await graph.query(document));
    expect(extensions['code']).toBe('UPSTREAM_MALFORMED');
    expect(message).toMatch(/returned an unexpected response\. The service says: Invalid API key$/);
  });

  test.each<[what: string, body: object | string]>([
    ['a page', '<p>Log in</p>'],
    ['a large response', { message: 'Listed', response: {}, note: 'x'.repeat(300_000) }],
  ])('of %s with HTTP 200 are not quoted', async (_what, body) => {
    expect(await messageFor(body, 200)).toBe('The current surface returned an unexpected response.');
  });

  test.each<[limit: string, fault: FaultKind]>([
    ['8 MiB', { kind: 'huge-body', bytes: 9_000_000 }],
    ['8 MiB', { kind: 'huge-body', bytes: 1_000, claim: 9_000_000 }],
    ['8 MiB', { kind: 'gzip', inflatedBytes: 9_000_000 }],
    ['64 KiB', status(400, 'x'.repeat(70_000))],
  ])('say that a response has more than %s', async (limit, fault) => {
    graph.sandbox.faults.add({ ...fault, endpoint: LIST });
    expect(onlyError(await graph.query('{ accounts(surface: CURRENT) { totalCount } }'))).toMatchObject({
      message: `The current surface returned more than ${limit}.`,
      extensions: { code: 'UPSTREAM_MALFORMED', retryable: false },
    });
  });

  const DATABASE = 'ER_ACCESS_DENIED for posts@10.0.0.7 at Pool.query (/srv/db.js:7)';

  test.each([
    ['CURRENT', LIST, 500, { message: DATABASE }],
    ['LEGACY', LEGACY_LIST, 503, DATABASE],
  ] as const)('of a server error of the %s surface (%s, %d) are only logged, once', async (...row) => {
    const [surface, endpoint, code, body] = row;
    const own = await startGraph();
    own.sandbox.faults.add({ ...status(code, body), endpoint, times: 9 });
    for (const _ of [1, 2]) {
      const answer = await own.query(`{ accounts(surface: ${surface}) { totalCount } }`);
      expect(errorsOf(answer)).toEqual(['accounts SURFACE_UNAVAILABLE']);
      expect(JSON.stringify(answer)).not.toContain('Pool.query');
    }
    const logged = own.log.filter((line) => line.includes('Pool.query'));
    expect(logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'warn', surface: surface.toLowerCase(), endpoint, status: code, words: DATABASE },
    ]);
  });
});

test.each(['count', 'day', 'list', 'required'])(
  'an error about the %s of this server is masked and counts as unexpected',
  (field) => {
    const rootValue = { count: 'planted', day: 'planted', list: { planted: 1 }, required: null };
    const schema = buildSchema(
      'type Query { count: Int, day: Day, list: [Int], required: Int! } enum Day { MONDAY }',
    );
    const [raised] = graphqlSync({ schema, source: `{ ${field} }`, rootValue }).errors ?? [];
    const { error, isUnexpected } = presentError(raised ?? new GraphQLError('none'), 'request-1');
    const extensions = { code: 'INTERNAL_SERVER_ERROR', retryable: false, requestId: 'request-1' };
    expect({ ...error.toJSON(), isUnexpected }).toMatchObject({
      message: 'Internal server error.',
      extensions,
      isUnexpected: true,
    });
    expect(error.extensions).toEqual(extensions);
  },
);

// That each surface gets its own credential, and nothing else of a caller, is in test/service/callers.test.ts.

test('with LEGACY_TOKEN_PLACEMENT=body, a read, which has no body, has its token in the header', async () => {
  const own = await startGraph({ environment: { LEGACY_TOKEN_PLACEMENT: 'body' } });
  await own.dataOf('{ accounts(first: 1, surface: LEGACY) { totalCount } }');
  const [request] = own.sandbox.requests.all;
  expect(request?.headers).toMatchObject(own.caller.token);
  expect(request?.query.get('access_token')).toBeNull();
});

const CURRENT = 'The current surface requires a credential: send the header "x-api-key".';
const LEGACY =
  'The legacy surface requires a credential: send the header "authorization: Bearer …", whose value must begin with "Bearer ".';
const IGNORED = ' The "authorization" header was ignored because its value does not begin with "Bearer ".';

test.each<[key: string | null, authorization: string | null, hint: string]>([
  [null, null, ''],
  ['', '', ''],
  ['   ', 'Bearer    ', IGNORED],
  [null, 'Token demo-token-harbour', IGNORED],
  ['', 'Basic dXNlcjpwYXNz', IGNORED],
])(
  'the key %j and the authorization %j are CREDENTIAL_MISSING, with the header to send',
  async (key, authorization, hint) => {
    const headers = {
      ...(key !== null && { 'x-api-key': key }),
      ...(authorization !== null && { authorization }),
    };
    const answer = await graph.query(BOTH, { headers });
    expect(answer.data).toEqual({ ...WHOLE, current: null, legacy: null });
    expect(errorsOf(answer)).toEqual(['current CREDENTIAL_MISSING', 'legacy CREDENTIAL_MISSING']);
    expect(answer.errors.map(({ message }) => message)).toEqual([`${CURRENT}${hint}`, `${LEGACY}${hint}`]);
    expect(answer.errors.map(({ extensions }) => extensions['surface'])).toEqual(['CURRENT', 'LEGACY']);
    const update = await write(graph, 'createStatusUpdate', EXAMPLES.createStatusUpdate, { headers });
    expect(update.userErrors).toMatchObject([{ code: 'CREDENTIAL_MISSING', message: `${LEGACY}${hint}` }]);
    const post = await write(graph, 'createPost', EXAMPLES.createPost, { headers });
    expect(post.userErrors[0]?.message).toContain(`${CURRENT}${hint}`);
    expect(graph.sandbox.requests.count()).toBe(0);
  },
);
