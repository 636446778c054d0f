import type { Redis } from 'ioredis';
import type { Log } from '../../observability/log.ts';
import { connect, createConnection, within, type Connection, type RedisPlace } from './connection.ts';
import { createOutbox, type Command } from './outbox.ts';
import { removeOwnValue } from './own-value.ts';
import {
  createState,
  EPOCH_KEY,
  greet,
  hasJumped,
  isAway,
  RedisAway,
  reasonOf,
  timeSince,
  type RedisState,
} from './state.ts';

/** How Redis returned after it was unavailable. */
export interface Return {
  /** Whether it has lost all its data in the meantime. */
  readonly hasForgotten: boolean;
  /** When it became unavailable, as a `performance.now` time. */
  readonly fellAt: number;
}

/** The connection to Redis. A heartbeat tests it continually, so that no caller waits for an unavailable Redis. */
export interface RedisLink {
  /** Runs a command. Fails with RedisAway: immediately while Redis is unavailable, or when the command times out. */
  run<T>(command: (client: Redis) => Promise<T>): Promise<T>;
  /**
   * Runs a command now or, if that fails, once Redis is back: only the last of its name, which must be harmless if run
   * twice. Resolves when it was run or stored, and never rejects. `chars` is its approximate size.
   */
  deliver(name: string, command: Command, chars?: number): Promise<void>;
  /** Opens another connection, for blocking commands. */
  open(): Promise<Redis>;
  /** Registers a function that restores data when Redis is back, before other commands. Keep its commands short. */
  beforeReturn(tell: (run: RunNow, redis: Return) => Promise<void>): void;
  /** Registers a listener for the return of Redis. */
  onReturn(listener: () => void): void;
  /** Resolves when Redis is available. */
  whenUp(): Promise<void>;
  /** Milliseconds by which the clock of Redis is ahead of this one. */
  readonly clockAheadMs: number;
  /** The time of Redis in epoch milliseconds, unless its clock has jumped in the last half second. */
  readonly redisNow: number;
  /** Milliseconds since Redis was last empty. */
  readonly ageMs: number;
  /** A value that is the same for as long as Redis has not been empty. */
  readonly epoch: string;
  readonly isUp: boolean;
  /** Why Redis is unavailable, in brief; null while it is available. */
  readonly problem: string | null;
  /** Resolves after the first attempt to reach Redis. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
}

/** Runs a command while Redis is returning. */
export type RunNow = <T>(command: (client: Redis) => Promise<T>) => Promise<T>;

// Waits for the response to a command, within the timeout of commands.
type InTime = <T>(answer: Promise<T>) => Promise<T>;

/** Interval of the heartbeat. */
const BEAT_MS = 500;
/** Number of unanswered beats after which a connection is considered dead, whatever its state. */
const DEAF_BEATS = 4;
/** Default size of a command, in characters. */
const SMALL = 500;

/** Starts connecting; until that succeeds, Redis counts as unavailable. */
export function openRedisLink(place: RedisPlace, log: Log): RedisLink {
  const outbox = createOutbox();
  const state = createState(log);
  const tellers: Parameters<RedisLink['beforeReturn']>[0][] = [];
  const listeners: (() => void)[] = [];
  const connection = createConnection(place, () => state.fall(ENDED));
  const inTime: InTime = (command) => within(command, place.commandTimeoutMs);
  const comeBack = async (redis: Redis, hasForgotten: boolean): Promise<void> => {
    const runNow: RunNow = (command) => inTime(command(redis));
    for (const tell of tellers) await tell(runNow, { hasForgotten, fellAt: state.fellAt });
    await outbox.flush(runNow);
    state.rise();
    for (const listener of listeners) listener();
  };
  const pulse = beat(connection, state, { inTime, comeBack });
  const commands = createCommands(connection, state, inTime);
  return {
    run: commands.run,
    async deliver(name, command, chars = SMALL) {
      try {
        await commands.run(command);
      } catch {
        outbox.keep(name, command, chars);
        // Redis may be back by now.
        if (state.isUp) await outbox.flush(commands.run).catch(() => undefined);
      }
    },
    open: () => connect(place),
    beforeReturn: (tell) => void tellers.push(tell),
    onReturn: (listener) => void listeners.push(listener),
    whenUp: () => state.whenUp(),
    get clockAheadMs() {
      return state.greeting.clockAheadMs;
    },
    get redisNow() {
      return timeSince(state.greeting);
    },
    get ageMs() {
      return timeSince(state.greeting) - state.greeting.emptyAt;
    },
    get epoch() {
      return state.greeting.epoch;
    },
    get isUp() {
      return state.isUp;
    },
    get problem() {
      return state.problem;
    },
    tried: pulse.tried,
    async close() {
      await pulse.tried;
      await commands.ended();
      pulse.stop();
      connection.drop();
    },
  };
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

const ENDED = new RedisAway('the connection was closed', { mayHaveArrived: true });
const NOT_ASKED = new RedisAway('Redis is unavailable', { mayHaveArrived: false });
const EMPTY = new RedisAway('Redis lost its data', { mayHaveArrived: true });
const JUMPED = new RedisAway('the clock of Redis jumped', { mayHaveArrived: true });

// Runs commands while Redis is available, and tracks those in progress.
function createCommands(connection: Connection, state: RedisState, inTime: InTime) {
  const underWay = new Set<Promise<unknown>>();
  const run: RedisLink['run'] = async (command) => {
    const { client } = connection;
    if (!state.isUp || client === null) throw NOT_ASKED;
    const answer = inTime(command(client));
    underWay.add(answer);
    try {
      return await answer;
    } catch (error) {
      if (isAway(error)) state.fall(error);
      throw new RedisAway(reasonOf(error), { mayHaveArrived: true });
    } finally {
      underWay.delete(answer);
    }
  };
  return {
    run,
    async ended(): Promise<void> {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}

interface Pulse {
  /** Resolves after the first beat. */
  readonly tried: Promise<void>;
  stop(): void;
}

interface BeatParts {
  readonly inTime: InTime;
  readonly comeBack: (redis: Redis, hasForgotten: boolean) => Promise<void>;
}

// Tests Redis continually.
function beat(connection: Connection, state: RedisState, { inTime, comeBack }: BeatParts): Pulse {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  // True until all lost data has been restored.
  let hasForgotten = false;
  const once = async (): Promise<void> => {
    try {
      const redis = await connection.open();
      const before = state.greeting;
      const greeting = await inTime(greet(redis));
      hasForgotten = state.meet(greeting) || hasForgotten;
      if (!hasForgotten && hasJumped(before, greeting)) {
        // With a new epoch, all processes restore what may have expired too early.
        await inTime(removeOwnValue(redis, EPOCH_KEY, greeting.epoch));
        throw JUMPED;
      }
      if (state.isUp && hasForgotten) state.fall(EMPTY);
      if (!state.isUp) await comeBack(redis, hasForgotten);
      hasForgotten = false;
    } catch (error) {
      state.fall(error);
      if (state.failures % DEAF_BEATS === 0) connection.drop();
    }
    if (!isStopped) timer = setTimeout(() => void once(), BEAT_MS).unref();
  };
  return {
    tried: once(),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
