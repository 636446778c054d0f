import type { SocketLimits } from '../../config/sockets.ts';

/** How fast messages may come. */
export type RateLimits = Pick<SocketLimits, 'messagesPerSecond' | 'messageBurst'>;

/**
 * Counts the messages of one socket: a burst, and from then on so many a second. To be called for each message; false
 * when it came too fast.
 *
 * The first message is free, so that a client that comes back may send its greeting and a burst of operations.
 */
export function createMessageRate(
  { messagesPerSecond, messageBurst }: RateLimits,
  now: () => number = () => performance.now(),
): () => boolean {
  let left = messageBurst + 1;
  let countedAt = now();
  return () => {
    const at = now();
    const gained = ((at - countedAt) / 1_000) * messagesPerSecond;
    countedAt = at;
    left = Math.max(left, Math.min(messageBurst, left + gained)) - 1;
    return left >= 0;
  };
}
