import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { answerFor, startEchoGraph, WHO_AM_I, type EchoGraph } from '../support/echo-service.ts';
import { cases } from '../support/depth.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { jsonOf } from '../support/raw-http.ts';
import { connectSocket } from '../support/web-sockets.ts';

type Pair = readonly [key: string, token: string];

const headersOf = ([key, token]: Pair) => ({ 'x-api-key': key, authorization: `Bearer ${token}` });

/** Sends the same query for both tenants in turn, so many at once; fails the test for any answer to somebody else. */
async function askInTurn(graph: EchoGraph, tenants: readonly Pair[], times: number, atOnce = 100) {
  for (let done = 0; done < times; done += atOnce) {
    const answers = await Promise.all(
      Array.from({ length: atOnce }, async (_, n) => {
        const tenant = tenants[n % tenants.length] ?? ['', ''];
        return [tenant, jsonOf(await graph.query(WHO_AM_I, headersOf(tenant)))] as const;
      }),
    );
    for (const [tenant, answer] of answers)
      expect(answer, tenant.join(' and ')).toMatchObject({ data: answerFor(...tenant) });
  }
}

/** Pairs of tenants whose credentials are the same text once they are joined without care. */
const COLLIDING: readonly (readonly [name: string, one: Pair, other: Pair])[] = [
  ['a common prefix', ['abc', 'token'], ['abcd', 'token']],
  ['a shifted border', ['ab', 'cd'], ['abc', 'd']],
  ['swapped halves', ['left', 'right'], ['right', 'left']],
  ['separators inside', ['a:b', 'c'], ['a', 'b:c']],
  ['lengths inside', ['1:a', '1'], ['1', ':a1']],
  ['the other’s name', ['current', 'legacy'], ['legacy', 'current']],
  ['another case', ['Tenant', 'Token'], ['tenant', 'token']],
  ['the same key alone', ['shared', 'one'], ['shared', 'other']],
  ['the same token alone', ['one', 'shared'], ['other', 'shared']],
];

describe('answers of two tenants', () => {
  test('to many equal queries, in turn, are never exchanged', async () => {
    const graph = await startEchoGraph(5);
    const tenants: Pair[] = [
      ['tenant:1', '2'],
      ['tenant', ':12'],
    ];
    const times = cases(100, 2_000);
    await askInTurn(graph, tenants, times);
    // Equal reads were joined, or there would have been nothing to exchange.
    expect(graph.requests).toBeLessThan(2 * times);
  });

  test('are never exchanged, however alike their credentials are', async () => {
    for (const [name, one, other] of COLLIDING) {
      const graph = await startEchoGraph(5);
      await askInTurn(graph, [one, other], 10, 10);
      expect(graph.requests, name).toBeLessThan(20);
    }
  });

  test('are not kept: not for the next query, not for a new key, not over a restart', async () => {
    const graph = await startEchoGraph(0);
    let requests = 0;
    for (const pair of [
      ['old', 'old'],
      ['old', 'old'],
      ['new', 'old'],
      ['new', 'new'],
      ['old', 'old'],
    ] as Pair[]) {
      await askInTurn(graph, [pair], 1, 1);
      requests += 2;
      expect(graph.requests).toBe(requests);
    }
    await graph.restart();
    await askInTurn(graph, [['new', 'old']], 1, 1);
    expect(graph.requests).toBe(requests + 2);
  });
});

const LIST = '{ accounts(surface: CURRENT, first: 1) { totalCount } }';

test('a caller whose key is refused, time after time, takes nothing from another', async () => {
  // No call waits for another: beside other work, it could wait for too long.
  const environment = { BREAKER_MIN_CALLS: '20', READ_ATTEMPTS: '3', MAX_CALLS_PER_CALLER: '50' };
  const graph = await startGraph({ environment });
  const outcomes = new Set<string>();
  const times = cases(100, 10_000);
  for (let done = 0; done < times; done += 50) {
    const refused = Array.from({ length: 50 }, async (_, n) => {
      const headers = { 'x-api-key': 'nobody' };
      return errorsOf(await graph.query(LIST.replace('1', String(n + 1)), { headers })).join();
    });
    const other = graph.query(LIST);
    for (const outcome of await Promise.all(refused)) outcomes.add(outcome);
    expect(errorsOf(await other)).toEqual([]);
  }
  expect([...outcomes]).toEqual(['accounts CREDENTIAL_REJECTED']);
});

/** Floods the service with one caller's slow reads, until so many are in flight and all others have been refused. */
async function flood(graph: RunningGraph, count: number, inFlight: number): Promise<void> {
  graph.sandbox.faults.add({
    kind: 'never-answer',
    endpoint: 'GET /accounts/view/{loginId}',
    owner: 'harbour',
    times: Number.POSITIVE_INFINITY,
  });
  let answered = 0;
  for (let socket = 0; socket < count / 50; socket += 1) {
    const client = connectSocket(graph.url, { connectionParams: graph.caller.key });
    for (let n = 1; n <= 50; n += 1) {
      const id = Buffer.from(`1ac:${socket * 50 + n}`).toString('base64url');
      void client
        .run({ query: `{ account(id: "${id}") { connectedAt } }` })
        .catch(() => undefined)
        .finally(() => (answered += 1));
    }
  }
  await graph.sandbox.requests.waitFor('GET /accounts/view/{loginId}', inFlight);
  await expect.poll(() => answered).toBe(count - inFlight);
}

describe('a caller who floods the service with slow reads', () => {
  const environment = { MAX_OPERATIONS: '10000', WS_MESSAGE_BURST: '1000' };

  test('keeps nothing back of another caller', async () => {
    const graph = await startGraph({ environment });
    const { owners, requests } = graph.sandbox;
    await flood(graph, cases(50, 2_000), 16);
    for (let count = 0; count < 20; count += 1) {
      const answer = await graph.query(LIST, { headers: { 'x-api-key': owners[1].apiKey } });
      expect(errorsOf(answer)).toEqual([]);
    }
    // Every answer overtook the whole flood.
    expect(requests.open).toBe(16);
  });

  test('would leave it nothing, were there no bound to what one caller may take', async () => {
    const graph = await startGraph({ environment: { ...environment, MAX_CALLS_PER_CALLER: '64' } });
    await flood(graph, 100, 64);
    const [, { apiKey }] = graph.sandbox.owners;
    const answer = await graph.query(LIST, { headers: { 'x-api-key': apiKey } });
    expect(errorsOf(answer)).toEqual(['accounts OVERLOADED']);
  });
});
