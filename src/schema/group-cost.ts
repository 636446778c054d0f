import { parseGlobalId } from '../records/global-id.ts';
import { groupId, groupOfAccount } from '../sources/current/accounts.ts';
import { group, type Group } from '../sources/current/groups.ts';
import type { Surface } from '../sources/errors.ts';
import { legacyGroup } from '../sources/legacy/groups.ts';
import { costs, type Bill, type Holding } from './cost.ts';
import { addLegacy, addScan } from './list-cost.ts';

/** The part of a group that each place of the service shows; an account's detail may name its groups by bare ids. */
const PARTS = { whole: group, named: groupOfAccount, bare: groupId, legacy: legacyGroup } as const;
type PartName = keyof typeof PARTS;

/** What of a group is in hand where a list of a surface shows it. */
export function listedGroupPart(surface: Surface): PartName {
  return surface === 'current' ? 'whole' : 'legacy';
}

/** What of a group is in hand where an account shows it. */
export function groupPartOf(account: Holding): PartName {
  if (account.part === 'legacy') return 'legacy';
  return account.part === 'listed' ? 'named' : 'bare';
}

/** The cost of a field that reads this field of groups, and nothing else; as `readGroup` looks for it. */
export function readsGroup(field: keyof Group) {
  return costs(({ holdings, bill }) => {
    for (const one of groupsIn(holdings)) addGroupField(bill, one, field);
  });
}

/** Those of some records that are groups. */
export function groupsIn(holdings: readonly Holding[]): Holding[] {
  return holdings.filter(({ type }) => type === 'AccountGroup');
}

/** Takes down what it takes to read a field of groups. */
export function addGroupField(bill: Bill, { part }: Holding, field: keyof Group): void {
  if (part !== 'legacy' && !(field in PARTS[part as PartName].fields)) addScan(bill, 'groups');
}

/** Takes down the look-up of groups by their ids, and gives them; ids of other records are left out. */
export function addGroups(bill: Bill, ids: readonly string[]): Holding[] {
  return ids.flatMap((id): Holding[] => {
    const decoded = parseGlobalId(id);
    if (decoded?.type !== 'AccountGroup') return [];
    if (decoded.surface === 'legacy') addLegacy(bill, 'legacy groups');
    else addScan(bill, 'groups');
    return [{ type: 'AccountGroup', part: listedGroupPart(decoded.surface), name: id, count: 1 }];
  });
}
