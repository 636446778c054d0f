import type { Account, Group, Owner } from '../data/model.ts';
import { legacyMember } from './account.ts';
import { isoTime } from './dates.ts';

/** Legacy group of GET /oauth/groups. */
export function legacyGroup(group: Group) {
  return {
    id: String(group.groupId),
    group_name: group.name,
    accounts: group.members.filter((account) => account.surfaces.legacy).map(legacyMember),
  };
}

/** List item of GET /group/list: the group's id is text. */
export function groupItem(group: Group, owner: Owner) {
  return {
    groupId: String(group.groupId),
    groupName: group.name,
    createdOn: isoTime(group.createdAt),
    companyId: owner.companyId,
    accounts: group.members.filter((account) => account.surfaces.current).map(groupMember),
  };
}

function groupMember(account: Account) {
  return {
    accountId: account.network.platformId,
    profilePicture: account.picture,
    accountUsername: account.username,
    accountUrl: account.currentUrl,
    color: account.color,
    fbAppInstall: account.appInstalled,
    isLocked: account.locked,
    isReconnect: account.needsReconnect,
    loginId: account.loginId,
    accountMaster: { scenario: account.network.scenario, accountName: account.network.displayName },
  };
}
