import { array, assert, asyncProperty, boolean, constantFrom, nat, record } from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { NO_PEERS } from '../../src/live/peers.ts';
import { choosableSizes } from '../../src/lists/pages.ts';
import type { PagedList } from '../../src/lists/reading.ts';
import type { Loaders } from '../../src/loaders/loaders.ts';
import { accountListItem, type AccountListItem } from '../../src/sources/current/accounts.ts';
import { groupMember } from '../../src/sources/current/groups.ts';
import { SourceError } from '../../src/sources/errors.ts';
import { watchedAccountHealth, type ObservedAccount } from '../../src/watch/account-health.ts';
import type { WatchEvent } from '../../src/watch/observation.ts';
import { Observer } from '../../src/watch/observer.ts';
import { cases } from '../support/depth.ts';

// What is told of the accounts' health is what somebody would write down who looks at each reading and compares.

interface Account {
  readonly isPaused: boolean;
  readonly isLocked: boolean;
  readonly isBlocked: boolean;
  readonly needsReconnect: boolean;
}
type Accounts = Readonly<Record<string, Account>>;

const HEALTHY: Account = { isPaused: false, isLocked: false, isBlocked: false, needsReconnect: false };
const yesNo = (flag: boolean): string => (flag ? 'Y' : 'N');
const origin = { surface: 'current', endpoint: 'a list', onDrift: () => undefined } as const;

function loadersOf(accounts: Accounts, fails: boolean): Loaders {
  const list: PagedList<AccountListItem> = {
    fingerprint: 'accounts',
    surface: 'current',
    memory: { sizes: choosableSizes(100) },
    keyOf: ({ loginId }) => loginId,
    readPage(page, size) {
      if (fails) return Promise.reject(new SourceError('unavailable', 'current', 'out of order'));
      const rows = Object.entries(accounts).map(([loginId, { isPaused, isLocked, isBlocked }]) =>
        accountListItem(
          { loginId, isPaused: yesNo(isPaused), isLocked: yesNo(isLocked), isBlocked: yesNo(isBlocked) },
          origin,
        ),
      );
      return Promise.resolve({ page, size, total: rows.length, rows });
    },
  };
  const load = (loginId: string) => {
    const { isLocked, needsReconnect } = accounts[loginId] ?? HEALTHY;
    return Promise.resolve(groupMember({ loginId, isLocked, isReconnect: needsReconnect }, origin));
  };
  return { accounts: () => list, groupMember: { load } } as Partial<Loaders> as Loaders;
}

const step = record({
  kind: constantFrom('add' as const, 'remove' as const, 'flag' as const, 'nothing' as const),
  at: nat(100),
  flag: constantFrom(...(Object.keys(HEALTHY) as (keyof Account)[])),
  fails: boolean(),
});

/** One line for each change from one state to the next, as a patient observer writes it. */
function notes(before: Accounts, after: Accounts): string[] {
  const gone = Object.keys(before).filter((id) => !(id in after));
  const come = Object.keys(after).filter((id) => !(id in before));
  const other = Object.keys(after).filter(
    (id) => id in before && JSON.stringify(before[id]) !== JSON.stringify(after[id]),
  );
  return [
    ...gone.map((id) => `LEFT ${id} ${JSON.stringify(before[id])}`),
    ...other.map((id) => `CHANGED ${id} ${JSON.stringify(before[id])} ${JSON.stringify(after[id])}`),
    ...come.map((id) => `ADDED ${id} ${JSON.stringify(after[id])}`),
  ];
}

function flags({ flags: known }: ObservedAccount): string {
  const { isPaused, isLocked, isBlocked, needsReconnect } = known;
  return JSON.stringify({ isPaused, isLocked, isBlocked, needsReconnect });
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}

function noteOf(event: WatchEvent<ObservedAccount>): string[] {
  if (event.kind === 'LEFT') return [`LEFT ${event.before.key} ${flags(event.before.record)}`];
  if (event.kind === 'ADDED') return [`ADDED ${event.after.key} ${flags(event.after.record)}`];
  if (event.kind !== 'CHANGED') return [];
  return [`CHANGED ${event.after.key} ${flags(event.before.record)} ${flags(event.after.record)}`];
}

test('the events of a random history are those that a patient observer writes down', async () => {
  await assert(
    asyncProperty(array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
      let count = 3;
      let accounts: Accounts = { 1: HEALTHY, 2: { ...HEALTHY, isPaused: true }, 3: HEALTHY };
      let seen = accounts;
      const expected: string[] = [];
      let readings = 0;
      const waiting = [...steps];
      const change = ({ kind, at, flag }: (typeof steps)[number]): void => {
        const ids = Object.keys(accounts);
        const id = ids[at % Math.max(ids.length, 1)] ?? '';
        if (kind === 'add') accounts = { ...accounts, [(count += 1)]: HEALTHY };
        else if (kind === 'remove')
          accounts = Object.fromEntries(Object.entries(accounts).filter(([one]) => one !== id));
        else if (kind === 'flag' && id !== '') {
          const one = accounts[id] ?? HEALTHY;
          accounts = { ...accounts, [id]: { ...one, [flag]: !one[flag] } };
        }
      };
      const told: WatchEvent<ObservedAccount>[] = [];
      const observer = new Observer({
        list: watchedAccountHealth,
        loaders: () => {
          // The first reading is the snapshot; then something happens before each.
          const next = readings++ === 0 ? undefined : waiting.shift();
          if (next !== undefined) change(next);
          const fails = next?.fails === true;
          if (!fails) {
            expected.push(...notes(seen, accounts));
            seen = accounts;
          }
          return loadersOf(accounts, fails);
        },
        topic: 'account health me',
        peers: NO_PEERS,
        intervalMs: 1,
        onDrift: () => undefined,
        onReading: () => undefined,
        onIdle: () => undefined,
      });
      onTestFinished(() => observer.close());
      observer.enter({
        push: (event) => told.push(event as WatchEvent<ObservedAccount>),
        end: () => undefined,
      });
      await until(
        () => waiting.length === 0 && told.flatMap(noteOf).length >= expected.length && seen === accounts,
      );
      observer.close();
      expect(told.flatMap(noteOf)).toEqual(expected);
      expect(told[0]?.kind).toBe('SNAPSHOT');
    }),
    { numRuns: cases(40, 1_000) },
  );
});
