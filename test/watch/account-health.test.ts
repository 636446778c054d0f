import { expect, test } from 'vitest';
import { choosableSizes } from '../../src/lists/pages.ts';
import type { PagedList } from '../../src/lists/reading.ts';
import type { Loaders } from '../../src/loaders/loaders.ts';
import { accountDetail, accountListItem, type AccountListItem } from '../../src/sources/current/accounts.ts';
import { groupMember } from '../../src/sources/current/groups.ts';
import { SourceError } from '../../src/sources/errors.ts';
import {
  observedHealth,
  watchedAccountHealth,
  type ObservedAccount,
} from '../../src/watch/account-health.ts';
import type { Observation } from '../../src/watch/observation.ts';

// What one reading makes of what the service says, and of what earlier ones have seen.

const origin = { surface: 'current', endpoint: 'GET /accounts/list', onDrift: () => undefined } as const;
const FINE = { isPaused: 'N', isLocked: 'N', isBlocked: 'N' };
const NEWS = { isPaused: 'Y', isLocked: 'Y', isBlocked: 'Y' };

/** What the service says of its accounts: in the list, in a group, and in the detail, which may fail. */
interface Said {
  readonly list: readonly object[];
  readonly member?: object;
  readonly detail?: object | SourceError;
}

/** Takes one reading. */
async function read(
  { list, member, detail = {} }: Said,
  before: Observation<ObservedAccount> | null = null,
): Promise<Observation<ObservedAccount>> {
  const rows = list.map((row) => accountListItem(row, origin));
  const accounts: PagedList<AccountListItem> = {
    fingerprint: 'accounts',
    surface: 'current',
    memory: { sizes: choosableSizes(100) },
    keyOf: ({ loginId }) => loginId,
    readPage: (page, size) => Promise.resolve({ page, size, total: rows.length, rows }),
  };
  const loaders: Partial<Loaders> = {
    accounts: () => accounts,
    groupMember: { load: () => Promise.resolve(member ? groupMember(member, origin) : null) },
    accountDetail: {
      load: (loginId: string) =>
        detail instanceof SourceError
          ? Promise.reject(detail)
          : Promise.resolve(accountDetail({ loginId, ...detail }, origin)),
    },
  };
  const result = await watchedAccountHealth.read({ loaders: loaders as Loaders, before, isThorough: true });
  return { observedAt: 1, items: new Map(result?.items.map((item) => [item.key, item])) };
}

/** The health of the account `1` in a reading. */
function healthIn({ items }: Observation<ObservedAccount>) {
  const record = items.get('1')?.record;
  return record && { state: observedHealth(record), ...record.flags };
}

const failed = (kind: SourceError['kind']): SourceError => new SourceError(kind, 'current', 'out of order');

test('flags that a reading does not show are those of the reading before it, not unknown', async () => {
  const first = await read({ list: [{ loginId: 1, ...NEWS }], member: { loginId: 1, isReconnect: true } });
  const known = { state: 'BLOCKED', isPaused: true, isLocked: true, isBlocked: true, needsReconnect: true };
  expect(healthIn(first)).toEqual(known);
  expect(healthIn(await read({ list: [{ loginId: 1 }] }, first))).toEqual(known);
});

test('flags that no reading has shown are unknown, and so is the health', async () => {
  const nothing = { isPaused: null, isLocked: null, isBlocked: null, needsReconnect: null };
  expect(healthIn(await read({ list: [{ loginId: 1 }] }))).toEqual({ state: 'UNKNOWN', ...nothing });
});

test('an account that the list does not call locked is locked if its group says so', async () => {
  const { isPaused, isBlocked } = FINE;
  const said = { list: [{ loginId: 1, isPaused, isBlocked }], member: { loginId: 1, isLocked: true } };
  expect(healthIn(await read(said))).toMatchObject({ state: 'LOCKED', isLocked: true });
});

test('without a group, the detail says whether an account needs to be reconnected', async () => {
  const list = [{ loginId: 1, ...FINE }];
  expect(healthIn(await read({ list, detail: { isReconnect: true } }))).toMatchObject({
    state: 'NEEDS_RECONNECT',
  });
});

test('a detail that cannot be read leaves what was known, but a key that is not accepted ends the reading', async () => {
  const list = [{ loginId: 1, ...FINE }];
  const first = await read({ list, detail: { isReconnect: true } });
  const second = await read({ list, detail: failed('unavailable') }, first);
  expect(healthIn(second)).toMatchObject({ state: 'NEEDS_RECONNECT', needsReconnect: true });
  await expect(read({ list, detail: failed('unauthenticated') }, second)).rejects.toThrow('out of order');
});

test('what one process has packed, another one understands; what it does not, it takes for nothing', async () => {
  const observation = await read({
    list: [{ loginId: 1, ...NEWS }],
    member: { loginId: 1, isReconnect: true },
  });
  const packed = [...observation.items.values()].map((item) => watchedAccountHealth.pack(item));
  const sent = JSON.parse(JSON.stringify(packed)) as unknown[];
  const [unpacked] = sent.map((one) => watchedAccountHealth.unpack(one, origin.onDrift));
  expect(unpacked).toMatchObject({ key: '1', facts: observation.items.get('1')?.facts });
  expect(unpacked && observedHealth(unpacked.record)).toBe('BLOCKED');
  expect(watchedAccountHealth.unpack({ wire: {}, flags: {}, detailedAt: null }, origin.onDrift)).toBeNull();
});
