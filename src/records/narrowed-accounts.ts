import { PagingError } from '../lists/errors.ts';
import type { AccountListItem } from '../sources/current/accounts.ts';
import type { LegacyAccount } from '../sources/legacy/accounts.ts';
import type { Surface } from '../sources/errors.ts';
import { accountOf, healthOf, readAccount, type AccountRecord, type HealthState } from './account.ts';
import type { RecordContext } from './context.ts';
import { networkOf, type SocialNetworkName } from './network.ts';

// Accounts as the service can't narrow them: by network, pause and health.

/** Most accounts whose details are read to tell their health for a filter. */
export const MAX_HEALTH_DETAILS = 100;

/** What accounts have in common; what is left out narrows nothing. */
export interface AccountNarrowing {
  readonly networks?: readonly SocialNetworkName[];
  readonly isPaused?: boolean;
  readonly healthStates?: readonly HealthState[];
}

/**
 * Those rows of an account list that have something in common, in their order. A field that decides and can't be read
 * fails the whole list, so that no account is left out for it: its error is thrown; as is that of a detail that can't be
 * read, unless accounts in the state `UNKNOWN` are wanted. Throws a PagingError `SCAN_LIMIT_REACHED` where too many
 * details would have to be read.
 */
export async function narrowAccounts<T extends AccountListItem | LegacyAccount>(
  surface: Surface,
  rows: readonly T[],
  { narrowing, context }: { readonly narrowing: AccountNarrowing; readonly context: RecordContext },
): Promise<readonly T[]> {
  const { networks, isPaused, healthStates } = narrowing;
  const listed = rows.filter(
    (row) =>
      (networks === undefined || networks.includes(networkOf(row.platformCode))) &&
      (isPaused === undefined || row.isPaused === isPaused),
  );
  if (healthStates === undefined) return listed;
  const isWanted = (state: HealthState): boolean => healthStates.includes(state);
  const possible = listed.filter((row) => possibleStates(row).some(isWanted));
  const open = possible.filter((row) => !possibleStates(row).every(isWanted));
  if (open.length > MAX_HEALTH_DETAILS) throw tooManyDetails();
  const states = await Promise.all(
    open.map((row) => stateOf(accountOf(surface, row), isWanted('UNKNOWN'), context)),
  );
  const unwanted = new Set(open.filter((_, index) => !isWanted(states[index] ?? 'UNKNOWN')));
  return possible.filter((row) => !unwanted.has(row));
}

/** The states that an account may be in by what its list says; more than one where only its detail decides. */
function possibleStates(row: AccountListItem | LegacyAccount): readonly HealthState[] {
  if (!('isBlocked' in row)) return [row.isPaused === true ? 'PAUSED' : 'UNKNOWN'];
  const { isBlocked, isLocked } = row;
  if (isBlocked === true) return ['BLOCKED'];
  if (isLocked === true && isBlocked === false) return ['LOCKED'];
  const open = [
    'DELETED',
    ...(isBlocked === null ? (['BLOCKED'] as const) : []),
    ...(isLocked === false ? [] : (['LOCKED'] as const)),
    'NEEDS_RECONNECT',
    'UNKNOWN',
  ] as const;
  if (row.isPaused === null) return [...open, 'PAUSED', 'HEALTHY'];
  return [...open, row.isPaused ? 'PAUSED' : 'HEALTHY'];
}

/** The flags that `healthOf` reads in a detail. */
const FLAGS = ['isDeleted', 'isBlocked', 'isLocked', 'needsReconnect', 'isPaused'] as const;

// Of an account in an unknown state, the error that may have made it so is told, unless that state is wanted.
async function stateOf(
  account: AccountRecord,
  mayBeUnknown: boolean,
  context: RecordContext,
): Promise<HealthState> {
  const state = await healthOf(account, context);
  if (state !== 'UNKNOWN' || mayBeUnknown) return state;
  const detail = await context.loaders.accountDetail.load(account.loginId);
  for (const name of FLAGS) await readAccount({ ...account, part: detail }, name, context);
  return state;
}

function tooManyDetails(): PagingError {
  return new PagingError(
    'SCAN_LIMIT_REACHED',
    `More than ${MAX_HEALTH_DETAILS} accounts would have to be asked for their health one by one. Narrow the list by other fields of the filter as well.`,
  );
}
