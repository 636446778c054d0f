import { id, listOf, text } from '../decode.ts';
import { LIST_READ, type Endpoint } from '../endpoint.ts';
import { defineView, field, record, type Seen } from '../view.ts';
import { legacyAccount } from './accounts.ts';
import type { LegacyClient } from './client.ts';

// The account groups of the legacy surface.

const GROUPS: Endpoint = {
  name: 'GET /oauth/groups',
  surface: 'legacy',
  method: 'GET',
  path: '/oauth/groups',
  ...LIST_READ,
};

/** A group of the legacy surface with its accounts, whose ids are numbers here and text in the account list. */
export const legacyGroup = defineView({
  groupId: field('id', id),
  name: field('group_name', text),
  accounts: field('accounts', listOf(record(legacyAccount))),
});
export type LegacyGroup = Seen<typeof legacyGroup>;

/**
 * GET /oauth/groups: all groups of the owner with their accounts, in one answer.
 *
 * Repeatable: yes.  Fails with "unauthenticated" (401), "rejected" (a flagged failure), "unavailable" (5xx),
 * "timeout", "malformed".
 * Interface: "Legacy group", "Legacy surface".
 */
export async function listLegacyGroups(client: LegacyClient): Promise<LegacyGroup[]> {
  const { data, origin } = await client.list(GROUPS);
  return data.map((wire) => legacyGroup(wire, origin));
}
