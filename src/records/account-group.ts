import type { OperationContext } from '../context.ts';
import type { GroupId, GroupOfAccount } from '../sources/current/accounts.ts';
import { group, type Group } from '../sources/current/groups.ts';
import { SourceError, type Surface } from '../sources/errors.ts';
import type { LegacyGroup } from '../sources/legacy/groups.ts';

/** A part of a group: what one place of the service shows of it. */
export type GroupPart = Group | GroupOfAccount | GroupId | LegacyGroup;

/** A group of accounts as one surface shows it; what the part in hand lacks is read when a field needs it. */
export interface AccountGroupRecord {
  readonly type: 'AccountGroup';
  readonly surface: Surface;
  readonly groupId: string;
  readonly part: GroupPart;
}

/** The group that a part shows. Throws a SourceError `malformed` where the part has no id. */
export function accountGroupOf(surface: Surface, part: GroupPart): AccountGroupRecord {
  const { groupId } = part;
  if (groupId === null) throw new SourceError('malformed', surface, 'a group without an id');
  return { type: 'AccountGroup', surface, groupId, part };
}

/** A field of a group of the current surface: from the part in hand, else from the group list (one scan for all). */
export function readGroup<K extends keyof Group>(
  record: AccountGroupRecord,
  name: K,
  context: OperationContext,
): Group[K] | null | Promise<Group[K] | null> {
  if (name in record.part) return (record.part as Group)[name];
  if (record.surface === 'legacy' || !(name in group.fields)) return null;
  return context.loaders.group.load(record.groupId).then((found) => found?.[name] ?? null);
}

/** Reads a group by its id; null when the whole list was read and does not hold it. */
export async function findAccountGroup(
  surface: Surface,
  groupId: string,
  context: OperationContext,
): Promise<AccountGroupRecord | null> {
  const part =
    surface === 'legacy'
      ? await context.loaders.legacyGroup(groupId)
      : await context.loaders.group.load(groupId);
  return part ? accountGroupOf(surface, part) : null;
}
