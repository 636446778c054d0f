import { interfaceFields } from '../conformance/interface-fields.ts';
import { isOmission } from '../conformance/interface-table.ts';
import { selectionOf } from './selection.ts';
import type { Account } from '../../packages/sandbox/src/data/model.ts';
import type { RunningGraph } from './graph.ts';

// What the graph has to say of the sandbox's records, told from its world and not from its wire.

export function harbour(graph: RunningGraph) {
  return graph.sandbox.state.owner('harbour');
}

/** The accounts that the current surface lists, in its order. */
export function currentAccounts(graph: RunningGraph): Account[] {
  return harbour(graph).accounts.filter(({ surfaces }) => surfaces.current);
}

/** The accounts that the legacy surface lists, in its order. */
export function legacyAccounts(graph: RunningGraph): Account[] {
  return harbour(graph).accounts.filter(({ surfaces }) => surfaces.legacy);
}

export function accountNamed(graph: RunningGraph, loginId: number): Account {
  const account = currentAccounts(graph).find((one) => one.loginId === loginId);
  if (!account) throw new Error(`the sandbox has no account ${loginId}`);
  return account;
}

const NETWORK_BY_HOST: Readonly<Record<string, string>> = {
  'www.facebook.example': 'FACEBOOK',
  'x.example': 'X',
  'www.linkedin.example': 'LINKEDIN',
  'www.instagram.example': 'INSTAGRAM',
  'www.pinterest.example': 'PINTEREST',
  'maps.business.example': 'GOOGLE_BUSINESS',
  'www.youtube.example': 'YOUTUBE',
  'www.tumblr.example': 'TUMBLR',
  'www.tiktok.example': 'TIKTOK',
  'quillnet.example': 'UNKNOWN',
};

export function networkOf({ network }: Account): string {
  return NETWORK_BY_HOST[network.host] ?? 'not in the table';
}

/** The state of an account's health: the worst of its flags. */
export function healthStateOf({ blocked, locked, needsReconnect, paused }: Account): string {
  if (blocked) return 'BLOCKED';
  if (locked) return 'LOCKED';
  if (needsReconnect) return 'NEEDS_RECONNECT';
  return paused ? 'PAUSED' : 'HEALTHY';
}

/** The places of an account at which a call shows, by the table of the interface. */
function placesOf(endpoint: keyof typeof interfaceFields): string[] {
  const fields = interfaceFields[endpoint]?.fields ?? {};
  return Object.values(fields).flatMap((entry) => (isOmission(entry) ? [] : Object.keys(entry)));
}

const IN_LIST = placesOf('GET /accounts/list');
const IN_DETAIL = placesOf('GET /accounts/view/{loginId}');
const LEGACY = placesOf('GET /oauth/accounts');
const COMPUTED = ['surface', 'label', 'health.state', 'postingSchedule.0.day', 'platformName'];

const fragment = (name: string, places: readonly string[]): string =>
  `fragment ${name} on Account { ${selectionOf('Account', [...new Set(places)])} }`;

/** Every field of an account but `id` and `counterpart`; a group in its short form. */
export const ACCOUNT_FIELDS = fragment('AccountFields', [...IN_LIST, ...IN_DETAIL, ...LEGACY, ...COMPUTED]);

/** What the account list of the current surface answers by itself. */
export const LIST_ONLY_FIELDS = fragment('ListFields', [
  'id',
  'surface',
  'label',
  'groups.0.id',
  // The detail has a say in permissions.
  ...IN_LIST.filter((place) => !place.startsWith('permissions.')),
]);

const ONLY_IN_DETAIL = IN_DETAIL.filter((place) => !IN_LIST.includes(place));

/** What only the detail of an account tells. */
export const DETAIL_FIELDS = fragment('DetailFields', ONLY_IN_DETAIL);
