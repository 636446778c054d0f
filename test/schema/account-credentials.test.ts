import { expect, test } from 'vitest';
import type { LoggedRequest } from '../../packages/sandbox/src/request-log.ts';
import { ACCOUNT_FIELDS } from '../support/account-selections.ts';
import { errorsOf, onlyError } from '../support/answers.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

/** A mix of operations that touches every read of both surfaces. */
const MIX = [
  `{ accounts(first: 3) { nodes { ...AccountFields counterpart { displayName } } } } ${ACCOUNT_FIELDS}`,
  `{ accounts(first: 3, surface: LEGACY) { nodes { ...AccountFields counterpart { settingId } } } } ${ACCOUNT_FIELDS}`,
  '{ accountGroups { nodes { name accounts { nodes { isBlocked groups { createdAt } } } } } }',
  '{ accountGroups(surface: LEGACY) { nodes { name accounts { nodes { counterpart { isBlocked } } } } } }',
];

/** Headers of a browser behind a proxy, of which none is the service's business. */
const NOISE = {
  cookie: 'session=abc',
  'user-agent': 'Mozilla/5.0 (someone)',
  referer: 'https://intranet.example/page',
  'x-forwarded-for': '203.0.113.7',
  forwarded: 'for=203.0.113.7',
  'accept-language': 'de',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'x-custom': 'custom',
};

async function runMix(running: RunningGraph): Promise<void> {
  for (const query of MIX) {
    const { errors } = await running.query(query, { headers: { ...running.caller.both, ...NOISE } });
    expect(errors).toEqual([]);
  }
}

const wordsOf = ({ rawHeaders, path, query, body }: LoggedRequest): string =>
  `${rawHeaders.join('\n')}\n${path}?${query}\n${body}`;

test('a key never reaches the legacy surface and a token never the current one', async () => {
  const [{ apiKey, accessToken }] = graph.sandbox.owners;
  await runMix(graph);
  const legacy = graph.sandbox.requests.all.filter(({ path }) => path.startsWith('/oauth/'));
  const current = graph.sandbox.requests.all.filter(({ path }) => !path.startsWith('/oauth/'));
  expect(legacy.length).toBeGreaterThanOrEqual(4);
  expect(current.length).toBeGreaterThanOrEqual(8);
  for (const request of legacy) {
    expect(wordsOf(request)).not.toContain(apiKey);
    expect(request.headers.authorization).toBe(`Bearer ${accessToken}`);
  }
  for (const request of current) {
    expect(wordsOf(request)).not.toContain(accessToken);
    expect(request.headers['x-api-key']).toBe(apiKey);
  }
});

test('nothing of the caller but its credential is passed on', async () => {
  await runMix(graph);
  for (const { path, headers, method } of graph.sandbox.requests.all) {
    const credential = path.startsWith('/oauth/') ? 'authorization' : 'x-api-key';
    expect(method).toBe('GET');
    expect(Object.keys(headers).toSorted()).toEqual(
      ['accept', 'accept-encoding', 'connection', 'host', credential].toSorted(),
    );
  }
});

test.each([
  ['header', undefined],
  ['header', 'header'],
  ['header', 'body'],
  ['query', 'query'],
] as const)('the token travels in the %s where the configuration says %s', async (place, setting) => {
  const own = await startGraph({ environment: { LEGACY_TOKEN_PLACEMENT: setting } });
  const [{ accessToken }] = own.sandbox.owners;
  const { errors } = await own.query('{ accounts(first: 1, surface: LEGACY) { totalCount } }');
  expect(errors).toEqual([]);
  const [request] = own.sandbox.requests.all;
  expect(request?.headers.authorization).toBe(place === 'header' ? `Bearer ${accessToken}` : undefined);
  expect(request?.query.get('access_token')).toBe(place === 'query' ? accessToken : null);
});

const BOTH_SURFACES =
  '{ current: accounts(surface: CURRENT) { totalCount } legacy: accounts(surface: LEGACY) { totalCount } }';

test('without a credential both surfaces answer CREDENTIAL_MISSING, name the header, and are not asked', async () => {
  const answer = await graph.query(BOTH_SURFACES, { headers: {} });
  expect(answer.data).toEqual({ current: null, legacy: null });
  expect(errorsOf(answer)).toEqual(['current CREDENTIAL_MISSING', 'legacy CREDENTIAL_MISSING']);
  expect(answer.errors.map(({ message }) => message).join(' ')).toMatch(/x-api-key.*authorization: Bearer/s);
  expect(answer.errors.map(({ extensions }) => extensions['surface'])).toEqual(['CURRENT', 'LEGACY']);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a wrong credential is CREDENTIAL_REJECTED on its own surface alone', async () => {
  const wrongKey = await graph.query(BOTH_SURFACES, {
    headers: { ...graph.caller.token, 'x-api-key': 'wrong-key-1' },
  });
  expect(errorsOf(wrongKey)).toEqual(['current CREDENTIAL_REJECTED']);
  expect(wrongKey.data).toEqual({ current: null, legacy: { totalCount: 13 } });
  expect(onlyError(wrongKey).message).not.toContain('wrong-key-1');
  const wrongToken = await graph.query(BOTH_SURFACES, {
    headers: { ...graph.caller.key, authorization: 'Bearer wrong-token-1' },
  });
  expect(errorsOf(wrongToken)).toEqual(['legacy CREDENTIAL_REJECTED']);
  expect(wrongToken.data).toEqual({ current: { totalCount: 12 }, legacy: null });
  expect(onlyError(wrongToken).message).not.toContain('wrong-token-1');
});

test.each([
  ['', ''],
  ['   ', 'Bearer    '],
  ['', 'Basic dXNlcjpwYXNz'],
  ['', 'Bearer'],
])('a key %o and an authorization %o count as none', async (key, authorization) => {
  const answer = await graph.query(BOTH_SURFACES, { headers: { 'x-api-key': key, authorization } });
  expect(errorsOf(answer)).toEqual(['current CREDENTIAL_MISSING', 'legacy CREDENTIAL_MISSING']);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test.each(['two, keys', 'clé', 'a b', 'x'.repeat(4_097)])(
  'a key that no key can be (%.20s) is refused without being passed on or repeated',
  async (key) => {
    const answer = await graph.query(BOTH_SURFACES, {
      headers: { 'x-api-key': key, authorization: `Bearer ${key}` },
    });
    expect(errorsOf(answer)).toEqual(['current CREDENTIAL_REJECTED', 'legacy CREDENTIAL_REJECTED']);
    expect(JSON.stringify(answer)).not.toContain(key);
    expect(graph.log.join('')).not.toContain(key);
    expect(graph.sandbox.requests.count()).toBe(0);
  },
);

test('two callers that ask the same at the same time get their own answers', async () => {
  const callers = graph.sandbox.owners.map(({ name, apiKey, accessToken }) => ({
    first: name === 'harbour' ? 'Kelpgate Roasters' : 'Fernlight Books',
    headers: { 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` },
  }));
  const query = `{ current: accounts(first: 1) { nodes { displayName settingId } }
                   legacy: accounts(first: 1, surface: LEGACY) { nodes { displayName } } }`;
  await Promise.all(
    Array.from({ length: 20 }, () => callers)
      .flat()
      .map(async ({ first, headers }) => {
        const { data } = await graph.query(query, { headers });
        expect(data.current.nodes[0].displayName).toBe(first);
        expect(data.legacy.nodes[0].displayName).toBe(first);
      }),
  );
});

test('one caller’s key does not read the other caller’s account', async () => {
  const [, other] = graph.sandbox.owners;
  const { data } = await graph.query(
    '{ accounts(first: 1) { nodes { id } } accountGroups(first: 1) { nodes { id } } }',
  );
  const ids = [data.accounts.nodes[0].id, data.accountGroups.nodes[0].id];
  const answer = await graph.query('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
    variables: { ids },
    headers: { 'x-api-key': other.apiKey },
  });
  expect(answer.data.nodes).toEqual([null, null]);
});
