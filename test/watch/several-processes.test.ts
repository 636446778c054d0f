import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { startBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { isRedisHere, REDIS_SECRET, startRedis } from '../support/redis.ts';
import {
  QUEUE_CALL,
  startShared,
  watchQueue,
  type SharingServer,
  type WatchReading,
} from '../support/live.ts';

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

test.runIf(isRedisHere)(
  'while Redis is cut off from one of two, both tell every change, and then take turns again',
  { timeout: 120_000 },
  async () => {
    const environment = { WATCH_INTERVAL: `${INTERVAL_MS}ms`, REDIS_COMMAND_TIMEOUT: '1s' };
    const { sandbox, servers } = await startShared({ environment });
    const [one, other] = servers as [SharingServer, SharingServer];
    for (const server of servers) await server.redisIs('connected');
    const watching = [one, other].map(({ url }) => watchQueue({ url, sandbox }));
    await Promise.all(watching.map((each) => each.received(1)));
    await change(sandbox, watching);
    other.proxy.cut();
    await other.redisIs('degraded');
    for (let times = 0; times < 3; times += 1) {
      await change(sandbox, watching);
      await after(cases(0, 10_000));
    }
    other.proxy.restore();
    for (const server of servers) await server.redisIs('connected');
    await change(sandbox, watching);
    await checkRate(sandbox, watching);
    for (const each of watching) expect(new Set(each.kinds.slice(1))).toEqual(new Set(['LEFT']));
    expect(new Set(watching.map((each) => changesIn(each).join())).size).toBe(1);
  },
);
