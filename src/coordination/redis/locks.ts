import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import type { KeyedMutex, Lease } from '../../journal/locks.ts';
import { ifOwn, keyOf } from './connection.ts';
import { mayHaveRun, type RedisLink } from './link.ts';

/** How long a lock in Redis lasts after its last renewal, in milliseconds. */
export const LEASE_MS = 5_000;
const RENEWED_EVERY_MS = 1_500;
/** Maximum interval between attempts to take a lock, in milliseconds. */
const PATIENCE_MS = 40;

type Commands = Pick<RedisLink, 'run' | 'deliver' | 'isUp' | 'ageMs'>;

/** A mutex among all processes; while Redis is unavailable, among the tasks of this one. */
export function createRedisKeyedMutex(own: KeyedMutex, link: Commands): KeyedMutex {
  return {
    run: (name, task) =>
      own.run(name, async (ownLease) => {
        const lock = new RedisLock(keyOf('turn', name), link);
        if (!(await lock.take())) return await task(ownLease);
        try {
          return await task(lock);
        } finally {
          lock.release();
        }
      }),
  };
}

const pause = (): Promise<void> => after(Math.random() * PATIENCE_MS);

class RedisLock implements Lease {
  readonly #key: string;
  readonly #link: Commands;
  readonly #owner = randomUUID();
  /** A `performance.now` time. */
  #endsAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(key: string, link: Commands) {
    this.#key = key;
    this.#link = link;
  }

  isHeld(): boolean {
    return performance.now() < this.#endsAt;
  }

  /** False while Redis is unavailable: an account that cannot be paused would be worse than one paused twice. */
  async take(): Promise<boolean> {
    for (;;) {
      // One that Redis has lost may still be held.
      while (this.#link.isUp && this.#link.ageMs < LEASE_MS) await pause();
      // The lock starts no earlier.
      const askedAt = performance.now();
      try {
        const answer = await this.#link.run((redis) =>
          redis.set(this.#key, this.#owner, 'PX', LEASE_MS, 'NX'),
        );
        if (answer === 'OK') {
          this.#endsAt = askedAt + LEASE_MS;
          this.#timer = setInterval(() => void this.#renew(), RENEWED_EVERY_MS).unref();
          return true;
        }
      } catch (error) {
        if (mayHaveRun(error)) this.release();
        return false;
      }
      await pause();
    }
  }

  release(): void {
    clearInterval(this.#timer);
    void this.#link.deliver(`release ${this.#owner}`, (redis) => ifOwn(redis, this.#key, this.#owner, 'DEL'));
  }

  async #renew(): Promise<void> {
    const now = performance.now();
    try {
      const isOurs = await this.#link.run((redis) =>
        ifOwn(redis, this.#key, this.#owner, 'PEXPIRE', String(LEASE_MS)),
      );
      this.#endsAt = isOurs === 1 ? now + LEASE_MS : 0;
    } catch {
      // Nobody can take the lock while Redis is unavailable; once it is back, its response decides.
      return;
    }
  }
}
