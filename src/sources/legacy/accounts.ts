import { id, oneOf, text, url } from '../decode.ts';
import { endpoint, LIST_READ, WRITE } from '../endpoint.ts';
import { malformed } from '../client.ts';
import { defineView, field, originOf, viewsOf, wireOf, type Seen } from '../view.ts';
import type { LegacyClient } from './client.ts';

// The connected accounts of the legacy surface, and the only calls that pause, resume or delete one.

const ACCOUNTS = endpoint('legacy', 'GET /oauth/accounts', { ...LIST_READ, answersAccounts: true });
const ACCOUNT_STATUS = endpoint('legacy', 'GET /oauth/account/status/:id', WRITE);
const ACCOUNT_DELETE = endpoint('legacy', 'GET /oauth/account/delete/:id', WRITE);

/** An account of the legacy surface. */
export const legacyAccount = defineView({
  loginId: field('id', id),
  displayName: field('nickname', text),
  profileUrl: field('url', url),
  statusCode: field('status', text),
  isPaused: field('status', oneOf({ Running: false, Paused: true })),
  platformCode: field('account_type', text),
});
export type LegacyAccount = Seen<typeof legacyAccount>;

/**
 * GET /oauth/accounts: all accounts of the owner, in one response.
 *
 * Repeatable: yes.  Interface: "Legacy account", "Legacy surface".
 */
export async function listLegacyAccounts(client: LegacyClient): Promise<LegacyAccount[]> {
  const { data, origin } = await client.list(ACCOUNTS);
  return viewsOf(legacyAccount, data, origin);
}

/** Returns the account as it is after it was paused or resumed. */
export function withLegacyState(account: LegacyAccount, isPaused: boolean): LegacyAccount {
  const record = { ...wireOf(account), status: isPaused ? 'Paused' : 'Running' };
  return legacyAccount(record, originOf(account));
}

const toggledStatus = defineView({
  isPaused: field('new_status', oneOf({ Running: false, Paused: true })),
});

/**
 * GET /oauth/account/status/:id: TOGGLES an account between running and paused. Returns true if it is now paused.
 *
 * Repeatable: no, although it is a GET: a second call undoes the first. Every rejection has the same generic text.
 * Interface: "Account run status", "Legacy surface".
 *
 * @param mayBeSent - whether it may still be sent, however long it has waited; it fails with `overloaded` otherwise
 */
export async function toggleLegacyAccount(
  client: LegacyClient,
  accountId: string,
  mayBeSent: () => boolean,
): Promise<boolean> {
  const { data, origin } = await client.call(ACCOUNT_STATUS, { path: { id: accountId }, mayBeSent });
  const { isPaused } = toggledStatus(data, origin);
  if (isPaused === null) throw malformed(ACCOUNT_STATUS, 'a new_status', origin);
  return isPaused;
}

/**
 * GET /oauth/account/delete/:id: DELETES an account.
 *
 * Repeatable: no, although it is a GET. Every rejection has the same generic text.  Interface: "Legacy surface".
 */
export async function deleteLegacyAccount(client: LegacyClient, accountId: string): Promise<void> {
  await client.call(ACCOUNT_DELETE, { path: { id: accountId } });
}
