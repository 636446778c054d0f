import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { shareRestartedServer, spawnBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { holdAnswers } from '../support/sandbox.ts';
import { jsonOf, postJson } from '../support/http.ts';
import { documentOf, EXAMPLES, problemsOf, type Input, type WritePayload } from '../support/writes.ts';

// A key outlives the process: what was told is told again, what may have happened is not sent again.

const CREATE = 'POST /posts/create';

let sandbox: Sandbox;
let settings: Readonly<Record<string, string>>;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'durable-keys-'));
  sandbox = await startSandbox({ port: 0 });
  sandbox.state.owner('harbour').queueLimit = 100_000;
  const { url } = sandbox;
  settings = { CURRENT_API_URL: url, LEGACY_API_URL: url, DATA_DIR: folder, READ_BEFORE_WRITES: 'on' };
  return async () => {
    await sandbox.close();
    await rm(folder, { recursive: true });
  };
});

/** In front of a sandbox in this process. One folder is enough for all tests: each has keys of its own. */
const server = shareRestartedServer(() => settings);

beforeEach(() => sandbox.requests.clear());

async function create({ url }: ServerProcess, idempotencyKey: string, changes: Input = {}) {
  const input = { ...EXAMPLES.createPost, idempotencyKey, ...changes };
  const body = { query: documentOf('createPost'), variables: { input } };
  const answer = await postJson(`${url}/graphql`, body, { 'x-api-key': 'demo-key-harbour' });
  return (jsonOf(answer) as { readonly data: { readonly createPost: WritePayload } }).data.createPost;
}

/** A text of its own for each key: what was lost is looked for by its text. */
const textOf = (key: string): Input => ({ variants: [{ variant: 'ORIGINAL', text: `Text of ${key}.` }] });

const verdictOf = (payload: WritePayload) => [payload.outcome, payload.replayed, ...problemsOf(payload)];

test('after a kill, what was told is told again, what was lost is found or unknown, and nothing is sent again', async () => {
  const first = await server.current();
  const told = await create(first, 'told', textOf('told'));
  const lost: Promise<unknown>[] = [];
  for (const effect of ['done', 'none'] as const) {
    sandbox.faults.add({ kind: 'never-answer', endpoint: CREATE, effect });
    lost.push(create(first, effect, textOf(effect)).catch(() => 'lost'));
    await sandbox.requests.waitFor(CREATE, 1 + lost.length);
  }
  const second = spawnBuiltServer(settings);
  expect(await second.exited).toBe(1);
  expect(second.output).toMatch(/DATA_DIR: .* is in use by another process; .*REDIS_URL/);
  await first.end('SIGKILL');
  expect(await Promise.all(lost)).toEqual(['lost', 'lost']);

  const next = await server.next();
  expect(await create(next, 'told', textOf('told'))).toEqual({ ...told, replayed: true });
  expect(verdictOf(await create(next, 'done', textOf('done')))).toEqual(['COMPLETED', true]);
  expect(verdictOf(await create(next, 'none', textOf('none')))).toEqual(['UNKNOWN', true, 'OUTCOME_UNKNOWN']);
  expect(sandbox.requests.count(CREATE)).toBe(3);
});

test('a process that is told to end lets a write end first, and the next one knows what is certain', async () => {
  const first = await server.current();
  for (const [key, effect] of Object.entries({ one: 'none', other: 'done' } as const)) {
    sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect });
    expect((await create(first, key, textOf('both'))).outcome).toBe('UNKNOWN');
  }
  const call = holdAnswers(sandbox, { effect: 'none', endpoint: CREATE });
  const payload = create(first, 'the-last', textOf('the-last'));
  await call.arrived();
  const ended = first.end('SIGTERM');
  // It no longer takes connections: it has heard the signal.
  await expect.poll(() => fetch(`${first.url}/health`).catch(() => 'refused')).toBe('refused');
  call.release();
  const told = await payload;
  expect(told.outcome).toBe('COMPLETED');
  expect(await ended).toBe(0);
  expect(first.output).toContain('called the service');
  expect(first.output).not.toMatch(/the-last|Text of|demo-key-harbour/);

  const next = await server.next();
  expect(await create(next, 'the-last', textOf('the-last'))).toEqual({ ...told, replayed: true });
  // Of two writes of one text, both of which were lost, a post is taken for that of neither.
  for (const key of ['one', 'other'])
    expect(verdictOf(await create(next, key, textOf('both')))).toEqual(['UNKNOWN', true, 'OUTCOME_UNKNOWN']);
  expect(sandbox.requests.count(CREATE)).toBe(3);
});

/** Limits how large a file the process may write, as a full disk would. */
async function limitFiles({ pid }: ServerProcess, bytes: number | 'unlimited'): Promise<void> {
  await promisify(execFile)('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
}

test.runIf(process.platform === 'linux')(
  'while the disk is full, writes with a key are refused and not sent, all else goes on, and the journal comes back',
  async () => {
    const running = await server.current();
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
    const next = await server.next();
    expect(verdictOf(await create(next, 'during'))).toEqual(['COMPLETED', true]);
    expect(await create(next, 'before')).toEqual({ ...told, replayed: true });
    expect(sandbox.requests.count(CREATE)).toBe(2);
  },
);

const ROUNDS = cases(1, 1_000);
/** Each begins a little after the one before it, so that a kill finds every one at another moment. */
const WRITES = 4;

test(
  'a process that is killed at any moment of a write never sends it twice, and loses nothing that was told',
  async () => {
    let running = await server.current();
    for (let round = 0; round < ROUNDS; round += 1) {
      const keys = Array.from({ length: WRITES }, (_, index) => `${round}-${index}`);
      const sent = keys.map(async (key, index) => {
        await after(index * 10);
        return await create(running, key, textOf(key)).catch(() => null);
      });
      // By then one of them was sent at least, and the last one hardly begun.
      await sandbox.requests.waitFor(CREATE, 1 + (round % 2));
      await after(Math.random() * 10);
      await running.end('SIGKILL');
      const told = await Promise.all(sent);
      running = await server.next();
      for (const [index, key] of keys.entries()) await checkAgain(running, key, told[index] ?? null);
      sandbox.requests.clear();
    }
  },
  60_000 + ROUNDS * 10_000,
);

async function checkAgain(running: ServerProcess, key: string, told: WritePayload | null): Promise<void> {
  const again = await create(running, key, textOf(key));
  if (told !== null) expect(again, key).toEqual({ ...told, replayed: true });
  const text = `Text of ${key}.`;
  const made = sandbox.state.owner('harbour').queue.filter(({ content }) => content.description === text);
  expect(made.length, `${key}: ${JSON.stringify(again)}`).toBeLessThanOrEqual(1);
  if (again.outcome === 'COMPLETED') expect(again['postIds'], key).toEqual(made.map(({ postId }) => postId));
  const requests = sandbox.requests.of(CREATE).filter(({ body }) => body.includes(text));
  expect(requests.length, key).toBeLessThanOrEqual(1);
}
