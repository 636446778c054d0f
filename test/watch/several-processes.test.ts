import { expect, test } from 'vitest';
import { QUEUE_CALL, startShared, watchQueue, type WatchReading } from '../support/live.ts';
import { isRedisHere } from '../support/redis.ts';

const INTERVAL_MS = 200;

const changesIn = ({ events }: WatchReading): string[] =>
  events
    .filter(({ kind }) => kind !== 'SNAPSHOT')
    .map(({ kind, queuedPost, totalCount }) => `${kind} ${queuedPost?.id} ${totalCount}`);

test.runIf(isRedisHere)(
  'one of two servers reads a queue for both, no more often than one would; the other goes on without it; both tell the same',
  async () => {
    const environment = { WATCH_INTERVAL: `${INTERVAL_MS}ms` };
    const { sandbox, servers } = await startShared({ environment, isDirect: true });
    const watching = servers.map(({ url }) => watchQueue({ url, sandbox }));
    await Promise.all(watching.map((one) => one.received(1)));
    const readings = () => servers.map(({ log }) => log.filter((line) => line.includes(QUEUE_CALL)).length);
    /** Lets a post leave the queue, and waits until some are told of so many events. */
    const change = async (count: number, told = watching): Promise<void> => {
      sandbox.state.owner('harbour').drainQueue(1);
      await Promise.all(told.map((one) => one.received(count)));
    };
    const [begun, before] = [performance.now(), readings()];
    for (let times = 1; times <= 5; times += 1) await change(1 + times);
    const [one = 0, other = 0] = readings().map((count, index) => count - (before[index] ?? 0));
    // The interval is the least: a busy machine only makes it longer. One reading in five may take a second call.
    expect(one + other).toBeLessThanOrEqual(Math.ceil((performance.now() - begun) / INTERVAL_MS) + 1);
    const reader = one > other ? 0 : 1;
    const [gone, patient] = [watching[reader], watching[1 - reader]] as [WatchReading, WatchReading];
    await servers[reader]?.close();
    await change(7, [patient]);
    expect(changesIn(patient)).toHaveLength(6);
    expect(changesIn(gone)).toEqual(changesIn(patient).slice(0, 5));
  },
);
