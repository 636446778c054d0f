import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../src/sandbox/endpoints.ts';
import { landmarks } from '../../src/sandbox/data/landmarks.ts';
import { errorsOf } from '../support/answers.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { EXAMPLES, legacyAccount, write } from '../support/writes.ts';

const LIST = 'GET /accounts/list';
const LEGACY_LIST = 'GET /oauth/accounts';
const CURRENT = '{ accounts(surface: CURRENT) { totalCount } }';
const LEGACY = '{ accounts(surface: LEGACY) { totalCount } }';

/** Sends a query; leaves when the signal says so, and gives null then. */
async function ask(graph: RunningGraph, query: string, signal?: AbortSignal): Promise<unknown> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...graph.caller.both },
    body: JSON.stringify({ query }),
    ...(signal ? { signal } : {}),
  };
  return await fetch(`${graph.url}/graphql`, init).then(
    async (answer) => await answer.json(),
    () => null,
  );
}

/** Holds the answers to the next readings of a list back until told. */
function holdBack(graph: RunningGraph, { endpoint = LIST, times = 1 }: HoldOptions = {}): () => void {
  const answers: (() => void)[] = [];
  graph.sandbox.faults.add({
    kind: 'raw',
    endpoint,
    times,
    write: (_request, response) => {
      answers.push(() => void response.setHeader('content-type', 'application/json').end(EMPTY));
    },
  });
  return () => {
    for (const answer of answers) answer();
  };
}

interface HoldOptions {
  readonly endpoint?: EndpointName;
  readonly times?: number;
}

const EMPTY = '{"message":"Success","response":{"currentPage":1,"pageLimit":20,"totalRecords":0,"list":[]}}';

/** A hundred more who read the list; they have joined when this is over. */
async function join(graph: RunningGraph): Promise<readonly Promise<unknown>[]> {
  const followers = Array.from({ length: 100 }, async () => await ask(graph, CURRENT));
  await takenIn(graph);
  return followers;
}

/** One that came after all others has been answered, and a moment has gone by. */
async function takenIn(graph: RunningGraph): Promise<void> {
  await ask(graph, '{ surfaces { surface } }');
  await after(100);
}

describe('equal reads of one caller at the same time', () => {
  test('are one call, of two callers two; one after the other they are two', async () => {
    const graph = await startGraph();
    const [, other] = graph.sandbox.owners;
    const answer = holdBack(graph, { times: 2 });
    const his = Array.from({ length: 20 }, async () => await graph.query(CURRENT));
    const hers = Array.from(
      { length: 20 },
      async () => await graph.query(CURRENT, { headers: { 'x-api-key': other.apiKey } }),
    );
    await graph.sandbox.requests.waitFor(LIST, 2);
    await takenIn(graph);
    answer();
    for (const one of await Promise.all([...his, ...hers])) expect(errorsOf(one)).toEqual([]);
    expect(new Set(graph.sandbox.requests.of(LIST).map(({ owner }) => owner))).toEqual(
      new Set(['fernlight', 'harbour']),
    );
    expect(graph.sandbox.requests.count(LIST)).toBe(2);
    await graph.query(CURRENT);
    await graph.query(CURRENT);
    expect(graph.sandbox.requests.count(LIST)).toBe(4);
  });

  test('are answered though the one who began leaves: a hundred of a hundred (D13)', async () => {
    const graph = await startGraph();
    const answer = holdBack(graph);
    const leaving = new AbortController();
    const leader = ask(graph, CURRENT, leaving.signal);
    await graph.sandbox.requests.waitFor(LIST, 1);
    const followers = await join(graph);
    leaving.abort();
    expect(await leader).toBeNull();
    answer();
    for (const follower of await Promise.all(followers))
      expect(follower).toMatchObject({ data: { accounts: { totalCount: 0 } } });
    expect(graph.sandbox.requests.count(LIST)).toBe(1);
  });

  test('are answered though the time of the one who began is over first: a hundred of a hundred (D13)', async () => {
    const graph = await startGraph({ environment: { OPERATION_TIMEOUT: '2s' } });
    const answer = holdBack(graph);
    const leader = graph.query(CURRENT);
    // Most of the leader's two seconds go by before the followers come.
    graph.sandbox.faults.add({ kind: 'delay', ms: 1_200, endpoint: LEGACY_LIST });
    await graph.query(LEGACY);
    const followers = await join(graph);
    expect(errorsOf(await leader)).toEqual(['accounts UPSTREAM_TIMEOUT']);
    answer();
    for (const follower of await Promise.all(followers))
      expect(follower).toMatchObject({ data: { accounts: { totalCount: 0 } } });
    expect(graph.sandbox.requests.count(LIST)).toBe(1);
  });
});

describe('a read after a write', () => {
  test('shows what was written though an older read of the other side is still on its way', async () => {
    const graph = await startGraph();
    // The answer is made when the request comes in, and sent late.
    graph.sandbox.faults.add({ kind: 'delay', ms: 1_500, endpoint: LIST });
    const before = graph.query(CURRENT);
    await graph.sandbox.requests.waitFor(LIST, 1);
    const joined = graph.query(CURRENT);
    await write(graph, 'deleteAccount', { accountId: legacyAccount(landmarks.reconnectId) });
    const afterwards = graph.query(CURRENT);
    expect((await afterwards).data.accounts.totalCount).toBe(11);
    expect((await before).data.accounts.totalCount).toBe(12);
    expect((await joined).data.accounts.totalCount).toBe(12);
    expect(graph.sandbox.requests.count(LIST)).toBe(2);
  });
});

describe('what a write looks up for itself', () => {
  test('is read anew: whether an account is paused is not taken from an older read on its way', async () => {
    const graph = await startGraph();
    const answer = holdBack(graph, { endpoint: LEGACY_LIST });
    const older = graph.query(LEGACY);
    await graph.sandbox.requests.waitFor(LEGACY_LIST, 1);
    expect((await write(graph, 'pauseAccount', EXAMPLES.pauseAccount)).outcome).toBe('COMPLETED');
    expect(graph.sandbox.requests.count(LEGACY_LIST)).toBe(2);
    answer();
    await older;
  });

  test('is read anew: whether it happened, when its answer was lost', async () => {
    const graph = await startGraph();
    const endpoint = 'GET /oauth/account/delete/:id';
    let lose: (() => void) | undefined;
    graph.sandbox.faults.add({
      kind: 'raw',
      effect: 'none',
      endpoint,
      write: (request) => {
        lose = () => request.socket.destroy();
      },
    });
    const deleting = write(graph, 'deleteAccount', EXAMPLES.deleteAccount);
    await expect.poll(() => lose).toBeDefined();
    const answer = holdBack(graph, { endpoint: LEGACY_LIST });
    const older = graph.query(LEGACY);
    await graph.sandbox.requests.waitFor(LEGACY_LIST, 2);
    lose?.();
    expect((await deleting).outcome).toBe('REJECTED');
    expect(graph.sandbox.requests.count(LEGACY_LIST)).toBe(3);
    expect(graph.sandbox.requests.count(endpoint)).toBe(1);
    answer();
    await older;
  });

  test('would be one call with an equal read of nobody’s writing', async () => {
    const graph = await startGraph();
    const answer = holdBack(graph, { endpoint: LEGACY_LIST });
    const older = graph.query(LEGACY);
    await graph.sandbox.requests.waitFor(LEGACY_LIST, 1);
    const joined = graph.query(LEGACY);
    await takenIn(graph);
    answer();
    await Promise.all([older, joined]);
    expect(graph.sandbox.requests.count(LEGACY_LIST)).toBe(1);
  });
});
