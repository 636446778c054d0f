import { describe, expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { errorsOf } from '../support/answers.ts';
import { cases } from '../support/depth.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { holdClock } from '../support/held-clock.ts';
import { holdTimers } from '../support/held-timers.ts';
import { EXAMPLES, legacyAccount, write } from '../support/writes.ts';

const LIST = 'GET /accounts/list';
const LEGACY_LIST = 'GET /oauth/accounts';
const CURRENT = '{ accounts(surface: CURRENT) { totalCount } }';
const LEGACY = '{ accounts(surface: LEGACY) { totalCount } }';
const ANSWER = { data: { accounts: { totalCount: 12 } } };

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

/** How long an operation may take here: less than a read, so that each reader of a read has a timer of its own. */
const OPERATION_MS = 14_000;
const FOLLOWERS = cases(20, 100);

/** A graph for which no time passes, and which tells how many wait for reads. */
async function startStill() {
  holdClock();
  const timers = holdTimers();
  timers.hold(OPERATION_MS, 'reader');
  const graph = await startGraph({ environment: { OPERATION_TIMEOUT: `${OPERATION_MS}ms` } });
  return {
    graph,
    /** Waits until so many operations wait for reads, whether these are their own or those of others. */
    readers: (count: number) =>
      expect.poll(() => timers.names.filter((name) => name === 'reader').length).toBe(count),
    /** Ends the time of the operation that has waited for the longest. */
    endFirst: () => timers.fire('reader', 1),
  };
}

const many = <T>(read: () => Promise<T>): Promise<T>[] => Array.from({ length: FOLLOWERS }, read);

describe('equal reads of one caller at the same time', () => {
  test('are one call, of two callers two; one after the other they are two', async () => {
    const { graph, readers } = await startStill();
    const { owners, requests } = graph.sandbox;
    const headers = { 'x-api-key': owners[1].apiKey };
    const calls = holdAnswers(graph.sandbox, { endpoint: LIST, times: 2 });
    const his = many(async () => await graph.query(CURRENT));
    const hers = many(async () => await graph.query(CURRENT, { headers }));
    await calls.arrived(2);
    await readers(2 * FOLLOWERS);
    calls.release();
    for (const one of await Promise.all([...his, ...hers])) expect(errorsOf(one)).toEqual([]);
    expect(new Set(requests.of(LIST).map(({ owner }) => owner))).toEqual(new Set(['fernlight', 'harbour']));
    expect(requests.count(LIST)).toBe(2);
    await graph.query(CURRENT);
    await graph.query(CURRENT);
    expect(requests.count(LIST)).toBe(4);
  });

  test('are answered, every one of them, though the one who began leaves', async () => {
    const { graph, readers } = await startStill();
    const call = holdAnswers(graph.sandbox, { endpoint: LIST });
    const leaving = new AbortController();
    const leader = ask(graph, CURRENT, leaving.signal);
    await call.arrived();
    const followers = many(() => ask(graph, CURRENT));
    await readers(1 + FOLLOWERS);
    leaving.abort();
    expect(await leader).toBeNull();
    await readers(FOLLOWERS);
    call.release();
    for (const follower of await Promise.all(followers)) expect(follower).toMatchObject(ANSWER);
    expect(graph.sandbox.requests.count(LIST)).toBe(1);
  });

  test('are answered, every one of them, though the time of the one who began is over first', async () => {
    const { graph, readers, endFirst } = await startStill();
    const call = holdAnswers(graph.sandbox, { endpoint: LIST });
    const leader = graph.query(CURRENT);
    await call.arrived();
    const followers = many(() => ask(graph, CURRENT));
    await readers(1 + FOLLOWERS);
    endFirst();
    expect(errorsOf(await leader)).toEqual(['accounts UPSTREAM_TIMEOUT']);
    call.release();
    for (const follower of await Promise.all(followers)) expect(follower).toMatchObject(ANSWER);
    expect(graph.sandbox.requests.count(LIST)).toBe(1);
  });
});

describe('a read after a write', () => {
  test('shows what was written though an older read of the other surface is still on its way', async () => {
    const { graph, readers } = await startStill();
    // The answer is made when the request comes in, and sent late.
    const older = holdAnswers(graph.sandbox, { endpoint: LIST });
    const before = graph.query(CURRENT);
    await older.arrived();
    const joined = graph.query(CURRENT);
    await readers(2);
    await write(graph, 'deleteAccount', { accountId: legacyAccount(landmarks.reconnectId) });
    expect((await graph.query(CURRENT)).data.accounts.totalCount).toBe(11);
    older.release();
    expect((await before).data.accounts.totalCount).toBe(12);
    expect((await joined).data.accounts.totalCount).toBe(12);
    expect(graph.sandbox.requests.count(LIST)).toBe(2);
  });
});

describe('what a write looks up for itself', () => {
  test('is read anew: whether an account is paused is not taken from an older read on its way', async () => {
    const { graph } = await startStill();
    const older = holdAnswers(graph.sandbox, { endpoint: LEGACY_LIST });
    const reading = graph.query(LEGACY);
    await older.arrived();
    expect((await write(graph, 'pauseAccount', EXAMPLES.pauseAccount)).outcome).toBe('COMPLETED');
    expect(graph.sandbox.requests.count(LEGACY_LIST)).toBe(2);
    older.release();
    await reading;
  });

  test('is read anew: whether it happened, when its answer was lost', async () => {
    const { graph } = await startStill();
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
    const older = holdAnswers(graph.sandbox, { endpoint: LEGACY_LIST });
    const reading = graph.query(LEGACY);
    await older.arrived();
    lose?.();
    expect((await deleting).outcome).toBe('UNKNOWN');
    expect(graph.sandbox.requests.count(LEGACY_LIST)).toBe(3);
    expect(graph.sandbox.requests.count(endpoint)).toBe(1);
    older.release();
    await reading;
  });

  test('would be one call with an equal read that is no part of a write', async () => {
    const { graph, readers } = await startStill();
    const older = holdAnswers(graph.sandbox, { endpoint: LEGACY_LIST });
    const both = [graph.query(LEGACY), graph.query(LEGACY)];
    await older.arrived();
    await readers(2);
    older.release();
    await Promise.all(both);
    expect(graph.sandbox.requests.count(LEGACY_LIST)).toBe(1);
  });
});
