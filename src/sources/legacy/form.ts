import { stringify } from 'qs';

/** Encodes a form as a request body; arrays and objects become bracketed names, as in `account_id[0]`. */
export function formEncoded(fields: Readonly<Record<string, unknown>>): string {
  return stringify(fields);
}
