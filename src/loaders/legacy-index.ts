import type { LegacyGroup } from '../sources/legacy/groups.ts';
import { readable } from '../sources/view.ts';

// The legacy surface returns its lists whole. An operation may look up thousands of records in them.

/** Indexes rows by key: the first of those with the same key, and none without a readable one. */
export function byKey<T>(rows: readonly T[], keyOf: (row: T) => string | null): ReadonlyMap<string, T> {
  const index = new Map<string, T>();
  for (const row of rows) {
    const key = readable(() => keyOf(row));
    if (key !== null && !index.has(key)) index.set(key, row);
  }
  return index;
}

/**
 * Indexes groups by the login ids of their accounts.
 *
 * @throws SourceError `malformed` if the members of a group cannot be read.
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

/** Whether a group contains an account. Throws as `groupsByMember` does, but only if the account is not found first. */
export function holdsAccount({ accounts }: LegacyGroup, wanted: string): boolean {
  return accounts?.some(({ loginId }) => loginId === wanted) ?? false;
}
