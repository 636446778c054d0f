import { MAX_JSON_DEPTH } from './json.ts';
import { Mismatch } from './drift.ts';
import { namesSecret, nameKind } from './secret-names.ts';
import { blankAssignments, KnownSecrets, REDACTED } from './secret-texts.ts';

// Secrets in JSON whose shape the service does not document.

/** Maps of the service whose keys are prose, which may mention passwords. */
const MAPS_WITH_PROSE: ReadonlySet<string> = new Set(['features']);
// A word under a key such as `token_type` is no secret: a value must look like one to be blanked elsewhere too.
const SHORTEST_GUESSED = 16;
/** A value with more secrets is not searched: the search takes time in proportion to their number. */
export const MAX_SECRETS = 1_000;

/** How many searches for a value, in 64 characters each, one response may take. */
const MAX_SEARCHES = 1_000_000;
const CHARS_OF_SEARCH = 64;
/** How many each response has taken. */
const searches = new WeakMap<object, number>();

/** The copies of the JSON in responses, which is never changed; or why there is none. */
const copies = new WeakMap<object, unknown>();

/**
 * Copies undocumented JSON without its secrets. Keys that name one are dropped at every depth, and so are keys that
 * change prototypes. Dropped values are blanked wherever else they occur, and so is anything of the form `token=…`.
 * However often the same object or list is read, it is copied once.
 *
 * @param response - stands for the response that the JSON is from
 * @throws Mismatch for JSON that is nested too deep, or that has too many secrets
 */
export function withoutSecrets(json: unknown, response: object = {}): unknown {
  const known = isContainer(json) ? copies.get(json) : undefined;
  const copy = known ?? copyOrMismatch(json, response);
  if (isContainer(json)) copies.set(json, copy);
  if (copy instanceof Mismatch) throw copy;
  return copy;
}

function copyOrMismatch(json: unknown, response: object): unknown {
  try {
    const secrets = secretsIn(json);
    if (secrets.size > MAX_SECRETS) return new Mismatch('JSON with few secrets');
    const known = new KnownSecrets(secrets);
    return cleanCopy(json, { known, isProse: false, depth: MAX_JSON_DEPTH, response });
  } catch (error) {
    if (error instanceof Mismatch) return error;
    throw error;
  }
}

interface Cleaning {
  readonly response: object;
  readonly known: KnownSecrets;
  /** Whether the keys are written for people. */
  readonly isProse: boolean;
  /** How many levels of lists and objects may follow. */
  readonly depth: number;
}

function cleanCopy(value: unknown, cleaning: Cleaning): unknown {
  if (typeof value === 'string') return blankAssignments(blanked(value, cleaning));
  if (typeof value === 'number') return blanked(String(value), cleaning) === REDACTED ? REDACTED : value;
  if (!isContainer(value)) return value;
  if (cleaning.depth === 0) throw new Mismatch('JSON of ordinary depth');
  const within = { ...cleaning, isProse: false, depth: cleaning.depth - 1 };
  if (Array.isArray(value)) return value.map((item) => cleanCopy(item, within));
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    if (key === '__proto__' || isSecret(key, child, cleaning.isProse)) continue;
    copy[blanked(key, cleaning)] = cleanCopy(child, { ...within, isProse: MAPS_WITH_PROSE.has(key) });
  }
  return copy;
}

function blanked(text: string, { known, response }: Cleaning): string {
  if (known.size === 0) return text;
  const spent = (searches.get(response) ?? 0) + known.size * (1 + text.length / CHARS_OF_SEARCH);
  if (spent > MAX_SEARCHES) throw new Mismatch('JSON with few secrets');
  searches.set(response, spent);
  return known.blankIn(text);
}

/** Returns the values of the secrets in JSON, which their keys name. */
export function secretsIn(json: unknown): ReadonlySet<string> {
  const secrets = new Set<string>();
  // `shortest`: the length from which a text in there is a secret.
  const open = [{ within: [json] as object, isProse: false, shortest: Number.POSITIVE_INFINITY }];
  for (const { within, isProse, shortest: inherited } of open)
    for (const [key, value] of Object.entries(within) as [string, unknown][]) {
      const shortest = isSecret(key, value, isProse) ? Math.min(inherited, shortestUnder(key)) : inherited;
      if (isContainer(value)) open.push({ within: value, isProse: MAPS_WITH_PROSE.has(key), shortest });
      else if (shortest < Number.POSITIVE_INFINITY) addSecret(value, shortest, secrets);
    }
  return secrets;
}

function addSecret(value: unknown, shortest: number, secrets: Set<string>): void {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text === 'string' && text.length >= shortest && !(shortest > 0 && /\s/.test(text)))
    secrets.add(text);
}

function isSecret(key: string, value: unknown, isProse: boolean): boolean {
  return isProse ? nameKind(key) === 'credential' : namesSecret(key, value);
}

function shortestUnder(key: string): number {
  return nameKind(key) === 'credential' ? 0 : SHORTEST_GUESSED;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

// The documented credentials of connected accounts. They are removed once, where a response that holds accounts is
// parsed, so that whoever reads an account need not look for them.

type Account = Record<string, unknown>;

/**
 * Removes the credentials from the accounts of a response that has just been parsed: their documented fields, and their
 * values in all texts and keys of the same account. Changes the response.
 */
export function removeCredentials(answer: unknown): void {
  for (const account of accountsIn(answer)) {
    const known = new KnownSecrets();
    // Written out: a loop over ACCOUNT_CREDENTIALS takes twice as long. Absent, as JSON; deleting a property would make
    // every later reading of the account slower.
    const { accessToken, accessSecret, pageAccessToken } = account;
    if (take(accessToken, known)) account['accessToken'] = undefined;
    if (take(accessSecret, known)) account['accessSecret'] = undefined;
    if (take(pageAccessToken, known)) account['pageAccessToken'] = undefined;
    if (known.size > 0) blankMembers(account, known, DEEPEST_SHOWN);
  }
}

/** Returns the accounts in a response, of either surface. Whatever may be one is taken for one. */
function accountsIn(answer: unknown): Account[] {
  const { response, data } = isContainer(answer) ? answer : {};
  const list = isContainer(response) ? response['list'] : null;
  return [answer, response, ...listed(answer), ...listed(data), ...listed(list)].filter(isContainer);
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Adds a credential to those that are known; returns false if there is none. */
function take(value: unknown, known: KnownSecrets): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'string') known.add(value);
  else addTexts(value, known);
  return true;
}

/** Adds a number, or all texts and numbers within a value that is damaged. */
function addTexts(value: unknown, known: KnownSecrets): void {
  const open = [value];
  for (const one of open)
    if (typeof one === 'string' || typeof one === 'number') known.add(String(one));
    else if (isContainer(one)) for (const child of Object.values(one)) open.push(child);
}

/** The account and the levels within one of its fields; a field with more of them is not shown. */
const DEEPEST_SHOWN = 1 + MAX_JSON_DEPTH;

// V8 goes through objects ten times as fast where there are no lists among them, and no lists of keys.
function blankMembers(holder: Account, known: KnownSecrets, levels: number): void {
  for (const key in holder) {
    const value = holder[key];
    if (typeof value === 'string') {
      if (known.mayBeIn(value)) holder[key] = known.blankIn(value);
    } else if (typeof value === 'number') {
      // A number of the account itself has a meaning of its own, such as its id.
      if (levels < DEEPEST_SHOWN && known.has(String(value))) holder[key] = REDACTED;
    } else if (isContainer(value) && levels > 1) blankWithin(value, known, levels - 1);
    if (known.mayBeIn(key)) renameKey(holder, key, known.blankIn(key));
  }
}

function blankWithin(value: Account | unknown[], known: KnownSecrets, levels: number): void {
  if (!Array.isArray(value)) return blankMembers(value, known, levels);
  for (let index = 0; index < value.length; index += 1) {
    const item: unknown = value[index];
    if (typeof item === 'string') value[index] = known.blankIn(item);
    else if (typeof item === 'number' && known.has(String(item))) value[index] = REDACTED;
    else if (isContainer(item) && levels > 1) blankWithin(item, known, levels - 1);
  }
}

function renameKey(holder: Account, key: string, name: string): void {
  if (name === key) return;
  holder[name] = holder[key];
  delete holder[key];
}
