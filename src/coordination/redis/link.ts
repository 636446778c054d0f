import type { Redis } from 'ioredis';
import { createBoundedCache } from '../../bounded-cache.ts';
import type { Log } from '../../observability/log.ts';
import { connect, ifOwn, isAway, RedisAway, reasonOf, within, type RedisPlace } from './connection.ts';

/** Runs a command in Redis. */
export type RunNow = <T>(command: (client: Redis) => Promise<T>) => Promise<T>;

/** A command that is harmless if run twice. */
type Command = (client: Redis) => Promise<unknown>;

/** Restores data that Redis may have lost. */
type Restore = (run: RunNow) => Promise<void>;

interface Delayed {
  readonly command: Command;
  readonly chars: number;
}

/** Interval of the heartbeat. */
const BEAT_MS = 500;
/** How long beats may be unanswered before a connection is considered dead, whatever its state, in milliseconds. */
const DEAF_MS = 2_000;
/** Delayed commands beyond this are dropped, the oldest first: what they concern then reads as unknown. */
const DELAYED = { maxEntries: 10_000, maxSize: 16 * 1024 * 1024 } as const;
const AT_ONCE = 200;
/** Default size of a command, in characters. */
const SMALL = 500;

const ENDED = new RedisAway('the connection was closed');
const NOT_ASKED = new RedisAway('Redis is unavailable');
const EMPTY = new RedisAway('Redis lost its data');
const JUMPED = new RedisAway('the clock of Redis jumped');

/** Whether a command that failed in `run` may have been executed: unless it was not sent. */
export function mayHaveRun(error: unknown): boolean {
  return error !== NOT_ASKED;
}

/** Connects once, and returns in brief why Redis cannot be used; null if it can. */
export async function problemOfRedis(place: RedisPlace): Promise<string | null> {
  try {
    const client = await connect(place);
    await within(greet(client), place.commandTimeoutMs).finally(() => client.disconnect());
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** The connection to Redis. A heartbeat tests it continually, so that no caller waits for an unavailable Redis. */
export class RedisLink {
  /** Resolves after the first attempt to reach Redis. */
  readonly tried: Promise<void>;
  readonly #place: RedisPlace;
  readonly #log: Log;
  #client: Redis | null = null;
  #problem: string | null = 'not connected yet';
  /** Problems logged since it was last available. */
  readonly #logged = new Set<string>();
  /** When it was last known to answer, or else connected, as a `performance.now` time. */
  #heardAt = 0;
  #greeting: Greeting = UNKNOWN;
  /** True from when Redis may have lost its data until that is restored. */
  #hasForgotten = false;
  /** True if Redis was a replica, which has lost what its primary lacked. */
  #wasReplica = false;
  readonly #waiting: (() => void)[] = [];
  readonly #restores: Restore[] = [];
  readonly #listeners: (() => void)[] = [];
  /** Commands to run when Redis is back. */
  readonly #delayed = createBoundedCache<Delayed>({ ...DELAYED, sizeOf: ({ chars }) => chars });
  readonly #underWay = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** Starts connecting; until that succeeds, Redis counts as unavailable. */
  constructor(place: RedisPlace, log: Log) {
    this.#place = place;
    this.#log = log;
    this.tried = this.#beat();
  }

  get isUp(): boolean {
    return this.#problem === null;
  }

  /** Why Redis is unavailable, in brief; null while it is available. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Milliseconds by which the clock of Redis is ahead of this one. */
  get clockAheadMs(): number {
    return this.#greeting.clockAheadMs;
  }

  /** The time of Redis in epoch milliseconds, unless its clock has jumped in the last half second. */
  get redisNow(): number {
    return this.#greeting.now + performance.now() - this.#greeting.readAt;
  }

  /** Milliseconds since Redis may have lost its data. */
  get ageMs(): number {
    return this.redisNow - this.#greeting.begunAt;
  }

  /** A value that is the same for as long as Redis has kept its data. */
  get epoch(): string {
    return this.#greeting.epoch;
  }

  /** Runs a command. Fails with RedisAway: immediately while Redis is unavailable, or when the command times out. */
  async run<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    if (!this.isUp || this.#client === null) throw NOT_ASKED;
    const answer = this.#inTime(command(this.#client));
    this.#underWay.add(answer);
    try {
      return await answer;
    } catch (error) {
      if (isAway(error)) this.#fall(error);
      throw new RedisAway(reasonOf(error));
    } finally {
      this.#underWay.delete(answer);
    }
  }

  /**
   * Runs a command now or, if that fails, once Redis is back: only the last of its name, which must be harmless if run
   * twice. Resolves when it was run or stored, and never rejects. `chars` is its approximate size.
   */
  async deliver(name: string, command: Command, chars: number = SMALL): Promise<void> {
    try {
      await this.run(command);
    } catch {
      this.#delayed.set(name, { command, chars });
      // Redis may be back by now.
      if (this.isUp) await this.#runDelayed((one) => this.run(one)).catch(() => undefined);
    }
  }

  /** Registers a function that restores data that Redis may have lost, before other commands. Keep its commands short. */
  onLoss(restore: Restore): void {
    this.#restores.push(restore);
  }

  /** Registers a listener for the return of Redis. */
  onReturn(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Resolves when Redis is available. */
  whenUp(): Promise<void> {
    return this.isUp ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Waits for the commands under way, and disconnects. */
  async close(): Promise<void> {
    await this.tried;
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#drop();
  }

  async #beat(): Promise<void> {
    try {
      const redis = await this.#connected();
      const before = this.#greeting;
      const greeting = await this.#inTime(greet(redis));
      this.#heardAt = greeting.readAt;
      this.#greeting = greeting;
      const isAnother = before.epoch !== greeting.epoch;
      if (before.epoch !== '' && isAnother) this.#hasForgotten = true;
      const lacksLatest = isAnother ? greeting.begunAt < before.begunAt : this.#wasReplica;
      if (lacksLatest || (!this.#hasForgotten && hasJumped(before, greeting))) {
        // With a new epoch, all processes restore what it lacks, or what may have expired too early.
        await this.#inTime(ifOwn(redis, EPOCH_KEY, greeting.epoch, 'DEL'));
        throw lacksLatest ? EMPTY : JUMPED;
      }
      this.#wasReplica = false;
      if (this.isUp && this.#hasForgotten) this.#fall(EMPTY);
      if (!this.isUp) await this.#comeBack(redis);
      this.#hasForgotten = false;
    } catch (error) {
      this.#fall(error);
      if (performance.now() - this.#heardAt > DEAF_MS) this.#drop();
    }
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#beat(), BEAT_MS).unref();
  }

  async #connected(): Promise<Redis> {
    if (this.#client !== null) return this.#client;
    const client = await connect(this.#place);
    this.#client = client;
    this.#heardAt = performance.now();
    client.once('end', () => {
      if (this.#client !== client) return;
      this.#client = null;
      this.#fall(ENDED);
    });
    return client;
  }

  #drop(): void {
    const dropped = this.#client;
    this.#client = null;
    dropped?.disconnect();
  }

  async #comeBack(redis: Redis): Promise<void> {
    const runNow: RunNow = (command) => this.#inTime(command(redis));
    if (this.#hasForgotten) for (const restore of this.#restores) await restore(runNow);
    await this.#runDelayed(runNow);
    this.#problem = null;
    this.#logged.clear();
    this.#log.info({}, 'connected to Redis');
    for (const resolve of this.#waiting.splice(0)) resolve();
    for (const listener of this.#listeners) listener();
  }

  #fall(error: unknown): void {
    const problem = reasonOf(error);
    this.#problem = problem;
    this.#wasReplica ||= problem === 'READONLY';
    if (this.#logged.has(problem)) return;
    this.#logged.add(problem);
    this.#log.warn({ reason: problem }, 'Redis unavailable; continuing without it');
  }

  // Also runs commands that are added meanwhile. Rejects if Redis becomes unavailable, keeping the rest.
  async #runDelayed(run: RunNow): Promise<void> {
    while (this.#delayed.size > 0) {
      const part = [...this.#delayed.entries()].slice(-AT_ONCE).map(async ([name, one]) => {
        try {
          await run(one.command);
        } catch (error) {
          // A command that Redis rejects for its own sake would be rejected again.
          if (isAway(error)) throw error;
        }
        // It may have been replaced in the meantime.
        if (this.#delayed.peek(name) === one) this.#delayed.delete(name);
      });
      await Promise.all(part);
    }
  }

  #inTime<T>(answer: Promise<T>): Promise<T> {
    return within(answer, this.#place.commandTimeoutMs);
  }
}

/** Whether the clock of Redis has jumped between two greetings, so that keys may have expired too early. */
function hasJumped(before: Greeting, { now, readAt }: Greeting): boolean {
  return Math.abs(now - before.now - (readAt - before.readAt)) > MAX_CLOCK_ERROR_MS;
}

/** The state that Redis reports. */
interface Greeting {
  /** Changes after Redis may have lost its data. */
  readonly epoch: string;
  /** When the epoch began, in epoch milliseconds by its own clock. */
  readonly begunAt: number;
  /** Its own time, in epoch milliseconds, and when it was read, as a `performance.now` time. */
  readonly now: number;
  readonly readAt: number;
  /** Milliseconds by which its clock is ahead of this one. */
  readonly clockAheadMs: number;
}

/** Before the first greeting. */
const UNKNOWN: Greeting = {
  epoch: '',
  begunAt: Number.NaN,
  now: Number.NaN,
  readAt: 0,
  clockAheadMs: 0,
};

/** Stays the same for as long as this Redis keeps its data. */
export const EPOCH_KEY = 'spg:epoch';
const BEAT_KEY = 'spg:beat';

// One that was restarted, or was a replica before, may have lost the latest writes: it has another run id, and a new epoch.
const GREET = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('SET', KEYS[2], now, 'PX', 10000)
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
local epoch = redis.call('GET', KEYS[1])
if not epoch or not string.find(epoch, run, 1, true) then
  epoch = now .. ' ' .. ARGV[1] .. ' ' .. run
  redis.call('SET', KEYS[1], epoch)
end
return {epoch, now}`;

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
async function greet(redis: Redis): Promise<Greeting> {
  const [info, answer] = await Promise.all([
    redis.info('memory'),
    redis.eval(GREET, 2, EPOCH_KEY, BEAT_KEY, Math.random()),
  ]);
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1] ?? 'unknown';
  if (policy !== KEEPING_POLICY) {
    await redis.del(EPOCH_KEY);
    throw new RedisAway(`maxmemory-policy is ${policy}, not ${KEEPING_POLICY}`);
  }
  const [epoch, now] = answer as [string, string];
  return {
    epoch,
    begunAt: Number.parseInt(epoch, 10),
    now: Number(now),
    readAt: performance.now(),
    clockAheadMs: Number(now) - Date.now(),
  };
}

/** Largest difference between the clock of Redis and this process that is not a jump, in milliseconds. */
export const MAX_CLOCK_ERROR_MS = 60_000;
