import { expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { startGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/sandbox.ts';
import { EXAMPLES, legacyAccount, write } from '../support/writes.ts';

const LIST = 'GET /accounts/list';
const LEGACY_LIST = 'GET /oauth/accounts';
const CURRENT = '{ accounts(surface: CURRENT) { totalCount } }';
const LEGACY = '{ accounts(surface: LEGACY) { totalCount } }';

// That they are joined at all is in callers.test.ts; test/sources/upstream/policies.test.ts has each rule.

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
  const older = holdAnswers(graph.sandbox, { endpoint: LEGACY_LIST });
  const reading = graph.query(LEGACY);
  await older.arrived();
  expect((await write(graph, 'pauseAccount', EXAMPLES.pauseAccount)).outcome).toBe('COMPLETED');
  expect(graph.sandbox.requests.count(LEGACY_LIST)).toBe(2);
  older.release();
  await reading;
});
