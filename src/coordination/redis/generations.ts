import type { Redis } from 'ioredis';
import {
  KEPT_MS,
  type Generations,
  type GenerationsListener,
  type KnownGeneration,
  type OwnGenerations,
} from '../../live/generations.ts';
import { bareResult, joinResults } from '../../sources/current/openai.ts';
import { keyOf } from './key.ts';
import { together } from './connection.ts';
import type { RedisLink, RunNow } from './link.ts';
import type { News } from './news.ts';

/** Larger records are not shared: the other processes find them in the history. */
const MAX_RECORD_CHARS = 1024 * 1024;
/** Content ids longer than any of the service's are not shared. */
const MAX_ID_CHARS = 1_000;
const MAX_PENDING = 2_000;
/** Maximum number of generations published again after Redis has lost its data. */
const MAX_TOLD_AGAIN = 2_000;
const AT_ONCE = 100;

/** The means by which processes share generations. */
export interface GenerationsWays {
  readonly link: RedisLink;
  readonly news: News;
  /** How long to wait for a result, in milliseconds. */
  readonly maxWaitMs: number;
}

/**
 * Combines the generations known to one process with those of others. In Redis, a generation is a hash whose fields are
 * only ever added, in whichever order the processes learn of it; each is kept for an hour longer than it is waited for.
 */
export function createRedisGenerations(own: OwnGenerations, ways: GenerationsWays): Generations {
  const { link, news } = ways;
  const listeners = new Map<string, Set<GenerationsListener>>();
  const put = (holder: string, known: KnownGeneration): KnownGeneration => {
    if (known.contentId.length > MAX_ID_CHARS) return known;
    const name = `generation ${holder} ${known.contentId} ${known.status}`;
    const chars = JSON.stringify(known.wire).length;
    void link.deliver(name, (client) => write(client, { holder, known, ...ways }), chars + name.length);
    return known;
  };
  const read = async (holder: string, contentIds: readonly string[]): Promise<void> => {
    if (contentIds.length === 0) return;
    const found = await link.run((client) => readAll(client, holder, contentIds));
    for (const known of found) if (known !== null) own.learn(holder, known);
  };
  // Generations that are pending here may have ended elsewhere.
  const readPending = async (holder: string): Promise<void> => {
    const theirs = await link.run((client) => pendingOf(client, holder));
    const ours = own.pending(holder).map(({ contentId }) => contentId);
    await read(holder, [...new Set([...theirs, ...ours])]);
  };
  news.listen({
    async onNews(heard) {
      const items = heard.map(({ item }) => item).filter((item) => item.kind === 'generation');
      const ofUse = items.filter(({ holder }) => listeners.has(holder));
      const holders = new Set(ofUse.map(({ holder }) => holder));
      await Promise.all(
        [...holders].map((one) => read(one, idsOf(ofUse.filter(({ holder }) => holder === one)))),
      );
      for (const { holder, contentId, again = false } of ofUse) {
        const known = own.find(holder, contentId);
        if (known) for (const { onNews } of listeners.get(holder) ?? []) onNews(known, again);
      }
    },
    onGap: () => [...listeners.values()].forEach((all) => all.forEach(({ onGap }) => onGap())),
  });
  link.beforeReturn(async (run, { hasForgotten }) => {
    if (hasForgotten) await tellAgain(run, own, ways);
  });
  return {
    find: (holder, contentId) => own.find(holder, contentId),
    await: (holder, contentId) => own.await(holder, contentId),
    pending: (holder) => own.pending(holder),
    start: (holder, contentId, started) => put(holder, own.start(holder, contentId, started)),
    finish: (holder, contentId, wire) => put(holder, own.finish(holder, contentId, wire)),
    expire: (holder, contentId) => put(holder, own.expire(holder, contentId)),
    refresh: (holder, contentIds) => asFarAsCanBe(read(holder, contentIds)),
    refreshPending: (holder) => asFarAsCanBe(readPending(holder)),
    listen(holder, listener) {
      const all = listeners.get(holder) ?? new Set();
      listeners.set(holder, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0) listeners.delete(holder);
      };
    },
  };
}

interface Writing extends GenerationsWays {
  readonly holder: string;
  readonly known: KnownGeneration;
  /** Whether it is published again, to a Redis that has lost it. */
  readonly again?: true;
}

async function write(client: Redis, { holder, known, again, maxWaitMs, news }: Writing): Promise<void> {
  const { contentId, status, startedHere, knownSince } = known;
  const wire = JSON.stringify(known.wire);
  const commands = client.multi();
  if (wire.length <= MAX_RECORD_CHARS) {
    const key = keyOf('generation', holder, contentId);
    commands.hsetnx(key, 'since', knownSince);
    commands.hset(key, { [status]: wire, ...(startedHere ? { asked: 1 } : {}) });
    commands.pexpire(key, maxWaitMs + KEPT_MS);
  }
  const pending = keyOf('pending', holder);
  if (status !== 'PENDING') commands.zrem(pending, contentId);
  else if (startedHere) {
    commands.zadd(pending, knownSince + maxWaitMs, contentId);
    commands.zremrangebyrank(pending, 0, -MAX_PENDING - 1);
    commands.pexpire(pending, maxWaitMs + KEPT_MS);
  }
  await together(
    news.addTo(commands, { kind: 'generation', holder, contentId, ...(again ? { again } : {}) }),
  );
}

async function tellAgain(run: RunNow, own: OwnGenerations, ways: GenerationsWays): Promise<void> {
  const all = [...latest(own.asked(), MAX_TOLD_AGAIN)];
  const tell = (client: Redis, { holder, ...known }: (typeof all)[number]): Promise<void> =>
    write(client, { holder, known, ...ways, again: true });
  for (let first = 0; first < all.length; first += AT_ONCE)
    await run((client) => Promise.all(all.slice(first, first + AT_ONCE).map((one) => tell(client, one))));
}

async function pendingOf(client: Redis, holder: string): Promise<string[]> {
  return await client.zrangebyscore(keyOf('pending', holder), Date.now(), '+inf', 'LIMIT', 0, MAX_PENDING);
}

async function readAll(
  client: Redis,
  holder: string,
  contentIds: readonly string[],
): Promise<(KnownGeneration | null)[]> {
  const commands = client.pipeline();
  for (const contentId of contentIds) commands.hgetall(keyOf('generation', holder, contentId));
  const answers = (await commands.exec()) ?? [];
  return answers.map(([error, fields], index) => {
    if (error !== null) throw error;
    return generationIn(contentIds[index] ?? '', fields as Fields);
  });
}

type Fields = Partial<Record<'since' | 'asked' | KnownGeneration['status'], string>>;

function generationIn(contentId: string, fields: Fields): KnownGeneration | null {
  if (fields.since === undefined) return null;
  const texts = [fields.PENDING, fields.EXPIRED, fields.COMPLETE].filter((text) => text !== undefined);
  const wires = texts.map((text) => JSON.parse(text) as object);
  return {
    contentId,
    knownSince: Number(fields.since),
    startedHere: fields.asked === '1',
    status: fields.COMPLETE ? 'COMPLETE' : fields.EXPIRED ? 'EXPIRED' : 'PENDING',
    wire: wires.reduce(joinResults, bareResult(contentId)),
  };
}

// While Redis is unavailable, this process uses what it knows.
function asFarAsCanBe(reading: Promise<void>): Promise<void> {
  return reading.catch(() => undefined);
}

function idsOf(items: readonly { readonly contentId: string }[]): string[] {
  return [...new Set(items.map(({ contentId }) => contentId))];
}

function* latest<T>(all: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const one of all) {
    if (left-- <= 0) return;
    yield one;
  }
}
