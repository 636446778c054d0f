import type * as Qs from 'qs';
import { load } from '../../load.ts';

/** A form's fields as the body of a request; arrays and objects become bracketed names, as in `account_id[0]`. */
export function formEncoded(fields: Readonly<Record<string, unknown>>): string {
  // Loaded by the first form: it brings a dozen packages.
  const { stringify } = load('qs') as typeof Qs;
  return stringify(fields);
}
