import { describe, expect, test, vi } from 'vitest';
import { errorsOf, onlyError, startGraph, type RunningGraph } from '../support/graph.ts';
import { READ_CALLS } from '../support/calls.ts';
import { startPost } from '../support/http.ts';
import { landmarks } from '../support/landmarks.ts';
import { holdAnswers } from '../support/sandbox.ts';
import { holdClock, holdDeadlines, holdTimers } from '../support/clock.ts';
import { EXAMPLES, idOf, legacyAccount, verdictOf, write } from '../support/writes.ts';

// What callers see of a surface that fails, pauses or is slow; policies.test.ts has each rule, errors.test.ts each error.

const LIST = 'GET /accounts/list';
const CURRENT = '{ accounts(surface: CURRENT, first: 1) { totalCount } }';
const LEGACY = '{ accounts(surface: LEGACY) { totalCount } }';
const DOWN = ['accounts SURFACE_UNAVAILABLE'];
const DRAFT = 'POST /draft/create';

const ready = async ({ url }: RunningGraph): Promise<unknown> => await (await fetch(`${url}/ready`)).json();
const draft = (graph: RunningGraph) => write(graph, 'createDraft', EXAMPLES.createDraft);

test('a surface that has failed twenty times is sent nothing for a while, while the other one works as before', async () => {
  const FAILURES = 20;
  const clock = holdClock();
  const environment = { BREAKER_MIN_CALLS: String(FAILURES), BREAKER_PAUSE: '60s' };
  const graph = await startGraph({ environment });
  const { faults, requests } = graph.sandbox;
  faults.add({ kind: 'status', status: 500, endpoint: '*', times: FAILURES });
  for (let failed = 0; failed < FAILURES; failed += 1)
    expect(errorsOf(await graph.query(CURRENT))).toEqual(DOWN);
  expect(requests.count()).toBe(FAILURES);
  requests.clear();

  expect(onlyError(await graph.query(CURRENT))).toMatchObject({
    message: 'The current surface is failing; requests are suspended temporarily.',
    extensions: { code: 'SURFACE_UNAVAILABLE', surface: 'CURRENT', retryable: true },
  });
  const userErrors = [{ code: 'SURFACE_UNAVAILABLE', retryable: true }];
  expect(await draft(graph)).toMatchObject({ outcome: 'REJECTED', userErrors });
  clock.advance(59_999);
  expect(errorsOf(await graph.query(CURRENT))).toEqual(DOWN);
  expect(requests.count()).toBe(0);
  const surfaces = { current: 'out of order', legacy: 'configured' };
  expect(await ready(graph)).toMatchObject({ status: 'ready', surfaces });
  expect(errorsOf(await graph.query(LEGACY))).toEqual([]);
  expect((await write(graph, 'createStatusUpdate', EXAMPLES.createStatusUpdate)).outcome).toBe('COMPLETED');

  clock.advance(1);
  expect(errorsOf(await graph.query(CURRENT))).toEqual([]);
  expect(await ready(graph)).toMatchObject({ surfaces: { current: 'configured' } });
});

test('each read is answered at the third attempt', async () => {
  const clock = holdClock();
  // The pauses before them are random.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const graph = await startGraph({ environment: { READ_ATTEMPTS: '3' } });
  for (const { endpoint, field } of READ_CALLS) {
    // Three retries a second are free.
    clock.advance(1_000);
    graph.sandbox.requests.clear();
    graph.sandbox.faults.add({ kind: 'status', status: 503, endpoint, times: 2 });
    const errors = errorsOf(await graph.query(`{ ${field(graph.sandbox)} }`));
    expect([endpoint, errors, graph.sandbox.requests.count(endpoint)]).toEqual([endpoint, [], 3]);
  }
});

test('a pause that the service asks for is reported, and kept for half a minute', async () => {
  const graph = await startGraph({ environment: { READ_ATTEMPTS: '3' } });
  const [{ name: owner }, { apiKey }] = graph.sandbox.owners;
  const headers = { 'retry-after': '1000000000' };
  graph.sandbox.faults.add({ kind: 'status', status: 429, headers, endpoint: LIST, owner });
  const asked = { code: 'RATE_LIMITED', surface: 'CURRENT', retryable: true, retryAfterMs: 1e12 };
  expect(onlyError(await graph.query(CURRENT)).extensions).toMatchObject(asked);

  graph.sandbox.requests.clear();
  const next = onlyError(await graph.query(CURRENT));
  expect(next.extensions['code']).toBe('RATE_LIMITED');
  expect(next.extensions['retryAfterMs']).toBeLessThanOrEqual(30_000);
  expect(verdictOf(await draft(graph))).toEqual(['REJECTED', 'RATE_LIMITED']);
  expect(graph.sandbox.requests.count()).toBe(0);
  // It is for one caller and one surface.
  expect(errorsOf(await graph.query(LEGACY))).toEqual([]);
  expect(errorsOf(await graph.query(CURRENT, { headers: { 'x-api-key': apiKey } }))).toEqual([]);
});

test('a slow surface does not delay operations that need the other one alone', async () => {
  const graph = await startGraph();
  // As many calls as one caller may have open, and more that wait for their turn; none waits for too long.
  holdClock();
  const calls = holdAnswers(graph.sandbox, { endpoint: LIST, times: 100 });
  const slow = Array.from({ length: 20 }, (_, n) =>
    startPost(graph.url, { query: CURRENT.replace('1', String(n + 1)) }, graph.caller.both),
  );
  await calls.arrived(16);
  for (let count = 0; count < 5; count += 1) expect(errorsOf(await graph.query(LEGACY))).toEqual([]);
  expect([calls.count, graph.sandbox.requests.open]).toEqual([16, 16]);
  await Promise.all(slow.map(({ leave }) => leave()));
});

// That they are joined at all is in callers.test.ts.

test('equal reads that are in flight are not joined after a write, though it was one of the other surface', async () => {
  const graph = await startGraph();
  // The answer is made when the request comes in, and sent late.
  const older = holdAnswers(graph.sandbox, { endpoint: LIST });
  const before = graph.query(CURRENT);
  await older.arrived();
  await write(graph, 'deleteAccount', { accountId: legacyAccount(landmarks.reconnectId) });
  expect((await graph.query(CURRENT)).data.accounts.totalCount).toBe(11);
  older.release();
  expect((await before).data.accounts.totalCount).toBe(12);
});

test('equal reads that are in flight are not joined by a write that looks up whether an account is paused', async () => {
  const graph = await startGraph();
  const older = holdAnswers(graph.sandbox, { endpoint: 'GET /oauth/accounts' });
  const reading = graph.query(LEGACY);
  await older.arrived();
  expect((await write(graph, 'pauseAccount', EXAMPLES.pauseAccount)).outcome).toBe('COMPLETED');
  expect(graph.sandbox.requests.count('GET /oauth/accounts')).toBe(2);
  older.release();
  await reading;
});

describe('an operation that runs out of time', () => {
  /** An item that is not there is looked for in three steps: by itself, in the first page of the library, in the others. */
  const THREE_STEPS = `{ libraryItem(id: "${idOf('LibraryItem', 'current', 'f'.repeat(24))}") { title } surfaces { surface } }`;
  const LIBRARY = 'GET /library/list';
  /** Less than a read may take, so that the operation’s end is a timer of its own. */
  const OPERATION_MS = 14_000;
  const environment = { OPERATION_TIMEOUT: `${OPERATION_MS}ms` };
  /** A response that does not end, and is never silent for long: with its deadline held nothing else ends the call. */
  const ENDLESS = { kind: 'dribble', intervalMs: 1_000 } as const;

  test('ends at the end of its time, of which its earlier reads have taken some', async () => {
    const clock = holdClock();
    holdDeadlines();
    const timers = holdTimers();
    timers.hold(OPERATION_MS - 5_000, 'what is left');
    const graph = await startGraph({ environment });
    const firstPage = holdAnswers(graph.sandbox, { endpoint: LIBRARY });
    graph.sandbox.faults.add({ ...ENDLESS, endpoint: LIBRARY });
    const answer = graph.query(THREE_STEPS);
    await firstPage.arrived();
    clock.advance(5_000);
    firstPage.release();
    await expect.poll(() => timers.names).toEqual(['what is left']);
    timers.fire('what is left');
    const { data, errors } = await answer;
    expect(errorsOf({ errors })).toEqual(['libraryItem UPSTREAM_TIMEOUT']);
    expect(data.surfaces).toHaveLength(2);
    await expect.poll(() => graph.sandbox.requests.open).toBe(0);
  });

  test('waits for its write for as long as that may take', async () => {
    const graph = await startGraph({ environment: { OPERATION_TIMEOUT: '1s' } });
    const call = holdAnswers(graph.sandbox, { effect: 'none', endpoint: DRAFT });
    const writing = draft(graph);
    await call.arrived();
    // A read that begins later ends before: the time of the write’s operation is over, too.
    graph.sandbox.faults.add({ kind: 'never-answer', endpoint: LIST });
    expect(errorsOf(await graph.query(CURRENT))).toEqual(['accounts UPSTREAM_TIMEOUT']);
    call.release();
    expect((await writing).outcome).toBe('COMPLETED');
    expect(graph.sandbox.requests.count(DRAFT)).toBe(1);
  });
});
