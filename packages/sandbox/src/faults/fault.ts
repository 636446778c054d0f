import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointName } from '../endpoints.ts';

/** What goes wrong. Sizes are bytes, times milliseconds of the machine's own clock. */
export type FaultKind =
  /** Responds with a status; a body that is not text is sent as JSON. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Resets the connection before the first byte of a response. */
  | { readonly kind: 'reset-before-headers' }
  /** Sends the head and half of the body, then resets the connection. */
  | { readonly kind: 'reset-in-body' }
  /** Accepts the request and never responds. */
  | { readonly kind: 'never-answer' }
  /** Responds late. With `effect: 'none'` the call itself runs late, or not at all if the caller has disconnected. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Sends less than announced and closes the connection cleanly; `close` announces no length. */
  | {
      readonly kind: 'cut-body';
      readonly framing: 'content-length' | 'chunked' | 'close';
      readonly keep?: number;
    }
  /** Responds with 200 and text that is not valid JSON. */
  | { readonly kind: 'malformed-json'; readonly text?: string }
  /** Sends the body, or the whole response from its first header byte, one byte per interval. */
  | { readonly kind: 'dribble'; readonly intervalMs: number; readonly from?: 'headers' | 'body' }
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number }
  /** Streams a JSON text of `bytes` bytes; `claim` is a content-length to announce instead of chunks. */
  | { readonly kind: 'huge-body'; readonly bytes: number; readonly claim?: number }
  /** Compresses the response with gzip; `inflatedBytes` makes it a bomb of zeros of that size instead. */
  | { readonly kind: 'gzip'; readonly inflatedBytes?: number }
  /** Sends the response with another content type, or with none. */
  | { readonly kind: 'content-type'; readonly contentType: string | null }
  | { readonly kind: 'empty-body'; readonly status?: number }
  /** Passes the raw request (with its body already read) and response to a function. */
  | { readonly kind: 'raw'; readonly write: (req: IncomingMessage, res: ServerResponse) => void }
  /** Changes the parsed JSON response; integers of 16 or more digits are bigints, and may be returned as such. */
  | { readonly kind: 'rewrite'; readonly change: (answer: unknown) => unknown };

/** What a fault strikes, and how often. */
export interface FaultTarget {
  /** A call, or `*` for all 22. */
  readonly endpoint: EndpointName | '*';
  /** Name of the only owner that it strikes; ignored for a call that carries no owner's credential. */
  readonly owner?: string;
  /** How many requests are struck: 1 by default, `Infinity` for all. */
  readonly times?: number;
  /** How many requests pass before that. */
  readonly skip?: number;
  /**
   * Whether the call has had its effect when the fault strikes.
   *
   * By default `done` for rewrite, delay, dribble, gzip and content-type, which only disguise the response; `none`
   * for the others. Rewrite always runs the call. A fault that cuts or disguises a body uses the real response if the
   * call ran or changes nothing anyway, and a made-up one otherwise.
   */
  readonly effect?: 'done' | 'none';
}

export type Fault = FaultTarget & FaultKind;

/** A configured fault. */
export interface FaultHandle {
  /** How many requests it has struck. */
  readonly hits: number;
  /** How many it will still strike. */
  readonly remaining: number;
  remove(): void;
}

/** Faults on demand. If several match, the one added first strikes. */
export interface Faults {
  add(fault: Fault): FaultHandle;
  clear(): void;
}
