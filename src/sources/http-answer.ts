import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longer responses are parsed in a separate turn, in characters. */
const LARGE_CHARS = 256 * 1024;

/** A complete response, whatever its status; equal reads share one. */
export class HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** What was made of it, by whom: never more than a few. */
  readonly #made: { readonly make: (answer: HttpAnswer) => unknown; readonly value: unknown }[] = [];

  constructor({ status, headers, text }: Pick<HttpAnswer, 'status' | 'headers' | 'text'>) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  get isLarge(): boolean {
    return this.text.length > LARGE_CHARS;
  }

  /** Calls `make` once for all readers of the response: a hundred copies of a large one would be too many. */
  once<V>(make: (answer: HttpAnswer) => V): V {
    for (const made of this.#made) if (made.make === make) return made.value as V;
    const value = make(this);
    this.#made.push({ make, value });
    return value;
  }

  /** Lets other work run between parsing a large response and reading its records. */
  async pause(): Promise<void> {
    if (this.isLarge) await nextTurn();
  }
}
