import type { ServerResponse } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { isBalancerHere, startCluster, type Cluster } from '../support/cluster.ts';
import { cases } from '../support/depth.ts';
import { jsonOf, postJson } from '../support/http.ts';
import { isRedisHere } from '../support/redis.ts';
import { account, documentOf, EXAMPLES, type MutationName, type WritePayload } from '../support/writes.ts';

const isHere = isBalancerHere && isRedisHere;
const LONG = { timeout: cases(240_000, 600_000) };
const CREATING = 'POST /posts/create';
const ROUNDS_WITH_A_KEY = cases(1, 5);
const EQUAL_WRITES = cases(24, 100);
const ROUNDS_OF_PAUSING = cases(9, 125);

const KEY = { 'x-api-key': 'demo-key-harbour', authorization: 'Bearer demo-token-harbour' };

/** Runs a mutation at one instance; again while the instance counts Redis as away, as a client would. */
async function mutate(url: string, name: MutationName, input: object): Promise<WritePayload> {
  const answer = await postJson(`${url}/graphql`, { query: documentOf(name), variables: { input } }, KEY);
  const payload = jsonOf(answer).data[name] as WritePayload;
  const isAway = payload.userErrors.some(({ code }) => code === 'IDEMPOTENCY_UNAVAILABLE');
  if (!isAway) return payload;
  await after(100);
  return await mutate(url, name, input);
}

const kindOf = ({ outcome, replayed, userErrors }: WritePayload): string =>
  outcome === 'COMPLETED' ? (replayed ? 'replayed' : 'performed') : String(userErrors[0]?.code);

/** What the service answers when it has created the posts. */
const CREATED = JSON.stringify({
  message: 'Posts accepted.',
  response: { postIds: ['a-post'], postScheduledLimitOver: false, customResponse: [], postCreatedCount: 1 },
});

/** Instances are asked to pause and to resume one account at the same time, and lose no update. */
async function pauseTogether(cluster: Cluster): Promise<void> {
  const { instances, sandbox } = cluster;
  const owner = sandbox.state.owner('harbour');
  const isPaused = (): boolean | undefined =>
    owner.accounts.find(({ loginId, surfaces }) => loginId === landmarks.plainId && surfaces.legacy)?.paused;
  const names = ['pauseAccount', 'resumeAccount'] as const;
  const outages = (): number =>
    instances.reduce((count, { output }) => count + output.split('Redis unavailable').length - 1, 0);
  /** One round of eight requests; gives what went wrong, or null. */
  const play = async (round: number): Promise<string | null> => {
    const before = { isPaused: isPaused(), toggles: owner.toggles(landmarks.plainId) };
    // All pause, all resume, or some of each.
    const wanted = Array.from(
      { length: 8 },
      (_, index) => names[[0, 1, index % 2][round % 3] ?? 0] ?? names[0],
    );
    const asked = wanted.map((name, index) =>
      mutate(instances[(index + (index >> 1)) % 3]?.url ?? '', name, { accountId: account() }),
    );
    const answers = await Promise.all(asked);
    const isDone = answers.map(({ outcome, ...payload }, index) => {
      const { isPaused: now } = (payload['account'] ?? {}) as { readonly isPaused?: boolean };
      return outcome === 'COMPLETED' && now === (wanted[index] === 'pauseAccount');
    });
    if (isDone.includes(false)) return `not done: ${JSON.stringify(answers)}`;
    const toggled = owner.toggles(landmarks.plainId) - before.toggles;
    if (isPaused() !== (toggled % 2 === 1 ? !before.isPaused : before.isPaused)) return 'a lost update';
    // Where all want the same, one toggle at most brings it about.
    if (round % 3 !== 2 && (toggled > 1 || isPaused() !== (round % 3 === 0)))
      return `${toggled} toggles, and paused: ${isPaused()}`;
    return null;
  };
  for (let round = 0; round < ROUNDS_OF_PAUSING;) {
    const before = outages();
    for (const index of instances.keys()) await cluster.isReady(index);
    const wrong = await play(round);
    if (wrong === null) round += 1;
    // Without Redis an instance continues alone, and says so in its log. Such a round is played again.
    else await expect.poll(outages, { message: wrong }).toBeGreaterThan(before);
  }
}

/** All instances together send equal writes with one key once, also after a restart and a kill. */
async function writeEqually(cluster: Cluster): Promise<void> {
  const { url, instances, sandbox } = cluster;
  const addresses = [url, ...instances.map((instance) => instance.url)];
  for (let round = 0; round < ROUNDS_WITH_A_KEY; round += 1) {
    let held: ServerResponse | undefined;
    const write = (_request: unknown, response: ServerResponse): void => void (held = response);
    sandbox.faults.add({ kind: 'raw', effect: 'done', endpoint: CREATING, write });
    const input = { ...EXAMPLES.createPost, idempotencyKey: `order-${round}` };
    const told: string[] = [];
    const writes = Array.from({ length: EQUAL_WRITES }, async (_, index) => {
      const payload = await mutate(addresses[index % addresses.length] ?? url, 'createPost', input);
      told.push(kindOf(payload));
    });
    // The service answers only once all the others have been told that the write is in progress.
    const others = Array.from({ length: EQUAL_WRITES - 1 }, () => 'IDEMPOTENCY_IN_PROGRESS');
    await expect.poll(() => told).toEqual(others);
    await expect.poll(() => held).toBeDefined();
    held?.end(CREATED);
    await Promise.all(writes);
    expect(told).toEqual([...others, 'performed']);
    expect(sandbox.requests.count(CREATING)).toBe(round + 1);
  }

  await cluster.restart(0, 'SIGTERM');
  const input = { ...EXAMPLES.createPost, idempotencyKey: 'order-0' };
  for (const instance of instances)
    await expect.poll(async () => kindOf(await mutate(instance.url, 'createPost', input))).toBe('replayed');
  expect(sandbox.requests.count(CREATING)).toBe(ROUNDS_WITH_A_KEY);

  const [first, second] = instances;
  sandbox.faults.add({ kind: 'never-answer', endpoint: CREATING, effect: 'done' });
  const unfinished = { ...EXAMPLES.createPost, idempotencyKey: 'order-of-the-killed' };
  const lost = mutate(first?.url ?? '', 'createPost', unfinished).catch(() => 'lost');
  await expect.poll(() => sandbox.requests.count(CREATING)).toBe(ROUNDS_WITH_A_KEY + 1);
  await first?.end('SIGKILL');
  expect(await lost).toBe('lost');
  expect(await mutate(second?.url ?? '', 'createPost', unfinished)).toMatchObject({
    outcome: 'UNKNOWN',
    userErrors: [{ code: 'IDEMPOTENCY_IN_PROGRESS', retryable: true }],
  });
  expect(sandbox.requests.count(CREATING)).toBe(ROUNDS_WITH_A_KEY + 1);
}

test.runIf(isHere)(
  'instances lose no update of an account, and send equal writes with one key once, also after a restart and a kill',
  LONG,
  async () => {
    const cluster = await startCluster({ DRAIN_DELAY: '1s' });
    await pauseTogether(cluster);
    await writeEqually(cluster);
  },
);
