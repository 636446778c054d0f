import type { Redis } from 'ioredis';
import type { Log } from '../log.ts';

/** Redis can't be asked at the moment, or has not answered in time. What was asked may have been done all the same. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';
}

/** What Redis says of itself. */
export interface Greeting {
  /** Another one after Redis has forgotten everything. */
  readonly epoch: string;
  /** Milliseconds by which its clock is ahead of this one. */
  readonly clockAheadMs: number;
}

/** Is there for as long as Redis remembers anything at all. */
const EPOCH_KEY = 'spg:epoch';

/** Asks whether Redis takes writes, whether it is the one that it was, and what time it is there. */
export async function greet(redis: Redis): Promise<Greeting> {
  await redis.set(EPOCH_KEY, `${Date.now()} ${Math.random()}`, 'NX');
  const [epoch, time] = await Promise.all([redis.get(EPOCH_KEY), redis.time()]);
  // Texts, whatever the library's types say.
  const [seconds = 0, micros = 0] = time.map(Number);
  return { epoch: epoch ?? '', clockAheadMs: seconds * 1_000 + micros / 1_000 - Date.now() };
}

/** What is known of Redis. */
export interface RedisState {
  readonly isUp: boolean;
  readonly clockAheadMs: number;
  /** Failures since it was there for the last time. */
  readonly failures: number;
  meet(greeting: Greeting): void;
  /** It is there; true when it has forgotten what it knew. */
  rise(): boolean;
  fall(reason: unknown): void;
}

/** Nothing is known yet; whatever changes is told in the log. */
export function createState(log: Log): RedisState {
  let isUp: boolean | null = null;
  let failures = 0;
  let hasForgotten = false;
  let known: Greeting = { epoch: '', clockAheadMs: 0 };
  return {
    get isUp() {
      return isUp === true;
    },
    get clockAheadMs() {
      return known.clockAheadMs;
    },
    get failures() {
      return failures;
    },
    meet(greeting) {
      hasForgotten ||= known.epoch !== '' && known.epoch !== greeting.epoch;
      known = greeting;
    },
    rise() {
      isUp = true;
      failures = 0;
      log.info({ hasForgotten }, 'Redis is there');
      const isEmpty = hasForgotten;
      hasForgotten = false;
      return isEmpty;
    },
    fall(reason) {
      failures += 1;
      if (isUp === false) return;
      isUp = false;
      log.warn({ reason: reasonOf(reason) }, 'Redis is away; this process goes on by itself');
    },
  };
}

/** What went wrong, in a word. Redis' own words may hold a key; their first is a code, such as READONLY or OOM. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error instanceof RedisAway) return error.message;
  return /^[A-Z]{2,}/.exec(error.message)?.[0] ?? ('code' in error ? String(error.code) : 'not connected');
}
