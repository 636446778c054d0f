import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { watch, type WatchOptions } from '../../../src/cli/watch.ts';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox.ts';
import { spawnBuiltServer, type RunningProcess } from '../../../test/support/built-server.ts';
import { runInPlace, startInPlace } from '../../../test/support/command.ts';
import { cases } from '../../../test/support/depth.ts';
import { eachCase } from '../../../test/support/each-case.ts';
import { isInstalled, programPath } from '../../../test/support/programs.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const SECRET = `whsec_${Buffer.alloc(32, 'of the tests only').toString('base64')}`;

interface Received {
  readonly id: string;
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts on any shape
  readonly data: any;
}

/** A receiver that verifies what it is sent, and may refuse it. */
async function startReceiver(answer: (count: number) => number = () => 204) {
  const received: Received[] = [];
  const refused: Received[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    void answerTo(request).then((status) => response.writeHead(status).end());
  }).listen(0, '127.0.0.1');
  const answerTo = async (request: IncomingMessage): Promise<number> => {
    const body = await bodyOf(request);
    const event = new Webhook(SECRET).verify(body, request.headers as Record<string, string>) as Received;
    const status = answer((count += 1));
    (status < 300 ? received : refused).push({ ...event, id: String(request.headers['webhook-id']) });
    return status;
  };
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/hook`, received, refused };
}

/** A receiver in another language, which verifies by itself and refuses every third event. */
async function startPythonReceiver() {
  const child = spawn(programPath('python') ?? 'python3', [resolve(import.meta.dirname, 'receiver.py')], {
    env: { WEBHOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await expect.poll(() => output).toContain('\n');
  const [port] = output.split('\n');
  const received = (): Received[] =>
    output
      .split('\n')
      .slice(1, -1)
      .map((line) => JSON.parse(line) as Received);
  return { url: `http://127.0.0.1:${port}/hook`, received };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}

async function openSandbox(): Promise<Sandbox> {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  sandbox.state.owner('harbour').queueLimit = 10_000;
  return sandbox;
}

interface Way {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly args: readonly string[];
}

const environmentOf = ({ sandbox, folder }: Pick<Way, 'sandbox' | 'folder'>) => ({
  CURRENT_API_URL: sandbox.url,
  API_KEY: sandbox.owners[0].apiKey,
  // As in the image: it serves nobody, so no CLIENT_TOKENS are asked for.
  HOST: '0.0.0.0',
  WEBHOOK_SECRET: SECRET,
  DATA_DIR: folder,
  WATCH_INTERVAL: '100ms',
  LOG_LEVEL: 'warn',
});

const startWatch = (way: Way): RunningProcess =>
  spawnBuiltServer(environmentOf(way), { args: ['watch', ...way.args] });

const readings = (sandbox: Sandbox): number => sandbox.requests.count('GET /posts/queued');

async function addPost(sandbox: Sandbox, text: string): Promise<string> {
  const owner = sandbox.state.owner('harbour');
  const known = new Set(owner.queue.map(({ postId }) => postId));
  const response = await fetch(`${sandbox.url}/posts/create`, {
    method: 'POST',
    headers: { 'x-api-key': sandbox.owners[0].apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      shareType: 0,
      loginIds: [owner.accounts.find(({ surfaces }) => surfaces.current)?.loginId],
      posts: [{ type: 'original', postDesc: text, instagramPostType: 'post' }],
    }),
  });
  expect(response.status).toBe(200);
  const added = owner.queue.find(({ postId }) => !known.has(postId));
  if (added === undefined) throw new Error('the sandbox has not added the post');
  return added.postId;
}

test('a change is delivered, signed; one that is refused is delivered later, those of the same post in their order', async () => {
  const sandbox = await openSandbox();
  const { url, received, refused } = await startReceiver((count) => (count <= 2 ? 500 : 204));
  const environment = environmentOf({ sandbox, folder: await temporaryFolder() });
  const running = startInPlace(() => watch({ webhook: url }), environment);
  await expect.poll(() => readings(sandbox)).toBeGreaterThan(0);
  const postId = await addPost(sandbox, 'The ferry is late.');
  await expect.poll(() => refused.length).toBeGreaterThan(0);
  Object.assign(sandbox.state.owner('harbour').queue.find((post) => post.postId === postId) ?? {}, {
    errorMsg: 'Oops',
  });
  await expect.poll(() => received.filter(({ data }) => data.queuedPost?.postId === postId).length).toBe(2);
  const told = received.filter(({ data }) => data.queuedPost?.postId === postId);
  expect(told).toMatchObject([
    { type: 'queue.added', data: { queuedPost: { postId, text: 'The ferry is late.' } } },
    {
      type: 'queue.changed',
      data: { changedFields: ['failureText'], queuedPost: { postId, failureText: 'Oops' } },
    },
  ]);
  expect(new Set([...refused, ...told].map(({ id }) => id)).size).toBe(2);
  expect(await running.end('SIGTERM')).toBe(0);
});

test.runIf(isInstalled('python'))(
  'killed again and again, it tells a receiver in Python every change at least once, and keeps nothing in the clear',
  async () => {
    const sandbox = await openSandbox();
    const folder = await temporaryFolder();
    const { url, received } = await startPythonReceiver();
    const way = { sandbox, folder, args: ['--webhook', url] };
    const told = (): Set<string> =>
      new Set(
        received()
          .filter(({ type }) => type === 'queue.added')
          .map(({ data }) => String(data.queuedPost.postId)),
      );
    let running = startWatch(way);
    await expect.poll(() => readings(sandbox)).toBeGreaterThan(1);
    // What waits at the first start of all is not told; once something is, that is recorded.
    await expect.poll(async () => (await addPost(sandbox, 'Secretly first'), told().size)).toBeGreaterThan(0);
    const added: string[] = [];
    for (let round = 0; round < cases(2, 100); round += 1) {
      added.push(await addPost(sandbox, `Secretly number ${round}`));
      const before = readings(sandbox);
      const after = round % 3;
      await expect.poll(() => readings(sandbox)).toBeGreaterThanOrEqual(before + after);
      await running.end('SIGKILL');
      running = startWatch(way);
    }
    await expect.poll(() => added.filter((postId) => !told().has(postId))).toEqual([]);
    const ids = received().map(({ id }) => id);
    const kinds = new Map(received().map(({ id, type, data }) => [id, `${type} ${data.queuedPost?.postId}`]));
    // One that was delivered and not noted as such comes again with the same id.
    expect(new Set(ids).size).toBe(new Set(kinds.values()).size);
    await running.end('SIGTERM');
    expect(await textsUnder(folder)).not.toContain('Secretly');
  },
);

test('printed, each change is one line of JSON, until the key is not accepted', async () => {
  const sandbox = await openSandbox();
  const running = startWatch({ sandbox, folder: await temporaryFolder(), args: ['--print'] });
  await expect.poll(() => sandbox.requests.count('GET /group/list')).toBeGreaterThan(0);
  await expect.poll(() => readings(sandbox)).toBeGreaterThan(1);
  const postId = await addPost(sandbox, 'Printed.');
  await expect.poll(() => running.standardOutput).toContain(postId);
  const [line = ''] = running.standardOutput.split('\n');
  expect(JSON.parse(line)).toMatchObject({ type: 'queue.added', data: { queuedPost: { postId } } });
  sandbox.faults.add({ kind: 'status', status: 401, endpoint: '*', times: Infinity });
  expect(await running.exited).toBe(1);
  expect(running.output).toContain('API_KEY: was rejected');
});

test('when the reader of what is printed goes away, the process ends in order with the next change', async () => {
  const sandbox = await openSandbox();
  const running = startWatch({ sandbox, folder: await temporaryFolder(), args: ['--print'] });
  await expect.poll(() => running.output).toContain('Watching the queue and the accounts at ');
  running.stopReading();
  let status: number | null | undefined;
  void running.exited.then((code) => (status = code));
  await expect.poll(async () => (await addPost(sandbox, 'To nobody.'), status)).toBe(0);
});

test('it says at once what it watches and where changes go, without the path of the receiver', async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ kind: 'never-answer', endpoint: '*', times: Infinity });
  const environment = environmentOf({ sandbox, folder: await temporaryFolder() });
  const { host } = new URL(sandbox.url);
  await eachCase(
    [
      [{ print: true }, 'printed'],
      [{ webhook: 'https://example.com/hooks/s3cret?token=s3cret' }, 'sent to example.com'],
    ] as const,
    async ([options, destination]) => {
      const running = startInPlace(() => watch(options), environment);
      const told = `Watching the queue and the accounts at ${host}. Changes are ${destination}; press Ctrl-C to stop.\n`;
      await expect.poll(() => running.output).toContain(told);
      expect(running.standardOutput).toBe('');
      await running.end('SIGTERM');
      expect(running.output).not.toContain('s3cret');
    },
  );
});

test('a receiver that answers 410 is sent nothing more: the process says so and ends with 1', async () => {
  const sandbox = await openSandbox();
  const { url, refused } = await startReceiver(() => 410);
  const environment = environmentOf({ sandbox, folder: await temporaryFolder() });
  const running = startInPlace(() => watch({ webhook: url }), environment);
  await expect.poll(() => readings(sandbox)).toBeGreaterThan(0);
  await addPost(sandbox, 'To nobody.');
  await expect.poll(() => running.output).toContain('the receiver unsubscribed');
  expect(await running.end('SIGTERM')).toBe(1);
  expect(refused).toHaveLength(1);
});

test('while the service is out of order, that is said, and the process goes on until it is ended', async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ kind: 'status', status: 503, endpoint: '*', times: Infinity });
  const environment = { ...environmentOf({ sandbox, folder: await temporaryFolder() }), READ_ATTEMPTS: '1' };
  const running = startInPlace(() => watch({ print: true }), environment);
  await expect.poll(() => running.output).toContain('watching was interrupted; restarting');
  expect(running.standardOutput).toBe('');
  expect(await running.end('SIGTERM')).toBe(0);
});

test('without a service, a sandbox is watched with its own key, and where it is does not disturb what is printed', async () => {
  const running = startInPlace(() => watch({ print: true }), { LOG_LEVEL: 'warn' });
  await expect.poll(() => running.output).toMatch(/watching a SANDBOX at http:\S+\n/);
  expect(running.standardOutput).toBe('');
  expect(await running.end('SIGTERM')).toBe(0);
});

const RECEIVER = { webhook: 'https://example.com/hook' };

test.each<[WatchOptions, Readonly<Record<string, string>>, string]>([
  [{ webhook: 'http://example.com/hook' }, {}, '--webhook: '],
  [{ webhook: 'https://me:secret@example.com/hook' }, {}, '--webhook: '],
  [{ webhook: 'example.com/hook' }, {}, '--webhook: '],
  [{}, {}, 'watch: needs either'],
  [{ ...RECEIVER, print: true }, {}, 'watch: needs either'],
  [RECEIVER, { WEBHOOK_SECRET: '' }, 'WEBHOOK_SECRET: is missing'],
  [RECEIVER, { DATA_DIR: 'off' }, 'DATA_DIR: must be a folder'],
  [{ print: true }, { API_KEY: '' }, 'API_KEY: is missing'],
  [
    { print: true },
    { CURRENT_API_URL: '', LEGACY_API_URL: 'http://127.0.0.1:9' },
    'CURRENT_API_URL: is missing',
  ],
])('with %j and %j nothing is begun', async (options, changed, said) => {
  const sandbox = await openSandbox();
  const environment = { ...environmentOf({ sandbox, folder: await temporaryFolder() }), ...changed };
  const { status, output } = await runInPlace(() => watch(options), environment);
  expect(status).toBe(1);
  expect(output).toContain(said);
  expect(output).not.toContain('me:secret');
  expect(sandbox.requests.all).toEqual([]);
});

async function textsUnder(folder: string): Promise<string> {
  const { readdir, readFile } = await import('node:fs/promises');
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => readFile(`${parentPath}/${name}`, 'latin1')),
  );
  return texts.join('\n');
}
