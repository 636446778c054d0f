import { parseGlobalId } from '../records/global-id.ts';
import type { AccountField } from '../records/account.ts';
import { accountDetail, accountListItem } from '../sources/current/accounts.ts';
import { groupMember } from '../sources/current/groups.ts';
import { queuedAccount } from '../sources/current/posts.ts';
import { legacyAccount } from '../sources/legacy/accounts.ts';
import type { Surface } from '../sources/errors.ts';
import { costs, type CostTally, type ResultSet, type PlannedField } from './cost.ts';
import { groupPartOf } from './group-cost.ts';
import { addLegacy, addScan } from './list-cost.ts';

/** The part of an account that each place of the service shows. */
const PARTS = {
  listed: accountListItem,
  detailed: accountDetail,
  member: groupMember,
  queued: queuedAccount,
  legacy: legacyAccount,
} as const;
type PartName = keyof typeof PARTS;

/** What of an account is in hand where a list of a surface shows it. */
export function listedPart(surface: Surface): PartName {
  return surface === 'current' ? 'listed' : 'legacy';
}

/** What of an account is in hand where a group of a surface shows it. */
export function memberPart(surface: Surface): PartName {
  return surface === 'current' ? 'member' : 'legacy';
}

/** The cost of a field that reads these fields of accounts, and nothing else; as `readAccount` looks for them. */
export function readsAccount(...names: readonly AccountField[]) {
  return costs(({ sets, tally }) => {
    for (const set of sets) if (set.type === 'Account') for (const name of names) addField(tally, set, name);
  });
}

/** Those of some records that are accounts. */
export function accountsIn(sets: readonly ResultSet[]): ResultSet[] {
  return sets.filter(({ type }) => type === 'Account');
}

/** Takes down what it takes to read a field of accounts. */
export function addField(tally: CostTally, { part, name, count }: ResultSet, field: AccountField): void {
  if (part === 'legacy' || field in PARTS[part as PartName].fields) return;
  if (field in accountDetail.fields) tally.add(`details of ${name}`, count);
  else if (field in accountListItem.fields) addScan(tally, 'accounts');
  else addScan(tally, 'groups');
}

/** Takes down the look-up of accounts by their ids, and gives them; ids of other records are left out. */
export function addAccounts(tally: CostTally, ids: readonly string[]): ResultSet[] {
  const found = accountsNamed(ids);
  for (const { part, name } of found) {
    if (part === 'legacy') addLegacy(tally, 'legacy accounts');
    else tally.add(`detail of ${name}`, 1);
  }
  return found;
}

/** The accounts that ids name, in the part that a look-up gives; one that is named twice is shown twice. */
export function accountsNamed(ids: readonly string[]): ResultSet[] {
  return ids.flatMap((id): ResultSet[] => {
    const decoded = parseGlobalId(id);
    if (decoded?.type !== 'Account') return [];
    const part: PartName = decoded.surface === 'legacy' ? 'legacy' : 'detailed';
    return [{ type: 'Account', part, name: id, count: 1 }];
  });
}

/** The cost of the same accounts on the other surface. */
export function counterpartCost({ sets, tally }: PlannedField): ResultSet[] {
  return accountsIn(sets).map((account) => {
    const isLegacy = account.part === 'legacy';
    if (isLegacy) addScan(tally, 'accounts');
    else addLegacy(tally, 'legacy accounts');
    return { ...account, part: isLegacy ? 'listed' : 'legacy', name: `${account.name} counterpart` };
  });
}

/** The service tells no limit of the groups that hold an account; so many are reckoned with. */
const GROUPS_OF_ACCOUNT = 10;

/** The cost of the groups that hold accounts. */
export function groupsCost({ sets, tally }: PlannedField): ResultSet[] {
  return accountsIn(sets).map((account) => {
    if (account.part === 'legacy') addLegacy(tally, 'legacy groups');
    else addField(tally, account, 'groups');
    return {
      type: 'AccountGroup',
      part: groupPartOf(account),
      name: `${account.name} groups`,
      count: account.count * GROUPS_OF_ACCOUNT,
    };
  });
}
