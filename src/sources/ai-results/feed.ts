import type { SourceError } from '../errors.ts';

/** The record of a generation received from a feed, possibly without its text. */
export interface IncomingResult {
  readonly contentId: string;
  /** The service's record, without secrets. */
  readonly wire: unknown;
  readonly hasText: boolean;
  /** True if it was read with the caller's own credential; a socket may deliver results of others. */
  readonly isProven: boolean;
}

/** Receives the events of a result feed. */
export interface FeedListener {
  readonly onResult: (result: IncomingResult) => void;
  /** Called when the feed has connected or disconnected. */
  readonly onState?: (isUp: boolean) => void;
  /** Called when the service no longer accepts the credential. */
  readonly onRefusal?: (error: SourceError) => void;
}

/** A source of results: a push socket, or the history. Open from creation until it is closed. */
export interface ResultFeed {
  close(): void;
}
