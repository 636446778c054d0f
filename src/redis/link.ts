import type { ChainableCommander, Redis, RedisOptions } from 'ioredis';
import type { Log } from '../log.ts';
import { createOutbox, type Command } from './outbox.ts';
import { createState, greet, RedisAway, reasonOf, type RedisState } from './state.ts';

/** The connection to Redis. It is tried out all the time, so that nobody waits for a Redis that is away. */
export interface RedisLink {
  /** Runs a command. Fails with RedisAway, at once while Redis is away, and else after a fifth of a second. */
  run<T>(command: (client: Redis) => Promise<T>): Promise<T>;
  /**
   * Runs a command now or, where that fails, when Redis is back: the last of its name, and harmless if it is run twice.
   * Resolves when it was run or is kept, and never fails.
   */
  deliver(name: string, command: Command): Promise<void>;
  /** Opens a further connection, for commands that wait; when it ends, it has ended. */
  open(): Promise<Redis>;
  /** Told whenever Redis is back, and whether it has forgotten everything meanwhile. */
  onReturn(listener: (redis: { readonly hasForgotten: boolean }) => void): void;
  /** Milliseconds by which the clock of Redis is ahead of this one. */
  readonly clockAheadMs: number;
  readonly isUp: boolean;
  /** Resolves when Redis was tried for the first time. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
}

const COMMAND_MS = 200;
const CONNECT_MS = 500;
/** How often it is tried out. */
const BEAT_MS = 500;
const LONGEST_RECONNECT_PAUSE_MS = 1_000;
/** After so many beats without an answer the connection counts as dead, whatever the network says. */
const DEAF_BEATS = 4;

const OPTIONS = {
  lazyConnect: true,
  connectTimeout: CONNECT_MS,
  enableOfflineQueue: false,
  // What a connection left unanswered is not sent again by the next: it may have been done.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // The beat finds out more: whether it takes writes.
  enableReadyCheck: false,
} satisfies RedisOptions;

const pauseBefore = (times: number): number =>
  Math.min(LONGEST_RECONNECT_PAUSE_MS, 50 * 2 ** Math.min(times, 8));

/** Begins to connect; while that does not succeed, Redis is away. */
export function openRedisLink(url: string, log: Log): RedisLink {
  const outbox = createOutbox();
  const state = createState(log);
  const listeners: ReturnListener[] = [];
  const onReturn = async (redis: Redis): Promise<void> => {
    state.meet(await within(greet(redis)));
    await outbox.flush((command) => within(command(redis)));
    const hasForgotten = state.rise();
    for (const listener of listeners) listener({ hasForgotten });
  };
  const opened = create(url, { ...OPTIONS, retryStrategy: pauseBefore });
  const pulse = opened.then((client) => beat(client, state, onReturn));
  const commands = createCommands(opened, state);
  return {
    run: commands.run,
    async deliver(name, command) {
      try {
        await commands.run(command);
      } catch {
        outbox.keep(name, command);
      }
    },
    async open() {
      const further = await create(url, { ...OPTIONS, retryStrategy: () => null });
      await further.connect();
      return further;
    },
    onReturn: (listener) => void listeners.push(listener),
    get clockAheadMs() {
      return state.clockAheadMs;
    },
    get isUp() {
      return state.isUp;
    },
    tried: pulse.then(() => undefined),
    async close() {
      const { stop } = await pulse;
      await commands.ended();
      stop();
      (await opened).disconnect();
    },
  };
}

type ReturnListener = Parameters<RedisLink['onReturn']>[0];

async function create(url: string, options: RedisOptions): Promise<Redis> {
  // Who shares nothing loads nothing.
  const { Redis: Client } = await import('ioredis');
  const client = new Client(url, options);
  // Each command tells its own failure, and the beat the state.
  client.on('error', () => undefined);
  return client;
}

// Runs commands while Redis is there, and knows which are under way.
function createCommands(opened: Promise<Redis>, state: RedisState) {
  const underWay = new Set<Promise<unknown>>();
  const run: RedisLink['run'] = async (command) => {
    if (!state.isUp) throw new RedisAway('Redis is away');
    const answer = opened.then((client) => within(command(client)));
    underWay.add(answer);
    try {
      return await answer;
    } catch (error) {
      state.fall(error);
      throw error instanceof RedisAway ? error : new RedisAway(reasonOf(error));
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

const BEAT_KEY = 'spg:beat';

// Tries Redis out, again and again; resolves after the first time.
async function beat(
  redis: Redis,
  state: RedisState,
  onReturn: (redis: Redis) => Promise<void>,
): Promise<{ readonly stop: () => void }> {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const once = async (): Promise<void> => {
    try {
      if (state.isUp) await within(redis.set(BEAT_KEY, '1', 'PX', BEAT_MS));
      else await onReturn(redis);
    } catch (error) {
      state.fall(error);
      if (state.failures % DEAF_BEATS === 0 && redis.status === 'ready') redis.disconnect(true);
    }
    if (!isStopped) timer = setTimeout(() => void once(), BEAT_MS).unref();
  };
  await redis.connect().catch(() => undefined);
  // It may come back as another one, or empty.
  redis.on('close', () => state.fall(new RedisAway('the connection has ended')));
  await once();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Runs several commands as one; fails if one of them does. */
export async function together(commands: ChainableCommander): Promise<void> {
  for (const [error] of (await commands.exec()) ?? []) if (error !== null) throw error;
}

// An answer that lies there unread because this process was busy has come in time: it is read before the time is up.
function within<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => void setImmediate(() => reject(new RedisAway('no answer in time')));
    const timer = setTimeout(giveUp, COMMAND_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
