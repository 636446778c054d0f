import { setMaxListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { cases } from '../support/depth.ts';
import { startGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { holdClock } from '../support/held-clock.ts';
import { connectSocket } from '../support/web-sockets.ts';

const VIEW = 'GET /accounts/view/{loginId}';
const LIST = 'GET /accounts/list';
const AT_ONCE = 64;
const AT_ONCE_FOR_ONE = 16;
const environment = { MAX_OPERATIONS: '100000', WS_MESSAGE_BURST: '1000' };

const detailOf = (n: number): string =>
  `{ account(id: "${Buffer.from(`1ac:${n + 1}`).toString('base64url')}") { connectedAt } }`;

describe('a crowd of callers at once', () => {
  test('is led to the service sixty-four calls at a time, and answered in turn', async () => {
    // No time passes: none of the calls that wait is told that it has waited for too long.
    holdClock();
    const graph = await startGraph({ environment, sandbox: { moreOwners: cases(6, 100) } });
    const { owners, requests } = graph.sandbox;
    const sockets = owners
      .slice(2, 2 + cases(6, 100))
      .map(({ apiKey }) => connectSocket(graph.url, { connectionParams: { 'x-api-key': apiKey } }));
    const calls = holdAnswers(graph.sandbox, { endpoint: LIST, times: Number.POSITIVE_INFINITY });
    let answered = 0;
    const all = sockets.flatMap((socket) =>
      Array.from({ length: cases(25, 50) }, async (_, n) => {
        const { data, errors } = await socket.run({
          query: `{ accounts(first: ${n + 1}) { totalCount } }`,
        });
        // An owner of this crowd has no accounts.
        expect([data, errors]).toEqual([{ accounts: { totalCount: 0 } }, undefined]);
        answered += 1;
      }),
    );
    await calls.arrived(AT_ONCE);
    while (answered < all.length) {
      if (calls.count > 0) calls.release();
      await expect.poll(() => calls.count > 0 || answered === all.length, { interval: 1 }).toBe(true);
    }
    await Promise.all(all);
    expect(requests.mostOpen).toBe(AT_ONCE);
    expect(requests.count()).toBe(all.length);
    expect(errorsOf(await graph.query('{ accounts(surface: LEGACY) { totalCount } }'))).toEqual([]);
  });

  test('whose calls stand still for a second is told, each of those who wait, that it is too many', async () => {
    const clock = holdClock();
    const graph = await startGraph({ environment });
    const calls = holdAnswers(graph.sandbox, { endpoint: VIEW, times: Number.POSITIVE_INFINITY });
    const first = Array.from({ length: AT_ONCE_FOR_ONE }, async (_, n) => await graph.query(detailOf(n)));
    await calls.arrived(AT_ONCE_FOR_ONE);
    let refused = 0;
    const others = Array.from({ length: 50 }, async (_, n) => {
      const answer = await graph.query(detailOf(100 + n));
      refused += 1;
      return errorsOf(answer);
    });
    await graph.query('{ surfaces { surface } }');
    clock.advance(999);
    await graph.query('{ surfaces { surface } }');
    expect(refused).toBe(0);
    clock.advance(1);
    for (const errors of await Promise.all(others)) expect(errors).toEqual(['account OVERLOADED']);
    calls.release();
    await Promise.all(first);
    expect(graph.sandbox.requests.mostOpen).toBe(AT_ONCE_FOR_ONE);
    expect(graph.sandbox.requests.count(VIEW)).toBe(AT_ONCE_FOR_ONE);
  });

  test('that leaves in the middle of its reads leaves every connection free', async () => {
    holdClock();
    const graph = await startGraph({ environment, sandbox: { moreOwners: 10 } });
    const { owners, faults, requests } = graph.sandbox;
    faults.add({ kind: 'never-answer', endpoint: VIEW, times: Number.POSITIVE_INFINITY });
    const leaving = new AbortController();
    setMaxListeners(0, leaving.signal);
    const reads = Array.from({ length: cases(120, 1_000) }, async (_, n) => {
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
    await requests.waitFor(VIEW, AT_ONCE);
    expect(requests.open).toBe(AT_ONCE);
    leaving.abort();
    await Promise.all(reads);
    await expect.poll(() => requests.open).toBe(0);
    faults.clear();
    expect(errorsOf(await graph.query('{ accounts(surface: CURRENT) { totalCount } }'))).toEqual([]);
  });
});
