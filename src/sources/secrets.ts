import { searchBudget, type SearchBudget } from './blank-runs.ts';
import { SecretFinder } from './secret-finder.ts';
import { Survey } from './survey.ts';

/** The values of the secrets in one response. */
export class Secrets {
  /** Values of documented credentials: blanked in every text. */
  readonly documented: readonly string[];
  /** Includes values guessed from their keys: blanked in undocumented JSON. */
  readonly all: readonly string[];
  readonly #budget: SearchBudget;
  #inTexts: SecretFinder | undefined;
  #inJson: SecretFinder | undefined;

  constructor(documented: readonly string[], all: readonly string[], budget: SearchBudget = searchBudget()) {
    this.documented = documented;
    this.all = all;
    this.#budget = budget;
  }

  /** The remaining budget for the search for secrets in the response. */
  budget(): SearchBudget {
    return this.#budget;
  }

  /** Blanks the documented credentials in a text. */
  blankDocumented(text: string): string {
    if (this.documented.length === 0) return text;
    return (this.#inTexts ??= new SecretFinder(this.documented, this.#budget)).blank(text);
  }

  /** Blanks all secrets in a text. */
  blankAll(text: string): string {
    if (this.all.length === this.documented.length) return this.blankDocumented(text);
    return (this.#inJson ??= new SecretFinder(this.all, this.#budget)).blank(text);
  }
}

/** The secrets of a record that has none, or whose secrets may be shown. */
export const NO_SECRETS = new Secrets([], [], searchBudget(Number.POSITIVE_INFINITY));

/** Collects the secrets of a response on first use, and then releases the response. */
export function secretsOnce(answer: unknown): () => Secrets {
  let body: unknown = answer;
  let known: Secrets | undefined;
  return () => {
    known ??= secretsIn(body);
    body = undefined;
    return known;
  };
}

/** Returns the values of the secrets in a record or a whole response. */
export function secretsIn(record: unknown): Secrets {
  return secretsOf(new Survey(record));
}

/** Returns the values of the secrets that a survey has found. */
export function secretsOf({ documented, guessed }: Survey): Secrets {
  return new Secrets(documented, guessed.length === 0 ? documented : [...guessed, ...documented]);
}
