import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { ObservationExchange, SharedName, SharedObservation } from '../../watch/sharing.ts';
import { seal, unseal } from '../../journal/sealing.ts';
import { together } from './connection.ts';
import { keyOf } from './key.ts';
import type { RedisLink } from './link.ts';
import type { News } from './news.ts';

/** How long an observation is kept for later processes, in milliseconds. */
const KEPT_MS = 10 * 60_000;

/**
 * Shares observations among all processes. Redis contains the latest one of each list, compressed, and sealed with the
 * credential used to read it.
 */
export function createRedisObservationExchange(link: RedisLink, news: News): ObservationExchange {
  const listeners = new Map<string, Set<() => void>>();
  const tell = (name: string): void => listeners.get(name)?.forEach((onNews) => onNews());
  news.listen({
    onNews(heard) {
      const names = heard.map(({ item }) => (item.kind === 'observed' ? nameOf(item) : null));
      for (const name of new Set(names)) if (name !== null) tell(name);
      return Promise.resolve();
    },
    onGap: () => [...listeners.keys()].forEach(tell),
  });
  return {
    open(shared, onNews) {
      const name = nameOf(shared);
      const all = listeners.get(name) ?? new Set();
      listeners.set(name, all.add(onNews));
      // Compressing a large observation may take longer than compressing the next one.
      let published = Promise.resolve();
      const place: Place = { link, news, shared, key: keyOf('observed', name), secret: secretOf(shared) };
      return {
        // A process that cannot read it makes its own observation in its turn.
        latest: () => read(place).catch(() => null),
        publish: (observation) =>
          (published = published.then(() => write(place, observation)).catch(() => undefined)),
        close() {
          all.delete(onNews);
          if (all.size === 0) listeners.delete(name);
        },
      };
    },
  };
}

const nameOf = ({ holder, list }: Pick<SharedName, 'holder' | 'list'>): string => `${holder} ${list}`;

interface Place {
  readonly link: RedisLink;
  readonly news: News;
  readonly shared: SharedName;
  readonly key: string;
  readonly secret: Uint8Array;
}

function secretOf({ credential }: SharedName): Uint8Array {
  return hash('sha256', `observations ${credential}`, 'buffer');
}

const compress = promisify(deflate);
const decompress = promisify<Buffer, Buffer>(inflate);

// Times in Redis are by its own clock.
async function write(
  { link, news, shared, key, secret }: Place,
  observation: SharedObservation,
): Promise<void> {
  const observedAt = observation.observedAt + link.clockAheadMs;
  const packed = await compress(Buffer.from(JSON.stringify({ ...observation, observedAt })));
  const sealed = seal(packed.toString('base64'), secret, key);
  const { holder, list } = shared;
  await link.run((client) => {
    const commands = client.multi().set(key, sealed, 'PX', KEPT_MS);
    return together(news.addTo(commands, { kind: 'observed', holder, list }));
  });
}

async function read({ link, key, secret }: Place): Promise<SharedObservation | null> {
  const sealed = await link.run((client) => client.get(key));
  if (sealed === null) return null;
  const packed = await decompress(Buffer.from(unseal(sealed, secret, key), 'base64'));
  const observation = JSON.parse(packed.toString()) as SharedObservation;
  return { ...observation, observedAt: observation.observedAt - link.clockAheadMs };
}
