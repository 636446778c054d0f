import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { isRedisHere, REDIS_SECRET, startRedis } from '../support/redis.ts';
import { QUEUE_CALL, watchQueue, type WatchReading } from '../support/watching.ts';

// Several processes with one Redis: one of them reads the queue of a credential, and all tell of it.

async function startThree(interval: string) {
  const [sandbox, redis] = await Promise.all([startSandbox({ port: 0 }), startRedis()]);
  onTestFinished(() => sandbox.close());
  const settings = {
    HOST: '127.0.0.1',
    REDIS_URL: redis.url,
    REDIS_SECRET,
    CURRENT_API_URL: sandbox.url,
    WATCH_INTERVAL: interval,
    LOG_LEVEL: 'info',
    OVERLOAD_DELAY: '1h',
  };
  const start = (): Promise<ServerProcess> => startBuiltServer(settings);
  return { sandbox, start, processes: await Promise.all([start(), start(), start()]) };
}

const changesIn = ({ events }: WatchReading): string[] =>
  events
    .filter(({ kind }) => kind !== 'SNAPSHOT')
    .map(({ kind, queuedPost, totalCount }) => `${kind} ${queuedPost?.id} ${totalCount}`);

test.runIf(isRedisHere)(
  'one of three processes reads for all of them, another goes on when it is killed, and all tell the same',
  async () => {
    const { sandbox, processes } = await startThree('200ms');
    const owner = sandbox.state.owner('harbour');
    const watching = processes.map(({ url }) => watchQueue({ url, sandbox }));
    await Promise.all(watching.map((one) => one.received(1)));
    owner.drainQueue(1);
    await Promise.all(watching.map((one) => one.received(2)));
    // The one that reads is the one whose end stops the readings; whichever it is, the others go on.
    for (const [index, victim] of processes.slice(0, 2).entries()) {
      await victim.end('SIGKILL');
      owner.drainQueue(1);
      await Promise.all(watching.slice(index + 1).map((one) => one.received(3 + index)));
    }
    const [patient] = watching.slice(2);
    const expected = changesIn(patient as WatchReading);
    expect(expected.length).toBe(3);
    for (const [index, one] of watching.entries()) {
      const told = changesIn(one);
      expect(told).toEqual(expected.slice(0, told.length));
      expect(told.length).toBeGreaterThanOrEqual(index + 1);
    }
  },
);

test.runIf(isRedisHere)('three processes read no more often than one', async () => {
  const { sandbox, processes } = await startThree('1s');
  const watching = processes.map(({ url }) => watchQueue({ url, sandbox }));
  await Promise.all(watching.map((one) => one.received(1)));
  const begun = performance.now();
  const before = sandbox.requests.count(QUEUE_CALL);
  await expect.poll(() => sandbox.requests.count(QUEUE_CALL) - before).toBeGreaterThanOrEqual(3);
  const readings = sandbox.requests.count(QUEUE_CALL) - before;
  // The interval is the least: a busy machine only makes it longer.
  expect(readings).toBeLessThanOrEqual(Math.ceil((performance.now() - begun) / 1_000) + 1);
});
