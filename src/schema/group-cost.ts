import { parseGlobalId } from '../records/global-id.ts';
import { groupId, groupOfAccount } from '../sources/current/accounts.ts';
import { group, type Group } from '../sources/current/groups.ts';
import type { Surface } from '../sources/errors.ts';
import { legacyGroup } from '../sources/legacy/groups.ts';
import { costs, type CostTally, type ResultSet } from './cost.ts';
import { addLegacy, addScan } from './list-cost.ts';

/** The fields of a group that each response contains; an account's detail may name its groups by bare ids. */
const PARTS = { whole: group, named: groupOfAccount, bare: groupId, legacy: legacyGroup } as const;
type PartName = keyof typeof PARTS;

/** Returns the part of a group that a list of the surface contains. */
export function listedGroupPart(surface: Surface): PartName {
  return surface === 'current' ? 'whole' : 'legacy';
}

/** Returns the part of a group that an account contains. */
export function groupPartOf(account: ResultSet): PartName {
  if (account.part === 'legacy') return 'legacy';
  return account.part === 'listed' ? 'named' : 'bare';
}

/** Declares the cost of a field that reads only this field of groups, following the lookups of `readGroup`. */
export function readsGroup(field: keyof Group) {
  return costs(({ sets, tally }) => {
    for (const one of groupsIn(sets)) addGroupField(tally, one, field);
  });
}

/** Returns the record sets that are groups. */
export function groupsIn(sets: readonly ResultSet[]): ResultSet[] {
  return sets.filter(({ type }) => type === 'AccountGroup');
}

/** Adds the calls needed to read a field of groups to the tally. */
export function addGroupField(tally: CostTally, { part }: ResultSet, field: keyof Group): void {
  if (part !== 'legacy' && !(field in PARTS[part as PartName].fields)) addScan(tally, 'groups');
}

/** Adds the lookup of groups by id to the tally and returns them; ids of other records are ignored. */
export function addGroups(tally: CostTally, ids: readonly string[]): ResultSet[] {
  return ids.flatMap((id): ResultSet[] => {
    const decoded = parseGlobalId(id);
    if (decoded?.type !== 'AccountGroup') return [];
    if (decoded.surface === 'legacy') addLegacy(tally, 'legacy groups');
    else addScan(tally, 'groups');
    return [{ type: 'AccountGroup', part: listedGroupPart(decoded.surface), name: id, count: 1 }];
  });
}
