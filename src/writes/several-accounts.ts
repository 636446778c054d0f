import { assertUnreadable, PagingError } from '../lists/errors.ts';
import { encodeGlobalId, type GlobalId } from '../records/global-id.ts';
import { SourceError } from '../sources/errors.ts';
import { listLegacyGroups } from '../sources/legacy/groups.ts';
import { readable } from '../sources/view.ts';
import { lockNameOf } from './account-link.ts';
import type { WriteContext } from './context.ts';
import { refused, resultOfLookup, type WriteResult } from './outcome.ts';
import { Problems } from './problems.ts';

// Several accounts for one action, given by their ids or by groups that contain them.

/** Maximum number of accounts of one action. */
export const MAX_ACCOUNTS = 100;

/** The input of an action on several accounts. */
export interface SeveralAccounts {
  readonly accountIds?: readonly string[] | null | undefined;
  readonly accountGroupIds?: readonly string[] | null | undefined;
}

/** An account of an action, and the argument that specified it. */
export interface NamedAccount {
  readonly accountId: string;
  readonly path: readonly string[];
}

/**
 * Returns the accounts of an action, each once: those given by id in their order, then those of groups. An invalid id
 * or a failed look-up rejects the whole action before anything is sent.
 */
export async function accountsToSet(
  input: SeveralAccounts,
  context: WriteContext,
): Promise<readonly NamedAccount[] | WriteResult<never>> {
  const problems = new Problems();
  checkAccounts(input, problems);
  const groups = problems.globalIds(['accountGroupIds'], input.accountGroupIds ?? [], {
    type: 'AccountGroup',
  });
  if (problems.any) return refused(problems.list);
  try {
    const members = await membersOf(groups, problems, context);
    const named = merged([...namedById(input), ...members]);
    if (!problems.any && named.length === 0)
      problems.add(['accountGroupIds'], 'The chosen groups contain no accounts.', 'UNKNOWN_ACCOUNT');
    if (named.length > MAX_ACCOUNTS)
      problems.add(
        ['accountGroupIds'],
        `Too many accounts were chosen: ${named.length}, including members of the groups (maximum ${MAX_ACCOUNTS}).`,
      );
    return problems.any ? refused(problems.list) : named;
  } catch (error) {
    assertUnreadable(error);
    const failure =
      error instanceof PagingError ? new SourceError('unavailable', 'current', error.message) : error;
    return resultOfLookup(failure, 'the accounts of the groups');
  }
}

function checkAccounts({ accountIds, accountGroupIds }: SeveralAccounts, problems: Problems): void {
  if (accountIds == null && accountGroupIds == null)
    problems.add(['accountIds'], 'Choose at least one account or group.');
  for (const [name, ids] of Object.entries({ accountIds, accountGroupIds })) {
    if (ids == null) continue;
    const noun = name === 'accountIds' ? 'account' : 'group';
    if (ids.length > MAX_ACCOUNTS)
      problems.add([name], `Too many ${noun}s were chosen: ${ids.length} (maximum ${MAX_ACCOUNTS}).`);
    else problems.elements([name], ids, noun);
  }
  problems.globalIds(['accountIds'], accountIds ?? [], { type: 'Account' });
  const names = (accountIds ?? []).map(lockNameOf);
  for (const [index, id] of (accountIds ?? []).entries()) {
    const first = names.indexOf(names[index] ?? '');
    if (first < index && accountIds?.[first] !== id)
      problems.add(['accountIds', index], 'The same account was chosen twice, once on each surface.');
  }
}

function namedById({ accountIds }: SeveralAccounts): NamedAccount[] {
  return (accountIds ?? []).map((accountId, index) => ({
    accountId,
    path: ['input', 'accountIds', String(index)],
  }));
}

/** Removes duplicate accounts, regardless of surface; the first occurrence is kept. */
function merged(named: readonly NamedAccount[]): NamedAccount[] {
  const byAccount = new Map<string, NamedAccount>();
  for (const one of named) {
    const name = lockNameOf(one.accountId);
    if (!byAccount.has(name)) byAccount.set(name, one);
  }
  return [...byAccount.values()];
}

async function membersOf(
  groups: readonly GlobalId[],
  problems: Problems,
  context: WriteContext,
): Promise<NamedAccount[]> {
  const isLegacy = groups.some(({ surface }) => surface === 'legacy');
  const legacy = isLegacy ? await listLegacyGroups(context.writes.sources.legacy()) : [];
  const members: NamedAccount[] = [];
  for (const [index, { surface, rawId }] of groups.entries()) {
    const group =
      surface === 'legacy'
        ? legacy.find((candidate) => readable(() => candidate.groupId) === rawId)
        : await context.loaders.group.load(rawId);
    if (!group) {
      problems.add(
        ['accountGroupIds', index],
        `Group ${rawId} was not found on the ${surface} surface.`,
        'UNKNOWN_ACCOUNT',
      );
      continue;
    }
    for (const { loginId } of group.accounts ?? []) {
      if (loginId === null) throw new SourceError('malformed', surface, 'a group member without an id');
      const accountId = encodeGlobalId({ type: 'Account', surface, rawId: loginId });
      members.push({ accountId, path: ['input', 'accountGroupIds', String(index)] });
    }
  }
  return members;
}
