import type { SourceError } from '../errors.ts';

/** A record of a generation that came in by some way; it may be without its text. */
export interface IncomingResult {
  readonly contentId: string;
  /** The service's record, without secrets. */
  readonly wire: unknown;
  readonly hasText: boolean;
  /** True where it was read with the credential itself; a socket may carry what belongs to others. */
  readonly isProven: boolean;
}

/** Who listens to a way by which results come. */
export interface FeedListener {
  readonly onResult: (result: IncomingResult) => void;
  /** The way has become usable, or has ceased to be. */
  readonly onState?: (isUp: boolean) => void;
  /** The service does not accept the credential any more. */
  readonly onRefusal?: (error: SourceError) => void;
}

/** One of the ways by which results come: a push socket, or the history. Open from when it is made until it is closed. */
export interface ResultFeed {
  close(): void;
}
