import { describe, expect, test } from 'vitest';
import type { LoggedRequest } from '../../packages/sandbox/src/request-log.ts';
import { errorsOf, onlyError } from '../support/answers.ts';
import { startEchoGraph, WHO_AM_I } from '../support/echo-service.ts';
import { startGraph, type CallerHeaders } from '../support/graph.ts';
import { jsonOf } from '../support/raw-http.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { connectSocket } from '../support/web-sockets.ts';
import { EXAMPLES, write } from '../support/writes.ts';

// The interface leaves open whether the current surface wants the access token beside the key. A setting sends it; then
// the two together are the caller.

const SENDING = { CURRENT_SENDS_ACCESS_TOKEN: 'on' };
const graph = shareGraph({ environment: SENDING });

const MIX = `{ accounts(first: 2) { nodes { displayName connectedAt } } accountGroups(first: 1) { totalCount }
  queuedPosts(first: 1) { totalCount } membership { isBiannual } legacy: accounts(surface: LEGACY) { totalCount } }`;

/** What each request to a surface carried as its credentials, each once. */
function sentTo(surface: 'current' | 'legacy', requests: readonly LoggedRequest[]): unknown[] {
  const ofSurface = requests.filter(({ path }) => path.startsWith('/oauth/') === (surface === 'legacy'));
  const sent = ofSurface.map(({ headers }) => JSON.stringify([headers['x-api-key'], headers.authorization]));
  return [...new Set(sent)].map((text) => JSON.parse(text) as unknown);
}

test('a surface that asks for both is sent both, and the legacy one its token alone', async () => {
  const strict = await startGraph({
    environment: SENDING,
    sandbox: { quirks: { currentNeedsToken: true } },
  });
  const { errors } = await strict.query(MIX);
  expect(errors).toEqual([]);
  const { 'x-api-key': key, authorization } = strict.caller.both;
  expect(sentTo('current', strict.sandbox.requests.all)).toEqual([[key, authorization]]);
  expect(sentTo('legacy', strict.sandbox.requests.all)).toEqual([[null, authorization]]);
  const draft = await write(strict, 'createDraft', EXAMPLES.createDraft);
  expect(draft.outcome).toBe('COMPLETED');
});

test('without the setting, the token is not sent, and such a surface refuses', async () => {
  const strict = await startGraph({ sandbox: { quirks: { currentNeedsToken: true } } });
  const answer = await strict.query('{ accounts(first: 1) { totalCount } }');
  expect(errorsOf(answer)).toEqual(['accounts CREDENTIAL_REJECTED']);
  expect(sentTo('current', strict.sandbox.requests.all)).toEqual([[strict.caller.key['x-api-key'], null]]);
});

test.each([undefined, '', 'Basic abc', 'Bearer', 'Bearer not a token'])(
  'with the authorization %j, the call is made with the key alone',
  async (authorization) => {
    const headers = { ...graph.caller.key, ...(authorization === undefined ? {} : { authorization }) };
    const answer = await graph.query('{ accounts(surface: CURRENT, first: 1) { totalCount } }', { headers });
    expect(answer.errors).toEqual([]);
    expect(sentTo('current', graph.sandbox.requests.all)).toEqual([[graph.caller.key['x-api-key'], null]]);
  },
);

describe('two callers that share the key and differ in the token', () => {
  const TENANTS: readonly (readonly [key: string, token: string | null])[] = [
    ['shared', 'one'],
    ['shared', 'two'],
    ['shared', null],
    ['sharedone', 'two'],
    ['shared', 'onetwo'],
    ['share', 'done'],
  ];

  test('never get each other’s answers, however equal and simultaneous their queries are', async () => {
    const echo = await startEchoGraph(300, SENDING);
    const query = WHO_AM_I.replace(/legacy:.*/, '');
    const times = 10;
    await Promise.all(
      Array.from({ length: times * TENANTS.length }, async (_, n) => {
        const [key = '', token = null] = TENANTS[n % TENANTS.length] ?? [];
        const headers = { 'x-api-key': key, ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
        const { data } = jsonOf(await echo.query(query, headers));
        expect(data.current.nodes).toEqual([{ displayName: token === null ? key : `${key} ${token}` }]);
      }),
    );
    // Equal reads of one caller were joined, or there would have been nothing to mix up.
    expect(echo.requests).toBeLessThan(times * TENANTS.length);
  });

  const one = (): CallerHeaders => graph.caller.both;
  const other = (): CallerHeaders => ({ ...graph.caller.key, authorization: 'Bearer another-token' });

  test('have idempotency keys of their own', async () => {
    const input = { ...EXAMPLES.createDraft, idempotencyKey: 'the-same' };
    const outcomes = [];
    for (const headers of [one(), other(), one(), graph.caller.key]) {
      const { outcome, replayed } = await write(graph, 'createDraft', input, { headers });
      outcomes.push([outcome, replayed]);
    }
    expect(outcomes).toEqual([
      ['COMPLETED', false],
      ['COMPLETED', false],
      ['COMPLETED', true],
      ['COMPLETED', false],
    ]);
  });

  test('have live results of their own', async () => {
    const input = { ...EXAMPLES.generateAiText, prompt: 'Write slowly' };
    const { aiGeneration } = await write(graph, 'generateAiText', input, { headers: one() });
    const { id } = aiGeneration as { readonly id: string };
    const seenBy = async (headers: CallerHeaders) => {
      const query = 'query ($id: ID!) { aiGeneration(id: $id) { status } }';
      const { data } = await graph.query(query, { variables: { id }, headers });
      return data.aiGeneration as unknown;
    };
    expect(await seenBy(one())).toEqual({ status: 'PENDING' });
    expect(await seenBy(other())).toBeNull();
  });

  test('keep their socket when the token of one is refused', async () => {
    const strict = await startGraph({
      environment: { ...SENDING, AI_POLL_INTERVAL: '50ms' },
      sandbox: { quirks: { currentNeedsToken: true } },
    });
    const socket = connectSocket(strict.url, { connectionParams: { ...strict.caller.both } });
    const query = '{ accounts(first: 1) { totalCount } }';
    expect((await socket.run({ query })).errors).toBeUndefined();
    const headers = { authorization: 'Bearer another-token' };
    const { errors } = await socket.run({
      query: 'subscription { aiGenerationUpdated(id: "MXRjOmFp") { status } }',
      extensions: { headers },
    });
    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['CREDENTIAL_REJECTED']);
    expect((await socket.run({ query })).errors).toBeUndefined();
    expect(socket.opened).toBe(1);
  });
});

describe('what the service says', () => {
  const headers = { 'x-api-key': 'planted-key-1', authorization: 'Bearer planted-key-1-and-token' };
  const WORDS = 'no planted-key-1-and-token for planted-key-1 (planted-key-1-and-token)';
  const CLEAN = 'no [redacted] for [redacted] ([redacted])';

  test('of a refused call is passed on without either credential', async () => {
    const endpoint = 'GET /accounts/list';
    graph.sandbox.faults.add({ kind: 'status', status: 400, body: { message: WORDS }, endpoint });
    const answer = await graph.query('{ accounts(first: 1) { totalCount } }', { headers });
    expect(errorsOf(answer)).toEqual(['accounts UPSTREAM_REJECTED']);
    expect(onlyError(answer).message).toContain(CLEAN);
    expect(graph.log.join('')).not.toContain('planted-key-1');
  });

  test('of a success is passed on without either credential', async () => {
    const body = { message: WORDS, response: { draftId: 'd-1' } };
    graph.sandbox.faults.add({ kind: 'status', status: 200, body, endpoint: 'POST /draft/create' });
    const { message } = await write(graph, 'createDraft', EXAMPLES.createDraft, { headers });
    expect(message).toBe(CLEAN);
  });
});

describe('with credentials of the operator', () => {
  const operators = { API_KEY: 'demo-key-harbour', ACCESS_TOKEN: 'demo-token-harbour' };
  const holder = shareGraph({ environment: { ...SENDING, ...operators } });
  const QUERY = '{ accounts(first: 1, surface: CURRENT) { totalCount } }';
  const BEARER = `Bearer ${operators.ACCESS_TOKEN}`;

  test.each<readonly [string, CallerHeaders, readonly [key: string, authorization: string | null]]>([
    ['nothing', {}, [operators.API_KEY, BEARER]],
    ['a token', { authorization: 'Bearer own-token' }, [operators.API_KEY, 'Bearer own-token']],
    ['a key', { 'x-api-key': 'demo-key-fernlight' }, ['demo-key-fernlight', null]],
  ])(
    'a caller that brings %s never has the operator’s token beside a key of its own',
    async (_, headers, sent) => {
      const { errors } = await holder.query(QUERY, { headers });
      expect(errors).toEqual([]);
      expect(sentTo('current', holder.sandbox.requests.all)).toEqual([sent]);
    },
  );
});
