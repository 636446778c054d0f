import type { Redis } from 'ioredis';

/** The failure of a Redis command. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';
  /** False if nothing was sent to Redis; otherwise the command may have been executed. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, { mayHaveArrived }: { readonly mayHaveArrived: boolean }) {
    super(message);
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** Whether a failed command may have been executed. */
export function mayHaveRun(error: unknown): boolean {
  return !(error instanceof RedisAway) || error.mayHaveArrived;
}

/** The state that Redis reports. */
export interface Greeting {
  /** Changes after Redis has lost its data. */
  readonly epoch: string;
  /** When it was last empty, in epoch milliseconds by its own clock. */
  readonly emptyAt: number;
  /** Its own time, in epoch milliseconds, and when it was read, as a `performance.now` time. */
  readonly now: number;
  readonly readAt: number;
  /** Milliseconds by which its clock is ahead of this one. */
  readonly clockAheadMs: number;
}

/** Before the first greeting. */
export const UNKNOWN: Greeting = {
  epoch: '',
  emptyAt: Number.POSITIVE_INFINITY,
  now: Number.NaN,
  readAt: 0,
  clockAheadMs: 0,
};

/** Exists for as long as Redis keeps its data. */
export const EPOCH_KEY = 'spg:epoch';
const BEAT_KEY = 'spg:beat';

const GREET = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('SET', KEYS[2], now, 'PX', 10000)
redis.call('SET', KEYS[1], now .. ' ' .. ARGV[1], 'NX')
return {redis.call('GET', KEYS[1]), now}`;

const KEEPING_POLICY = 'noeviction';
/** A condition for scripts: whether Redis keeps every key until it expires. */
export const KEEPS_KEYS = `string.match(redis.call('INFO', 'memory'), 'maxmemory_policy:([%w-]+)') == '${KEEPING_POLICY}'`;

/**
 * Checks whether Redis accepts writes, keeps them, and is still the same one, and reads its clock.
 *
 * A Redis that may evict keys is not used for anything: locks and leases, which expire first, are what it would evict
 * first. Its epoch is removed, so that it counts as having lost its data when its policy has been corrected.
 *
 * @throws RedisAway if Redis may evict keys; or the error with which Redis rejects a command
 */
export async function greet(redis: Redis): Promise<Greeting> {
  const [info, answer] = await Promise.all([
    redis.info('memory'),
    redis.eval(GREET, 2, EPOCH_KEY, BEAT_KEY, Math.random()),
  ]);
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1] ?? 'unknown';
  if (policy !== KEEPING_POLICY) {
    await redis.del(EPOCH_KEY);
    const message = `maxmemory-policy is ${policy}, not ${KEEPING_POLICY}`;
    throw new RedisAway(message, { mayHaveArrived: true });
  }
  const [epoch, now] = answer as [string, string];
  return {
    epoch,
    emptyAt: Number.parseInt(epoch, 10),
    now: Number(now),
    readAt: performance.now(),
    clockAheadMs: Number(now) - Date.now(),
  };
}

/** Largest difference between the clock of Redis and this process that is not a jump, in milliseconds. */
export const MAX_CLOCK_ERROR_MS = 60_000;

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
  return codeOf(error) || ('code' in error ? String(error.code) : 'not connected');
}

function codeOf({ message }: Error): string {
  return /^[A-Z]{2,}(?= )/.exec(message)?.[0] ?? '';
}
