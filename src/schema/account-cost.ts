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

/** The fields of an account that each response of the service contains. */
const PARTS = {
  listed: accountListItem,
  detailed: accountDetail,
  member: groupMember,
  queued: queuedAccount,
  legacy: legacyAccount,
} as const;
type PartName = keyof typeof PARTS;

/** Returns the part of an account that a list of the surface contains. */
export function listedPart(surface: Surface): PartName {
  return surface === 'current' ? 'listed' : 'legacy';
}

/** Returns the part of an account that a group of the surface contains. */
export function memberPart(surface: Surface): PartName {
  return surface === 'current' ? 'member' : 'legacy';
}

/** Declares the cost of a field that reads only these fields of accounts, following the lookups of `readAccount`. */
export function readsAccount(...names: readonly AccountField[]) {
  return costs(({ sets, tally }) => {
    for (const set of sets) if (set.type === 'Account') for (const name of names) addField(tally, set, name);
  });
}

/** Returns the record sets that are accounts. */
export function accountsIn(sets: readonly ResultSet[]): ResultSet[] {
  return sets.filter(({ type }) => type === 'Account');
}

/** Adds the calls needed to read a field of accounts to the tally. */
export function addField(tally: CostTally, { part, name, count }: ResultSet, field: AccountField): void {
  if (part === 'legacy' || field in PARTS[part as PartName].fields) return;
  if (field in accountDetail.fields) tally.add(`details of ${name}`, count);
  else if (field in accountListItem.fields) addScan(tally, 'accounts');
  else addScan(tally, 'groups');
}

/** Adds the lookup of accounts by id to the tally and returns them; ids of other records are ignored. */
export function addAccounts(tally: CostTally, ids: readonly string[]): ResultSet[] {
  const found = accountsNamed(ids);
  for (const { part, name } of found) {
    if (part === 'legacy') addLegacy(tally, 'legacy accounts');
    else tally.add(`detail of ${name}`, 1);
  }
  return found;
}

/** Returns the accounts that ids name, with the part that a lookup returns; duplicates are kept. */
export function accountsNamed(ids: readonly string[]): ResultSet[] {
  return ids.flatMap((id): ResultSet[] => {
    const decoded = parseGlobalId(id);
    if (decoded?.type !== 'Account') return [];
    const part: PartName = decoded.surface === 'legacy' ? 'legacy' : 'detailed';
    return [{ type: 'Account', part, name: id, count: 1 }];
  });
}

/** Returns the same accounts on the other surface, and adds their cost to the tally. */
export function counterpartCost({ sets, tally }: PlannedField): ResultSet[] {
  return accountsIn(sets).map((account) => {
    const isLegacy = account.part === 'legacy';
    if (isLegacy) addScan(tally, 'accounts');
    else addLegacy(tally, 'legacy accounts');
    return { ...account, part: isLegacy ? 'listed' : 'legacy', name: `${account.name} counterpart` };
  });
}

/** Assumed number of groups per account, for which the service documents no limit. */
const GROUPS_OF_ACCOUNT = 10;

/** Returns the groups that contain accounts, and adds their cost to the tally. */
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
