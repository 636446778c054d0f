import { execFile } from 'node:child_process';
import { setTimeout as after } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { spawnBuiltServer, startBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { jsonOf, postJson } from '../support/raw-http.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { documentOf, EXAMPLES, problemsOf, type Input, type WritePayload } from '../support/writes.ts';

// A key outlives the process: what was told is told again, what may have happened is not sent again.

const CREATE = 'POST /posts/create';

/** A sandbox in this process, and servers of their own in front of it that share a folder. */
async function startBoth(environment: Readonly<Record<string, string>> = {}) {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  sandbox.state.owner('harbour').queueLimit = 100_000;
  const settings = {
    CURRENT_API_URL: sandbox.url,
    LEGACY_API_URL: sandbox.url,
    DATA_DIR: await temporaryFolder(),
    SERVICE_TIME_ZONE: 'Etc/UTC',
    LOG_LEVEL: 'info',
    ...environment,
  };
  return { sandbox, settings, start: () => startBuiltServer(settings) };
}

async function create(
  { url }: ServerProcess,
  idempotencyKey: string,
  changes: Input = {},
): Promise<WritePayload> {
  const input = { ...EXAMPLES.createPost, idempotencyKey, ...changes };
  const body = { query: documentOf('createPost'), variables: { input } };
  const answer = await postJson(`${url}/graphql`, body, { 'x-api-key': 'demo-key-harbour' });
  return (jsonOf(answer) as { readonly data: { readonly createPost: WritePayload } }).data.createPost;
}

const verdictOf = (payload: WritePayload): unknown[] => [
  payload.outcome,
  payload.replayed,
  ...problemsOf(payload),
];

test('what was told is told again after the process was killed, and nothing is sent again', async () => {
  const { sandbox, start } = await startBoth();
  const first = await start();
  const told = await create(first, 'order-7');
  await first.end('SIGKILL');
  const again = await create(await start(), 'order-7');
  expect(again).toEqual({ ...told, replayed: true });
  expect(sandbox.requests.count(CREATE)).toBe(1);
});

test.each([
  ['done', 'found and told', ['COMPLETED', true]],
  ['none', 'unknown', ['UNKNOWN', true, 'OUTCOME_UNKNOWN']],
] as const)(
  'a write whose process was killed before the answer came (effect: %s) is %s, at once, and not sent again',
  async (effect, _, verdict) => {
    const { sandbox, start } = await startBoth();
    const first = await start();
    sandbox.faults.add({ kind: 'never-answer', endpoint: CREATE, effect });
    const lost = create(first, 'order-7').catch(() => 'lost');
    await sandbox.requests.waitFor(CREATE, 1);
    await first.end('SIGKILL');
    expect(await lost).toBe('lost');
    const again = await create(await start(), 'order-7');
    expect(verdictOf(again)).toEqual(verdict);
    expect(sandbox.requests.count(CREATE)).toBe(1);
  },
);

test('a second process with the same folder does not start, and says what to do', async () => {
  const { settings, start } = await startBoth();
  await start();
  const second = spawnBuiltServer(settings);
  expect(await second.exited).toBe(1);
  expect(second.output).toMatch(/DATA_DIR: .* is in use by another process; .*REDIS_URL/);
});

test('without a folder the start says what that means', async () => {
  const { start } = await startBoth({ DATA_DIR: 'off' });
  const running = await start();
  expect(running.output).toMatch(/DATA_DIR is off: idempotency keys are lost on restart/);
});

/** Limits how large a file the process may write, as a full disk would. */
async function limitFiles({ pid }: ServerProcess, bytes: number | 'unlimited'): Promise<void> {
  await promisify(execFile)('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
}

describe.runIf(process.platform === 'linux')('while the disk is full', () => {
  test('writes with a key are refused and not sent, all else goes on, and the journal comes back', async () => {
    const { sandbox, start } = await startBoth();
    const running = await start();
    const told = await create(running, 'before');
    await limitFiles(running, 1);
    const refused = await create(running, 'during');
    expect(verdictOf(refused)).toEqual(['REJECTED', false, 'IDEMPOTENCY_UNAVAILABLE']);
    expect(sandbox.requests.count(CREATE)).toBe(1);
    expect(await create(running, 'before')).toEqual({ ...told, replayed: true });
    const query = { query: '{ queuedPosts(first: 1) { totalCount } }' };
    const read = await postJson(`${running.url}/graphql`, query, { 'x-api-key': 'demo-key-harbour' });
    expect(jsonOf(read)).not.toHaveProperty('errors');
    await limitFiles(running, 'unlimited');
    const retry = async () => (await create(running, 'during')).outcome;
    await expect.poll(retry, { interval: 200 }).toBe('COMPLETED');
    expect(await create(running, 'before')).toEqual({ ...told, replayed: true });
    await running.end('SIGKILL');
    const next = await start();
    expect(verdictOf(await create(next, 'during'))).toEqual(['COMPLETED', true]);
    expect(await create(next, 'before')).toEqual({ ...told, replayed: true });
    expect(sandbox.requests.count(CREATE)).toBe(2);
  });
});

const ROUNDS = cases(4, 1_000);

test(
  'a process that is killed at any moment of a write never sends it twice, and loses nothing that was told',
  async () => {
    const { sandbox, start } = await startBoth();
    let running = await start();
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = `round-${round}`;
      const text = `Round ${round}.`;
      const changes = { variants: [{ variant: 'ORIGINAL', text }] };
      const sent = create(running, key, changes).catch(() => null);
      await after(Math.random() * 40);
      await running.end('SIGKILL');
      const told = await sent;
      running = await start();
      const again = await create(running, key, changes);
      if (told !== null) expect(again, key).toEqual({ ...told, replayed: true });
      const made = sandbox.state.owner('harbour').queue.filter(({ content }) => content.description === text);
      expect(made.length, `${key}: ${JSON.stringify(again)}`).toBeLessThanOrEqual(1);
      if (again.outcome === 'COMPLETED')
        expect(again['postIds'], key).toEqual(made.map(({ postId }) => postId));
      const requests = sandbox.requests.of(CREATE).filter(({ body }) => body.includes(text));
      expect(requests.length, key).toBeLessThanOrEqual(1);
      sandbox.requests.clear();
    }
  },
  60_000 + ROUNDS * 10_000,
);
