import { searchBudget, type SearchBudget } from './blank-runs.ts';
import { SecretFinder } from './secret-finder.ts';
import { kindOf, type KeyKind } from './secret-names.ts';
import { looksRandom } from './token-shapes.ts';

/** A documented secret of fewer characters is none: it would blank half of every text. */
export const SHORTEST_SECRET = 6;
// A word under a key such as `token_type` is no secret; a value found by the sound of its key alone must look like a
// secret to be blanked elsewhere too.
const SHORTEST_GUESSED_SECRET = 16;

/** Maps of the service whose keys are written for people. */
export const MAPS_WITH_PROSE: ReadonlySet<string> = new Set(['features']);

/** The values of the secrets in one answer. */
export class Secrets {
  /** Of the documented credentials: blanked in every text. */
  readonly documented: readonly string[];
  /** With those found by the sound of their keys: blanked in undocumented JSON. */
  readonly all: readonly string[];
  readonly #budget: SearchBudget;
  #inTexts: SecretFinder | undefined;
  #inJson: SecretFinder | undefined;

  constructor(documented: readonly string[], all: readonly string[], budget: SearchBudget = searchBudget()) {
    this.documented = documented;
    this.all = all;
    this.#budget = budget;
  }

  /** What the search for secrets in the answer may still cost. */
  budget(): SearchBudget {
    return this.#budget;
  }

  /** A text without the documented credentials. */
  blankDocumented(text: string): string {
    if (this.documented.length === 0) return text;
    return (this.#inTexts ??= new SecretFinder(this.documented, this.#budget)).blank(text);
  }

  /** A text without any of the secrets. */
  blankAll(text: string): string {
    if (this.all.length === this.documented.length) return this.blankDocumented(text);
    return (this.#inJson ??= new SecretFinder(this.all, this.#budget)).blank(text);
  }
}

/** The secrets of a record that has none, or none to keep out. */
export const NO_SECRETS = new Secrets([], [], searchBudget(Number.POSITIVE_INFINITY));

/** The secrets of an answer, collected when they are first asked for; what they are in is let go of then. */
export function secretsOnce(answer: unknown): () => Secrets {
  let body: unknown = answer;
  let known: Secrets | undefined;
  return () => {
    known ??= secretsIn(body);
    body = undefined;
    return known;
  };
}

/** What was found so far, some of it perhaps more than once. */
interface FoundSecrets {
  readonly documented: string[];
  readonly guessed: string[];
}

/** The values of the secrets in a record, or in a whole answer. */
export function secretsIn(record: unknown): Secrets {
  if (typeof record !== 'object' || record === null) return new Secrets([], []);
  const found = collect(record, 'harmless', null);
  if (found === null) return new Secrets([], []);
  const { documented, guessed } = found;
  return new Secrets(documented, guessed.length === 0 ? documented : [...guessed, ...documented]);
}

function collect(value: object, within: KeyKind, found: FoundSecrets | null): FoundSecrets | null {
  let secrets = found;
  if (Array.isArray(value)) {
    for (const child of value as unknown[]) secrets = collectChild(child, within, secrets);
    return secrets;
  }
  // Parsed JSON has no enumerable properties but its own, and this needs no copy of them.
  for (const key in value) {
    const child = (value as Readonly<Record<string, unknown>>)[key];
    const mayHold = typeof child === 'string' ? child.length >= SHORTEST_SECRET : typeof child === 'object';
    if (!mayHold || child === null) continue;
    const kind = within === 'harmless' ? kindOf(key) : stronger(kindOf(key), within);
    if (typeof child !== 'object')
      secrets = kind === 'harmless' ? secrets : collectChild(child, kind, secrets);
    else if (MAPS_WITH_PROSE.has(key)) secrets = collectProse(child, within, secrets);
    else secrets = collect(child, kind === 'likely' ? 'harmless' : kind, secrets);
  }
  return secrets;
}

function collectProse(map: object, within: KeyKind, found: FoundSecrets | null): FoundSecrets | null {
  let secrets = found;
  for (const [key, child] of Object.entries(map)) {
    const kind = kindOf(key);
    secrets = collectChild(child, kind === 'documented' ? kind : within, secrets);
  }
  return secrets;
}

function collectChild(child: unknown, kind: KeyKind, found: FoundSecrets | null): FoundSecrets | null {
  if (typeof child === 'object' && child !== null) return collect(child, kind, found);
  return typeof child === 'string' && isSecret(child, kind) ? collectText(child, kind, found) : found;
}

function collectText(text: string, kind: KeyKind, found: FoundSecrets | null): FoundSecrets {
  const secrets = found ?? { documented: [], guessed: [] };
  const alike = secrets[kind === 'documented' ? kind : 'guessed'];
  if (alike.at(-1) !== text) alike.push(text);
  return secrets;
}

function stronger(one: KeyKind, other: KeyKind): KeyKind {
  if (one === 'documented' || other === 'documented') return 'documented';
  return one === 'guessed' || other === 'guessed' ? 'guessed' : one;
}

function isSecret(value: string, kind: KeyKind): boolean {
  if (kind === 'harmless') return false;
  if (kind === 'documented') return value.length >= SHORTEST_SECRET;
  if (value.length < SHORTEST_GUESSED_SECRET || /\s/.test(value)) return false;
  return kind === 'guessed' || looksRandom(value);
}
