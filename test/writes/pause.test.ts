import { describe, expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { cases } from '../support/depth.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { changingEach, MISSING } from '../support/wire-changes.ts';
import {
  account,
  legacyAccount,
  legacyGroup,
  problemsOf,
  write,
  type WritePayload,
} from '../support/writes.ts';

const { plainId, pausedId } = landmarks;
const TOGGLE = 'GET /oauth/account/status/:id';
const harbour = ({ sandbox }: RunningGraph) => sandbox.state.owner('harbour');
const isPaused = (graph: RunningGraph, loginId: number): boolean | undefined =>
  harbour(graph).accounts.find((one) => one.loginId === loginId && one.surfaces.legacy)?.paused;
const verdictOf = (payload: WritePayload): string[] => [payload.outcome, ...problemsOf(payload)];

/** Toggles an account as somebody else would, past this server. */
async function toggleElsewhere({ sandbox }: RunningGraph, loginId: number): Promise<void> {
  const { accessToken } = sandbox.owners[0];
  await fetch(`${sandbox.url}/oauth/account/status/${loginId}`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
}

describe('the state that is wanted', () => {
  test.each([
    ['pauseAccount', pausedId, true],
    ['resumeAccount', plainId, false],
  ] as const)('is not toggled by %s when the account is in it already', async (name, loginId, state) => {
    const graph = await startGraph();
    const payload = await write(graph, name, { accountId: legacyAccount(loginId) });
    expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [], account: { isPaused: state } });
    expect(harbour(graph).toggles(loginId)).toBe(0);
    expect(graph.sandbox.requests.count()).toBe(1);
  });

  test('is asked for a second time without harm', async () => {
    const graph = await startGraph();
    for (let time = 0; time < 3; time += 1) {
      const { outcome } = await write(graph, 'pauseAccount', { accountId: account() });
      expect(outcome).toBe('COMPLETED');
    }
    expect(harbour(graph).toggles(plainId)).toBe(1);
    expect(isPaused(graph, plainId)).toBe(true);
  });

  test('is read afresh each time: a change elsewhere in between counts', async () => {
    const graph = await startGraph();
    await write(graph, 'pauseAccount', { accountId: legacyAccount() });
    await toggleElsewhere(graph, plainId);
    await write(graph, 'pauseAccount', { accountId: legacyAccount() });
    expect(isPaused(graph, plainId)).toBe(true);
    expect(harbour(graph).toggles(plainId)).toBe(3);
  });
});

test('somebody else’s toggle between the look and ours is reported, and not toggled back', async () => {
  const graph = await startGraph();
  const look = holdAnswers(graph.sandbox, { endpoint: 'GET /oauth/accounts' });
  const pausing = write(graph, 'pauseAccount', { accountId: legacyAccount() });
  await look.arrived();
  await toggleElsewhere(graph, plainId);
  look.release();
  const payload = await pausing;
  expect(verdictOf(payload)).toEqual(['PARTIAL', 'CONFLICT']);
  expect(payload.userErrors[0]).toMatchObject({
    retryable: false,
    message: expect.stringContaining('it is now running'),
  });
  expect(payload['account']).toMatchObject({ isPaused: false });
  expect(harbour(graph).toggles(plainId)).toBe(2);
  expect(isPaused(graph, plainId)).toBe(false);
});

test.each([[MISSING], [''], [null]])(
  'nothing is toggled when the legacy surface does not say whether the account is paused (status %s)',
  async (status) => {
    const graph = await startGraph();
    graph.sandbox.faults.add(changingEach('GET /oauth/accounts', () => ({ status })));
    for (const name of ['pauseAccount', 'resumeAccount'] as const) {
      const payload = await write(graph, name, { accountId: legacyAccount() });
      expect(verdictOf(payload)).toEqual(['REJECTED', 'SURFACE_UNAVAILABLE']);
      expect(payload.userErrors[0]?.message).toContain('does not report whether Kelpgate Roasters is paused');
    }
    expect(harbour(graph).toggles(plainId)).toBe(0);
  },
);

describe('many at the same time', () => {
  test('act on one account one after the other: every answer is true, and nothing is toggled in vain', async () => {
    const graph = await startGraph();
    const wishes = Array.from({ length: cases(20, 50) }, (_, index) => ({
      name: index % 3 === 0 ? ('resumeAccount' as const) : ('pauseAccount' as const),
      accountId: index % 2 === 0 ? account() : legacyAccount(),
    }));
    const payloads = await Promise.all(
      wishes.map(({ name, accountId }) => write(graph, name, { accountId })),
    );
    expect(payloads.map(({ outcome }) => outcome)).toEqual(payloads.map(() => 'COMPLETED'));
    // Of the legacy surface the account is in hand, as it was at the end of its own turn.
    const states = payloads.map(({ account: one }) => (one as { readonly isPaused: boolean }).isPaused);
    for (const [index, { name, accountId }] of wishes.entries()) {
      if (accountId === legacyAccount()) expect(states[index]).toBe(name === 'pauseAccount');
    }
    const toggles = harbour(graph).toggles(plainId);
    expect(toggles).toBe(graph.sandbox.requests.count(TOGGLE));
    expect(isPaused(graph, plainId)).toBe(toggles % 2 === 1);
    // Each toggle lies between two different wishes.
    const resumptions = wishes.filter(({ name }) => name === 'resumeAccount').length;
    expect(toggles).toBeGreaterThan(0);
    expect(toggles).toBeLessThanOrEqual(2 * resumptions + 1);
  });

  test('wait for each other by whichever id they name it', async () => {
    const graph = await startGraph();
    // The toggle runs late: who looks before it has run sees the old state.
    const toggle = holdAnswers(graph.sandbox, { effect: 'none', endpoint: TOGGLE });
    const pausing = write(graph, 'pauseAccount', { accountId: legacyAccount() });
    await toggle.arrived();
    const looks = graph.sandbox.requests.count();
    const resuming = write(graph, 'resumeAccount', { accountId: account() });
    // By the answer to a query that came later, the second one would have looked at the account.
    await graph.query('{ surfaces { surface } }');
    expect(graph.sandbox.requests.count()).toBe(looks);
    toggle.release();
    expect([(await pausing).outcome, (await resuming).outcome]).toEqual(['COMPLETED', 'COMPLETED']);
    expect(harbour(graph).toggles(plainId)).toBe(2);
    expect(isPaused(graph, plainId)).toBe(false);
  });

  test('that want the same toggle once', async () => {
    const graph = await startGraph();
    const payloads = await Promise.all(
      Array.from({ length: cases(20, 50) }, () => write(graph, 'pauseAccount', { accountId: account() })),
    );
    expect(payloads.every(({ outcome }) => outcome === 'COMPLETED')).toBe(true);
    expect(harbour(graph).toggles(plainId)).toBe(1);
  });

  test('on different accounts do not wait for each other', async () => {
    const graph = await startGraph();
    const toggle = holdAnswers(graph.sandbox, { endpoint: TOGGLE });
    const slow = write(graph, 'pauseAccount', { accountId: legacyAccount(410_202) });
    await toggle.arrived();
    const fast = await write(graph, 'pauseAccount', { accountId: legacyAccount(410_203) });
    expect(fast.outcome).toBe('COMPLETED');
    toggle.release();
    expect((await slow).outcome).toBe('COMPLETED');
  });

  test('a failure of one does not keep the next from its turn', async () => {
    const graph = await startGraph();
    graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /oauth/accounts' });
    const [first, second] = await Promise.all([
      write(graph, 'pauseAccount', { accountId: legacyAccount() }),
      write(graph, 'pauseAccount', { accountId: legacyAccount() }),
    ]);
    expect([first.outcome, second.outcome].toSorted()).toEqual(['COMPLETED', 'REJECTED']);
  });
});

/** Asks for an action, and makes sure that the service was only read. */
async function withoutEffect(
  graph: RunningGraph,
  name: 'pauseAccount' | 'resumeAccount' | 'deleteAccount',
  id: string,
) {
  const payload = await write(graph, name, { accountId: id });
  const changing = graph.sandbox.requests.all.filter(({ path }) => /status|delete/.test(path));
  expect(changing).toEqual([]);
  return verdictOf(payload);
}

describe('nothing is sent to pause, resume or delete', () => {
  const NAMES = ['pauseAccount', 'resumeAccount', 'deleteAccount'] as const;
  const NOT_LINKED = ['REJECTED', 'ACCOUNT_NOT_LINKED input.accountId'];
  const UNKNOWN = ['REJECTED', 'UNKNOWN_ACCOUNT input.accountId'];

  test.each([
    ['somebody else’s account of the same number', account(landmarks.impostorId), NOT_LINKED],
    ['an id that the current surface no longer knows', account(landmarks.legacyOnlyId), NOT_LINKED],
    ['an account that is not there', legacyAccount(999), UNKNOWN],
  ])('%s', async (_, id, verdict) => {
    const graph = await startGraph();
    for (const name of NAMES) expect(await withoutEffect(graph, name, id), name).toEqual(verdict);
  });

  test('an account that only the current surface has', async () => {
    const graph = await startGraph();
    const made = harbour(graph).insertAccount(0, { surfaces: { current: true, legacy: false } });
    for (const name of NAMES)
      expect(await withoutEffect(graph, name, account(made.loginId)), name).toEqual(NOT_LINKED);
  });

  test('an account whose profile has another address by now', async () => {
    const graph = await startGraph();
    const { data } = await graph.query('query ($id: ID!) { account(id: $id) { counterpart { id } } }', {
      variables: { id: account() },
    });
    expect(data.account.counterpart).toEqual({ id: legacyAccount() });
    harbour(graph).removeAccount(plainId);
    harbour(graph).insertAccount(0, {
      id: plainId,
      profile: 'moved',
      surfaces: { current: true, legacy: false },
    });
    harbour(graph).insertAccount(0, {
      id: plainId,
      profile: 'old',
      surfaces: { current: false, legacy: true },
    });
    for (const name of NAMES) expect(await withoutEffect(graph, name, account()), name).toEqual(NOT_LINKED);
  });

  test('a group by its id of the current surface, or one that is not there', async () => {
    const graph = await startGraph();
    const current = Buffer.from('1gc:5101').toString('base64url');
    const outcomes = [];
    for (const accountGroupId of [current, legacyGroup(77)]) {
      outcomes.push(verdictOf(await write(graph, 'deleteAccountGroup', { accountGroupId })));
    }
    expect(outcomes).toEqual([
      ['REJECTED', 'ACCOUNT_NOT_LINKED input.accountGroupId'],
      ['REJECTED', 'UNKNOWN_ACCOUNT input.accountGroupId'],
    ]);
    expect(harbour(graph).groups).toHaveLength(4);
  });

  test('when only the key was sent', async () => {
    const graph = await startGraph();
    for (const name of NAMES) {
      const payload = await write(graph, name, { accountId: account() }, { headers: graph.caller.key });
      expect(verdictOf(payload)).toEqual(['REJECTED', 'CREDENTIAL_MISSING']);
    }
    expect(graph.sandbox.requests.count()).toBe(0);
  });
});
