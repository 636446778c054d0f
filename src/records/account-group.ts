import type { RecordContext } from './context.ts';
import type { GroupId, GroupOfAccount } from '../sources/current/accounts.ts';
import type { Group } from '../sources/current/groups.ts';
import { SourceError, type Surface } from '../sources/errors.ts';
import type { LegacyGroup } from '../sources/legacy/groups.ts';

/** A part of a group: what one place of the service shows of it. */
export type GroupPart = Group | GroupOfAccount | GroupId | LegacyGroup;

/** A group of accounts as one surface shows it; what the part lacks is read when a field needs it. */
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

/** A field of a group: from the part that was read, or else from the group list (one scan for all groups). */
export function readGroup<K extends keyof Group>(
  record: AccountGroupRecord,
  name: K,
  context: RecordContext,
): Group[K] | null | Promise<Group[K] | null> {
  // A part has null, never undefined, in the fields of its kind.
  const known = (record.part as Partial<Group>)[name];
  if (known !== undefined) return known;
  if (record.surface === 'legacy') return null;
  return context.loaders.group.load(record.groupId).then((found) => found?.[name] ?? null);
}

/** Reads a group by its id; null when the whole list was read and does not hold it. */
export async function findAccountGroup(
  surface: Surface,
  groupId: string,
  context: RecordContext,
): Promise<AccountGroupRecord | null> {
  const part =
    surface === 'legacy'
      ? await context.loaders.legacyGroup(groupId)
      : await context.loaders.group.load(groupId);
  return part ? accountGroupOf(surface, part) : null;
}
