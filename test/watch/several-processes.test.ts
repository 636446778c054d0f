import { expect, onTestFinished, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { startBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { isRedisHere, REDIS_SECRET, startRedis } from '../support/redis.ts';
import { QUEUE_CALL, watchQueue, type WatchReading } from '../support/watching.ts';

// Several processes with one Redis: one of them reads the queue of a credential, and all tell of it.

const INTERVAL_MS = 200;

async function startThree() {
  const [sandbox, redis] = await Promise.all([startSandbox({ port: 0 }), startRedis()]);
  onTestFinished(() => sandbox.close());
  const settings = {
    HOST: '127.0.0.1',
    REDIS_URL: redis.url,
    REDIS_SECRET,
    CURRENT_API_URL: sandbox.url,
    WATCH_INTERVAL: `${INTERVAL_MS}ms`,
    LOG_LEVEL: 'info',
    OVERLOAD_DELAY: '1h',
  };
  const start = (): Promise<ServerProcess> => startBuiltServer(settings);
  return { sandbox, processes: await Promise.all([start(), start(), start()]) };
}

const changesIn = ({ events }: WatchReading): string[] =>
  events
    .filter(({ kind }) => kind !== 'SNAPSHOT')
    .map(({ kind, queuedPost, totalCount }) => `${kind} ${queuedPost?.id} ${totalCount}`);

test.runIf(isRedisHere)(
  'one of three processes reads for all, no more often than one; another goes on when it is killed; all tell the same',
  async () => {
    const { sandbox, processes } = await startThree();
    const owner = sandbox.state.owner('harbour');
    const watching = processes.map(({ url }) => watchQueue({ url, sandbox }));
    await Promise.all(watching.map((one) => one.received(1)));
    await checkRate(sandbox);
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

/** Waits for some readings, and checks that there were no more of them than one process makes in that time. */
async function checkRate(sandbox: Sandbox): Promise<void> {
  const begun = performance.now();
  const before = sandbox.requests.count(QUEUE_CALL);
  await expect.poll(() => sandbox.requests.count(QUEUE_CALL) - before).toBeGreaterThanOrEqual(9);
  const readings = sandbox.requests.count(QUEUE_CALL) - before;
  // The interval is the least: a busy machine only makes it longer.
  expect(readings).toBeLessThanOrEqual(Math.ceil((performance.now() - begun) / INTERVAL_MS) + 1);
}
