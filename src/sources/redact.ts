import { blankRuns, searchBudget, type Run, type SearchBudget } from './blank-runs.ts';
import { SecretFinder } from './secret-finder.ts';
import { kindOf, namesSecret } from './secret-names.ts';
import { secretsIn, type Secrets } from './secrets.ts';
import type { Shape } from './shape.ts';
import { MAPS_WITH_PROSE } from './survey.ts';

// A secret assigned within a text: `access_token=…`, `"client_secret": "…"`, `authorization: Bearer …`.
const ASSIGNMENT: Run = {
  head: /(?:token|secret|password|passwd|passphrase|pwd|(?:api|private|access)[-_]?key|signature|credential|authorization|\bsid|cookie(?=(?:\\{0,3}["'])?\s{0,16}[=:]\s{0,16}(?:\\{0,3}["'])?(\w{1,32}=)?))(?:\\{0,3}["'])?\s{0,16}[=:]\s{0,16}(?:\\{0,3}["'])?(?:(?:bearer|basic)\s{1,16}|\1)?(?=[^\s"'&,;}\]]{4})/gi,
  rest: /[^\s"'&,;}\]]{1,1024}/y,
  keepsHead: true,
};
const ASSIGNMENT_HINT =
  /token|secret|passw|pwd|passphrase|key|signature|credential|authorization|cookie|sid/i;

const SECRET_PARAMETER: Run = {
  head: /[?&#][\w.-]{0,32}?(?:token|secret|password|api[_.-]?key|signature)=/gi,
  rest: /[^&#\s]{1,1024}/y,
  keepsHead: true,
};

// In a URL of a documented field, only these are blanked: the URL has to work, and may be signed.
const CREDENTIAL_PARAMETER: Run = {
  head: /[?&#][\w.-]{0,32}?(?:access[_.-]?(?:token[_.-]?)?secret|access[_.-]?token|client[_.-]?secret|api[_.-]?key)=/gi,
  rest: /[^&#\s]{1,1024}/y,
  keepsHead: true,
};

const ABSOLUTE_URL = /^https?:\/\//i;
const LETTER_H = 104;
const PROSE_MAP: Shape = { entries: null };

/**
 * Copies a value as undocumented JSON. Keys that name a secret or change prototypes are dropped at every depth; dropped
 * values are blanked wherever else they occur, and so is anything of the form `token=…`.
 */
export function withoutSecrets(value: unknown): unknown {
  return cleanCopy(value, secretsIn(value));
}

/**
 * Returns a value without the secrets of its response; a copy, if there are any. Values that `shape` covers are cleaned
 * as documented text, the rest as undocumented JSON.
 */
export function cleanCopy(value: unknown, secrets: Secrets, shape: Shape | null = null): unknown {
  if (typeof value === 'string')
    return shape === null ? cleanJsonText(value, secrets) : cleanText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? cleanList(value, secrets, shape) : cleanObject(value, secrets, shape);
}

function cleanList(list: readonly unknown[], secrets: Secrets, shape: Shape | null): unknown {
  const items = shape?.items ?? null;
  let copy: unknown[] | null = null;
  for (const [index, item] of list.entries()) {
    const clean = cleanCopy(item, secrets, items);
    if (clean === item) continue;
    copy ??= [...list];
    copy[index] = clean;
  }
  return copy ?? list;
}

// Most objects contain no secret, and copying one costs ten times as much as searching it.
function cleanObject(object: object, secrets: Secrets, shape: Shape | null): unknown {
  let copy: Record<string, unknown> | null = null;
  for (const name in object) {
    const child = (object as Readonly<Record<string, unknown>>)[name];
    const inner = shapeWithin(shape, name);
    const key =
      inner === null
        ? cleanKey(name, secrets, { value: child, isProse: shape?.entries === null })
        : cleanMapKey(name, secrets);
    const clean = key === null ? undefined : cleanCopy(child, secrets, inner);
    if (copy === null && key === name && clean === child) continue;
    copy ??= entriesBefore(object, name);
    if (key !== null) copy[key] = clean;
  }
  return copy ?? object;
}

function entriesBefore(object: object, end: string): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name in object) {
    if (name === end) break;
    copy[name] = (object as Readonly<Record<string, unknown>>)[name];
  }
  return copy;
}

function shapeWithin(shape: Shape | null, name: string): Shape | null {
  return shape?.fields?.get(name) ?? shape?.entries ?? (MAPS_WITH_PROSE.has(name) ? PROSE_MAP : null);
}

/** The context of a key. */
interface KeyContext {
  readonly value?: unknown;
  /** True for a key written for people. */
  readonly isProse?: boolean;
}

/**
 * Removes the secrets from a key of undocumented JSON. Returns null if it names a secret (in prose, a documented one)
 * or changes prototypes.
 */
export function cleanKey(key: string, secrets: Secrets, { value, isProse }: KeyContext = {}): string | null {
  const namesOne = isProse === true ? kindOf(key) === 'documented' : namesSecret(key, value);
  return key === '__proto__' || namesOne ? null : blankKnown(key, secrets);
}

/** Cleans a key, itself a value, of a documented map; null if it names a credential or changes prototypes. */
export function cleanMapKey(key: string, secrets: Secrets): string | null {
  return key === '__proto__' || kindOf(key) === 'documented' ? null : cleanText(key, secrets);
}

/** Cleans the text of a documented field: blanks documented credentials, and in a URL, parameters that name one. */
export function cleanText(text: string, secrets: Secrets): string {
  const clean = secrets.blankDocumented(text);
  // Most texts are not URLs, as their first letter shows.
  const mayBeAddress = (clean.charCodeAt(0) | 0x20) === LETTER_H && clean.includes('=');
  const isAddress = mayBeAddress && ABSOLUTE_URL.test(clean) && !/\s/.test(clean);
  return isAddress ? blankCredentialParameters(clean, secrets.budget()) : clean;
}

/** Blanks URL parameters that name an access token, client secret or API key. */
export function blankCredentialParameters(text: string, budget: SearchBudget = searchBudget()): string {
  return text.includes('=') ? blankRuns(text, CREDENTIAL_PARAMETER, budget) : text;
}

/** Cleans text of undocumented JSON, or from around it, where anything may occur. */
export function cleanJsonText(text: string, secrets: Secrets): string {
  return blankAssignments(blankKnown(text, secrets), secrets.budget());
}

function blankKnown(text: string, secrets: Secrets): string {
  const clean = secrets.blankAll(text);
  const mayHaveParameters = clean.includes('=') && ABSOLUTE_URL.test(clean);
  return mayHaveParameters ? blankRuns(clean, SECRET_PARAMETER, secrets.budget()) : clean;
}

/** Blanks the given secrets and anything of the form `token=…` in a text. */
export function blankSecrets(text: string, secrets: readonly string[]): string {
  const budget = searchBudget();
  return blankAssignments(new SecretFinder(secrets, budget).blank(text), budget);
}

function blankAssignments(text: string, budget: SearchBudget): string {
  return ASSIGNMENT_HINT.test(text) ? blankRuns(text, ASSIGNMENT, budget) : text;
}
