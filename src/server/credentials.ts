import type { Credential, Credentials } from '../context.ts';

/** A bag of headers as text, whatever transport it came by; names in any case. */
export type HeaderBag = Readonly<Record<string, unknown>>;

const USABLE = /^[\u0021-\u007e]{1,4096}$/;

/**
 * The caller's credentials: `x-api-key: KEY` and `authorization: Bearer TOKEN`, each looked for in the given bags in
 * turn. A value that no key can have, such as two headers joined by a comma and a blank, is `unusable`.
 */
export function readCredentials(...bags: readonly (HeaderBag | undefined)[]): Credentials {
  const lowered = bags.map((bag) => lowerCased(bag ?? {}));
  return {
    current: firstOf(lowered, 'x-api-key', credentialOf),
    legacy: firstOf(lowered, 'authorization', bearerOf),
  };
}

/** The first text that a header has in the bags, in turn; null where it stands in none. */
export function readHeader(name: string, bags: readonly (HeaderBag | undefined)[]): string | null {
  for (const bag of bags.map((one) => lowerCased(one ?? {}))) {
    const value = bag[name];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return null;
}

function firstOf(bags: readonly HeaderBag[], name: string, read: (value: string) => Credential): Credential {
  for (const bag of bags) {
    const value = bag[name];
    const credential = typeof value === 'string' ? read(value) : MISSING;
    if (credential.state !== 'missing') return credential;
  }
  return MISSING;
}

const MISSING: Credential = { state: 'missing' };

function credentialOf(text: string): Credential {
  const value = text.trim();
  if (value === '') return MISSING;
  return USABLE.test(value) ? { state: 'given', value } : { state: 'unusable' };
}

function bearerOf(header: string): Credential {
  const match = /^\s*bearer\s(.*)$/is.exec(header);
  return match ? credentialOf(match[1] ?? '') : MISSING;
}

function lowerCased(bag: HeaderBag): HeaderBag {
  return Object.fromEntries(Object.entries(bag).map(([name, value]) => [name.toLowerCase(), value]));
}
