import { expect, onTestFinished, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { startBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { isRedisHere, REDIS_SECRET, startRedis } from '../support/redis.ts';
import { QUEUE_CALL, watchQueue, type WatchReading } from '../support/live.ts';

// Several processes with one Redis: one of them reads the queue of a credential, and all tell of it.

const INTERVAL_MS = 200;

const changesIn = ({ events }: WatchReading): string[] =>
  events
    .filter(({ kind }) => kind !== 'SNAPSHOT')
    .map(({ kind, queuedPost, totalCount }) => `${kind} ${queuedPost?.id} ${totalCount}`);

/** Lets a post leave the queue, and waits until all are told. */
async function change(sandbox: Sandbox, watching: readonly WatchReading[]): Promise<void> {
  const told = watching.map(({ events }) => events.length);
  sandbox.state.owner('harbour').drainQueue(1);
  await Promise.all(watching.map((one, index) => one.received((told[index] ?? 0) + 1)));
}

/** Changes the queue as often as it may be read, and checks that it is read no more often than by one process. */
async function checkRate(sandbox: Sandbox, watching: readonly WatchReading[]): Promise<void> {
  const begun = performance.now();
  const before = sandbox.requests.count(QUEUE_CALL);
  for (let times = 0; times < 5; times += 1) await change(sandbox, watching);
  const readings = sandbox.requests.count(QUEUE_CALL) - before;
  // The interval is the least: a busy machine only makes it longer. One reading in five may take a second call.
  expect(readings).toBeLessThanOrEqual(Math.ceil((performance.now() - begun) / INTERVAL_MS) + 1);
}

/** How often a process says that it has read the queue. */
const readingsOf = ({ output }: ServerProcess): number => output.split('/posts/queued').length - 1;

test.runIf(isRedisHere)(
  'one of two processes reads for both, no more often than one; the other goes on when it is killed; both tell the same',
  async () => {
    const [sandbox, redis] = await Promise.all([startSandbox({ port: 0 }), startRedis()]);
    onTestFinished(() => sandbox.close());
    const start = (): Promise<ServerProcess> =>
      startBuiltServer({
        HOST: '127.0.0.1',
        REDIS_URL: redis.url,
        REDIS_SECRET,
        CURRENT_API_URL: sandbox.url,
        WATCH_INTERVAL: `${INTERVAL_MS}ms`,
        // Which of them reads is told by what it logs of its calls.
        LOG_LEVEL: 'debug',
        OVERLOAD_DELAY: '1h',
      });
    const processes = await Promise.all([start(), start()]);
    const watching = processes.map(({ url }) => watchQueue({ url, sandbox }));
    await Promise.all(watching.map((one) => one.received(1)));
    const before = processes.map(readingsOf);
    await checkRate(sandbox, watching);
    const read = processes.map((one, index) => readingsOf(one) - (before[index] ?? 0));
    const reader = (read[0] ?? 0) > (read[1] ?? 0) ? 0 : 1;
    const [killed, patient] = [watching[reader], watching[1 - reader]] as [WatchReading, WatchReading];
    await processes[reader]?.end('SIGKILL');
    await change(sandbox, [patient]);
    expect(changesIn(patient)).toHaveLength(6);
    expect(changesIn(killed)).toEqual(changesIn(patient).slice(0, 5));
  },
);
