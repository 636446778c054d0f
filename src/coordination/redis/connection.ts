import type { Redis, RedisOptions } from 'ioredis';
import type { RedisSettings } from '../../config.ts';
import { RedisAway } from './state.ts';

const CONNECT_MS = 500;

// The library's own reconnecting was seen to treat a closed connection as ready.
const OPTIONS: RedisOptions = {
  lazyConnect: true,
  connectTimeout: CONNECT_MS,
  retryStrategy: () => null,
  enableOfflineQueue: false,
  // Commands left unanswered by a connection are not sent again: they may have been executed.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // The heartbeat finds out more: whether Redis accepts writes.
  enableReadyCheck: false,
  disableClientInfo: true,
};

/** The address of Redis, and its timeout. */
export type RedisPlace = Pick<RedisSettings, 'url' | 'commandTimeoutMs'>;

/** Opens a connection. Fails if that takes too long, even if it is accepted but receives no response. */
export async function connect({ url, commandTimeoutMs }: RedisPlace): Promise<Redis> {
  // Loaded only if Redis is used.
  const { Redis: Client } = await import('ioredis');
  const client = new Client(url, OPTIONS);
  // The library rejects with "Connection is closed." and emits the reason. Later, each command reports its own failure.
  let reason: unknown;
  client.on('error', (error) => (reason ??= error));
  try {
    await within(client.connect(), CONNECT_MS + commandTimeoutMs);
    // The library silently uses the first database if the one in the URL does not exist.
    const { db = 0 } = client.options;
    if (db !== 0) await within(client.select(db), commandTimeoutMs);
    return client;
  } catch (error) {
    client.disconnect();
    throw reason instanceof Error && 'code' in reason ? reason : error;
  }
}

/**
 * Waits for a response for a limited time. A response that arrived in time while this process was busy is still read
 * before the timeout takes effect.
 */
export function within<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new RedisAway('timed out', { mayHaveArrived: true }));
    const timer = setTimeout(() => setImmediate(giveUp), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
