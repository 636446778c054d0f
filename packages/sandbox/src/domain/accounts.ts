import type { Account, Owner, Surfaces } from '../data/model.ts';

/** Finds the account with an id on a surface; the other surface may use the id for a different account. */
export function findAccount(owner: Owner, loginId: number, surface: keyof Surfaces): Account | undefined {
  return owner.accounts.find((account) => account.loginId === loginId && account.surfaces[surface]);
}

/** Finds the account that an id names by itself: if each surface uses it for another account, that of the current one. */
export function accountNamed(owner: Owner, loginId: number): Account | undefined {
  return findAccount(owner, loginId, 'current') ?? findAccount(owner, loginId, 'legacy');
}

/** Toggles an account between running and paused. */
export function toggle(owner: Owner, account: Account): void {
  account.paused = !account.paused;
  owner.toggles.set(account.loginId, (owner.toggles.get(account.loginId) ?? 0) + 1);
}

/** Removes an account from both surfaces, from its groups, and its posts from the queue. */
export function removeAccount(owner: Owner, account: Account): void {
  owner.accounts = owner.accounts.filter((entry) => entry !== account);
  owner.queue = owner.queue.filter((post) => post.account !== account);
  for (const group of owner.groups) group.members = group.members.filter((entry) => entry !== account);
}

/** Removes a group from both surfaces and returns whether it existed. Its accounts are kept. */
export function removeGroup(owner: Owner, groupId: number): boolean {
  const before = owner.groups.length;
  owner.groups = owner.groups.filter((group) => group.groupId !== groupId);
  return owner.groups.length < before;
}
