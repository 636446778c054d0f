import type { Credential, Credentials } from '../operation/credentials.ts';

/** Headers from any transport; names may be in any case. */
export type HeaderBag = Readonly<Record<string, unknown>>;

const USABLE = /^[\u0021-\u007e]{1,4096}$/;

/**
 * Reads the caller's credentials: `x-api-key: KEY` and `authorization: Bearer TOKEN`, each looked up in the given bags
 * in order. A value that cannot be a key, such as two headers joined by a comma and a space, is `unusable`.
 */
export function readCredentials(...bags: readonly (HeaderBag | undefined)[]): Credentials {
  return {
    current: firstOf(bags, 'x-api-key', credentialOf),
    legacy: firstOf(bags, 'authorization', bearerOf),
  };
}

/** Returns the first non-empty value of a header in the bags, in order; null if there is none. */
export function readHeader(name: string, bags: readonly (HeaderBag | undefined)[]): string | null {
  for (const bag of bags) {
    const value = valueIn(bag, name);
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return null;
}

function firstOf(
  bags: readonly (HeaderBag | undefined)[],
  name: string,
  read: (value: string) => Credential,
): Credential {
  let missing = MISSING;
  for (const bag of bags) {
    const value = valueIn(bag, name);
    const credential = typeof value === 'string' ? read(value) : MISSING;
    if (credential.state !== 'missing') return credential;
    if (credential.isInOtherForm) missing = credential;
  }
  return missing;
}

type Missing = Extract<Credential, { readonly state: 'missing' }>;

const MISSING: Missing = { state: 'missing' };
const IN_OTHER_FORM: Missing = { state: 'missing', isInOtherForm: true };

function credentialOf(text: string): Credential {
  const value = text.trim();
  if (value === '') return MISSING;
  return USABLE.test(value) ? { state: 'given', value } : { state: 'unusable' };
}

function bearerOf(header: string): Credential {
  const match = /^\s*bearer\s(.*)$/is.exec(header);
  if (match) return credentialOf(match[1] ?? '');
  return header.trim() === '' ? MISSING : IN_OTHER_FORM;
}

// If a header occurs in several spellings, the last one is used.
function valueIn(bag: HeaderBag = {}, name: string): unknown {
  const spelling = Object.keys(bag).findLast(
    (key) => key.length === name.length && key.toLowerCase() === name,
  );
  return spelling === undefined ? undefined : bag[spelling];
}
