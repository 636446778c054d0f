import { assertUnreadable, PagingError } from '../lists/errors.ts';
import { accountOf, type AccountPart, type AccountRecord } from '../records/account.ts';
import { encodeGlobalId, type GlobalId, type NodeType } from '../records/global-id.ts';
import { SourceError, type Surface } from '../sources/errors.ts';
import { byId } from '../sources/legacy/by-id.ts';
import { listLegacyGroups } from '../sources/legacy/groups.ts';
import { lockNameOf, setAccountPaused } from './account-actions.ts';
import type { WriteContext } from './context.ts';
import { refused, resultOfLookup, type WriteOutcome, type WriteResult } from './outcome.ts';
import { Problems } from './problems.ts';

/** Accounts chosen by their ids, or by groups that contain them. */
export interface ChosenAccounts {
  readonly accountIds?: readonly string[] | null | undefined;
  readonly accountGroupIds?: readonly string[] | null | undefined;
}

/** The same with parsed ids. */
export interface Chosen {
  readonly accounts: readonly GlobalId[];
  readonly groups: readonly GlobalId[];
}

/** Parses the ids of chosen accounts. Reports a choice of nothing, too many or repeated ids, and ids of another kind. */
export function checkChosen(
  input: ChosenAccounts,
  problems: Problems,
  { surface, max = Infinity }: { readonly surface?: Surface; readonly max?: number },
): Chosen {
  if (input.accountIds == null && input.accountGroupIds == null)
    problems.add(['accountIds'], 'Choose at least one account or group.');
  const read = (name: keyof ChosenAccounts, type: NodeType, noun: string): GlobalId[] => {
    const ids = input[name];
    if (ids == null) return [];
    if (ids.length > max)
      problems.add([name], `Too many ${noun}s were chosen: ${ids.length} (maximum ${max}).`);
    else problems.elements([name], ids, noun);
    return problems.globalIds([name], ids, { type, ...(surface && { surface }) });
  };
  const accounts = read('accountIds', 'Account', 'account');
  return { accounts, groups: read('accountGroupIds', 'AccountGroup', 'group') };
}

/** The problem of groups without members. */
export const NO_MEMBERS = 'The chosen groups contain no accounts.';

/** Returns the login ids of a group's members, or reports that there is no such group. */
export function membersOf(
  group: { readonly accounts: readonly AccountPart[] | null } | null,
  { surface, rawId }: GlobalId,
  { index, problems }: { readonly index: number; readonly problems: Problems },
): string[] {
  if (!group) {
    const message = `Group ${rawId} was not found on the ${surface} surface.`;
    problems.add(['accountGroupIds', index], message, 'UNKNOWN_ACCOUNT');
  }
  return (group?.accounts ?? []).map((part) => accountOf(surface, part).loginId);
}

/** Maximum number of accounts of one action. */
const MAX_ACCOUNTS = 100;

/** An account of an action, and the argument that specified it. */
interface NamedAccount {
  readonly accountId: string;
  readonly path: readonly string[];
}

/**
 * Returns the accounts of an action, each once: those given by id in their order, then those of groups. An invalid id
 * or a failed look-up rejects the whole action before anything is sent.
 */
async function accountsOf(
  input: ChosenAccounts,
  context: WriteContext,
): Promise<readonly NamedAccount[] | WriteResult<never>> {
  const problems = new Problems();
  const { groups } = checkChosen(input, problems, { max: MAX_ACCOUNTS });
  const byLock = new Map<string, NamedAccount>();
  for (const [index, accountId] of (input.accountIds ?? []).entries()) {
    const name = lockNameOf(accountId);
    const first = byLock.get(name);
    if (first === undefined) byLock.set(name, { accountId, path: ['input', 'accountIds', String(index)] });
    else if (first.accountId !== accountId)
      problems.add(['accountIds', index], 'The same account was chosen twice, once on each surface.');
  }
  if (problems.any) return refused(problems.list);
  try {
    for (const one of await membersOfAll(groups, problems, context)) {
      const name = lockNameOf(one.accountId);
      if (!byLock.has(name)) byLock.set(name, one);
    }
  } catch (error) {
    assertUnreadable(error);
    const failure =
      error instanceof PagingError ? new SourceError('unavailable', 'current', error.message) : error;
    return resultOfLookup(failure, 'the accounts of the groups');
  }
  if (!problems.any && byLock.size === 0) problems.add(['accountGroupIds'], NO_MEMBERS, 'UNKNOWN_ACCOUNT');
  if (byLock.size > MAX_ACCOUNTS)
    problems.add(
      ['accountGroupIds'],
      `Too many accounts were chosen: ${byLock.size}, including members of the groups (maximum ${MAX_ACCOUNTS}).`,
    );
  return problems.any ? refused(problems.list) : [...byLock.values()];
}

async function membersOfAll(
  groups: readonly GlobalId[],
  problems: Problems,
  { loaders, writes }: WriteContext,
): Promise<NamedAccount[]> {
  const isLegacy = groups.some(({ surface }) => surface === 'legacy');
  const legacy = isLegacy ? await listLegacyGroups(writes.sources.legacy()) : [];
  const findLegacyGroup = byId(legacy, (group) => group.groupId);
  const members: NamedAccount[] = [];
  for (const [index, id] of groups.entries()) {
    const { surface, rawId } = id;
    const group = surface === 'legacy' ? findLegacyGroup(rawId) : await loaders.group.load(rawId);
    for (const loginId of membersOf(group, id, { index, problems })) {
      const accountId = encodeGlobalId({ type: 'Account', surface, rawId: loginId });
      members.push({ accountId, path: ['input', 'accountGroupIds', String(index)] });
    }
  }
  return members;
}

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
  input: ChosenAccounts,
  isPaused: boolean,
  context: WriteContext,
): Promise<WriteResult<readonly AccountResult[]>> {
  const named = await accountsOf(input, context);
  if ('outcome' in named) return named;
  const results = await setAll(named, isPaused, context);
  return {
    outcome: outcomeOf(results.map(({ result }) => result.outcome)),
    data: results,
    userErrors: results.flatMap(({ result }) => result.userErrors),
    isSent: results.some(({ result }) => result.isSent),
  };
}

async function setAll(
  named: readonly NamedAccount[],
  isPaused: boolean,
  context: WriteContext,
): Promise<AccountResult[]> {
  const results: AccountResult[] = [];
  const waiting = named.entries();
  const work = async (): Promise<void> => {
    for (const [index, { accountId, path }] of waiting) {
      const result = await setAccountPaused(accountId, isPaused, context);
      const userErrors = result.userErrors.map((error) => ({ ...error, path }));
      results[index] = { accountId, result: { ...result, userErrors } };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

/** Combines outcomes: the common one if all are equal; otherwise partial if anything was done, or else unknown. */
function outcomeOf(outcomes: readonly WriteOutcome[]): WriteOutcome {
  const [first = 'COMPLETED'] = outcomes;
  if (outcomes.every((outcome) => outcome === first)) return first;
  return outcomes.includes('COMPLETED') || outcomes.includes('PARTIAL') ? 'PARTIAL' : 'UNKNOWN';
}
