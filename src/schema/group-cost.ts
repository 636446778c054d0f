import { parseGlobalId } from '../records/global-id.ts';
import { groupId, groupOfAccount } from '../sources/current/accounts.ts';
import { group, type Group } from '../sources/current/groups.ts';
import type { Surface } from '../sources/errors.ts';
import { legacyGroup } from '../sources/legacy/groups.ts';
import { costs, type CostTally, type ResultSet } from './cost.ts';
import { addLegacy, addScan } from './list-cost.ts';

/** The part of a group that each place of the service shows; an account's detail may name its groups by bare ids. */
const PARTS = { whole: group, named: groupOfAccount, bare: groupId, legacy: legacyGroup } as const;
type PartName = keyof typeof PARTS;

/** What of a group is in hand where a list of a surface shows it. */
export function listedGroupPart(surface: Surface): PartName {
  return surface === 'current' ? 'whole' : 'legacy';
}

/** What of a group is in hand where an account shows it. */
export function groupPartOf(account: ResultSet): PartName {
  if (account.part === 'legacy') return 'legacy';
  return account.part === 'listed' ? 'named' : 'bare';
}

/** The cost of a field that reads this field of groups, and nothing else; as `readGroup` looks for it. */
export function readsGroup(field: keyof Group) {
  return costs(({ sets, tally }) => {
    for (const one of groupsIn(sets)) addGroupField(tally, one, field);
  });
}

/** Those of some records that are groups. */
export function groupsIn(sets: readonly ResultSet[]): ResultSet[] {
  return sets.filter(({ type }) => type === 'AccountGroup');
}

/** Takes down what it takes to read a field of groups. */
export function addGroupField(tally: CostTally, { part }: ResultSet, field: keyof Group): void {
  if (part !== 'legacy' && !(field in PARTS[part as PartName].fields)) addScan(tally, 'groups');
}

/** Takes down the look-up of groups by their ids, and gives them; ids of other records are left out. */
export function addGroups(tally: CostTally, ids: readonly string[]): ResultSet[] {
  return ids.flatMap((id): ResultSet[] => {
    const decoded = parseGlobalId(id);
    if (decoded?.type !== 'AccountGroup') return [];
    if (decoded.surface === 'legacy') addLegacy(tally, 'legacy groups');
    else addScan(tally, 'groups');
    return [{ type: 'AccountGroup', part: listedGroupPart(decoded.surface), name: id, count: 1 }];
  });
}
