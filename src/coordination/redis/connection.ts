import type { Redis, RedisOptions } from 'ioredis';
import type { RedisSettings } from '../../config.ts';
import { hashOf } from '../../journal/journal.ts';

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
    const giveUp = (): void => reject(new RedisAway('timed out'));
    const timer = setTimeout(() => setImmediate(giveUp), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Returns the key of a value in Redis, of bounded length. Names of callers are hashes already. */
export function keyOf(kind: string, ...parts: readonly string[]): string {
  return `spg:${kind}:${hashOf(parts)}`;
}

const IF_OWN = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call(ARGV[2], KEYS[1], unpack(ARGV, 3))`;

/** Runs a command on a key if its value is still the given one, not another's; returns 0 otherwise. */
export function ifOwn(redis: Redis, key: string, value: string, ...command: string[]): Promise<unknown> {
  return redis.eval(IF_OWN, 1, key, value, ...command);
}

/** The failure of a Redis command. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';
}

/** Error codes with which Redis rejects every command of a kind for the moment. */
const AWAY_CODES: ReadonlySet<string> = new Set(
  `OOM READONLY LOADING NOAUTH WRONGPASS NOPERM MASTERDOWN MISCONF NOREPLICAS CLUSTERDOWN BUSY UNKILLABLE`.split(
    ' ',
  ),
);

/** Whether an error means that Redis is unavailable, rather than a failure of one command. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof SyntaxError || error instanceof TypeError) return false;
  return error.name !== 'ReplyError' || AWAY_CODES.has(codeOf(error));
}

/** Returns an error's reason in brief. Redis' messages may contain a key; their first word is a code, such as OOM. */
export function reasonOf(error: unknown): string {
  if (error instanceof RedisAway) return error.message;
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'ParserError') return 'not a Redis server';
  if (error.message.startsWith('ERR DB index')) return 'no database with that number';
  return codeOf(error) || ('code' in error ? String(error.code) : 'the connection was closed');
}

function codeOf({ message }: Error): string {
  return /^[A-Z]{2,}(?= )/.exec(message)?.[0] ?? '';
}
