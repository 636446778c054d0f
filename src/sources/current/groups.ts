import { flag, id, instant, listOf, text } from '../decode.ts';
import { endpoint, LIST_READ } from '../endpoint.ts';
import { defineView, field, record, type Seen } from '../view.ts';
import { accountIdentity } from './accounts.ts';
import { readPage, type CurrentClient, type Page, type PageRequest } from './client.ts';

// The account groups of the current surface.

const GROUP_LIST = endpoint('current', 'GET /group/list', LIST_READ);

/** An account embedded in a group: its identity, and whether it is locked or needs to be reconnected. */
export const groupMember = defineView({
  ...accountIdentity,
  platformCode: field('accountMaster.scenario', text),
  platformName: field('accountMaster.accountName', text),
  isFacebookAppInstalled: field('fbAppInstall', flag),
  isLocked: field('isLocked', flag),
  needsReconnect: field('isReconnect', flag),
});
export type GroupMember = Seen<typeof groupMember>;

/** A group with its accounts. */
export const group = defineView({
  groupId: field('groupId', id),
  name: field('groupName', text),
  createdAt: field('createdOn', instant),
  companyId: field('companyId', id),
  accounts: field('accounts', listOf(record(groupMember))),
});
export type Group = Seen<typeof group>;

/** Filters and order of the group list. */
export interface GroupListParams {
  /** `q`: part of the group's name. */
  readonly name?: string;
  /** `sortBy=groupName` with `sortOrder`. */
  readonly sortByName?: 'ASC' | 'DESC';
}

/**
 * GET /group/list: one page of the owner's groups.
 *
 * Repeatable: yes.  Interface: "Group (current surface, list item)", "Current surface".
 */
export function listGroups(
  client: CurrentClient,
  { page, size }: PageRequest,
  params: GroupListParams = {},
): Promise<Page<Group>> {
  return readPage(client, GROUP_LIST, group, page, {
    page,
    limit: size,
    q: params.name,
    sortBy: params.sortByName === undefined ? undefined : 'groupName',
    sortOrder: params.sortByName,
  });
}
