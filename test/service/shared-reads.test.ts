import { expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { startGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/sandbox.ts';
import { holdClock, holdTimers } from '../support/clock.ts';
import { EXAMPLES, legacyAccount, write } from '../support/writes.ts';

const LIST = 'GET /accounts/list';
const LEGACY_LIST = 'GET /oauth/accounts';
const CURRENT = '{ accounts(surface: CURRENT) { totalCount } }';
const LEGACY = '{ accounts(surface: LEGACY) { totalCount } }';

/** How long an operation may take here: less than a read, so that each reader of a read has a timer of its own. */
const OPERATION_MS = 14_000;

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
  };
}

test('equal reads that are in flight are not joined after a write, though it was one of the other surface', async () => {
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

test('equal reads that are in flight are not joined by a write that looks up whether an account is paused', async () => {
  const { graph } = await startStill();
  const older = holdAnswers(graph.sandbox, { endpoint: LEGACY_LIST });
  const reading = graph.query(LEGACY);
  await older.arrived();
  expect((await write(graph, 'pauseAccount', EXAMPLES.pauseAccount)).outcome).toBe('COMPLETED');
  expect(graph.sandbox.requests.count(LEGACY_LIST)).toBe(2);
  older.release();
  await reading;
});

test('equal reads that are in flight are not joined by a write that looks up what its lost response did', async () => {
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

test('equal reads that are in flight are joined by others', async () => {
  const { graph, readers } = await startStill();
  const older = holdAnswers(graph.sandbox, { endpoint: LEGACY_LIST });
  const both = [graph.query(LEGACY), graph.query(LEGACY)];
  await older.arrived();
  await readers(2);
  older.release();
  await Promise.all(both);
  expect(graph.sandbox.requests.count(LEGACY_LIST)).toBe(1);
});
