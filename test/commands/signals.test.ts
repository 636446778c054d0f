import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { spawnBuiltServer, startBuiltServer } from '../support/built-server.ts';
import { jsonOf, postJson } from '../support/raw-http.ts';

const LIST = { query: '{ accounts(surface: CURRENT) { totalCount } }' };
const KEY = { 'x-api-key': 'demo-key-harbour' };
const SLOW = { timeout: 30_000 };

/** A process with one operation under way, which the service answers after a while. */
async function startBusy(ms: number, environment: Readonly<Record<string, string>> = {}) {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const running = await startBuiltServer({ CURRENT_API_URL: sandbox.url, ...environment });
  sandbox.faults.add({ kind: 'delay', ms, endpoint: 'GET /accounts/list' });
  const answer = postJson(`${running.url}/graphql`, LIST, KEY).then(jsonOf, () => 'lost');
  await sandbox.requests.waitFor('GET /accounts/list', 1);
  return { running, answer };
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s lets end what runs, then ends with 0', SLOW, async (signal) => {
  const { running, answer } = await startBusy(500);
  expect(await running.end(signal)).toBe(0);
  expect(await answer).toMatchObject({ data: { accounts: { totalCount: 12 } } });
});

test.each([
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGTERM'],
] as const)('%s and then %s ends at once', SLOW, async (first, second) => {
  const { running, answer } = await startBusy(8_000);
  running.signal(first);
  await after(200);
  const startedAt = performance.now();
  expect(await running.end(second)).toBe(1);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  expect(await answer).toBe('lost');
});

test('a Ctrl-C that comes twice at once, as it does under npm, is one', SLOW, async () => {
  const { running, answer } = await startBusy(500);
  running.signal('SIGINT');
  await after(10);
  expect(await running.end('SIGINT')).toBe(0);
  expect(await answer).toMatchObject({ data: { accounts: { totalCount: 12 } } });
});

test.each([0, 200, 400])(
  'SIGTERM %d ms after the process began to start ends it at once',
  SLOW,
  async (ms) => {
    const running = spawnBuiltServer({ SANDBOX_PORT: '0' });
    await after(ms);
    const startedAt = performance.now();
    expect([0, null]).toContain(await running.end('SIGTERM'));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  },
);

/** Environment of a process in which a signal makes something go wrong that nobody catches. */
const faulty = (statement: string) => {
  const script = `process.on('SIGUSR2', () => { ${statement} })`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
};

test.each([
  ['an error', 'throw new Error("planted failure")'],
  ['a rejection', 'void Promise.reject(new Error("planted failure"))'],
])(
  '%s that nobody catches is logged, what runs may end, and the process ends with 1',
  SLOW,
  async (_what, statement) => {
    const { running, answer } = await startBusy(500, faulty(statement));
    expect(await running.end('SIGUSR2')).toBe(1);
    expect(await answer).toMatchObject({ data: { accounts: { totalCount: 12 } } });
    const lines = running.output.split('\n').filter((line) => line.includes('nobody caught'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 50, err: { message: 'planted failure' } });
  },
);

test('errors that follow the first one change nothing', SLOW, async () => {
  const { running, answer } = await startBusy(
    500,
    faulty('setInterval(() => { throw new Error("again") }, 20)'),
  );
  expect(await running.end('SIGUSR2')).toBe(1);
  expect(await answer).toMatchObject({ data: { accounts: { totalCount: 12 } } });
});

test('something that is no error can be thrown as well', SLOW, async () => {
  const { running } = await startBusy(10, faulty('throw undefined'));
  expect(await running.end('SIGUSR2')).toBe(1);
  expect(running.output).toContain('something other than an error was thrown');
});
