import type { AccountRecord } from '../records/account.ts';
import type { WriteContext } from './context.ts';
import { accountsToSet, MAX_ACCOUNTS, type NamedAccount, type SeveralAccounts } from './several-accounts.ts';
import type { UserError, WriteOutcome, WriteResult } from './outcome.ts';
import { setAccountPaused } from './set-account-paused.ts';

/** The result for one of several accounts. */
export interface AccountResult {
  /** The global id given in the input, or under which its group lists it. */
  readonly accountId: string;
  readonly result: WriteResult<AccountRecord>;
}

/** How many accounts are set concurrently; each has its own lock. */
const AT_ONCE = 4;

/**
 * Brings several accounts into the wanted state, each as `setAccountPaused` does. All are tried, whatever the result of
 * the others. Results are in the order of the input, those of groups after those of ids.
 */
export async function setAccountsPaused(
  input: SeveralAccounts,
  isPaused: boolean,
  context: WriteContext,
): Promise<WriteResult<readonly AccountResult[]>> {
  const named = await accountsToSet(input, context);
  if ('outcome' in named) return named;
  return joined(await setAll(named, isPaused, context));
}

async function setAll(
  named: readonly NamedAccount[],
  isPaused: boolean,
  context: WriteContext,
): Promise<AccountResult[]> {
  const results = new Map<NamedAccount, AccountResult>();
  const waiting = named.values();
  const work = async (): Promise<void> => {
    for (const one of waiting) {
      const { accountId, path } = one;
      const result = await setAccountPaused(accountId, isPaused, context);
      const userErrors = result.userErrors.map((error) => ({ ...error, path }));
      results.set(one, { accountId, result: { ...result, userErrors } });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, MAX_ACCOUNTS) }, work));
  return named.flatMap((one) => results.get(one) ?? []);
}

function joined(results: readonly AccountResult[]): WriteResult<readonly AccountResult[]> {
  const userErrors: readonly UserError[] = results.flatMap(({ result }) => result.userErrors);
  return {
    outcome: outcomeOf(results.map(({ result }) => result.outcome)),
    data: results,
    userErrors,
    isSent: results.some(({ result }) => result.isSent),
  };
}

/** Combines outcomes: the common one if all are equal; otherwise partial if anything was done, or else unknown. */
function outcomeOf(outcomes: readonly WriteOutcome[]): WriteOutcome {
  const [first = 'COMPLETED'] = outcomes;
  if (outcomes.every((outcome) => outcome === first)) return first;
  return outcomes.some(isDone) ? 'PARTIAL' : 'UNKNOWN';
}

function isDone(outcome: WriteOutcome): boolean {
  return outcome === 'COMPLETED' || outcome === 'PARTIAL';
}
