import type { Redis } from 'ioredis';
import type { Log } from '../../observability/log.ts';

/** What a command to Redis failed with. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';
  /** False where Redis was not asked at all; else what was asked may have been done all the same. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, { mayHaveArrived }: { readonly mayHaveArrived: boolean }) {
    super(message);
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** What Redis says of itself. */
export interface Greeting {
  /** Another one after Redis has forgotten everything. */
  readonly epoch: string;
  /** When it was empty for the last time, in epoch milliseconds by its own clock. */
  readonly emptyAt: number;
  /** Milliseconds by which its clock is ahead of this one. */
  readonly clockAheadMs: number;
}

/** What is known of Redis. */
export interface RedisState {
  readonly isUp: boolean;
  /** What it said last. */
  readonly greeting: Greeting;
  /** Failures since it was there for the last time. */
  readonly failures: number;
  /** When it went for the last time, in the milliseconds of `performance.now`. */
  readonly fellAt: number;
  /** Takes its greeting; true when it has forgotten what it knew. */
  meet(greeting: Greeting): boolean;
  rise(): void;
  fall(reason: unknown): void;
  /** Resolves when it is there. */
  whenUp(): Promise<void>;
}

/** Nothing is known yet; whatever changes is told in the log. */
export function createState(log: Log): RedisState {
  let isUp: boolean | null = null;
  let failures = 0;
  let fellAt = Number.NEGATIVE_INFINITY;
  let greeting: Greeting = { epoch: '', emptyAt: Number.POSITIVE_INFINITY, clockAheadMs: 0 };
  const waiting: (() => void)[] = [];
  return {
    get isUp() {
      return isUp === true;
    },
    get greeting() {
      return greeting;
    },
    get failures() {
      return failures;
    },
    get fellAt() {
      return fellAt;
    },
    meet(next) {
      const hasForgotten = greeting.epoch !== '' && greeting.epoch !== next.epoch;
      greeting = next;
      return hasForgotten;
    },
    rise() {
      isUp = true;
      failures = 0;
      log.info({}, 'Redis is there');
      for (const resolve of waiting.splice(0)) resolve();
    },
    fall(reason) {
      failures += 1;
      if (isUp === false) return;
      isUp = false;
      fellAt = performance.now();
      log.warn({ reason: reasonOf(reason) }, 'Redis is away; this process continues alone');
    },
    whenUp: () => (isUp ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}

/** Is there for as long as Redis remembers anything at all. */
export const EPOCH_KEY = 'spg:epoch';
const BEAT_KEY = 'spg:beat';

const GREET = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('SET', KEYS[2], now, 'PX', 10000)
redis.call('SET', KEYS[1], now .. ' ' .. ARGV[1], 'NX')
return {redis.call('GET', KEYS[1]), now}`;

/** Asks whether Redis takes writes, whether it is the one that it was, and what time it is there. */
export async function greet(redis: Redis): Promise<Greeting> {
  const answer = await redis.eval(GREET, 2, EPOCH_KEY, BEAT_KEY, Math.random());
  const [epoch, now] = answer as [string, string];
  return { epoch, emptyAt: Number.parseInt(epoch, 10), clockAheadMs: Number(now) - Date.now() };
}

/** What Redis answers when it can't do anything of the kind at the moment, whatever it is asked. */
const AWAY_CODES: ReadonlySet<string> = new Set(
  `OOM READONLY LOADING NOAUTH WRONGPASS NOPERM MASTERDOWN MISCONF NOREPLICAS CLUSTERDOWN BUSY UNKILLABLE`.split(
    ' ',
  ),
);

/** True where a failure says that Redis is away; false where it is about one command alone. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof SyntaxError || error instanceof TypeError) return false;
  return error.name !== 'ReplyError' || AWAY_CODES.has(codeOf(error));
}

/** What went wrong, in a word. Redis' own words may hold a key; their first is a code, such as READONLY or OOM. */
export function reasonOf(error: unknown): string {
  if (error instanceof RedisAway) return error.message;
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'ParserError') return 'not a Redis server';
  if (error.message.startsWith('ERR DB index')) return 'no database of that number';
  return codeOf(error) || ('code' in error ? String(error.code) : 'not connected');
}

function codeOf({ message }: Error): string {
  return /^[A-Z]{2,}(?= )/.exec(message)?.[0] ?? '';
}
