import { expect, test } from 'vitest';
import { errorsOf, onlyError, startGraph, shareGraph } from '../support/graph.ts';
import { EXAMPLES, write } from '../support/writes.ts';

// That each surface gets its own credential, and nothing else of a caller, is in test/service/callers.test.ts.

const graph = shareGraph();

const BOTH =
  '{ current: accounts(surface: CURRENT) { totalCount } legacy: accounts(surface: LEGACY) { totalCount } }';

test.each([
  ['header', undefined],
  ['header', 'header'],
  ['header', 'body'],
  ['query', 'query'],
] as const)('the token is sent in the %s with LEGACY_TOKEN_PLACEMENT=%s', async (place, setting) => {
  const own = await startGraph({ environment: { LEGACY_TOKEN_PLACEMENT: setting } });
  const [{ accessToken }] = own.sandbox.owners;
  const { errors } = await own.query('{ accounts(first: 1, surface: LEGACY) { totalCount } }');
  expect(errors).toEqual([]);
  const [request] = own.sandbox.requests.all;
  expect(request?.headers.authorization).toBe(place === 'header' ? `Bearer ${accessToken}` : undefined);
  expect(request?.query.get('access_token')).toBe(place === 'query' ? accessToken : null);
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
    expect(answer.data).toEqual({ current: null, legacy: null });
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

test('a wrong credential is CREDENTIAL_REJECTED on its own surface, and not repeated', async () => {
  const { key, token } = graph.caller;
  for (const [headers, failed, whole] of [
    [{ ...token, 'x-api-key': 'wrong-one-1' }, 'current', { legacy: { totalCount: 13 } }],
    [{ ...key, authorization: 'Bearer wrong-one-1' }, 'legacy', { current: { totalCount: 12 } }],
  ] as const) {
    const answer = await graph.query(BOTH, { headers });
    expect(errorsOf(answer)).toEqual([`${failed} CREDENTIAL_REJECTED`]);
    expect(answer.data).toEqual({ [failed]: null, ...whole });
    expect(onlyError(answer).message).not.toContain('wrong-one-1');
  }
});

test.each(['two, keys', 'clé', 'a b', 'x'.repeat(4_097)])(
  'a credential that cannot be one (%.20s) is rejected without being sent, repeated or logged',
  async (text) => {
    const headers = { 'x-api-key': text, authorization: `Bearer ${text}` };
    const answer = await graph.query(BOTH, { headers });
    expect(errorsOf(answer)).toEqual(['current CREDENTIAL_REJECTED', 'legacy CREDENTIAL_REJECTED']);
    expect(JSON.stringify(answer)).not.toContain(text);
    expect(graph.log.join('')).not.toContain(text);
    expect(graph.sandbox.requests.count()).toBe(0);
  },
);
