import { randomUUID } from 'node:crypto';
import { union, type Lookout, type Lookouts, type Wanted } from '../live/lookouts.ts';
import { keyOf } from './key.ts';
import type { RedisLink } from './link.ts';
import type { News } from './news.ts';

/** How long the one who looks is believed to be there after it was heard of for the last time, in milliseconds. */
export const LOOK_LEASE_MS = 6_000;
const HEARD_EVERY_MS = 2_000;
/** Who wants more than this at once looks by itself: values in Redis are small. */
const MAX_WANTED = 2_000;

// The hash holds what each lookout wants, and until when that is believed by Redis' own clock.
const ASK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[2], ARGV[1], cjson.encode({now + ARGV[2], ARGV[3]}))
redis.call('PEXPIRE', KEYS[2], ARGV[2])
local looking = redis.call('GET', KEYS[1])
if looking and looking ~= ARGV[1] then return {0} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local answer = {1}
local all = redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  local entry = cjson.decode(all[i + 1])
  if entry[1] < now then redis.call('HDEL', KEYS[2], all[i])
  elseif all[i] ~= ARGV[1] then answer[#answer + 1] = entry[2] end
end
return answer`;

const REST = `
redis.call('HDEL', KEYS[2], ARGV[1])
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** Lookouts of all processes; while Redis is away, each process looks for itself. */
export function createRedisLookouts(link: RedisLink, news: News): Lookouts {
  const posts = new Map<string, Set<() => void>>();
  const turn = (holder: string): void => posts.get(holder)?.forEach((onTurn) => onTurn());
  news.listen({
    onNews: (item) => item.kind === 'look' && turn(item.holder),
    onGap: () => [...posts.keys()].forEach(turn),
  });
  return {
    open(holder, onTurn) {
      const all = posts.get(holder) ?? new Set();
      const tell = (): void => void news.tell({ kind: 'look', holder });
      const enter = (): void => void posts.set(holder, all.add(onTurn));
      const leave = (): void => {
        all.delete(onTurn);
        if (all.size === 0) posts.delete(holder);
      };
      return createLookout({ holder, link, tell, enter, leave, onTurn });
    },
  };
}

interface Parts {
  readonly holder: string;
  readonly link: RedisLink;
  readonly tell: () => void;
  readonly enter: () => void;
  readonly leave: () => void;
  readonly onTurn: () => void;
}

function createLookout({ holder, link, tell, enter, leave, onTurn }: Parts): Lookout {
  const id = randomUUID();
  const keys = [keyOf('look', holder), keyOf('wanted', holder)] as const;
  let wantedNow: Wanted | null = null;
  let isLooking = false;
  let timer: NodeJS.Timeout | undefined;
  const ask = async (wanted: Wanted): Promise<Wanted | null> => {
    const wishes = JSON.stringify([...wanted]);
    const answer = (await link.run((client) => client.eval(ASK, 2, ...keys, id, LOOK_LEASE_MS, wishes))) as [
      number,
      ...string[],
    ];
    const [isOurs, ...others] = answer;
    isLooking = isOurs === 1;
    return isLooking ? union([wanted, ...others.map(wishesIn)]) : null;
  };
  // Who looks stays known to be there; and who waits finds out when the one who looked is not heard of any more.
  const beHeard = async (): Promise<void> => {
    if (wantedNow === null) return;
    const wasLooking = isLooking;
    try {
      await ask(wantedNow);
    } catch {
      isLooking = true;
    }
    if (isLooking && !wasLooking) onTurn();
  };
  return {
    async ask(wanted) {
      if (wanted.size > MAX_WANTED) return wanted;
      const before = wantedNow;
      wantedNow = wanted;
      enter();
      timer ??= setInterval(() => void beHeard(), HEARD_EVERY_MS).unref();
      try {
        const all = await ask(wanted);
        if (all === null && [...wanted.keys()].some((one) => !before?.has(one))) tell();
        return all;
      } catch {
        return wanted;
      }
    },
    rest() {
      if (wantedNow === null) return;
      wantedNow = null;
      clearInterval(timer);
      timer = undefined;
      leave();
      const wasLooking = isLooking;
      isLooking = false;
      void link
        .deliver(`rest ${id}`, (client) => client.eval(REST, 2, ...keys, id))
        .then(() => wasLooking && tell());
    },
  };
}

function wishesIn(text: string): Wanted {
  return new Map(JSON.parse(text) as [string, number][]);
}
