import { expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../../src/config.ts';
import { accountOf } from '../../../src/records/account.ts';
import { accountListItem } from '../../../src/sources/current/accounts.ts';
import { watchedAccountHealth, type ObservedAccount } from '../../../src/watch/account-health.ts';
import { changesBetween, type Item, type Observation } from '../../../src/watch/observation.ts';
import { watchedQueue } from '../../../src/watch/queue.ts';
import { describeHealthChange } from '../src/messages.ts';
import { openOutbox, type Outbox } from '../src/outbox.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const noDrift = (): void => undefined;
const HEALTHY = { isBlocked: false, isLocked: false, needsReconnect: false, isPaused: false };
const SEEN = { observedAt: 2_000, lastSeenAt: 1_000 };

/** An account as a reading shows it. */
function observed(loginId: number, flags: Partial<ObservedAccount['flags']> = {}): Item<ObservedAccount> {
  const wire = { loginId, accountUsername: `Account ${loginId}` };
  const origin = { surface: 'current', endpoint: 'GET /accounts/list', onDrift: noDrift } as const;
  const record = {
    account: accountOf('current', accountListItem(wire, origin)),
    flags: { ...HEALTHY, ...flags },
    detailedAt: 1_500,
  };
  const facts = Object.entries(record.flags).map(([name, flag]) => [name, JSON.stringify(flag)]);
  return { key: String(loginId), record, facts: Object.fromEntries(facts) as Record<string, string> };
}

function observation<R = ObservedAccount>(observedAt: number, items: readonly Item<R>[]) {
  return { observedAt, items: new Map(items.map((item) => [item.key, item])) } as const;
}

/** An outbox that a process after the other opens. */
async function outboxes() {
  const folder = await temporaryFolder();
  let outbox: Outbox | undefined;
  onTestFinished(() => outbox?.close());
  return async (): Promise<Outbox> => {
    await outbox?.close();
    return (outbox = await openOutbox(folder, 'a secret'));
  };
}

const shown = ({ observedAt, items }: Observation<ObservedAccount>) => ({
  observedAt,
  items: [...items.values()].map(({ key, record: { account, flags, detailedAt }, facts }) => [
    key,
    account.loginId,
    flags,
    detailedAt,
    facts,
  ]),
});

test('after a restart the accounts are known as they were last seen, in the order of the service', async () => {
  const open = await outboxes();
  const first = await open();
  expect(first.seen(watchedAccountHealth, noDrift)).toBeNull();
  await first.record(watchedAccountHealth, observation(1_000, [observed(1), observed(2), observed(3)]), []);
  const now = observation(2_000, [observed(3), observed(1, { isPaused: true, isLocked: null })]);
  await first.record(watchedAccountHealth, now, []);
  const second = await open();
  const seen = second.seen(watchedAccountHealth, noDrift);
  expect(seen && shown(seen)).toEqual(shown(now));
  // Nothing that happened while no process ran would be told from another list.
  expect(second.seen(watchedQueue, noDrift)).toBeNull();
});

test('an account that was kept in a way that is not understood any more is not taken for one that left', async () => {
  const open = await outboxes();
  const first = await open();
  const kept = { ...watchedAccountHealth, pack: () => ({ wire: {}, flags: HEALTHY, detailedAt: null }) };
  await first.record(kept, observation(1_000, [observed(1)]), []);
  const seen = (await open()).seen(watchedAccountHealth, noDrift);
  expect(seen && shown(seen)).toEqual({ observedAt: 1_000, items: [] });
  expect(seen && changesBetween(seen, observation(2_000, [])).map(({ kind }) => kind)).toEqual([]);
});

test('what an earlier version wrote of a post, in its own form, is not reported as changed', async () => {
  const open = await outboxes();
  const first = await open();
  const place = { id: 7, name: 'Harbour' };
  const item = watchedQueue.unpack({ postId: 'p1', postDesc: 'A', extraData: { place } }, noDrift);
  if (item === null) throw new Error('the post has no id');
  const earlier = { ...item, facts: { text: '"A"', title: '"B"', place: JSON.stringify(place) } };
  await first.record(watchedQueue, observation(1_000, [earlier]), []);
  const seen = (await open()).seen(watchedQueue, noDrift);
  expect(seen && changesBetween(seen, observation(2_000, [item]))).toEqual([]);
});

test('messages wait for the next process in their order, and what comes then follows them', async () => {
  const open = await outboxes();
  const first = await open();
  const before = observation(1_000, [observed(1), observed(2)]);
  const after = observation(2_000, [observed(2, { isBlocked: true }), observed(3, { isPaused: null })]);
  const messages = changesBetween(before, after).map((change) => ({
    record: change.kind,
    message: describeHealthChange(change, SEEN),
  }));
  await first.record(watchedAccountHealth, after, messages.slice(0, 2));
  const second = await open();
  const [gone] = [...second.pending];
  await second.done(gone?.id ?? '');
  await second.record(watchedAccountHealth, after, messages.slice(2));
  expect([...(await open()).pending].map(({ message }) => message)).toEqual(
    messages.slice(1).map(({ message }) => message),
  );
});

const messages = (record: string, ids: readonly string[]) =>
  ids.map((id) => ({ record, message: { id, type: 'any', timestamp: '', data: {} } }));
const idsIn = ({ pending }: Outbox): string[] => [...pending].map(({ message }) => message.id);

test('lists recorded at the same moment lose none of their messages, on disk or in memory', async () => {
  const open = await outboxes();
  const first = await open();
  await Promise.all([
    first.record(watchedQueue, observation(1_000, []), messages('queue', ['1', '2'])),
    first.record(watchedAccountHealth, observation(1_000, [observed(1)]), messages('health', ['3'])),
    first.record(watchedQueue, observation(2_000, []), messages('queue', ['4'])),
    first.record(watchedAccountHealth, observation(2_000, [observed(2)]), messages('health', ['5', '6'])),
  ]);
  expect(idsIn(first)).toEqual(['1', '2', '3', '4', '5', '6']);
  const second = await open();
  expect(idsIn(second)).toEqual(['1', '2', '3', '4', '5', '6']);
  const seen = second.seen(watchedAccountHealth, noDrift);
  expect(seen && shown(seen)).toEqual(shown(observation(2_000, [observed(2)])));
});

test('an outbox that cannot be written to says which setting names its folder', async () => {
  const outbox = await (await outboxes())();
  await outbox.close();
  const record = outbox.record(watchedAccountHealth, observation(1_000, [observed(1)]), []);
  await expect(record).rejects.toThrow(ConfigError);
  await expect(record).rejects.toThrow(/^.*DATA_DIR: cannot be written: /s);
});

test('a message of an account says how its health was and is; what came or went has one side alone', () => {
  const before = observation(1_000, [observed(1), observed(2)]);
  const after = observation(2_000, [observed(2, { isLocked: true }), observed(3, { isPaused: null })]);
  const told = changesBetween(before, after).map((change) => describeHealthChange(change, SEEN));
  const healthy = { state: 'HEALTHY', ...HEALTHY };
  expect(told).toMatchObject([
    {
      type: 'account_health.left',
      data: { account: { loginId: '1', displayName: 'Account 1' }, before: healthy, after: null },
    },
    {
      type: 'account_health.changed',
      data: {
        account: { loginId: '2', displayName: 'Account 2' },
        before: healthy,
        after: { state: 'LOCKED', isLocked: true },
      },
    },
    {
      type: 'account_health.added',
      data: {
        account: { loginId: '3', displayName: 'Account 3' },
        before: null,
        after: { state: 'UNKNOWN', isPaused: null },
      },
    },
  ]);
  expect(new Set(told.map(({ timestamp }) => timestamp))).toEqual(new Set(['1970-01-01T00:00:02.000Z']));
});
