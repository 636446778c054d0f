import type { IncomingResult } from '../sources/ai-results/feed.ts';
import type { Wanted } from '../sources/ai-results/history.ts';
import type { SourceError } from '../sources/errors.ts';

/** The feeds of one channel: the push socket, if configured, and the history. */
export interface Feeds {
  /** Polls soon, for a result that may already be available. */
  lookSoon(): void;
  close(): void;
}

/** The callbacks of a channel for its feeds. */
export interface FeedsListener {
  readonly wanted: () => Wanted;
  readonly onResult: (result: IncomingResult) => void;
  /** Called when the credential is no longer accepted. */
  readonly onRefusal: (error: SourceError) => void;
  /** Called when the wait for these is over: a last poll of the history did not find them, or it could not be read. */
  readonly onOverdue: (contentIds: readonly string[]) => void;
}

/** How long the feeds stay open for another reader after the last has left, in milliseconds. */
const IDLE_MS = 1_000;

/** The feeds of a channel, open while it has readers. */
export interface FeedLifecycle {
  /** Opens the feeds, if they are closed, and makes them poll. */
  enter(): void;
  /** Makes them poll, if they are open. */
  lookSoon(): void;
  /** Closes them after a while, unless a reader enters. */
  leave(): void;
  close(): void;
}

/** The options of a feed lifecycle. */
export interface FeedLifecycleOptions {
  readonly openFeeds: (listener: FeedsListener) => Feeds;
  readonly listener: () => FeedsListener;
  /** Called when the last reader has left and the feeds are closed. */
  readonly onClose: () => void;
}

/** Creates a feed lifecycle; the feeds are closed until a reader enters. */
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
    // Counted from when the last reader left, whatever was requested since.
    leave: () => void (idle ??= setTimeout(close, IDLE_MS).unref()),
    close,
  };
}
