import { array, assert, asyncProperty, boolean, constantFrom, record, type Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { cases } from '../support/depth.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { holdDeadlines } from '../support/held-deadlines.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingRecord, MISSING } from '../support/wire-changes.ts';
import { account, legacyAccount, legacyGroup, verdictOf, write } from '../support/writes.ts';

const graph = shareGraph();
const { plainId } = landmarks;
const TOGGLE = 'GET /oauth/account/status/:id';

// A service that says nothing more: the test lets the deadline of the call pass once it has arrived.
type Kind = FaultKind | { readonly kind: 'silence' };

const KINDS: readonly Kind[] = [
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503, body: '<h1>Busy</h1>' },
  { kind: 'status', status: 429 },
  { kind: 'status', status: 401 },
  { kind: 'status', status: 404 },
  { kind: 'status', status: 200, body: { error: 1, msg: 'Something went wrong. Please try again later.' } },
  { kind: 'reset-before-headers' },
  { kind: 'reset-in-body' },
  { kind: 'silence' },
  { kind: 'delay', ms: 5 },
  { kind: 'cut-body', framing: 'close' },
  { kind: 'cut-body', framing: 'chunked' },
  { kind: 'cut-body', framing: 'content-length', keep: 0 },
  { kind: 'malformed-json' },
  { kind: 'malformed-json', text: '{"error":0,"data":{"new_status":"Asleep"}}' },
  { kind: 'empty-body' },
  { kind: 'redirect', location: '/' },
  { kind: 'gzip' },
];

interface Run {
  readonly faults: readonly {
    readonly endpoint: EndpointName;
    readonly kind: Kind;
    readonly effect: 'done' | 'none';
    readonly skip: number;
  }[];
  readonly wants: boolean;
  readonly byCurrentId: boolean;
}

const anyFault = record({
  endpoint: constantFrom<EndpointName[]>(
    TOGGLE,
    TOGGLE,
    'GET /oauth/accounts',
    'GET /accounts/view/{loginId}',
  ),
  kind: constantFrom(...KINDS),
  effect: constantFrom('done' as const, 'none' as const),
  skip: constantFrom(0, 0, 1, 2),
});
const anyRun: Arbitrary<Run> = record({
  faults: array(anyFault, { minLength: 1, maxLength: 4 }),
  wants: boolean(),
  byCurrentId: boolean(),
});

/** Neither the answer of a toggle nor the look after it comes: nobody can tell, which is rare at random. */
const LOST_TWICE = {
  faults: [
    { endpoint: TOGGLE, kind: { kind: 'reset-before-headers' }, effect: 'done', skip: 0 },
    { endpoint: 'GET /oauth/accounts', kind: { kind: 'status', status: 500 }, effect: 'none', skip: 1 },
  ],
  wants: true,
  byCurrentId: false,
} as const;

function stateIn(sandbox: Sandbox): boolean {
  const found = sandbox.state.owner('harbour').accounts.find(({ loginId }) => loginId === plainId);
  if (!found) throw new Error('the account is gone');
  return found.paused;
}

function setState(paused: boolean): void {
  for (const one of graph.sandbox.state.owner('harbour').accounts)
    if (one.loginId === plainId) one.paused = paused;
}

/** The place of the account in the legacy surface’s list. */
function indexOfPlain(): number {
  const { accounts } = graph.sandbox.state.owner('harbour');
  return accounts.filter(({ surfaces }) => surfaces.legacy).findIndex(({ loginId }) => loginId === plainId);
}

// A refusal is a claim too: nothing was done. These the service makes itself, and may make after the fact.
const CLAIMS_OF_THE_SERVICE = new Set(['429', '401', '404', '200']);
const saysItself = ({ kind }: { readonly kind: Kind }): boolean =>
  kind.kind === 'status' && CLAIMS_OF_THE_SERVICE.has(String(kind.status));

test('whatever goes wrong, a reported state is the true one, and at most one toggle was sent', async () => {
  const deadlines = holdDeadlines();
  const { sandbox } = graph;
  const outcomes = new Map<string, number>();
  await assert(
    asyncProperty(anyRun, async ({ faults, wants, byCurrentId }) => {
      await expect.poll(() => sandbox.requests.open, { interval: 1 }).toBe(0);
      sandbox.faults.clear();
      sandbox.requests.clear();
      for (const { kind, ...target } of faults) {
        const fault: FaultKind =
          kind.kind === 'silence' ? { kind: 'raw', write: () => deadlines.pass(target.endpoint) } : kind;
        sandbox.faults.add({ ...fault, ...target });
      }
      const before = stateIn(sandbox);
      const payload = await write(
        graph,
        wants ? 'pauseAccount' : 'resumeAccount',
        { accountId: byCurrentId ? account() : legacyAccount() },
        { selection: 'account { loginId }' },
      );
      const now = stateIn(sandbox);
      outcomes.set(payload.outcome, (outcomes.get(payload.outcome) ?? 0) + 1);
      expect(sandbox.requests.count(TOGGLE)).toBeLessThanOrEqual(before === wants ? 0 : 1);
      if (payload.outcome === 'COMPLETED') expect(now).toBe(wants);
      else if (payload.outcome === 'REJECTED' && !faults.some(saysItself)) expect(now).toBe(before);
      else expect(['REJECTED', 'UNKNOWN']).toContain(payload.outcome);
    }),
    { numRuns: cases(60, 1_000), examples: [[LOST_TWICE], [{ ...LOST_TWICE, wants: false }]] },
  );
  // Had every run ended alike, the property would have said little.
  expect([...outcomes.keys()].toSorted()).toEqual(['COMPLETED', 'REJECTED', 'UNKNOWN']);
});

test('a read that fails after a lost answer leaves the outcome unknown', async () => {
  graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: TOGGLE, effect: 'done' });
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /oauth/accounts', skip: 1 });
  const name = stateIn(graph.sandbox) ? 'resumeAccount' : 'pauseAccount';
  const payload = await write(graph, name, { accountId: legacyAccount() });
  expect(verdictOf(payload)).toEqual(['UNKNOWN', 'OUTCOME_UNKNOWN']);
  expect(payload['account']).toBeNull();
});

test.each([{}, true, null])(
  'another account’s damaged id (%j) does not keep one from being paused',
  async (id) => {
    const name = stateIn(graph.sandbox) ? 'resumeAccount' : 'pauseAccount';
    graph.sandbox.faults.add(changingRecord('GET /oauth/accounts', 'id', id, 0));
    const other = legacyAccount(410_202);
    expect(await write(graph, name, { accountId: other })).toMatchObject({ outcome: 'COMPLETED' });
  },
);

test.each([
  [
    'deleteAccount',
    { accountId: legacyAccount(410_208) },
    'GET /oauth/account/delete/:id',
    'GET /oauth/accounts',
  ],
  [
    'deleteAccountGroup',
    { accountGroupId: legacyGroup(5_102) },
    'GET /oauth/group/delete/:id',
    'GET /oauth/groups',
  ],
] as const)('%s is unknown when neither its answer nor the look comes', async (name, input, call, look) => {
  graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: call, effect: 'none' });
  graph.sandbox.faults.add({ kind: 'status', status: 503, endpoint: look, skip: 1 });
  const payload = await write(graph, name, input);
  expect(verdictOf(payload)).toEqual(['UNKNOWN', 'OUTCOME_UNKNOWN']);
  expect(graph.sandbox.requests.count(call)).toBe(1);
});

test.each([
  ['deleteAccount', { accountId: legacyAccount() }, 'GET /oauth/account/delete/:id', 'GET /oauth/accounts'],
  [
    'deleteAccountGroup',
    { accountGroupId: legacyGroup(5_101) },
    'GET /oauth/group/delete/:id',
    'GET /oauth/groups',
  ],
] as const)(
  '%s is unknown when the look shows a record that may be the one',
  async (name, input, call, look) => {
    for (const id of [{}, null, '', MISSING]) {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: call, effect: 'none' });
      graph.sandbox.faults.add({ ...changingRecord(look, 'id', id), skip: 1 });
      const payload = await write(graph, name, input);
      expect(verdictOf(payload), typeof id).toEqual(['UNKNOWN', 'OUTCOME_UNKNOWN']);
    }
  },
);

test.each([
  ['pauseAccount', false, 'running'],
  ['resumeAccount', true, 'paused'],
] as const)(
  '%s that crossed another change tells the state that came of both',
  async (name, paused, state) => {
    const { sandbox } = graph;
    const call = holdAnswers(sandbox, { endpoint: TOGGLE, effect: 'none' });
    setState(paused);
    const sent = write(graph, name, { accountId: legacyAccount() });
    await call.arrived();
    setState(!paused);
    call.release();
    const payload = await sent;
    expect(verdictOf(payload)).toEqual(['PARTIAL', 'CONFLICT']);
    expect(payload.userErrors[0]?.message).toContain(`it is now ${state}`);
    expect(payload['account']).toMatchObject({ isPaused: paused });
    expect(stateIn(sandbox)).toBe(paused);
  },
);

test('an account that is gone when it is looked at after a lost answer leaves the outcome unknown', async () => {
  const { sandbox } = graph;
  const name = stateIn(sandbox) ? 'resumeAccount' : 'pauseAccount';
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: TOGGLE, effect: 'none' });
  const hidden = changingRecord('GET /oauth/accounts', 'id', '999', indexOfPlain());
  sandbox.faults.add({ ...hidden, skip: 1 });
  const payload = await write(graph, name, { accountId: legacyAccount() });
  expect(verdictOf(payload)).toEqual(['UNKNOWN', 'OUTCOME_UNKNOWN']);
  expect(sandbox.requests.count('GET /oauth/accounts')).toBe(2);
});
