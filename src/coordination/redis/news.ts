import { randomUUID } from 'node:crypto';
import type { ChainableCommander, Redis } from 'ioredis';
import type { RedisLink } from './link.ts';

/** Notifications between processes. The data they concern is in Redis, or read from the service. */
export type NewsItem =
  /** A surface requested a pause for a caller. */
  | {
      readonly kind: 'pause';
      readonly surface: string;
      readonly caller: string;
      readonly pauseMs: number;
    }
  /** A generation changed; `again` if it is published again to a Redis that has lost it. */
  | {
      readonly kind: 'generation';
      readonly holder: string;
      readonly contentId: string;
      readonly again?: true;
    }
  /** The process that polls the history for a caller has changed, or what is wanted. */
  | { readonly kind: 'look'; readonly holder: string }
  /** A list of a caller was observed. */
  | { readonly kind: 'observed'; readonly holder: string; readonly list: string };

/** A notification from another process, and its age. */
export interface HeardNews {
  readonly item: NewsItem;
  readonly ageMs: number;
}

/** Receives notifications from other processes. */
export interface NewsListener {
  /** If it rejects, the notifications are read again. */
  readonly onNews: (news: readonly HeardNews[]) => Promise<void>;
  /** Called when notifications may have been missed. */
  readonly onGap: () => void;
}

/** Notifications between processes in a stream: a process that was disconnected resumes where it was. */
export interface News {
  tell(item: NewsItem): Promise<void>;
  /** Sends it together with other commands. */
  addTo(commands: ChainableCommander, item: NewsItem): ChainableCommander;
  listen(listener: NewsListener): void;
  close(): void;
}

const STREAM = 'spg:news';
/** Approximate maximum length of the stream. */
const MAX_ENTRIES = 20_000;
const BLOCK_MS = 2_000;
/** How much longer than requested a read may take before its connection is considered dead. */
const GRACE_MS = 1_000;
const PAUSE_AFTER_FAILURE_MS = 250;
const BATCH = 500;
/** How far back a new process reads, in milliseconds: as long as a pause may be. */
const NEWCOMER_MS = 30_000;

type Entry = readonly [id: string, fields: readonly string[]];

/** Starts listening. */
export function openNews(link: RedisLink): News {
  const process = randomUUID();
  const listeners: NewsListener[] = [];
  const heardIn = ([id, [, from = '', , what = '']]: Entry): HeardNews[] => {
    const ageMs = Math.max(0, Date.now() + link.clockAheadMs - Number.parseInt(id, 10));
    const item = from === process ? null : itemIn(what);
    return item ? [{ item, ageMs }] : [];
  };
  const hear = async (entries: readonly Entry[]): Promise<void> => {
    const news = entries.flatMap(heardIn);
    if (news.length > 0) await Promise.all(listeners.map(({ onNews }) => onNews(news)));
  };
  const reader = readStream(link, { hear, onGap: () => listeners.forEach(({ onGap }) => onGap()) });
  const addTo: News['addTo'] = (commands, item) =>
    commands.xadd(STREAM, 'MAXLEN', '~', MAX_ENTRIES, '*', 'from', process, 'what', JSON.stringify(item));
  return {
    addTo,
    // Notifications not sent while Redis is unavailable are replaced by a comparison when it is back.
    tell: (item) =>
      link
        .run((client) => addTo(client.pipeline(), item).exec())
        .then(
          () => undefined,
          () => undefined,
        ),
    listen: (listener) => void listeners.push(listener),
    close: () => reader.close(),
  };
}

interface StreamListener {
  readonly hear: (entries: readonly Entry[]) => Promise<void>;
  readonly onGap: () => void;
}

// Reads only while Redis is available to this process, because notifications cause further commands.
function readStream(link: RedisLink, { hear, onGap }: StreamListener): { close(): void } {
  const closing = new AbortController();
  /** The last entry read, and the connection. */
  const state: { last: string | null; epoch: string; client: Redis | null } = {
    last: null,
    epoch: '',
    client: null,
  };
  const hearAll = async (entries: readonly Entry[]): Promise<void> => {
    await hear(entries);
    state.last = entries.at(-1)?.[0] ?? state.last;
  };
  const begin = async (redis: Redis): Promise<string> => {
    const [tail] = await redis.xrevrange(STREAM, '+', '-', 'COUNT', 1);
    const since = Math.floor(Date.now() + link.clockAheadMs - NEWCOMER_MS);
    await hearAll(await redis.xrange(STREAM, since, '+', 'COUNT', MAX_ENTRIES));
    return state.last ?? tail?.[0] ?? '0-0';
  };
  const readOn = async (redis: Redis): Promise<void> => {
    // After Redis was emptied, the entries start again.
    if (state.epoch !== link.epoch) Object.assign(state, { epoch: link.epoch, last: null });
    state.last ??= await withinOr(begin(redis), () => redis.disconnect());
    onGap();
    while (link.isUp && !closing.signal.aborted) {
      const read = redis.xread('COUNT', BATCH, 'BLOCK', BLOCK_MS, 'STREAMS', STREAM, state.last);
      const [stream] = (await withinOr(read, () => redis.disconnect())) ?? [];
      await hearAll(stream?.[1] ?? []);
    }
  };
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await link.whenUp();
      try {
        state.client = await link.open();
        await readOn(state.client);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_FAILURE_MS).unref());
      }
      state.client?.disconnect();
      state.client = null;
    }
  };
  // A connection that stayed open may lead to the previous Redis.
  link.onReturn(() => state.client?.disconnect());
  void run();
  return {
    close() {
      closing.abort();
      state.client?.disconnect();
    },
  };
}

// Another version may send other kinds of notifications.
function itemIn(text: string): NewsItem | null {
  try {
    return JSON.parse(text) as NewsItem;
  } catch {
    return null;
  }
}

function withinOr<T>(answer: Promise<T>, giveUp: () => void): Promise<T> {
  const timer = setTimeout(giveUp, BLOCK_MS + GRACE_MS).unref();
  return answer.finally(() => clearTimeout(timer));
}
