import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { startBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { isRedisHere, REDIS_SECRET, startRedis } from '../support/redis.ts';
import { startShared, type SharingServer } from '../support/shared-live.ts';
import { QUEUE_CALL, watchQueue, type WatchReading } from '../support/watching.ts';

// Several processes with one Redis: one of them reads the queue of a credential, and all tell of it.

const INTERVAL_MS = 200;

async function startTwo() {
  const [sandbox, redis] = await Promise.all([startSandbox({ port: 0 }), startRedis()]);
  onTestFinished(() => sandbox.close());
  const settings = {
    HOST: '127.0.0.1',
    REDIS_URL: redis.url,
    REDIS_SECRET,
    CURRENT_API_URL: sandbox.url,
    WATCH_INTERVAL: `${INTERVAL_MS}ms`,
    // Which of them reads is told by what it logs of its calls.
    LOG_LEVEL: 'debug',
    OVERLOAD_DELAY: '1h',
  };
  const start = (): Promise<ServerProcess> => startBuiltServer(settings);
  return { sandbox, processes: await Promise.all([start(), start()]) };
}

const changesIn = ({ events }: WatchReading): string[] =>
  events
    .filter(({ kind }) => kind !== 'SNAPSHOT')
    .map(({ kind, queuedPost, totalCount }) => `${kind} ${queuedPost?.id} ${totalCount}`);

/** How often a process says that it has read the queue. */
const readingsOf = ({ output }: ServerProcess): number => output.split('/posts/queued').length - 1;

test.runIf(isRedisHere)(
  'one of two processes reads for both, no more often than one; the other goes on when it is killed; both tell the same',
  async () => {
    const { sandbox, processes } = await startTwo();
    const owner = sandbox.state.owner('harbour');
    const watching = processes.map(({ url }) => watchQueue({ url, sandbox }));
    await Promise.all(watching.map((one) => one.received(1)));
    const before = processes.map(readingsOf);
    await checkRate(sandbox);
    const read = processes.map((one, index) => readingsOf(one) - (before[index] ?? 0));
    const reader = (read[0] ?? 0) > (read[1] ?? 0) ? 0 : 1;
    owner.drainQueue(1);
    await Promise.all(watching.map((one) => one.received(2)));
    await processes[reader]?.end('SIGKILL');
    owner.drainQueue(1);
    await watching[1 - reader]?.received(3);
    const [killed, patient] = [watching[reader], watching[1 - reader]] as [WatchReading, WatchReading];
    expect(changesIn(patient)).toHaveLength(2);
    expect(changesIn(killed)).toEqual(changesIn(patient).slice(0, 1));
  },
);

test.runIf(isRedisHere).each([300, cases(2_000, 30_000)])(
  'while Redis is cut off from one of two for %i ms, both tell every change, and then take turns again',
  { timeout: 120_000 },
  async (cutOffMs) => {
    const environment = { WATCH_INTERVAL: `${INTERVAL_MS}ms`, REDIS_COMMAND_TIMEOUT: '1s' };
    const { sandbox, servers } = await startShared({ environment });
    const [one, other] = servers as [SharingServer, SharingServer];
    for (const server of servers) await server.redisIs('connected');
    const owner = sandbox.state.owner('harbour');
    const watching = [one, other].map(({ url }) => watchQueue({ url, sandbox }));
    await Promise.all(watching.map((each) => each.received(1)));
    let changes = 0;
    const change = async (): Promise<void> => {
      owner.drainQueue(1);
      changes += 1;
      await Promise.all(watching.map((each) => each.received(1 + changes)));
    };
    await change();
    other.proxy.cut();
    await other.redisIs('degraded');
    for (let times = 0; times < 5; times += 1) {
      await change();
      await after(cutOffMs / 5);
    }
    other.proxy.restore();
    for (const server of servers) await server.redisIs('connected');
    for (let times = 0; times < 3; times += 1) await change();
    for (const each of watching) expect(new Set(each.kinds.slice(1))).toEqual(new Set(['LEFT']));
    expect(new Set(watching.map((each) => changesIn(each).join())).size).toBe(1);
    owner.drainQueue(1);
    await checkRate(sandbox);
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
