import type * as Qs from 'qs';
import { load } from '../../load.ts';

/** Encodes a form as a request body; arrays and objects become bracketed names, as in `account_id[0]`. */
export function formEncoded(fields: Readonly<Record<string, unknown>>): string {
  // Loaded with the first form, because it brings a dozen packages.
  const { stringify } = load('qs') as typeof Qs;
  return stringify(fields);
}
