import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../src/sandbox/endpoints.ts';
import type { FaultKind } from '../../src/sandbox/faults/fault.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { shortenDeadlines } from '../support/short-deadlines.ts';
import { changingRecord } from '../support/wire-changes.ts';
import { EXAMPLES, legacyGroup, problemsOf, write, type WritePayload } from '../support/writes.ts';

// A status update looks its accounts and groups up before it is sent. What fails there was not sent: that is certain, it
// is no unknown outcome, and it is not remembered.

const SEND = 'POST /oauth/post/update';
const LOOKUPS: readonly EndpointName[] = ['GET /oauth/accounts', 'GET /oauth/groups'];
const KEYED = { ...EXAMPLES.createStatusUpdate, groupIds: [legacyGroup(5_101)], idempotencyKey: 'k' };
const verdictOf = (payload: WritePayload): string[] => [payload.outcome, ...problemsOf(payload)];

async function expectForgotten(graph: RunningGraph): Promise<void> {
  expect(graph.sandbox.requests.count(SEND)).toBe(0);
  graph.sandbox.faults.clear();
  const again = await write(graph, 'createStatusUpdate', KEYED);
  expect(again).toMatchObject({ outcome: 'COMPLETED', replayed: false });
  expect(graph.sandbox.requests.count(SEND)).toBe(1);
}

const FAULTS: readonly (readonly [string, FaultKind, string])[] = [
  ['a 500', { kind: 'status', status: 500 }, 'SURFACE_UNAVAILABLE'],
  ['a 429', { kind: 'status', status: 429 }, 'RATE_LIMITED'],
  ['a 401', { kind: 'status', status: 401 }, 'CREDENTIAL_REJECTED'],
  ['a refusal', { kind: 'status', status: 403 }, 'UPSTREAM_REJECTED'],
  [
    'a flagged failure',
    { kind: 'status', status: 200, body: { error: 1, msg: 'Later' } },
    'UPSTREAM_REJECTED',
  ],
  ['a reset', { kind: 'reset-before-headers' }, 'SURFACE_UNAVAILABLE'],
  ['silence', { kind: 'never-answer' }, 'SURFACE_UNAVAILABLE'],
  ['something malformed', { kind: 'malformed-json' }, 'SURFACE_UNAVAILABLE'],
];

describe.each(LOOKUPS)('when %s answers with', (endpoint) => {
  test.each(FAULTS)('%s, nothing is sent, and nothing remembered', async (_, fault, code) => {
    const graph = await startGraph();
    if (fault.kind === 'never-answer') shortenDeadlines({ ms: 100, endpoint });
    graph.sandbox.faults.add({ ...fault, endpoint, times: Number.POSITIVE_INFINITY });
    expect(verdictOf(await write(graph, 'createStatusUpdate', KEYED))).toEqual(['REJECTED', code]);
    await expectForgotten(graph);
  });
});

test.each([
  ['GET /oauth/accounts', 'id', {}],
  ['GET /oauth/accounts', 'id', true],
  ['GET /oauth/groups', 'id', {}],
  ['GET /oauth/groups', 'accounts', 'none'],
] as const)('a damaged record of %s (%s is %j) leaves no outcome unknown', async (endpoint, wire, value) => {
  const graph = await startGraph();
  graph.sandbox.faults.add(changingRecord(endpoint, wire, value));
  const payload = await write(graph, 'createStatusUpdate', KEYED);
  expect(payload.outcome).not.toBe('UNKNOWN');
  if (payload.outcome === 'REJECTED') await expectForgotten(graph);
  else expect(graph.sandbox.requests.count(SEND)).toBe(1);
});

test('an unknown account is not remembered: it may be there by the next call', async () => {
  const graph = await startGraph();
  const owner = graph.sandbox.state.owner('harbour');
  owner.removeAccount(410_201);
  const first = await write(graph, 'createStatusUpdate', KEYED);
  expect(verdictOf(first)).toEqual(['REJECTED', 'UNKNOWN_ACCOUNT input.accountIds.0']);
  owner.insertAccount(0, { id: 410_201 });
  const again = await write(graph, 'createStatusUpdate', KEYED);
  expect(again).toMatchObject({ outcome: 'COMPLETED', replayed: false });
});
