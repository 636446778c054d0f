import type { Redis } from 'ioredis';
import type { Log } from '../../observability/log.ts';
import { connect, createConnection, within, type Connection, type RedisPlace } from './connection.ts';
import { createOutbox, type Command } from './outbox.ts';
import { createState, greet, isAway, RedisAway, reasonOf, type RedisState } from './state.ts';

/** What somebody is told when Redis is back. */
export interface Return {
  /** Whether it has forgotten everything meanwhile. */
  readonly hasForgotten: boolean;
  /** When it went, in the milliseconds of `performance.now`. */
  readonly fellAt: number;
}

/** The connection to Redis. It is tried out all the time, so that nobody waits for a Redis that is away. */
export interface RedisLink {
  /** Runs a command. Fails with RedisAway, at once while Redis is away, and else when it takes too long. */
  run<T>(command: (client: Redis) => Promise<T>): Promise<T>;
  /**
   * Runs a command now or, where that fails, when Redis is back: the last of its name, and harmless if it is run twice.
   * Resolves when it was run or is kept, and never fails. `chars` says how much it holds.
   */
  deliver(name: string, command: Command, chars?: number): Promise<void>;
  /** Opens a further connection, for commands that wait. */
  open(): Promise<Redis>;
  /** Lets somebody tell Redis something when it is back, before anybody else asks it. Each command is to be short. */
  beforeReturn(tell: (run: RunNow, redis: Return) => Promise<void>): void;
  /** Told whenever Redis is back. */
  onReturn(listener: () => void): void;
  /** Resolves when Redis is there. */
  whenUp(): Promise<void>;
  /** Milliseconds by which the clock of Redis is ahead of this one. */
  readonly clockAheadMs: number;
  /** Milliseconds since Redis was empty for the last time. */
  readonly ageMs: number;
  /** What it holds for as long as it has not been empty. */
  readonly epoch: string;
  readonly isUp: boolean;
  /** Resolves when Redis was tried for the first time. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
}

/** Runs a command while Redis is coming back. */
export type RunNow = <T>(command: (client: Redis) => Promise<T>) => Promise<T>;

// Waits for the answer to a command for as long as one may take.
type InTime = <T>(answer: Promise<T>) => Promise<T>;

/** How often it is tried out. */
const BEAT_MS = 500;
/** After so many beats without an answer a connection counts as dead, whatever the network says. */
const DEAF_BEATS = 4;
/** What a command holds unless it says so, in characters. */
const SMALL = 500;

/** Begins to connect; while that does not succeed, Redis is away. */
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
        // It may be back since.
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
    get ageMs() {
      return Date.now() + state.greeting.clockAheadMs - state.greeting.emptyAt;
    },
    get epoch() {
      return state.greeting.epoch;
    },
    get isUp() {
      return state.isUp;
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

const ENDED = new RedisAway('the connection has ended', { mayHaveArrived: true });
const NOT_ASKED = new RedisAway('Redis is away', { mayHaveArrived: false });
const EMPTY = new RedisAway('it has forgotten everything', { mayHaveArrived: true });

// Runs commands while Redis is there, and knows which are under way.
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
  /** Resolves after the first time. */
  readonly tried: Promise<void>;
  stop(): void;
}

interface BeatParts {
  readonly inTime: InTime;
  readonly comeBack: (redis: Redis, hasForgotten: boolean) => Promise<void>;
}

// Tries Redis out, again and again.
function beat(connection: Connection, state: RedisState, { inTime, comeBack }: BeatParts): Pulse {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  // Until everybody has told what it had forgotten.
  let hasForgotten = false;
  const once = async (): Promise<void> => {
    try {
      const redis = await connection.open();
      hasForgotten = state.meet(await inTime(greet(redis))) || hasForgotten;
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
