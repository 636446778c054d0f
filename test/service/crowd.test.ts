import { setMaxListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { cases } from '../support/depth.ts';
import { startGraph } from '../support/graph.ts';
import { connectSocket, type SocketClient } from '../support/web-sockets.ts';

const VIEW = 'GET /accounts/view/{loginId}';
const environment = { MAX_OPERATIONS: '100000', WS_MESSAGE_BURST: '1000' };

/** The answer to who has no accounts, as most owners here. */
const NONE = '{"accounts":{"totalCount":0}}';

const detailOf = (n: number): string =>
  `{ account(id: "${Buffer.from(`1ac:${n + 1}`).toString('base64url')}") { connectedAt } }`;

describe('a crowd of callers at once', () => {
  test('is led to the service sixty-four at a time, and answered in turn, or told that it is too many (I5)', async () => {
    const graph = await startGraph({ environment, sandbox: { moreOwners: 100 } });
    const { owners, faults, requests } = graph.sandbox;
    const sockets = owners
      .slice(2, 2 + cases(30, 100))
      .map(({ apiKey }) => connectSocket(graph.url, { connectionParams: { 'x-api-key': apiKey } }));
    faults.add({ kind: 'delay', ms: 100, endpoint: 'GET /accounts/list', times: Number.POSITIVE_INFINITY });
    const outcomes: Record<string, number> = {};
    const ask = async (socket: SocketClient, n: number): Promise<void> => {
      const { data, errors } = await socket.run({ query: `{ accounts(first: ${n + 1}) { totalCount } }` });
      const outcome = errors?.length ? String(errors[0]?.extensions?.['code']) : JSON.stringify(data);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    };
    const all = sockets.flatMap((socket) => Array.from({ length: 50 }, async (_, n) => await ask(socket, n)));
    await Promise.all(all);
    // On a machine that is busy otherwise, a caller's calls may all have stood still for a second.
    const { [NONE]: answered = 0, OVERLOADED: refused = 0 } = outcomes;
    expect(answered + refused).toBe(all.length);
    expect(answered).toBeGreaterThan(all.length / 2);
    expect(requests.mostOpen).toBe(64);
    expect(requests.count()).toBe(answered);
    expect(all).toHaveLength(cases(1_500, 5_000));
    expect(errorsOf(await graph.query('{ accounts(surface: LEGACY) { totalCount } }'))).toEqual([]);
  });

  test('whose calls stand still is told after a second, each, that it is too many (I5)', async () => {
    const graph = await startGraph({ environment });
    graph.sandbox.faults.add({ kind: 'delay', ms: 3_000, endpoint: VIEW, times: Number.POSITIVE_INFINITY });
    const first = Array.from({ length: 16 }, async (_, n) => await graph.query(detailOf(n)));
    await graph.sandbox.requests.waitFor(VIEW, 16);
    const times = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const startedAt = performance.now();
        expect(errorsOf(await graph.query(detailOf(100 + n)))).toEqual(['account OVERLOADED']);
        return performance.now() - startedAt;
      }),
    );
    expect(Math.min(...times)).toBeGreaterThan(950);
    expect(Math.max(...times)).toBeLessThan(2_000);
    await Promise.all(first);
    expect(graph.sandbox.requests.mostOpen).toBe(16);
  });

  test('that leaves in the middle of its reads leaves every connection free (I9)', async () => {
    const graph = await startGraph({ environment, sandbox: { moreOwners: 98 } });
    const { owners, faults, requests } = graph.sandbox;
    faults.add({ kind: 'never-answer', endpoint: VIEW, times: Number.POSITIVE_INFINITY });
    const leaving = new AbortController();
    setMaxListeners(0, leaving.signal);
    const reads = Array.from({ length: cases(300, 1_000) }, async (_, n) => {
      const headers = {
        'content-type': 'application/json',
        'x-api-key': owners[n % owners.length]?.apiKey ?? '',
      };
      const body = JSON.stringify({ query: detailOf(n) });
      return await fetch(`${graph.url}/graphql`, {
        method: 'POST',
        headers,
        body,
        signal: leaving.signal,
      }).catch(() => 'gone');
    });
    await requests.waitFor(VIEW, 64);
    expect(requests.open).toBe(64);
    leaving.abort();
    await Promise.all(reads);
    await expect.poll(() => requests.open, { timeout: 2_000, interval: 5 }).toBe(0);
    faults.clear();
    expect(errorsOf(await graph.query('{ accounts(surface: CURRENT) { totalCount } }'))).toEqual([]);
  });
});
