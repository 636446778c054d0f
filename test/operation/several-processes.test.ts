import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type { SandboxOptions } from '../../packages/sandbox/src/sandbox.ts';
import { startBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { jsonOf, postJson, send } from '../support/http.ts';
import { landmarks } from '../support/landmarks.ts';
import { freePort } from '../support/network.ts';
import { isInstalled } from '../support/programs.ts';
import { isRedisHere, REDIS_SECRET, startRedis } from '../support/redis.ts';
import { holdAnswers, sandboxForTest } from '../support/sandbox.ts';
import { openClient } from '../support/web-sockets.ts';
import { account, documentOf, EXAMPLES, type MutationName, type WritePayload } from '../support/writes.ts';

const FILES = resolve(import.meta.dirname, '../../docs/several-processes');
const INSTANCES = ['A', 'B', 'C'] as const;

/** Three instances behind HAProxy with a Redis, set up as the walkthrough says, before one sandbox. */
type Cluster = Awaited<ReturnType<typeof startCluster>>;

async function startCluster(environment: Readonly<Record<string, string>>, options: SandboxOptions) {
  const sandbox = await sandboxForTest(options);
  const redis = await startRedis(resolve(FILES, 'redis.conf'));
  const settings = {
    ...parseEnv(await readFile(resolve(FILES, 'instance.env'), 'utf8')),
    HOST: '127.0.0.1',
    REDIS_URL: redis.url,
    REDIS_SECRET,
    CURRENT_API_URL: sandbox.url,
    LEGACY_API_URL: sandbox.url,
    LOG_LEVEL: 'info',
    // What this is about is not how busy the machine is.
    OVERLOAD_DELAY: '1h',
    ...environment,
  };
  const ports = await Promise.all(INSTANCES.map(freePort));
  const start = (index: number): Promise<ServerProcess> =>
    startBuiltServer({ ...settings, PORT: String(ports[index]) });
  const instances = await Promise.all(ports.map((_port, index) => start(index)));
  const url = await startHaproxy(ports);
  const isReady = async (index: number): Promise<void> => {
    const state = async () => JSON.parse((await send(`${instances[index]?.url}/ready`)).text) as unknown;
    await expect.poll(state).toMatchObject({ status: 'ready', redis: 'connected' });
  };
  return {
    url,
    sandbox,
    instances,
    /** Waits until an instance says that it is ready, and shares what it has to. */
    isReady,
    /** Ends an instance, starts it again in its place, and waits until the balancer sends it requests. */
    async restart(index: number, signal: NodeJS.Signals) {
      await instances[index]?.end(signal);
      instances[index] = await start(index);
      await isReady(index);
    },
  };
}

/** Runs HAProxy until the test ends, and waits until it answers; gives its address. */
async function startHaproxy(ports: readonly number[]): Promise<string> {
  const listen = `127.0.0.1:${await freePort()}`;
  const addresses = ports.map((port, index) => [`GRAPH_${INSTANCES[index]}`, `127.0.0.1:${port}`]);
  const child = spawn('haproxy', ['-db', '-f', resolve(FILES, 'haproxy.cfg')], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], LISTEN: listen, ...Object.fromEntries(addresses) },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `http://${listen}`;
  const status = () => send(`${url}/health`).then((reply) => reply.status, String);
  await expect.poll(status).toBe(200);
  return url;
}

const LONG = { timeout: cases(240_000, 600_000) };
const CREATING = 'POST /posts/create';
const ASKING = 'POST /openai/response';
const CALLERS = cases(5, 10);
const RESULTS_PER_CALLER = cases(3, 100);
/** How long lies between one result and the next, so that they come before, while and after an instance ends. */
const BETWEEN_RESULTS_MS = cases(250, 50);
const EQUAL_WRITES = cases(24, 100);

const KEY = { 'x-api-key': 'demo-key-harbour', authorization: 'Bearer demo-token-harbour' };

/** Runs a mutation at one instance; again while the instance counts Redis as away, as a client would. */
async function mutate(url: string, name: MutationName, input: object): Promise<WritePayload> {
  const answer = await postJson(`${url}/graphql`, { query: documentOf(name), variables: { input } }, KEY);
  const payload = jsonOf(answer).data[name] as WritePayload;
  if (!payload.userErrors.some(({ code }) => code === 'IDEMPOTENCY_UNAVAILABLE')) return payload;
  await after(100);
  return await mutate(url, name, input);
}

const kindOf = ({ outcome, replayed, userErrors }: WritePayload): string =>
  outcome === 'COMPLETED' ? (replayed ? 'replayed' : 'performed') : String(userErrors[0]?.code);

/** Instances that are asked to pause one account at the same time toggle it once. */
async function pauseTogether({ instances, isReady, sandbox }: Cluster): Promise<void> {
  for (const index of instances.keys()) await isReady(index);
  const answers = await Promise.all(
    [...instances, ...instances].map(({ url }) => mutate(url, 'pauseAccount', { accountId: account() })),
  );
  expect(answers.map(({ outcome }) => outcome)).toEqual(answers.map(() => 'COMPLETED'));
  expect(sandbox.state.owner('harbour').toggles(landmarks.plainId)).toBe(1);
}

const ORDER = { ...EXAMPLES.createPost, idempotencyKey: 'an-order' };

/** All instances together send equal writes with one key once. */
async function writeEqually({ url, instances, sandbox }: Cluster): Promise<void> {
  const held = holdAnswers(sandbox, { endpoint: CREATING, effect: 'done' });
  const addresses = [url, ...instances.map((instance) => instance.url)];
  const told: string[] = [];
  const writes = Array.from({ length: EQUAL_WRITES }, async (_, index) => {
    told.push(kindOf(await mutate(addresses[index % addresses.length] ?? url, 'createPost', ORDER)));
  });
  // The service answers only once all the others have been told that the write is in progress.
  const others = Array.from({ length: EQUAL_WRITES - 1 }, () => 'IDEMPOTENCY_IN_PROGRESS');
  await expect.poll(() => told).toEqual(others);
  await held.arrived();
  held.release();
  await Promise.all(writes);
  expect(told).toEqual([...others, 'performed']);
  expect(sandbox.requests.count(CREATING)).toBe(1);
}

/** Asks for a text and waits for it, on a socket of its own that comes back whenever it is closed. */
async function subscribe(url: string, apiKey: string, prompt: string) {
  const body = { query: documentOf('generateAiText'), variables: { input: { prompt, tone: 'warm' } } };
  const { data } = jsonOf(await postJson(`${url}/graphql`, body, { 'x-api-key': apiKey }));
  expect(data.generateAiText).toMatchObject({ outcome: 'COMPLETED', aiGeneration: { status: 'PENDING' } });
  const { id, contentId } = data.generateAiText.aiGeneration as { id: string; contentId: string };
  const client = openClient(url, {
    connectionParams: { 'x-api-key': apiKey },
    retryAttempts: 1_000,
    // As a browser would, but quicker: not all at the same moment.
    retryWait: () => after(100 + Math.random() * 400),
    shouldRetry: () => true,
  });
  const query = 'subscription ($id: ID!) { aiGenerationUpdated(id: $id) { status } }';
  const statuses: unknown[] = [];
  const read = async (): Promise<void> => {
    for await (const { data: event } of client.iterate({ query, variables: { id } }))
      statuses.push((event?.['aiGenerationUpdated'] as { readonly status: string } | null)?.status);
  };
  return { contentId, statuses, ended: read() };
}

/** Subscribers get each result once, while every instance is restarted in turn, one after a kill. */
async function followThroughRestarts(cluster: Cluster, kill: () => Promise<void>): Promise<void> {
  const { url, sandbox } = cluster;
  const callers = sandbox.owners.slice(2);
  const prompts = Array.from({ length: RESULTS_PER_CALLER }, (_, index) => `slowly, never: result ${index}`);
  const subscribers = await Promise.all(
    callers.flatMap(({ apiKey }) => prompts.map((prompt) => subscribe(url, apiKey, prompt))),
  );
  await expect.poll(() => subscribers.filter(({ statuses }) => statuses.length === 0)).toEqual([]);
  const ends = [
    () => cluster.restart(0, 'SIGTERM'),
    () => cluster.restart(1, 'SIGTERM'),
    // By now it is one of those that have been there longest, and likely the one that looks for the results.
    kill,
  ];
  for (const [part, end] of ends.entries()) {
    const restarted = end();
    for (const { contentId } of subscribers.filter((_, index) => index % ends.length === part)) {
      sandbox.generations.finish(contentId, { pushes: 0 });
      await after(BETWEEN_RESULTS_MS);
    }
    await restarted;
  }
  // A client that has read its stream to the end does not subscribe again: nobody is told twice.
  await Promise.all(subscribers.map(({ ended }) => ended));
  const results = subscribers.map(({ statuses }) => statuses.filter((status) => status === 'COMPLETE'));
  expect(results).toEqual(subscribers.map(() => ['COMPLETE']));
  expect(sandbox.requests.count(ASKING)).toBe(CALLERS * RESULTS_PER_CALLER);
}

test.runIf(isInstalled('haproxy') && isRedisHere)(
  'instances behind a balancer lose no update, send equal writes once and each result once, also through restarts and a kill',
  LONG,
  async () => {
    // On a busy machine, Redis may take its time.
    const environment = { AI_POLL_INTERVAL: '500ms', DRAIN_DELAY: '1s', REDIS_COMMAND_TIMEOUT: '30s' };
    const cluster = await startCluster(environment, { moreOwners: CALLERS });
    const { instances, sandbox } = cluster;
    await pauseTogether(cluster);
    await writeEqually(cluster);

    const unfinished = { ...EXAMPLES.createPost, idempotencyKey: 'an-order-of-the-killed' };
    await followThroughRestarts(cluster, async () => {
      sandbox.faults.add({ kind: 'never-answer', endpoint: CREATING, effect: 'done' });
      const lost = mutate(instances[2]?.url ?? '', 'createPost', unfinished).catch(() => 'lost');
      await sandbox.requests.waitFor(CREATING, 2);
      await cluster.restart(2, 'SIGKILL');
      expect(await lost).toBe('lost');
    });

    for (const { url } of instances) {
      await expect.poll(async () => kindOf(await mutate(url, 'createPost', ORDER))).toBe('replayed');
      expect(await mutate(url, 'createPost', unfinished)).toMatchObject({
        outcome: 'UNKNOWN',
        userErrors: [{ code: 'IDEMPOTENCY_IN_PROGRESS', retryable: true }],
      });
    }
    expect(sandbox.requests.count(CREATING)).toBe(2);
  },
);
