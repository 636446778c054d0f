import { PagingError } from '../lists/errors.ts';
import type { AccountListItem } from '../sources/current/accounts.ts';
import type { LegacyAccount } from '../sources/legacy/accounts.ts';
import type { Surface } from '../sources/errors.ts';
import {
  accountOf,
  HEALTH_FLAGS,
  HEALTH_STATES,
  healthOf,
  readAccount,
  type AccountRecord,
  type HealthState,
} from './account.ts';
import type { RecordContext } from './context.ts';
import { networkOf, type SocialNetworkName } from './network.ts';

// Account filters that the service does not support: by network, pause and health.

/** Maximum number of accounts whose details are read to filter by health. */
export const MAX_HEALTH_DETAILS = 100;

/** The filter of accounts; omitted fields filter nothing. */
export interface AccountNarrowing {
  readonly networks?: readonly SocialNetworkName[];
  readonly isPaused?: boolean;
  readonly healthStates?: readonly HealthState[];
}

/**
 * Filters the rows of an account list, keeping their order. A field used by the filter that cannot be read fails the
 * whole list with its error, so that no account is silently omitted; so does a detail that cannot be read, unless
 * accounts in the state `UNKNOWN` are wanted. Throws a PagingError `SCAN_LIMIT_REACHED` if too many details would have
 * to be read.
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
  if (open.length > MAX_HEALTH_DETAILS)
    throw new PagingError(
      'SCAN_LIMIT_REACHED',
      `The health of more than ${MAX_HEALTH_DETAILS} accounts would have to be read individually. Narrow the list with other fields of the filter.`,
    );
  const states = await Promise.all(
    open.map((row) => stateOf(accountOf(surface, row), isWanted('UNKNOWN'), context)),
  );
  const unwanted = new Set(open.filter((_, index) => !isWanted(states[index] ?? 'UNKNOWN')));
  return possible.filter((row) => !unwanted.has(row));
}

/** Returns the possible states of an account according to its list; more than one if only its detail decides. */
function possibleStates(row: AccountListItem | LegacyAccount): readonly HealthState[] {
  if (!('isBlocked' in row)) return [row.isPaused === true ? 'PAUSED' : 'UNKNOWN'];
  const { isBlocked, isLocked } = row;
  if (isBlocked === true) return ['BLOCKED'];
  if (isLocked === true && isBlocked === false) return ['LOCKED'];
  const { isPaused } = row;
  const excluded: unknown[] = [
    isBlocked === false && 'BLOCKED',
    isLocked === false && 'LOCKED',
    isPaused !== null && (isPaused ? 'HEALTHY' : 'PAUSED'),
  ];
  return HEALTH_STATES.filter((state) => !excluded.includes(state));
}

// For an unknown state that is not wanted, throws the error that may have caused it.
async function stateOf(
  account: AccountRecord,
  mayBeUnknown: boolean,
  context: RecordContext,
): Promise<HealthState> {
  const state = await healthOf(account, context);
  if (state !== 'UNKNOWN' || mayBeUnknown) return state;
  const detail = await context.loaders.accountDetail.load(account.loginId);
  for (const [name] of HEALTH_FLAGS) await readAccount({ ...account, part: detail }, name, context);
  return state;
}
