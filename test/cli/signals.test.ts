import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { endInOrder } from '../../src/cli/signals.ts';
import { openLog } from '../../src/observability/log.ts';
import { BUILT_SERVER, startBuiltServer } from '../support/built-server.ts';
import { holdAnswers, sandboxForTest } from '../support/sandbox.ts';
import { jsonOf, postJson } from '../support/http.ts';
import { temporaryFolder } from '../support/files.ts';

const MAIN = join(BUILT_SERVER, 'dist/main.js');
/** How long a process may take to start on a busy machine. */
const PATIENT = { timeout: 120_000 };

/** The option of Node by which a process runs a script first. */
const importing = (script: string): string => `--import=data:text/javascript,${encodeURIComponent(script)}`;

/** Starts a process with an operation that runs until its held call is released. */
async function startBusy(environment: Readonly<Record<string, string>> = {}) {
  const sandbox = await sandboxForTest();
  const held = holdAnswers(sandbox, { endpoint: 'GET /accounts/list' });
  const settings = { CURRENT_API_URL: sandbox.url, OVERLOAD_DELAY: '1h', ...environment };
  const running = await startBuiltServer(settings);
  const query = '{ accounts(surface: CURRENT) { totalCount } }';
  const reply = postJson(`${running.url}/graphql`, { query }, { 'x-api-key': 'demo-key-harbour' });
  await held.arrived();
  return { running, reply, held };
}

test('after SIGTERM the running operation is answered, and the process ends with 0 and its whole log as JSON', async () => {
  const { running, reply, held } = await startBusy();
  running.signal('SIGTERM');
  await expect.poll(() => running.output).toContain('shutting down');
  held.release();
  expect(await running.exited).toBe(0);
  expect(jsonOf(await reply)).toMatchObject({ data: { accounts: { totalCount: 12 } } });
  const lines = running.standardOutput
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly msg: string; readonly requestId?: string });
  expect(lines[0]).toMatchObject({ msg: 'listening', address: expect.stringMatching(/^http:/) });
  expect(lines).toContainEqual(expect.objectContaining({ signal: 'SIGTERM' }));
  const requestId = (await reply).headers['x-request-id'];
  const ofRequest = lines.filter((line) => line.requestId === requestId);
  expect(ofRequest.map(({ msg }) => msg)).toEqual(['called the service', 'executed an operation']);
});

test('a rejection that nobody catches is logged, the running operation is answered, and the process ends with 1', async () => {
  // Errors after it must not end the process early.
  const script = `process.on('SIGUSR2', () => {
    setInterval(() => { throw new Error('another') }, 20);
    void Promise.reject(new Error('planted failure'));
  })`;
  const { running, reply, held } = await startBusy({ NODE_OPTIONS: importing(script) });
  running.signal('SIGUSR2');
  await expect.poll(() => running.output).toContain('another');
  held.release();
  expect(await running.exited).toBe(1);
  expect(jsonOf(await reply)).toMatchObject({ data: { accounts: { totalCount: 12 } } });
  const lines = running.output.split('\n');
  const [first = '', ...others] = lines.filter((line) => line.includes('uncaught error'));
  expect(JSON.parse(first)).toMatchObject({ level: 'error', err: { message: 'planted failure' } });
  expect(others.filter((line) => line.includes('planted failure'))).toEqual([]);
});

test('the last lines of the log are in order, even if no thread is free for writing files', async () => {
  const script = `import { pbkdf2 } from 'node:crypto';
    process.on('SIGUSR2', () => {
      pbkdf2('', '', 1e6, 64, 'sha512', () => undefined);
      for (const name of ['first', 'second']) void Promise.reject(new Error(name));
    })`;
  const running = await startBuiltServer({ NODE_OPTIONS: importing(script), UV_THREADPOOL_SIZE: '1' });
  running.signal('SIGUSR2');
  expect(await running.exited).toBe(1);
  const messages = [...running.standardOutput.matchAll(/"message":"(first|second)"/g)];
  expect(messages.map(([, message]) => message)).toEqual(['first', 'second']);
});

test.runIf(existsSync('/dev/full')).each([
  ['on a full disk', '> /dev/full', 1],
  // More than a pipe holds.
  ['with a reader that does not read', '', 40],
])('a server whose log cannot be written, %s, serves on and ends with 0', async (...row) => {
  const [, redirection, rounds] = row;
  const line = `exec ${process.execPath} ${MAIN} ${redirection}`;
  const settings = { PORT: '0', SANDBOX_PORT: '0', LOG_LEVEL: 'debug', OVERLOAD_DELAY: '1h' };
  const env = { PATH: process.env['PATH'], ...settings };
  const child = spawn('bash', ['-c', line], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let banner = '';
  child.stderr.on('data', (text) => (banner += String(text)));
  await expect.poll(() => banner, PATIENT).toContain('Try:');
  const [url = ''] = /http:\S+\/graphql/.exec(banner) ?? [];
  const body = { query: '{ accounts(first: 1) { totalCount } }' };
  for (let sent = 0; sent < rounds; sent += 1)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        expect((await postJson(url, body, { 'x-api-key': 'demo-key-harbour' })).status).toBe(200);
      }),
    );
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

/** Ends this very process, with a clock and an exit of the test's own; `finish` or `fail` completes its shutdown. */
function endInPlace({ withinMs = 0x7fff_ffff } = {}) {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const on = vi.spyOn(process, 'on').mockReturnThis();
  const closing = new EventEmitter();
  const close = async (): Promise<void> => void (await once(closing, 'finish'));
  const log: string[] = [];
  endInOrder(
    openLog('error', (line) => log.push(line)),
    { close, withinMs },
  );
  const send = (event: NodeJS.Signals | 'uncaughtException'): void => {
    for (const [name, handler] of on.mock.calls) if (name === event) (handler as () => void)();
  };
  const fail = () => closing.emit('error', new Error('planted'));
  return { exit, log, send, fail, finish: () => closing.emit('finish'), pass: (ms: number) => (nowMs += ms) };
}

test('a second Ctrl-C within a tenth of a second, as under npm, is ignored, and a later signal exits at once', async () => {
  const { exit, send, finish, pass } = endInPlace();
  send('SIGINT');
  pass(100);
  send('SIGINT');
  expect(exit).not.toHaveBeenCalled();
  finish();
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
  pass(1);
  send('SIGTERM');
  expect(exit.mock.calls).toEqual([[0], [1]]);
});

test('a shutdown that fails ends the process with 1', async () => {
  const { exit, send, fail } = endInPlace();
  send('SIGTERM');
  fail();
  await expect.poll(() => exit.mock.calls).toEqual([[1]]);
});

test('a shutdown that takes too long is cut short', async () => {
  const { exit, send } = endInPlace({ withinMs: 1 });
  send('SIGTERM');
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
});

test('a thrown value that is not an error shuts the process down as well', async () => {
  const { exit, log, send, finish } = endInPlace();
  send('uncaughtException');
  expect(log.join('')).toContain('a value other than an Error was thrown');
  expect(exit).not.toHaveBeenCalled();
  finish();
  await expect.poll(() => exit.mock.calls).toEqual([[1]]);
});

test('SIGTERM to npm start ends the server', async () => {
  const folder = await temporaryFolder();
  const start = manifest.scripts.start.replace('dist/main.js', MAIN);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { start } }));
  const npm = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', SANDBOX: 'on', SANDBOX_PORT: '0', LOG_LEVEL: 'debug' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void npm.kill('SIGKILL'));
  let output = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const address = () => /^GraphQL +(http:\/\/[^\s/]+)/m.exec(output)?.[1];
  await expect.poll(address, PATIENT).toBeDefined();
  const serves = async () => (await fetch(`${address()}/health`).catch(() => null)) !== null;
  expect(await serves()).toBe(true);
  npm.kill('SIGTERM');
  await expect.poll(serves, PATIENT).toBe(false);
});

const AS_FIRST = 'unshare --pid --fork --kill-child'.split(' ');
const canUnshare = spawnSync(AS_FIRST[0] ?? '', [...AS_FIRST.slice(1), 'true']).status === 0;

test.runIf(canUnshare)('SIGTERM to process 1 of a container ends it while it starts', async () => {
  const [program = '', ...args] = AS_FIRST;
  // Says so once its own code runs; the kernel drops signals that arrive earlier.
  const ready =
    'process.on("newListener", (name) => name === "SIGTERM" && setImmediate(() => console.log("handles")))';
  const env = { ...process.env, PORT: '0', SANDBOX: 'on', SANDBOX_PORT: '0' };
  const child = spawn(program, [...args, process.execPath, importing(ready), MAIN], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  const exited = once(child, 'exit');
  await expect.poll(() => said, PATIENT).toContain('handles');
  const first = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'));
  process.kill(first, 'SIGTERM');
  // Whether the server has installed its own handler by then depends on the machine.
  expect([128 + constants.signals.SIGTERM, 0]).toContain((await exited)[0]);
});
