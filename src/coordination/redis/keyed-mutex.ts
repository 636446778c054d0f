import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import type { Lease, KeyedMutex } from '../../journal/locks.ts';
import { keyOf } from './key.ts';
import type { RedisLink } from './link.ts';
import { removeOwnValue } from './own-value.ts';
import { RedisAway } from './state.ts';

/** How long a lock lasts after its last renewal, in milliseconds. */
export const LEASE_MS = 5_000;
const RENEWED_EVERY_MS = 1_500;
/** Maximum interval between attempts to take a lock, in milliseconds. */
const PATIENCE_MS = 40;

const RENEW = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`;

/** How the lock reaches Redis. */
type Commands = Pick<RedisLink, 'run' | 'deliver'>;

interface Lock extends Lease {
  release(): void;
}

/** A mutex among all processes; while Redis is unavailable, among the tasks of this one. */
export function createRedisKeyedMutex(own: KeyedMutex, link: Commands): KeyedMutex {
  return {
    run: (name, task) =>
      own.run(name, async (ownLease) => {
        const lock = await lockOf(name, link);
        if (lock === null) return await task(ownLease);
        try {
          return await task(lock);
        } finally {
          lock.release();
        }
      }),
  };
}

// Null while Redis is unavailable: an account that cannot be paused would be worse than one paused by two processes.
async function lockOf(name: string, link: Commands): Promise<Lock | null> {
  const key = keyOf('turn', name);
  const owner = randomUUID();
  const release = (): Promise<void> =>
    link.deliver(`release ${owner}`, (client) => removeOwnValue(client, key, owner));
  for (;;) {
    const askedAt = performance.now();
    try {
      const answer = await link.run((client) => client.set(key, owner, 'PX', LEASE_MS, 'NX'));
      if (answer === 'OK') return held({ key, owner, askedAt, release }, link);
    } catch (error) {
      // The lock may have been taken nevertheless.
      if (error instanceof RedisAway && error.mayHaveArrived) void release();
      return null;
    }
    await after(Math.random() * PATIENCE_MS);
  }
}

interface Taken {
  readonly key: string;
  readonly owner: string;
  /** A `performance.now` time: the lock started no earlier. */
  readonly askedAt: number;
  readonly release: () => Promise<void>;
}

function held({ key, owner, askedAt, release }: Taken, link: Commands): Lock {
  let endsAt = askedAt + LEASE_MS;
  const renew = async (): Promise<void> => {
    const now = performance.now();
    try {
      const isOurs = await link.run((client) => client.eval(RENEW, 1, key, owner, LEASE_MS));
      endsAt = isOurs === 1 ? now + LEASE_MS : 0;
    } catch {
      // Nobody can take the lock while Redis is unavailable; once it is back, its response decides.
      return;
    }
  };
  const timer = setInterval(() => void renew(), RENEWED_EVERY_MS).unref();
  return {
    isHeld: () => performance.now() < endsAt,
    release() {
      clearInterval(timer);
      void release();
    },
  };
}
