/** What stands where a secret was found inside a longer text. */
export const REDACTED = '[redacted]';

// Documented keys that only sound like secrets: counters, a flag, a plan's name, keys of targeting choices.
const HARMLESS_KEYS: ReadonlySet<string> = new Set([
  'aitoken',
  'inputtoken',
  'outputtoken',
  'totaltoken',
  'tokenencrypted',
  'paymentkey',
]);

const SECRET_WORDS =
  /token|secret|passw|pwd|passphrase|apikey|privatekey|accesskey|authoriz|cookie|credential|bearer|session(?:id|key)|signature|jwt/;
const SECRET_NAMES: ReadonlySet<string> = new Set(['key', 'auth', 'sid', 'pin', 'otp']);

// A secret passed on inside a text, such as the address of a picture: `access_token=…`, `"client_secret": "…"`.
const SECRET_ASSIGNMENT =
  /((?:access|refresh|page|id|auth|api|client|bearer)?[-_]?(?:token|secret|password|apikey|api_key|signature))(["']?\s*[=:]\s*["']?)([^\s"'&,;}\]]{4,})/gi;
const ASSIGNMENT_HINT = /token|secret|password|api_?key|signature/i;

const SHORTEST_SECRET = 6;

/**
 * A copy of one record without the secrets in it: keys that name a secret are dropped at every depth, and every value
 * dropped that way is blanked wherever else in the same record it stands. Prototype-changing keys are dropped too.
 */
export function withoutSecrets(record: unknown): unknown {
  const secrets = new Set<string>();
  collectSecrets(record, secrets);
  return copyWithout(record, [...secrets]);
}

/** True for a key that names a secret, in any spelling: `accessToken`, `page_access_token`, `X-Api-Key`. */
export function namesSecret(key: string): boolean {
  // Maps keyed by address exist in the service; an address is a value, not a name.
  if (key.includes('/')) return false;
  const name = key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return !HARMLESS_KEYS.has(name) && (SECRET_NAMES.has(name) || SECRET_WORDS.test(name));
}

/** A text in which the given secrets and anything of the form `token=…` are blanked. */
export function blankSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (clean.includes(secret)) clean = clean.replaceAll(secret, REDACTED);
  }
  return ASSIGNMENT_HINT.test(clean) ? clean.replaceAll(SECRET_ASSIGNMENT, `$1$2${REDACTED}`) : clean;
}

function collectSecrets(value: unknown, secrets: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (!Array.isArray(value) && namesSecret(key)) collectTexts(child, secrets);
    else collectSecrets(child, secrets);
  }
}

function collectTexts(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string' && value.length >= SHORTEST_SECRET) texts.add(value);
  else if (typeof value === 'object' && value !== null)
    for (const child of Object.values(value)) collectTexts(child, texts);
}

function copyWithout(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return blankSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((child) => copyWithout(child, secrets));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    if (key === '__proto__' || namesSecret(key)) continue;
    const name = secrets.some((secret) => key.includes(secret)) ? blankSecrets(key, secrets) : key;
    copy[name] = copyWithout(child, secrets);
  }
  return copy;
}
