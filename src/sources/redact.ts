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

/** The credentials of a connected account, by the service's names. Their values are blanked wherever they stand. */
const DOCUMENTED_SECRETS: ReadonlySet<string> = new Set(['accesstoken', 'accesssecret', 'pageaccesstoken']);
const SHORTEST_SECRET = 6;
// A word under a key such as `token_type` is no secret; a secret found by its key alone must look like one to be blanked
// elsewhere too.
const SHORTEST_GUESSED_SECRET = 16;

/** Maps of the service whose keys are names for people. */
const MAPS_OF_NAMES: ReadonlySet<string> = new Set(['features']);

/**
 * Takes the secrets out of one record, which is changed, and gives what is left: keys that name a secret are dropped at
 * every depth, every value dropped that way is blanked wherever else in the same record it stands, and addresses lose
 * secret parameters. Prototype-changing keys are dropped too. What owners wrote is left as it is; see
 * `withoutAssignments`. A record is given here once: what was taken out of one place can't be looked for in another. One
 * that is to be read again is sealed.
 */
export function withoutSecrets(record: unknown): unknown {
  return new SealedRecord(record).open();
}

const NO_SECRETS: readonly string[] = [];

/** The values of a record's secrets, the longest first: one that holds another would else be left in pieces. */
function secretsIn(record: unknown): readonly string[] {
  const secrets = new Set<string>();
  collectSecrets(record, secrets);
  if (secrets.size === 0) return NO_SECRETS;
  return [...secrets].toSorted((one, other) => other.length - one.length);
}

/** The way to a value of a record: the keys on it. */
export interface FieldPath {
  readonly steps: readonly string[];
  /** True where one of the keys names a secret. */
  readonly isSecret: boolean;
  /** True where the last one leads to a map whose keys are names for people. */
  readonly leadsToNames: boolean;
}

/** The path that is written with dots between its keys; '' leads to the record itself. */
export function pathTo(dotted: string): FieldPath {
  const steps = dotted === '' ? [] : dotted.split('.');
  return {
    steps,
    isSecret: steps.some(namesSecret),
    leadsToNames: MAPS_OF_NAMES.has(steps.at(-1) ?? ''),
  };
}

/** Leads from a value to what one of its keys holds. */
export type Step = (value: unknown, key: string) => unknown;

/**
 * A record with its secrets still in it: nothing can be read of it but what is clean. Of the many records of a page few
 * fields are asked for, and to clean them all took a tenth of a request. What is read is cleaned in place: a record is
 * sealed once, and belongs to its seal from then on.
 */
export class SealedRecord {
  readonly #record: unknown;
  #secrets: readonly string[] | null = null;

  constructor(record: unknown) {
    this.#record = record;
  }

  /** What lies at the end of a path; null where a secret would be on it. */
  read({ steps, isSecret, leadsToNames }: FieldPath, step: Step): unknown {
    if (isSecret) return null;
    const value = steps.reduce(step, this.#record);
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return value;
    return cleaned(value, this.#secretsOf(), leadsToNames);
  }

  /** The names of its fields but those of secrets, and but those that are known already. */
  names(known: ReadonlySet<string>): string[] {
    const record = this.#record;
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return [];
    const others = Object.keys(record).filter((name) => !known.has(name));
    return others.flatMap((name) => nameOf(name, this.#secretsOf(), false) ?? []);
  }

  /** All of it but its secrets. */
  open(): unknown {
    return cleaned(this.#record, this.#secretsOf(), false);
  }

  // Found before anything of it is cleaned.
  #secretsOf(): readonly string[] {
    return (this.#secrets ??= secretsIn(this.#record));
  }
}

/** A copy of data of undocumented shape in which anything of the form `token=…` is blanked. */
export function withoutAssignments(value: unknown): unknown {
  if (typeof value === 'string') return blankAssignments(value);
  if (Array.isArray(value)) return value.map(withoutAssignments);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withoutAssignments(child)]));
}

// The same few keys come with every record, and are judged once.
const verdicts = new Map<string, boolean>();
const MOST_VERDICTS = 2_000;
const LONGEST_JUDGED = 32;

/** True for a key that names a secret, in any spelling: `accessToken`, `page_access_token`, `X-Api-Key`. */
export function namesSecret(key: string): boolean {
  const known = verdicts.get(key);
  if (known !== undefined) return known;
  const verdict = judge(key);
  if (verdicts.size >= MOST_VERDICTS) verdicts.clear();
  if (key.length <= LONGEST_JUDGED) verdicts.set(key, verdict);
  return verdict;
}

function judge(key: string): boolean {
  // Maps keyed by address exist in the service; an address is a value, not a name.
  if (ABSOLUTE_URL.test(key)) return false;
  const name = plainName(key);
  return !HARMLESS_KEYS.has(name) && (SECRET_NAMES.has(name) || SECRET_WORDS.test(name));
}

/** A text in which the given secrets and anything of the form `token=…` are blanked. */
export function blankSecrets(text: string, secrets: readonly string[]): string {
  return blankAssignments(blankValues(text, secrets));
}

function plainName(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function blankValues(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (clean.length >= secret.length && clean.includes(secret)) clean = clean.replaceAll(secret, REDACTED);
  }
  return clean;
}

function blankAssignments(text: string): string {
  return ASSIGNMENT_HINT.test(text) ? text.replaceAll(SECRET_ASSIGNMENT, `$1$2${REDACTED}`) : text;
}

function collectSecrets(value: unknown, secrets: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const child of value) collectSecrets(child, secrets);
    return;
  }
  // What was parsed has no enumerable properties but its own, and needs no copy of them.
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    const mayHold = typeof child === 'object' || typeof child === 'string';
    if (!mayHold || MAPS_OF_NAMES.has(key)) continue;
    if (namesSecret(key)) collectTexts(child, secrets, DOCUMENTED_SECRETS.has(plainName(key)));
    else collectSecrets(child, secrets);
  }
}

function collectTexts(value: unknown, texts: Set<string>, isDocumented: boolean): void {
  if (typeof value === 'string') {
    const looksSecret = value.length >= SHORTEST_GUESSED_SECRET && !/\s/.test(value);
    if (isDocumented ? value.length >= SHORTEST_SECRET : looksSecret) texts.add(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) collectTexts(child, texts, isDocumented);
  }
}

// In place, as far as that goes: nobody needs the record as it came.
function cleaned(value: unknown, secrets: readonly string[], keysAreNames: boolean): unknown {
  if (typeof value === 'string') return cleanText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1)
      value[index] = cleaned(value[index], secrets, false);
    return value;
  }
  const record = value as Record<string, unknown>;
  let isRenamed = false;
  for (const key in record) {
    if (nameOf(key, secrets, keysAreNames) === key) cleanField(record, key, secrets);
    else isRenamed = true;
  }
  return isRenamed ? renamed(record, secrets, keysAreNames) : record;
}

function cleanField(record: Record<string, unknown>, key: string, secrets: readonly string[]): void {
  const value = record[key];
  if (typeof value !== 'object' && typeof value !== 'string') return;
  const clean = cleaned(value, secrets, MAPS_OF_NAMES.has(key));
  if (clean !== value) record[key] = clean;
}

// Deleting keys would make the record slow to read.
function renamed(record: object, secrets: readonly string[], keysAreNames: boolean): object {
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(record)) {
    const name = nameOf(key, secrets, keysAreNames);
    if (name !== null) copy[name] = name === key ? child : cleaned(child, secrets, MAPS_OF_NAMES.has(key));
  }
  return copy;
}

/** What a key is called without the secrets in it; null for one that is to go. */
function nameOf(key: string, secrets: readonly string[], keysAreNames: boolean): string | null {
  return key === '__proto__' || (!keysAreNames && namesSecret(key)) ? null : cleanText(key, secrets);
}

function cleanText(text: string, secrets: readonly string[]): string {
  const clean = blankValues(text, secrets);
  return clean.includes('://') && ABSOLUTE_URL.test(clean)
    ? clean.replaceAll(SECRET_PARAMETER, `$1${REDACTED}`)
    : clean;
}
