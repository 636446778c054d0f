/** What an answer holds. */
export interface AnswerParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A complete answer, whatever its status; equal reads share one. */
export class HttpAnswer implements AnswerParts {
  readonly status: number;
  readonly headers: AnswerParts['headers'];
  readonly text: string;
  readonly #made = new Map<(answer: HttpAnswer) => unknown, unknown>();

  constructor({ status, headers, text }: AnswerParts) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  /** What `make` makes of the answer: once, however many share it. A hundred copies of a large one would be too much. */
  once<V>(make: (answer: HttpAnswer) => V): V {
    if (!this.#made.has(make)) this.#made.set(make, make(this));
    return this.#made.get(make) as V;
  }
}
