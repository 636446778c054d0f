import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { completed } from '../../src/writes/outcome.ts';
import { openCoordination, type Coordination } from '../../src/coordination/coordination.ts';
import { openLog } from '../../src/observability/log.ts';
import { journalKey } from '../support/journal-keys.ts';
import { hearEachOther, joinRedis, PAIRS } from '../support/processes.ts';
import { isRedisHere, startRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// A clock that jumps must not make a journal forget writes with a key.

const HOUR_MS = 60 * 60 * 1_000;
const recordNow = () => ({
  mutation: 'createPost',
  fingerprint: 'f',
  startedAt: Date.now(),
  result: completed('done'),
});

/** Sets the time of day; all other clocks go on. */
function jumpBy(hours: number): void {
  const now = Date.now() + hours * HOUR_MS;
  vi.useFakeTimers({ toFake: ['Date'], now });
}

/** Begins a write that must not be known yet. */
async function begin({ journal }: Coordination, id: string): Promise<void> {
  expect(await journal.begin(journalKey(id), recordNow())).toBeNull();
}

/** Expects that a repeat of each write is recognised. */
async function expectKnown({ journal }: Coordination, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    expect(await journal.find(journalKey(id)), id).not.toBeNull();
    expect(await journal.begin(journalKey(id), recordNow()), id).not.toBeNull();
  }
}

describe.each(PAIRS)('what remembers writes, %s,', (_name, open) => {
  test.each([
    [25, -25],
    [-25, 25],
  ])('forgets none while the clock jumps by %i hours and then by %i', async (there, back) => {
    onTestFinished(() => void vi.useRealTimers());
    const [one, other] = await open();
    await begin(one, 'before');
    jumpBy(there);
    await expectKnown(other, ['before']);
    await begin(one, 'meanwhile');
    await expectKnown(other, ['before', 'meanwhile']);
    jumpBy(back);
    await begin(one, 'after');
    await expectKnown(other, ['before', 'meanwhile', 'after']);
  });
});

test('a journal on disk forgets no write if it is opened while the clock is ahead', async () => {
  onTestFinished(() => void vi.useRealTimers());
  const dataDirectory = await temporaryFolder();
  const restart = async (before?: Coordination): Promise<Coordination> => {
    await before?.close();
    const config = { redis: null, dataDirectory, aiResultMaxWaitMs: 60_000 };
    const coordination = openCoordination(config, openLog('silent'));
    await coordination.tried;
    return coordination;
  };
  const first = await restart();
  await begin(first, 'before');
  jumpBy(25);
  const ahead = await restart(first);
  await begin(ahead, 'meanwhile');
  await expectKnown(ahead, ['before', 'meanwhile']);
  jumpBy(-25);
  const right = await restart(ahead);
  await expectKnown(right, ['before', 'meanwhile']);
  jumpBy(24 * 3);
  const later = await restart(right);
  await begin(later, 'before');
  await later.close();
});

test.runIf(isRedisHere)(
  'a write whose record expired because the clock of Redis jumped is not begun again',
  async () => {
    const redis = await startRedis();
    const pair = await Promise.all([joinRedis(redis.port), joinRedis(redis.port)] as const);
    await hearEachOther(pair);
    const [one, other] = pair;
    await begin(one, 'id');
    // The clock of Redis is ahead of what the processes expect, and its keys have expired.
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() - 25 * HOUR_MS);
    onTestFinished(() => clock.mockRestore());
    await redis.client.del(await redis.client.keys('spg:write:*'));
    const again = () => other.journal.begin(journalKey('id'), recordNow());
    await expect(again()).rejects.toThrow();
    await expect.poll(() => again().catch(() => null)).not.toBeNull();
    expect(other.isAgreed()).toBe(true);
  },
);
