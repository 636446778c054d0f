import { expect, test } from 'vitest';
import { landmarks } from '../../src/sandbox/data/landmarks.ts';
import { isBalancerHere } from '../support/balancer.ts';
import { startCluster } from '../support/cluster.ts';
import { jsonOf, postJson } from '../support/raw-http.ts';
import { isRedisHere } from '../support/redis.ts';
import { account, documentOf, EXAMPLES, type MutationName, type WritePayload } from '../support/writes.ts';

const isHere = isBalancerHere && isRedisHere;
const MINUTES = { timeout: 120_000 };
const CREATING = 'POST /posts/create';

const KEY = { 'x-api-key': 'demo-key-harbour', authorization: 'Bearer demo-token-harbour' };

/** Runs a mutation by its name at one instance; again where Redis was too slow for it, as a client would. */
async function mutate(url: string, name: MutationName, input: object): Promise<WritePayload> {
  const answer = await postJson(`${url}/graphql`, { query: documentOf(name), variables: { input } }, KEY);
  const payload = jsonOf(answer).data[name] as WritePayload;
  const isAway = payload.userErrors.some(({ code }) => code === 'IDEMPOTENCY_UNAVAILABLE');
  return isAway ? await mutate(url, name, input) : payload;
}

/**
 * Rounds in which a process may have gone its own way: a command that a busy machine holds up counts as Redis away. Where
 * processes never ask each other, more than fifty are.
 */
const MOST_APART = 25;

/** Whoever was crossed by a process that could not ask says so, and that asking again is safe. */
function expectRefused(answers: readonly WritePayload[]): void {
  const crossed = answers.filter(({ outcome }) => outcome !== 'COMPLETED');
  for (const { outcome, userErrors } of crossed)
    expect([outcome, ...userErrors.map(({ code, retryable }) => `${code} ${retryable}`)]).toEqual([
      'REJECTED',
      'UPSTREAM_REJECTED true',
    ]);
}

test.runIf(isHere)('a hundred equal writes with one key over all instances are one', MINUTES, async () => {
  const cluster = await startCluster();
  const { url, instances, sandbox } = cluster;
  const addresses = [url, ...instances.map((instance) => instance.url)];
  for (let round = 0; round < 5; round += 1) {
    sandbox.faults.add({ kind: 'delay', ms: 300, effect: 'none', endpoint: CREATING });
    const before = sandbox.requests.count(CREATING);
    const input = { ...EXAMPLES.createPost, idempotencyKey: `order-${round}` };
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        mutate(addresses[index % addresses.length] ?? url, 'createPost', input),
      ),
    );
    expect(sandbox.requests.count(CREATING) - before).toBe(1);
    const kinds = answers.map(({ outcome, replayed, userErrors }) =>
      outcome === 'COMPLETED' ? (replayed ? 'replayed' : 'performed') : userErrors[0]?.code,
    );
    expect(kinds.filter((kind) => kind === 'performed')).toHaveLength(1);
    // One that comes in so late that the first has ended is told what came of it.
    const others = new Set(kinds.filter((kind) => kind !== 'performed' && kind !== 'replayed'));
    expect(others).toEqual(new Set(['IDEMPOTENCY_IN_PROGRESS']));
  }
  // What was done is told by all, also by one that is new.
  await cluster.restart(0, 'SIGTERM');
  const input = { ...EXAMPLES.createPost, idempotencyKey: 'order-0' };
  for (const instance of instances)
    expect(await mutate(instance.url, 'createPost', input)).toMatchObject({ replayed: true });
  expect(sandbox.requests.count(CREATING)).toBe(5);
});

test.runIf(isHere)(
  'an instance that is killed during a write with a key has the others refuse to repeat it',
  MINUTES,
  async () => {
    const { instances, sandbox } = await startCluster();
    const [first, second] = instances;
    sandbox.faults.add({ kind: 'never-answer', endpoint: CREATING, effect: 'done' });
    const input = { ...EXAMPLES.createPost, idempotencyKey: 'order-7' };
    const lost = mutate(first?.url ?? '', 'createPost', input).catch(() => 'lost');
    await sandbox.requests.waitFor(CREATING, 1);
    await first?.end('SIGKILL');
    expect(await lost).toBe('lost');
    expect(await mutate(second?.url ?? '', 'createPost', input)).toMatchObject({
      outcome: 'REJECTED',
      userErrors: [{ code: 'IDEMPOTENCY_IN_PROGRESS', retryable: true }],
    });
    expect(sandbox.requests.count(CREATING)).toBe(1);
  },
);

test.runIf(isHere)(
  'a thousand times, instances that are asked to pause and to resume one account lose no update',
  MINUTES,
  async () => {
    const { instances, sandbox } = await startCluster();
    const owner = sandbox.state.owner('harbour');
    const isPaused = (): boolean | undefined =>
      owner.accounts.find(({ loginId, surfaces }) => loginId === landmarks.plainId && surfaces.legacy)
        ?.paused;
    const names = ['pauseAccount', 'resumeAccount'] as const;
    let apart = 0;
    for (let round = 0; round < 125; round += 1) {
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
      if (answers.some(({ outcome }) => outcome !== 'COMPLETED')) {
        expectRefused(answers);
        apart += 1;
        continue;
      }
      expect(answers.map((answer) => answer['account'])).toMatchObject(
        wanted.map((name) => ({ isPaused: name === 'pauseAccount' })),
      );
      const toggled = owner.toggles(landmarks.plainId) - before.toggles;
      expect(isPaused()).toBe(toggled % 2 === 1 ? !before.isPaused : before.isPaused);
      // Where all want the same, that is what comes of it, with one toggle at most.
      if (round % 3 !== 2) {
        expect(toggled).toBeLessThanOrEqual(1);
        expect(isPaused()).toBe(round % 3 === 0);
      }
    }
    expect(apart).toBeLessThanOrEqual(MOST_APART);
  },
);
