import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointName } from '../endpoints.ts';

/** What goes wrong. Sizes are bytes, times milliseconds of the machine's own clock. */
export type FaultKind =
  /** Answers with a status; a body that is not text is sent as JSON. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Resets the connection before any byte of an answer. */
  | { readonly kind: 'reset-before-headers' }
  /** Sends the head and half of the body, then resets the connection. */
  | { readonly kind: 'reset-in-body' }
  /** Takes the request and stays silent. */
  | { readonly kind: 'never-answer' }
  /** Answers late. With `effect: 'none'` the call itself runs late, and not at all when the caller has gone. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Sends less than announced and ends the connection in good order; `close` announces nothing at all. */
  | {
      readonly kind: 'cut-body';
      readonly framing: 'content-length' | 'chunked' | 'close';
      readonly keep?: number;
    }
  /** 200 with text that is no JSON. */
  | { readonly kind: 'malformed-json'; readonly text?: string }
  /** Sends the body, or the whole answer from its first header byte, one byte per interval. */
  | { readonly kind: 'dribble'; readonly intervalMs: number; readonly from?: 'headers' | 'body' }
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number }
  /** Streams a JSON text of so many bytes; `claim` is a content-length to announce instead of chunks. */
  | { readonly kind: 'huge-body'; readonly bytes: number; readonly claim?: number }
  /** Encodes the answer with gzip unasked; `inflatedBytes` makes it a bomb of zeros of that size instead. */
  | { readonly kind: 'gzip'; readonly inflatedBytes?: number }
  /** Sends the answer under another content type, or under none. */
  | { readonly kind: 'content-type'; readonly contentType: string | null }
  | { readonly kind: 'empty-body'; readonly status?: number }
  /** Hands over the raw request (its body is already read) and response. */
  | { readonly kind: 'raw'; readonly write: (req: IncomingMessage, res: ServerResponse) => void }
  /** Changes the parsed JSON answer; integers of 16 digits and more come and may go as bigints. */
  | { readonly kind: 'rewrite'; readonly change: (answer: unknown) => unknown };

/** Whom a fault strikes, and how often. */
export interface FaultTarget {
  /** A call, or `*` for every one of the 22. */
  readonly endpoint: EndpointName | '*';
  /** Name of the only owner that it strikes. */
  readonly owner?: string;
  /** How many requests are struck: 1 unless told, `Infinity` for all. */
  readonly times?: number;
  /** How many requests pass before that. */
  readonly skip?: number;
  /**
   * Whether the call has had its effect when the fault strikes.
   *
   * Unless told: `done` for rewrite, delay, dribble, gzip and content-type, which only disguise the answer; `none`
   * for the others. Rewrite always runs the call. A fault that cuts or disguises a body uses the true answer when the
   * call ran or changes nothing anyway, and a made-up one otherwise.
   */
  readonly effect?: 'done' | 'none';
}

export type Fault = FaultTarget & FaultKind;

/** A fault that was set up. */
export interface FaultHandle {
  /** How many requests it has struck. */
  readonly hits: number;
  /** How many it still will. */
  readonly remaining: number;
  remove(): void;
}

/** Faults on demand. Where several match, the one that was added first strikes. */
export interface Faults {
  add(fault: Fault): FaultHandle;
  clear(): void;
}
