import { searchBudget, type SearchBudget } from './blank-runs.ts';
import { SecretFinder } from './secret-finder.ts';
import { Survey } from './survey.ts';

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

/** The values of the secrets in a record, or in a whole answer. */
export function secretsIn(record: unknown): Secrets {
  return secretsOf(new Survey(record));
}

/** The values of the secrets that a survey has found. */
export function secretsOf({ documented, guessed }: Survey): Secrets {
  return new Secrets(documented, guessed.length === 0 ? documented : [...guessed, ...documented]);
}
