import { interfaceFields } from '../conformance/interface-fields.ts';
import { isOmission } from '../conformance/interface-table.ts';
import { selectionOf } from './selection.ts';

/** The places of an account at which a call shows, by the table of the interface. */
function placesOf(endpoint: keyof typeof interfaceFields): string[] {
  const fields = interfaceFields[endpoint]?.fields ?? {};
  return Object.values(fields).flatMap((entry) => (isOmission(entry) ? [] : Object.keys(entry)));
}

const IN_LIST = placesOf('GET /accounts/list');
const IN_DETAIL = placesOf('GET /accounts/view/{loginId}');
const COMPUTED = ['surface', 'label', 'health.state', 'postingSchedule.0.day', 'platformName'];

const fragment = (name: string, places: readonly string[]): string =>
  `fragment ${name} on Account { ${selectionOf('Account', [...new Set(places)])} }`;

/** Every field of an account but `id` and `counterpart`; a group in its short form. */
export const ACCOUNT_FIELDS = fragment('AccountFields', [
  ...IN_LIST,
  ...IN_DETAIL,
  ...placesOf('GET /oauth/accounts'),
  ...COMPUTED,
]);

/** What the account list of the current surface answers by itself. */
export const LIST_ONLY_FIELDS = fragment('ListFields', [
  'id',
  'surface',
  'label',
  'groups.0.id',
  // The detail has a say in permissions.
  ...IN_LIST.filter((place) => !place.startsWith('permissions.')),
]);

/** What only the detail of an account tells. */
export const DETAIL_FIELDS = fragment(
  'DetailFields',
  IN_DETAIL.filter((place) => !IN_LIST.includes(place)),
);
