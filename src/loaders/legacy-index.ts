import type { LegacyGroup } from '../sources/legacy/groups.ts';
import { readable } from '../sources/view.ts';

// The legacy surface sends its lists whole. An operation may look up thousands of records in them.

/** Rows by their keys: the first of those with the same key, and none without a readable one. */
export function byKey<T>(rows: readonly T[], keyOf: (row: T) => string | null): ReadonlyMap<string, T> {
  const index = new Map<string, T>();
  for (const row of rows) {
    const key = readable(() => keyOf(row));
    if (key !== null && !index.has(key)) index.set(key, row);
  }
  return index;
}

/**
 * The groups that hold each account, by its login id.
 *
 * @throws SourceError `malformed` if a group does not say whom it holds.
 */
export function groupsByMember(groups: readonly LegacyGroup[]): ReadonlyMap<string, readonly LegacyGroup[]> {
  const index = new Map<string, LegacyGroup[]>();
  for (const group of groups) {
    for (const loginId of new Set(group.accounts?.map((member) => member.loginId))) {
      if (loginId === null) continue;
      const holders = index.get(loginId);
      if (holders) holders.push(group);
      else index.set(loginId, [group]);
    }
  }
  return index;
}

/** True if a group holds an account. Throws as `groupsByMember` does, but only if the account is not found first. */
export function holdsAccount({ accounts }: LegacyGroup, wanted: string): boolean {
  return accounts?.some(({ loginId }) => loginId === wanted) ?? false;
}
