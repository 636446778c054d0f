import { randomUUID } from 'node:crypto';
import type { ChainableCommander, Redis } from 'ioredis';
import type { RedisLink } from './link.ts';

/** What processes tell each other at once. What it is about lies in Redis, or is asked of the service. */
export type NewsItem =
  /** A surface asked for a pause for a caller. */
  | {
      readonly kind: 'pause';
      readonly surface: string;
      readonly caller: string;
      readonly pauseMs: number;
    }
  /** Something became of a generation. */
  | { readonly kind: 'generation'; readonly holder: string; readonly contentId: string }
  /** Who looks through the history for a caller has changed, or what is looked for. */
  | { readonly kind: 'look'; readonly holder: string };

/** Who listens to what other processes tell. */
export interface NewsListener {
  readonly onNews: (item: NewsItem, ageMs: number) => void;
  /** Something may have been missed. */
  readonly onGap: () => void;
}

/** News between processes, by a stream: who was away reads on where it was. */
export interface News {
  tell(item: NewsItem): Promise<void>;
  /** Tells it together with other commands. */
  addTo(commands: ChainableCommander, item: NewsItem): ChainableCommander;
  listen(listener: NewsListener): void;
  close(): void;
}

const STREAM = 'spg:news';
/** Entries that the stream holds, about. */
const MAX_ENTRIES = 20_000;
const BLOCK_MS = 2_000;
/** How much longer than it was asked for a reading may take before its connection counts as dead. */
const GRACE_MS = 1_000;
const PAUSE_AFTER_FAILURE_MS = 250;
const BATCH = 500;
/** How far back somebody who is new reads, in milliseconds: as long as a pause may be. */
const NEWCOMER_MS = 30_000;

type Entry = readonly [id: string, fields: readonly string[]];

/** Begins to listen. */
export function openNews(link: RedisLink): News {
  const process = randomUUID();
  const listeners: NewsListener[] = [];
  const hear = ([id, [, from = '', , what = '']]: Entry): void => {
    if (from === process) return;
    const ageMs = Math.max(0, Date.now() + link.clockAheadMs - Number.parseInt(id, 10));
    for (const { onNews } of listeners) onNews(JSON.parse(what) as NewsItem, ageMs);
  };
  const reader = readStream(link, { hear, onGap: () => listeners.forEach(({ onGap }) => onGap()) });
  const addTo: News['addTo'] = (commands, item) =>
    commands.xadd(STREAM, 'MAXLEN', '~', MAX_ENTRIES, '*', 'from', process, 'what', JSON.stringify(item));
  return {
    addTo,
    // What is not told while Redis is away is found out when it is back.
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
  readonly hear: (entry: Entry) => void;
  readonly onGap: () => void;
}

function readStream(link: RedisLink, { hear, onGap }: StreamListener): { close(): void } {
  let client: Redis | undefined;
  /** The entry that was read last. */
  const place: { last: string | null } = { last: null };
  const closing = new AbortController();
  const hearAll = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      // Nothing that stands in it is a reason to read it again.
      [place.last] = entry;
      hear(entry);
    }
  };
  const begin = async (redis: Redis): Promise<string> => {
    const [tail] = await redis.xrevrange(STREAM, '+', '-', 'COUNT', 1);
    const since = Math.floor(Date.now() + link.clockAheadMs - NEWCOMER_MS);
    hearAll(await redis.xrange(STREAM, since, '+', 'COUNT', MAX_ENTRIES));
    return place.last ?? tail?.[0] ?? '0-0';
  };
  const readOn = async (redis: Redis): Promise<void> => {
    place.last ??= await withinOr(begin(redis), () => redis.disconnect());
    onGap();
    while (!closing.signal.aborted && place.last !== null) {
      const read = redis.xread('COUNT', BATCH, 'BLOCK', BLOCK_MS, 'STREAMS', STREAM, place.last);
      const [stream] = (await withinOr(read, () => redis.disconnect())) ?? [];
      hearAll(stream?.[1] ?? []);
    }
  };
  const run = async (): Promise<void> => {
    await link.tried;
    while (!closing.signal.aborted) {
      try {
        client = await link.open();
        await readOn(client);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_FAILURE_MS).unref());
      }
      client?.disconnect();
    }
  };
  link.onReturn(({ hasForgotten }) => {
    // Its entries may begin anew, and a connection that stayed open may lead to where it was.
    if (hasForgotten) place.last = null;
    client?.disconnect();
  });
  void run();
  return {
    close() {
      closing.abort();
      client?.disconnect();
    },
  };
}

function withinOr<T>(answer: Promise<T>, giveUp: () => void): Promise<T> {
  const timer = setTimeout(giveUp, BLOCK_MS + GRACE_MS).unref();
  return answer.finally(() => clearTimeout(timer));
}
