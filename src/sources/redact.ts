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

// A secret passed on inside a text: `access_token=…`, `"client_secret": "…"`, `authorization: Bearer …`.
const SECRET_ASSIGNMENT =
  /((?:[\w-]{0,32}?(?:token|secret|password|passwd|api[-_]?key|private[-_]?key|access[-_]?key|signature|credential)|(?:proxy-)?authorization|(?:set-)?cookie|\bsid))(["']?\s*[=:]\s*["']?(?:(?:bearer|basic)\s+)?(?:\w+=)?)([^\s"'&,;}\]]{4,})/gi;
const ASSIGNMENT_HINT = /token|secret|passw|key|signature|credential|authorization|cookie|sid/i;
const SECRET_PARAMETER = /([?&#](?:[\w.-]{0,32}?(?:token|secret|password|api_?key|signature))=)[^&#\s]+/gi;
const ABSOLUTE_URL = /^https?:\/\//i;

/** The credentials of a connected account, by the service's names. */
const DOCUMENTED_SECRETS: ReadonlySet<string> = new Set(['accesstoken', 'accesssecret', 'pageaccesstoken']);
/** A documented secret of fewer characters is none: it would blank half of every text. */
export const SHORTEST_SECRET = 6;
// A word under a key such as `token_type` is no secret; a value found by the sound of its key alone must look like a
// secret to be blanked elsewhere too.
const SHORTEST_GUESSED_SECRET = 16;

/** Maps of the service whose keys are written for people. */
const MAPS_WITH_PROSE: ReadonlySet<string> = new Set(['features']);

/**
 * A copy of a record without its secrets: keys that name a secret are dropped at every depth, each dropped value is
 * blanked wherever else it occurs in the record, and addresses lose secret parameters. Keys that change prototypes are
 * dropped too. Anything else that the owner wrote stays as it is.
 */
export function withoutSecrets(record: unknown): unknown {
  return cleanCopy(record, secretsIn(record));
}

const NO_SECRETS: readonly string[] = [];

/** The values of a record's secrets, the longest first: a secret within another would otherwise leave parts of it. */
export function secretsIn(record: unknown): readonly string[] {
  if (typeof record !== 'object' || record === null) return NO_SECRETS;
  return collectSecrets(record, null) ?? NO_SECRETS;
}

function collectSecrets(value: object, found: string[] | null): string[] | null {
  let secrets = found;
  if (Array.isArray(value)) {
    for (const child of value as unknown[])
      if (typeof child === 'object' && child !== null) secrets = collectSecrets(child, secrets);
    return secrets;
  }
  // Parsed JSON has no enumerable properties but its own, and this needs no copy of them.
  for (const key in value) {
    const child = (value as Readonly<Record<string, unknown>>)[key];
    const mayHold = typeof child === 'string' ? child.length >= SHORTEST_SECRET : typeof child === 'object';
    if (!mayHold || child === null) continue;
    const kind = kindOf(key);
    if (kind !== 'harmless') secrets = collectTexts(child, kind, secrets ?? []);
    else if (typeof child === 'object' && !MAPS_WITH_PROSE.has(key)) secrets = collectSecrets(child, secrets);
  }
  return secrets;
}

function collectTexts(value: unknown, kind: 'documented' | 'guessed', texts: string[]): string[] {
  if (typeof value === 'string') {
    if (isSecret(value, kind) && !texts.includes(value)) insertByLength(value, texts);
  } else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) collectTexts(child, kind, texts);
  }
  return texts;
}

function isSecret(value: string, kind: 'documented' | 'guessed'): boolean {
  if (kind === 'documented') return value.length >= SHORTEST_SECRET;
  return value.length >= SHORTEST_GUESSED_SECRET && !/\s/.test(value);
}

function insertByLength(text: string, texts: string[]): void {
  const at = texts.findIndex((other) => other.length < text.length);
  texts.splice(at < 0 ? texts.length : at, 0, text);
}

/** A copy of a value without the given secrets and without keys that name one; `edit` is applied to each text. */
export function cleanCopy(
  value: unknown,
  secrets: readonly string[],
  edit: (text: string) => string = (text) => text,
): unknown {
  const copy = (child: unknown, hasProse: boolean): unknown => {
    if (typeof child === 'string') return edit(cleanText(child, secrets));
    if (Array.isArray(child)) return child.map((element: unknown) => copy(element, false));
    if (typeof child !== 'object' || child === null) return child;
    const entries: [string, unknown][] = [];
    for (const [name, inner] of Object.entries(child)) {
      const key = cleanKey(name, secrets, hasProse);
      if (key !== null) entries.push([key, copy(inner, MAPS_WITH_PROSE.has(name))]);
    }
    return Object.fromEntries(entries);
  };
  return copy(value, false);
}

/** A key without the secrets in it; null if it names a secret or changes prototypes. */
export function cleanKey(key: string, secrets: readonly string[], isProse = false): string | null {
  return key === '__proto__' || (!isProse && namesSecret(key)) ? null : cleanText(key, secrets);
}

/** A text without the given secrets and, if it is an address, without secret parameters. */
export function cleanText(text: string, secrets: readonly string[]): string {
  const clean = blankValues(text, secrets);
  const mayHaveParameters = clean.includes('=') && ABSOLUTE_URL.test(clean);
  return mayHaveParameters ? clean.replaceAll(SECRET_PARAMETER, `$1${REDACTED}`) : clean;
}

/** Whether a key names a secret: one that the interface documents, or one by the sound of it. */
type KeyKind = 'documented' | 'guessed' | 'harmless';

// The same few keys come with every record, so each is judged once.
const kinds = new Map<string, KeyKind>();
const MAX_KINDS = 2_000;
const MAX_REMEMBERED_CHARS = 32;

function kindOf(key: string): KeyKind {
  const known = kinds.get(key);
  if (known !== undefined) return known;
  const kind = judge(key);
  if (kinds.size >= MAX_KINDS) kinds.clear();
  if (key.length <= MAX_REMEMBERED_CHARS) kinds.set(key, kind);
  return kind;
}

function judge(key: string): KeyKind {
  // Maps keyed by address exist in the service; an address is a value, not a name.
  if (ABSOLUTE_URL.test(key)) return 'harmless';
  const name = key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  if (DOCUMENTED_SECRETS.has(name)) return 'documented';
  const isHarmless = HARMLESS_KEYS.has(name) || !(SECRET_NAMES.has(name) || SECRET_WORDS.test(name));
  return isHarmless ? 'harmless' : 'guessed';
}

/** True for a key that names a secret, in any spelling: `accessToken`, `page_access_token`, `X-Api-Key`. */
export function namesSecret(key: string): boolean {
  return kindOf(key) !== 'harmless';
}

/** A text in which the given secrets and anything of the form `token=…` are blanked. */
export function blankSecrets(text: string, secrets: readonly string[]): string {
  return blankAssignments(blankValues(text, secrets));
}

function blankValues(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (clean.length >= secret.length && clean.includes(secret)) clean = clean.replaceAll(secret, REDACTED);
  }
  return clean;
}

/** A text in which anything of the form `token=…` is blanked. */
export function blankAssignments(text: string): string {
  return ASSIGNMENT_HINT.test(text) ? text.replaceAll(SECRET_ASSIGNMENT, `$1$2${REDACTED}`) : text;
}
