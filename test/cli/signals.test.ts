import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { endInOrder, watchParent } from '../../src/cli/signals.ts';
import { openLog } from '../../src/observability/log.ts';
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts';
import { BUILT_SERVER, spawnBuiltServer, startBuiltServer } from '../support/built-server.ts';
import { jsonOf, postJson } from '../support/raw-http.ts';

const LIST = { query: '{ accounts(surface: CURRENT) { totalCount } }' };
const MAIN = join(BUILT_SERVER, 'dist/main.js');
const KEY = { 'x-api-key': 'demo-key-harbour' };

/** A process with one operation under way, which the service answers after a while, or never. */
async function startBusy(ms: number | 'never', environment: Readonly<Record<string, string>> = {}) {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const running = await startBuiltServer({
    CURRENT_API_URL: sandbox.url,
    OVERLOAD_DELAY: '1h',
    ...environment,
  });
  const fault = ms === 'never' ? ({ kind: 'never-answer' } as const) : ({ kind: 'delay', ms } as const);
  sandbox.faults.add({ ...fault, endpoint: 'GET /accounts/list' });
  const reply = postJson(`${running.url}/graphql`, LIST, KEY);
  const answer = reply.then(jsonOf, () => 'lost');
  await sandbox.requests.waitFor('GET /accounts/list', 1);
  return { running, reply, answer };
}

test('after SIGTERM the running operation is answered and the process ends with 0, all of its log written as JSON', async () => {
  const { running, reply, answer } = await startBusy(500);
  expect(await running.end('SIGTERM')).toBe(0);
  expect(await answer).toMatchObject({ data: { accounts: { totalCount: 12 } } });
  const lines = running.standardOutput
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly msg: string; readonly requestId?: string });
  expect(lines[0]).toMatchObject({ msg: 'listening', address: expect.stringMatching(/^http:/) });
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: expect.stringContaining('shutting down'), signal: 'SIGTERM' }),
  );
  const requestId = (await reply).headers['x-request-id'];
  const ofRequest = lines.filter((line) => line.requestId === requestId);
  expect(ofRequest.map(({ msg }) => msg)).toEqual(['called the service', 'executed an operation']);
});

/** Ends this very process, whose clock and exit are the test's own; `finish` or `fail` ends its orderly end. */
function endInPlace({ withinMs = 0x7fff_ffff } = {}) {
  let nowMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const on = vi.spyOn(process, 'on').mockReturnThis();
  onTestFinished(() => {
    for (const spy of [clock, exit, on]) spy.mockRestore();
  });
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

test('a Ctrl-C that comes twice within a tenth of a second, as under npm, counts once', async () => {
  const { exit, send, finish, pass } = endInPlace();
  send('SIGINT');
  pass(100);
  send('SIGINT');
  expect(exit).not.toHaveBeenCalled();
  finish();
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
});

test('a second signal more than a tenth of a second later ends the process at once', () => {
  const { exit, send, pass } = endInPlace();
  send('SIGINT');
  pass(101);
  send('SIGTERM');
  expect(exit.mock.calls).toEqual([[1]]);
});

test('an orderly end that fails ends the process with 1', async () => {
  const { exit, send, fail } = endInPlace();
  send('SIGTERM');
  fail();
  await expect.poll(() => exit.mock.calls).toEqual([[1]]);
});

test('an orderly end that takes too long is cut short', async () => {
  const { exit, send } = endInPlace({ withinMs: 1 });
  send('SIGTERM');
  await expect.poll(() => exit.mock.calls).toEqual([[0]]);
});

test('a process ends when the npm that started it has gone, and goes on where it was not npm', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const parent = vi.spyOn(process, 'ppid', 'get').mockReturnValue(2);
  onTestFinished(() => parent.mockRestore());
  const gone = vi.fn<() => void>();
  vi.stubEnv('npm_command', undefined);
  watchParent(gone);
  vi.stubEnv('npm_command', 'start');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { exit, finish } = endInPlace();
  vi.advanceTimersByTime(60_000);
  finish();
  expect(exit).not.toHaveBeenCalled();
  parent.mockReturnValue(1);
  vi.advanceTimersByTime(60_000);
  finish();
  await vi.waitFor(() => expect(exit.mock.calls).toEqual([[0]]));
  expect(gone).not.toHaveBeenCalled();
});

test('a process that is told to end while it starts ends', async () => {
  const atOnce = spawnBuiltServer({ SANDBOX_PORT: '0' });
  expect([0, null]).toContain(await atOnce.end('SIGTERM'));
  const later = spawnBuiltServer({ SANDBOX_PORT: '0' });
  await expect.poll(() => later.output).not.toBe('');
  expect([0, null]).toContain(await later.end('SIGTERM'));
});

const AS_FIRST = 'unshare --pid --fork --kill-child'.split(' ');
const canUnshare = spawnSync(AS_FIRST[0] ?? '', [...AS_FIRST.slice(1), 'true']).status === 0;

test.runIf(canUnshare).each([
  // Whether the server has installed its own handler by then depends on the machine.
  ['while it starts', '', [128 + constants.signals.SIGTERM, 0]],
  ['once it serves', '"listening"', [0]],
])('SIGTERM to process 1 of a container, %s, ends it', async (_when, output, statuses) => {
  const [program = '', ...args] = AS_FIRST;
  // Says so once its own code runs; the kernel drops what comes earlier.
  const ready =
    'process.on("newListener", (name) => name === "SIGTERM" && setImmediate(() => console.log("handles")))';
  const environment = { ...process.env, PORT: '0', SANDBOX: 'on', SANDBOX_PORT: '0' };
  const main = [`--import=data:text/javascript,${encodeURIComponent(ready)}`, MAIN];
  const child = spawn(program, [...args, process.execPath, ...main], { env: environment });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  const exited = once(child, 'exit');
  await expect.poll(() => said).toContain(output || 'handles');
  const first = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'));
  process.kill(first, 'SIGTERM');
  expect(statuses).toContain((await exited)[0]);
});

/** Environment of a process in which a signal makes something go wrong that nobody catches. */
const faulty = (statement: string) => {
  const script = `process.on('SIGUSR2', () => { ${statement} })`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
};

test('a rejection that nobody catches is logged, the running operation is answered, and the process ends with 1', async () => {
  // Errors after it must not cut the orderly end off.
  const more = 'setInterval(() => { throw new Error("another") }, 20);';
  const planted = 'void Promise.reject(new Error("planted failure"))';
  const { running, answer } = await startBusy(500, faulty(`${more} ${planted}`));
  expect(await running.end('SIGUSR2')).toBe(1);
  expect(await answer).toMatchObject({ data: { accounts: { totalCount: 12 } } });
  const [first = '', ...others] = running.output
    .split('\n')
    .filter((line) => line.includes('uncaught error'));
  expect(JSON.parse(first)).toMatchObject({ level: 'error', err: { message: 'planted failure' } });
  expect(others.filter((line) => line.includes('planted failure'))).toEqual([]);
  expect(others.join('\n')).toContain('another');
});

test('a thrown value that is not an error ends the process in order as well', async () => {
  const { exit, log, send, finish } = endInPlace();
  send('uncaughtException');
  expect(log.join('')).toContain('a value other than an Error was thrown');
  expect(exit).not.toHaveBeenCalled();
  finish();
  await expect.poll(() => exit.mock.calls).toEqual([[1]]);
});
