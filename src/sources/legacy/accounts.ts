import { id, oneOf, text, url } from '../decode.ts';
import { LIST_READ, WRITE, type Endpoint } from '../endpoint.ts';
import { malformed } from '../call.ts';
import { defineView, inspected, field, originOf, wireOf, type Seen } from '../view.ts';
import type { LegacyClient } from './client.ts';

// The connected accounts of the legacy surface, and the only calls that pause, resume or delete one.

const ACCOUNTS: Endpoint = {
  name: 'GET /oauth/accounts',
  surface: 'legacy',
  method: 'GET',
  path: '/oauth/accounts',
  ...LIST_READ,
  answersAccounts: true,
};

const ACCOUNT_STATUS: Endpoint = {
  name: 'GET /oauth/account/status/:id',
  surface: 'legacy',
  method: 'GET',
  path: '/oauth/account/status/{id}',
  ...WRITE,
};

const ACCOUNT_DELETE: Endpoint = {
  name: 'GET /oauth/account/delete/:id',
  surface: 'legacy',
  method: 'GET',
  path: '/oauth/account/delete/{id}',
  ...WRITE,
};

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
 * Repeatable: yes.  Fails with "unauthenticated" (401), "rejected" (a flagged failure), "unavailable" (5xx), "timeout",
 * "malformed".
 * Interface: "Legacy account", "Legacy surface".
 */
export async function listLegacyAccounts(client: LegacyClient): Promise<LegacyAccount[]> {
  const { data, origin } = await client.list(ACCOUNTS);
  return data.map((wire, index) =>
    index === 0 ? inspected(legacyAccount, wire, origin) : legacyAccount(wire, origin),
  );
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
 * Repeatable: no, although it is a GET: a second call undoes the first.  Fails with "rejected" (a flagged failure, with
 * one generic text for every reason), "unauthenticated" (401), "unavailable" (5xx), "timeout", "malformed".
 * Interface: "Account run status", "Legacy surface".
 */
export async function toggleLegacyAccount(client: LegacyClient, accountId: string): Promise<boolean> {
  const { data, origin } = await client.call(ACCOUNT_STATUS, { path: { id: accountId } });
  const { isPaused } = toggledStatus(data, origin);
  if (isPaused === null) throw malformed(ACCOUNT_STATUS, 'no new_status');
  return isPaused;
}

/**
 * GET /oauth/account/delete/:id: DELETES an account.
 *
 * Repeatable: no, although it is a GET.  Fails with "rejected" (a flagged failure, with one generic text for every
 * reason), "unauthenticated" (401), "unavailable" (5xx), "timeout", "malformed"; after the last three it may be gone.
 * Interface: "Legacy surface".
 */
export async function deleteLegacyAccount(client: LegacyClient, accountId: string): Promise<void> {
  await client.call(ACCOUNT_DELETE, { path: { id: accountId } });
}
