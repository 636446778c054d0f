import type { SocketLimits } from '../../config.ts';

/** The rate at which messages may arrive. */
export type RateLimits = Pick<SocketLimits, 'messagesPerSecond' | 'messageBurst'>;

/**
 * Counts the messages of one socket: a burst, then a fixed number per second. Call the returned function for each
 * message; it returns false if the message arrived too fast.
 *
 * The first message is free, so that a reconnecting client may send its greeting and a burst of operations.
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
