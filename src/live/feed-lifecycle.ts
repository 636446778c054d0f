import type { IncomingResult } from '../sources/ai-results/feed.ts';
import type { Wanted } from '../sources/ai-results/history.ts';
import type { SourceError } from '../sources/errors.ts';

/** The feeds by which results come to one channel: the push socket, where there is one, and the history. */
export interface Feeds {
  /** Look soon: something is waited for that may be there. */
  lookSoon(): void;
  close(): void;
}

/** What a channel is told by its feeds, and asked. */
export interface FeedsListener {
  readonly wanted: () => Wanted;
  readonly onResult: (result: IncomingResult) => void;
  /** The credential is not accepted any more. */
  readonly onRefusal: (error: SourceError) => void;
  /** The waiting for these is over: a last look into the history did not show them, or the history could not be read. */
  readonly onOverdue: (contentIds: readonly string[]) => void;
}

/** How long after the last reader has left the feeds stay open for a next one, in milliseconds. */
const IDLE_MS = 1_000;

/** The feeds of a channel: open while somebody is in. */
export interface FeedLifecycle {
  /** Opens the feeds, if they are not open, and has them look. */
  enter(): void;
  /** Has them look, if they are open. */
  lookSoon(): void;
  /** Closes them in a while, unless somebody enters. */
  leave(): void;
  close(): void;
}

/** What a feed lifecycle is told. */
export interface FeedLifecycleOptions {
  readonly openFeeds: (listener: FeedsListener) => Feeds;
  readonly listener: () => FeedsListener;
  /** Called when nobody reads any more and the feeds are closed. */
  readonly onClose: () => void;
}

/** Makes a feed lifecycle; the feeds are closed until somebody enters. */
export function createFeedLifecycle({ openFeeds, listener, onClose }: FeedLifecycleOptions): FeedLifecycle {
  let feeds: Feeds | null = null;
  let idle: NodeJS.Timeout | undefined;
  const close = (): void => {
    clearTimeout(idle);
    feeds?.close();
    feeds = null;
    onClose();
  };
  return {
    enter() {
      clearTimeout(idle);
      idle = undefined;
      feeds ??= openFeeds(listener());
      feeds.lookSoon();
    },
    lookSoon: () => feeds?.lookSoon(),
    // Counted from when the last reader left, whatever is asked for since.
    leave: () => void (idle ??= setTimeout(close, IDLE_MS).unref()),
    close,
  };
}
