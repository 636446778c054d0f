import type { ChainableCommander, Redis, RedisOptions } from 'ioredis';
import type { RedisSettings } from '../../config/coordination.ts';
import { RedisAway } from './state.ts';

const CONNECT_MS = 500;

// The library would connect anew by itself, and was seen to take a connection for ready that had ended.
const OPTIONS: RedisOptions = {
  lazyConnect: true,
  connectTimeout: CONNECT_MS,
  retryStrategy: () => null,
  enableOfflineQueue: false,
  // What a connection left unanswered is not sent again by the next: it may have been done.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // The beat finds out more: whether it takes writes.
  enableReadyCheck: false,
  disableClientInfo: true,
};

/** Where Redis is, and how long it may take. */
export type RedisPlace = Pick<RedisSettings, 'url' | 'commandTimeoutMs'>;

/** The connection for commands: one at a time, and when it has ended, another one. */
export interface Connection {
  /** The one that there is; null while there is none. */
  readonly client: Redis | null;
  /** Gives the one that there is, or opens one. */
  open(): Promise<Redis>;
  drop(): void;
}

/** None is open yet; `onEnd` is called when one has ended by itself. */
export function createConnection(place: RedisPlace, onEnd: () => void): Connection {
  let client: Redis | null = null;
  return {
    get client() {
      return client;
    },
    async open() {
      if (client) return client;
      const opened = await connect(place);
      client = opened;
      opened.once('end', () => {
        if (client !== opened) return;
        client = null;
        onEnd();
      });
      return opened;
    },
    drop() {
      const dropped = client;
      client = null;
      dropped?.disconnect();
    },
  };
}

/** Opens a connection; fails when that takes too long, also where it is taken and nothing is said. */
export async function connect({ url, commandTimeoutMs }: RedisPlace): Promise<Redis> {
  // Who coordinates with nobody loads nothing.
  const { Redis: Client } = await import('ioredis');
  const client = new Client(url, OPTIONS);
  // The library rejects with "Connection is closed." and emits the reason. Later on, each command reports its own failure.
  let reason: unknown;
  client.on('error', (error) => (reason ??= error));
  try {
    await within(client.connect(), CONNECT_MS + commandTimeoutMs);
    // The library goes on with the first database where there is none of the number in the URL.
    const { db = 0 } = client.options;
    if (db !== 0) await within(client.select(db), commandTimeoutMs);
    return client;
  } catch (error) {
    client.disconnect();
    throw reason instanceof Error && 'code' in reason ? reason : error;
  }
}

/**
 * Waits for an answer for so long. One that lies there unread because this process was busy has come in time: it is read
 * before the time is up.
 */
export function within<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new RedisAway('no answer in time', { mayHaveArrived: true }));
    const timer = setTimeout(() => setImmediate(giveUp), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Runs several commands as one; fails if one of them does. */
export async function together(commands: ChainableCommander): Promise<void> {
  for (const [error] of (await commands.exec()) ?? []) if (error !== null) throw error;
}
