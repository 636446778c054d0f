import { id, listOf, text } from '../decode.ts';
import { endpoint, LIST_READ, WRITE } from '../endpoint.ts';
import { defineView, field, record, viewsOf, type Seen } from '../view.ts';
import { legacyAccount } from './accounts.ts';
import type { LegacyClient } from './client.ts';

// The account groups of the legacy surface.

const GROUPS = endpoint('legacy', 'GET /oauth/groups', LIST_READ);
const GROUP_DELETE = endpoint('legacy', 'GET /oauth/group/delete/:id', WRITE);

/** A group of the legacy surface with its accounts, whose ids are numbers here but strings in the account list. */
export const legacyGroup = defineView({
  groupId: field('id', id),
  name: field('group_name', text),
  accounts: field('accounts', listOf(record(legacyAccount))),
});
export type LegacyGroup = Seen<typeof legacyGroup>;

/**
 * GET /oauth/groups: all groups of the owner with their accounts, in one response.
 *
 * Repeatable: yes.  Interface: "Legacy group", "Legacy surface".
 */
export async function listLegacyGroups(client: LegacyClient): Promise<LegacyGroup[]> {
  const { data, origin } = await client.list(GROUPS);
  return viewsOf(legacyGroup, data, origin);
}

/**
 * GET /oauth/group/delete/:id: DELETES a group.
 *
 * Repeatable: no, although it is a GET. Every rejection has the same generic text.  Interface: "Legacy surface".
 */
export async function deleteLegacyGroup(client: LegacyClient, groupId: string): Promise<void> {
  await client.call(GROUP_DELETE, { path: { id: groupId } });
}
