import { beforeAll, beforeEach, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { shareRestartedServer, type ServerProcess } from '../support/built-server.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { jsonOf, postJson } from '../support/raw-http.ts';
import { documentOf, EXAMPLES, type Input } from '../support/writes.ts';

const INPUT = { ...EXAMPLES.createPost, idempotencyKey: 'order-7' };
const CALL = 'POST /posts/create';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0 });
  return () => sandbox.close();
});

/** In front of a sandbox in this process. It keeps nothing for the next one, and asks for nothing by itself. */
const server = shareRestartedServer(() => ({ CURRENT_API_URL: sandbox.url, LEGACY_API_URL: sandbox.url }));

beforeEach(() => sandbox.requests.clear());

async function post({ url }: ServerProcess, query: string, variables: Input = {}) {
  const answer = await postJson(`${url}/graphql`, { query, variables }, { 'x-api-key': 'demo-key-harbour' });
  return jsonOf(answer) as { readonly data: Readonly<Record<string, Input>> };
}

/** Whether nobody listens at an address any longer. */
const refuses = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => false,
    () => true,
  );

const create = async (running: ServerProcess) =>
  (await post(running, documentOf('createPost'), { input: INPUT })).data['createPost'];

test('a process that is killed between intent and answer sends nothing by itself when it is back', async () => {
  const first = await server.current();
  expect(first.output).toMatch(/DATA_DIR is off: idempotency keys are lost on restart/);
  sandbox.faults.add({ kind: 'never-answer', endpoint: CALL, effect: 'done' });
  const lost = create(first).then(
    () => 'answered',
    () => 'lost',
  );
  await sandbox.requests.waitFor(CALL, 1);
  await first.end('SIGKILL');
  expect(await lost).toBe('lost');
  const second = await server.next();
  const { data } = await post(second, '{ queuedPosts(last: 1) { nodes { text } } }');
  expect(data['queuedPosts']).toEqual({ nodes: [{ text: 'Doors at seven.' }] });
  expect(sandbox.requests.count(CALL)).toBe(1);
});

test('a process that is told to end lets a write end first, and logs no key, input or credential of it', async () => {
  const running = await server.current();
  const call = holdAnswers(sandbox, { effect: 'none', endpoint: CALL });
  const payload = create(running);
  await call.arrived();
  const ended = running.end('SIGTERM');
  // It no longer takes connections: it has heard the signal.
  await expect.poll(() => refuses(running.url)).toBe(true);
  call.release();
  expect(await payload).toMatchObject({ outcome: 'COMPLETED' });
  expect(await ended).toBe(0);
  expect(sandbox.requests.count(CALL)).toBe(1);
  expect(running.output).toContain('called the service');
  expect(running.output).not.toMatch(/order-7|Doors at seven|demo-key-harbour/);
});
