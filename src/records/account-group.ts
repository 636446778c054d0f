import { accountOf, type AccountRecord } from './account.ts';
import type { RecordContext } from './context.ts';
import type { GroupId, GroupOfAccount } from '../sources/current/accounts.ts';
import type { Group } from '../sources/current/groups.ts';
import { idOf, type Surface } from '../sources/errors.ts';
import type { LegacyGroup } from '../sources/legacy/groups.ts';

/** Part of a group: the fields included in one endpoint's response. */
export type GroupPart = Group | GroupOfAccount | GroupId | LegacyGroup;

/** A group of accounts on one surface; fields that the part lacks are read when they are needed. */
export interface AccountGroupRecord {
  readonly type: 'AccountGroup';
  readonly surface: Surface;
  readonly groupId: string;
  readonly part: GroupPart;
}

/** Creates the record of a group from a part. Throws a SourceError `malformed` if the part has no id. */
export function accountGroupOf(surface: Surface, part: GroupPart): AccountGroupRecord {
  return { type: 'AccountGroup', surface, groupId: idOf(part.groupId, surface, 'a group'), part };
}

/** Reads a field of a group: from the part, or else from the group list (one scan for all groups). */
export function readGroup<K extends keyof Group>(
  record: AccountGroupRecord,
  name: K,
  context: RecordContext,
): Group[K] | null | Promise<Group[K] | null> {
  // Fields that the part's kind has are null if missing, never undefined.
  const known = (record.part as Partial<Group>)[name];
  if (known !== undefined) return known;
  if (record.surface === 'legacy') return null;
  return context.loaders.group.load(record.groupId).then((found) => found?.[name] ?? null);
}

/** Reads the accounts of a group; null on the legacy surface, and if the group list does not contain the group. */
export async function currentMembersOf(
  group: AccountGroupRecord,
  context: RecordContext,
): Promise<AccountRecord[] | null> {
  const members = group.surface === 'legacy' ? null : await readGroup(group, 'accounts', context);
  return members && members.map((part) => accountOf('current', part));
}

/** Reads a group by its id; null if the whole list was read and does not contain it. */
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
