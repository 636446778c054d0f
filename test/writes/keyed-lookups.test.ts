import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { holdDeadlines } from '../support/held-deadlines.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingRecord } from '../support/wire-changes.ts';
import { EXAMPLES, legacyGroup, verdictOf, write, type Input } from '../support/writes.ts';

// A status update looks its accounts and groups up before it is sent. What fails there was not sent: that is certain, it
// is no unknown outcome, and it is not remembered.

const graph = shareGraph();
const SEND = 'POST /oauth/post/update';
const LOOKUPS: readonly EndpointName[] = ['GET /oauth/accounts', 'GET /oauth/groups'];
let keys = 0;

/** An update with a key that no other test uses. */
function keyed(): Input {
  keys += 1;
  // The tests share one queue, which must not be full before the last of them.
  graph.sandbox.state.owner('harbour').queueLimit = 1_000;
  return {
    ...EXAMPLES.createStatusUpdate,
    accountGroupIds: [legacyGroup(5_101)],
    idempotencyKey: `key-${keys}`,
  };
}

async function expectForgotten(input: Input): Promise<void> {
  expect(graph.sandbox.requests.count(SEND)).toBe(0);
  graph.sandbox.faults.clear();
  const again = await write(graph, 'createStatusUpdate', input);
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
    const input = keyed();
    const deadlines = fault.kind === 'never-answer' ? holdDeadlines([endpoint]) : null;
    graph.sandbox.faults.add({ ...fault, endpoint, times: Number.POSITIVE_INFINITY });
    const payload = write(graph, 'createStatusUpdate', input);
    await graph.sandbox.requests.waitFor(endpoint, 1);
    deadlines?.pass(endpoint);
    expect(verdictOf(await payload)).toEqual(['REJECTED', code]);
    await expectForgotten(input);
  });
});

test.each([
  ['GET /oauth/accounts', 'id', {}],
  ['GET /oauth/accounts', 'id', true],
  ['GET /oauth/groups', 'id', {}],
  ['GET /oauth/groups', 'accounts', 'none'],
] as const)('a damaged record of %s (%s is %j) leaves no outcome unknown', async (endpoint, wire, value) => {
  const input = keyed();
  graph.sandbox.faults.add(changingRecord(endpoint, wire, value));
  const payload = await write(graph, 'createStatusUpdate', input);
  expect(payload.outcome).not.toBe('UNKNOWN');
  if (payload.outcome === 'REJECTED') await expectForgotten(input);
  else expect(graph.sandbox.requests.count(SEND)).toBe(1);
});

test('an unknown account is not remembered: it may be there by the next call', async () => {
  const input = keyed();
  const owner = graph.sandbox.state.owner('harbour');
  owner.removeAccount(410_201);
  const first = await write(graph, 'createStatusUpdate', input);
  expect(verdictOf(first)).toEqual(['REJECTED', 'UNKNOWN_ACCOUNT input.accountIds.0']);
  owner.insertAccount(0, { id: 410_201 });
  const again = await write(graph, 'createStatusUpdate', input);
  expect(again).toMatchObject({ outcome: 'COMPLETED', replayed: false });
});
