import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeUtf8 } from './utf8.ts';

/** Longer responses are parsed in a separate turn, in bytes. */
const LARGE_BYTES = 256 * 1024;

/** What a function has made of a response. */
interface Made {
  readonly make: (answer: HttpAnswer) => unknown;
  readonly value: unknown;
  readonly before: Made | null;
}

/** A complete response, whatever its status; equal reads share one. */
export class HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** UTF-8, decompressed. */
  readonly body: Buffer;
  /** What readers have made of it, the latest first; never more than a few. */
  #made: Made | null = null;

  constructor({ status, headers, body }: Pick<HttpAnswer, 'status' | 'headers' | 'body'>) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  get isLarge(): boolean {
    return this.body.length > LARGE_BYTES;
  }

  /** Decoded each time, because few readers want it: most responses are JSON. */
  get text(): string {
    return decodeUtf8(this.body);
  }

  /** Calls `make` once for all readers of the response: a hundred copies of a large one would be too many. */
  once<V>(make: (answer: HttpAnswer) => V): V {
    for (let made = this.#made; made !== null; made = made.before)
      if (made.make === make) return made.value as V;
    const value = make(this);
    this.#made = { make, value, before: this.#made };
    return value;
  }

  /** Lets other work run between parsing a large response and reading its records. */
  async pause(): Promise<void> {
    if (this.isLarge) await nextTurn();
  }
}

const SECONDS = /^\d+(?:\.\d*)?$/;
/** `Date.parse` accepts almost anything, even `1.5`. */
const DATE = /^(?:[a-z]{3,9},? |\d{4}-\d\d-\d\dT).*\d:\d\d/i;
const ZONE = /(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/i;

/**
 * Returns the pause requested by the `retry-after` header, in milliseconds; null if there is none. It is read leniently:
 * seconds may have a fraction, which is rounded up to a millisecond, and dates any form that HTTP has had, or that of ISO
 * 8601.
 */
export function retryAfterOf({ headers }: Pick<HttpAnswer, 'headers'>): number | null {
  const value = [headers['retry-after']].flat()[0]?.trim() ?? '';
  if (SECONDS.test(value)) return Math.min(Math.ceil(Number(value) * 1_000), Number.MAX_SAFE_INTEGER);
  if (!DATE.test(value)) return null;
  // Without a zone, HTTP dates are in GMT, but `Date.parse` assumes the local one.
  const at = Date.parse(ZONE.test(value) ? value : `${value} GMT`);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
