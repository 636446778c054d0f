import { randomUUID } from 'node:crypto';
import { holdsMore, union, type Candidacy, type PollLeader, type Candidate } from '../../live/poll-leader.ts';
import type { Wanted } from '../../sources/ai-results/history.ts';
import { keyOf } from './key.ts';
import type { RedisLink } from './link.ts';
import type { News } from './news.ts';

/** How long the leader counts as present after its last renewal, in milliseconds. */
export const LOOK_LEASE_MS = 6_000;
const HEARD_EVERY_MS = 2_000;
/** A process that wants more than this polls by itself: values in Redis are small. */
const MAX_WANTED = 2_000;
/** Content ids longer than any of the service's are not polled for by others. */
const MAX_ID_CHARS = 1_000;

// The hash contains what each candidate wants, and until when that is valid by Redis' own clock.
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

/** Creates the poll leader of all processes; while Redis is unavailable, each process polls for itself. */
export function createRedisPollLeader(link: RedisLink, news: News): PollLeader {
  const candidates = new Map<string, Set<Candidate>>();
  const turn = (holder: string): void => candidates.get(holder)?.forEach(({ onTurn }) => onTurn());
  news.listen({
    onNews(heard) {
      const holders = heard.map(({ item }) => (item.kind === 'look' ? item.holder : null));
      new Set(holders).forEach((holder) => holder !== null && turn(holder));
      return Promise.resolve();
    },
    onGap: () => [...candidates.keys()].forEach(turn),
  });
  return {
    nudge(holder) {
      turn(holder);
      void news.tell({ kind: 'look', holder });
    },
    open: (holder, candidate) =>
      createCandidacy({
        holder,
        link,
        candidate,
        tell: () => void news.tell({ kind: 'look', holder }),
        enter: () => void candidates.set(holder, (candidates.get(holder) ?? new Set()).add(candidate)),
        leave() {
          const all = candidates.get(holder);
          all?.delete(candidate);
          if (all?.size === 0) candidates.delete(holder);
        },
      }),
  };
}

interface Parts {
  readonly holder: string;
  readonly link: RedisLink;
  readonly candidate: Candidate;
  /** Notifies the other processes that they should ask again. */
  readonly tell: () => void;
  readonly enter: () => void;
  readonly leave: () => void;
}

function createCandidacy({ holder, link, candidate, tell, enter, leave }: Parts): Candidacy {
  const id = randomUUID();
  const keys = [keyOf('look', holder), keyOf('wanted', holder)] as const;
  let known: Wanted | null = null;
  let isLooking = false;
  let timer: NodeJS.Timeout | undefined;
  const askFor = async (wanted: Wanted): Promise<Wanted | null> => {
    known = wanted;
    const wishes = wishesOf(wanted);
    const answer = await link.run((client) => client.eval(ASK, 2, ...keys, id, LOOK_LEASE_MS, wishes));
    const [isOurs, ...others] = answer as [number, ...string[]];
    isLooking = isOurs === 1;
    return isLooking ? union([wanted, ...others.map(wishesIn)]) : null;
  };
  const rest = (): void => {
    if (known === null) return;
    known = null;
    clearInterval(timer);
    timer = undefined;
    leave();
    const wasLooking = isLooking;
    isLooking = false;
    const told = link.deliver(`rest ${id}`, (client) => client.eval(REST, 2, ...keys, id));
    void told.then(() => wasLooking && tell());
  };
  // Renews the leader's turn, and lets waiting candidates detect a leader that has disappeared.
  const beHeard = async (): Promise<void> => {
    const wanted = candidate.wanted();
    if (wanted.size === 0) return rest();
    const wasLooking = isLooking;
    try {
      await askFor(wanted);
    } catch {
      isLooking = true;
    }
    if (isLooking && !wasLooking) candidate.onTurn();
  };
  return {
    rest,
    async ask() {
      const wanted = candidate.wanted();
      if (wanted.size > MAX_WANTED) {
        rest();
        return wanted;
      }
      const isNew = holdsMore(wanted, known ?? new Map());
      enter();
      timer ??= setInterval(() => void beHeard(), HEARD_EVERY_MS).unref();
      try {
        const all = await askFor(wanted);
        if (all === null && isNew) tell();
        return all;
      } catch {
        return wanted;
      }
    },
  };
}

function wishesOf(wanted: Wanted): string {
  return JSON.stringify([...wanted].filter(([contentId]) => contentId.length <= MAX_ID_CHARS));
}

function wishesIn(text: string): Wanted {
  return new Map(JSON.parse(text) as [string, number][]);
}
