import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { schedule, type ScheduleOptions } from '../../../src/cli/schedule.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { spawnBuiltServer, type RunningProcess } from '../../../test/support/built-server.ts';
import { bulkFile, csvOf, healthyAccounts, startBulkSandbox, textsInQueue, type BulkFile } from './tables.ts';
import { startDurableServer } from './server.ts';
import { runInPlace, startInPlace, type CommandRun } from '../../../test/support/command.ts';
import { cases } from '../../../test/support/depth.ts';
import { holdAnswers } from '../../../test/support/held-answers.ts';
import { blocksOf } from '../../../test/support/readme.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const CREATE = 'POST /posts/create';
const HEADER = ['account', 'time', 'text'];

const environmentOf = (sandbox: Sandbox) => ({
  CURRENT_API_URL: sandbox.url,
  API_KEY: sandbox.owners[0].apiKey,
  LOG_LEVEL: 'warn',
  // In use by a server, it would be locked: this command does without.
  DATA_DIR: '/proc/none',
});

const start = ({ sandbox, path }: BulkFile, ...options: readonly string[]): RunningProcess =>
  spawnBuiltServer(environmentOf(sandbox), { args: ['schedule', path, ...options] });

const commandOf =
  ({ path }: BulkFile, options: Partial<ScheduleOptions> = {}) =>
  (): Promise<void> =>
    schedule(path, { perMinute: '6000', ...options });

const inPlace = (file: BulkFile, options: Partial<ScheduleOptions> = {}): Promise<CommandRun> =>
  runInPlace(commandOf(file, options), environmentOf(file.sandbox));

const textsOf = (count: number): string[] =>
  // Some rows are equal: each is a post.
  Array.from({ length: count }, (_, index) => `Bulk ${index - (index % 24 === 12 ? 12 : 0)}`);

async function startWith(count: number, given?: Sandbox): Promise<BulkFile> {
  const sandbox = given ?? (await startBulkSandbox());
  const accounts = healthyAccounts(sandbox, 12);
  const rows = textsOf(count).map((text, index) => [
    accounts[index % 12] ?? '',
    `2031-05-${10 + (index % 20)} ${10 + (index % 13)}:00`,
    text,
  ]);
  return await bulkFile(sandbox, csvOf([HEADER, ...rows], { delimiter: ';', lineBreak: '\r\n' }));
}

const send = (file: BulkFile): RunningProcess => start(file, '--send', '--per-minute', '6000');

/** Holds the answer to a later row, made or not; every third time, nothing is held. */
function holdLater(sandbox: Sandbox, round: number, skip: number): void {
  if (round % 3 === 2) return;
  sandbox.faults.add({
    kind: 'never-answer',
    endpoint: CREATE,
    effect: round % 3 === 0 ? 'done' : 'none',
    skip,
  });
}

test('killed again and again on the way, it sends each row exactly once', async () => {
  const [count, kills] = [cases(40, 500), cases(3, 10)];
  const file = await startWith(count);
  const { sandbox } = file;
  for (let round = 0; round < kills; round += 1) {
    sandbox.faults.clear();
    const seen = sandbox.requests.count(CREATE);
    const more = 1 + Math.floor(Math.random() * (count / kills - 2));
    holdLater(sandbox, round, more - 1);
    const running = send(file);
    await expect.poll(() => sandbox.requests.count(CREATE)).toBeGreaterThanOrEqual(seen + more);
    await running.end('SIGKILL');
  }
  sandbox.faults.clear();
  const summary = { refusedRows: [], unknownRows: [], unsentRows: 0, stopped: null };
  expect(await file.send()).toMatchObject({ sentRows: count, ...summary });
  expect(textsInQueue(sandbox, 'Bulk').toSorted()).toEqual(textsOf(count).toSorted());
});

test('told to end, it ends after the row that is under way, and the next run goes on', async () => {
  const file = await startWith(30);
  const command = commandOf(file, { send: true, perMinute: '600' });
  const running = startInPlace(command, environmentOf(file.sandbox));
  await expect.poll(() => file.sandbox.requests.count(CREATE)).toBeGreaterThan(2);
  expect(await running.end('SIGINT')).toBe(1);
  const entries = await file.entries();
  expect(entries.at(-1)?.outcome).toBe('COMPLETED');
  expect(running.output).toContain('Press Ctrl-C again to stop now');
  expect(running.output).toContain('Stopped before the last row: interrupted');
  expect(await file.send()).toMatchObject({ sentRows: 30 });
  expect(file.sandbox.requests.count(CREATE)).toBe(30);
});

test.each([
  ['a dry run', {}, 0],
  ['a sending', { send: true }, 1],
])('%s that is told to end while it still checks sends nothing', async (_, options, status) => {
  const file = await startWith(1);
  const held = holdAnswers(file.sandbox, { endpoint: 'GET /accounts/list' });
  const running = startInPlace(commandOf(file, options), environmentOf(file.sandbox));
  await held.arrived();
  const ended = running.end('SIGINT');
  held.release();
  expect(await ended).toBe(status);
  expect(running.output.includes('Finishing the current row')).toBe(status === 1);
  expect(file.sandbox.requests.count(CREATE)).toBe(0);
  await expect(file.entries()).rejects.toThrow('ENOENT');
});

test('while a file is being sent, it is not sent once more', async () => {
  const file = await startWith(1);
  const held = holdAnswers(file.sandbox, { effect: 'none', endpoint: CREATE });
  const first = send(file);
  await held.arrived();
  const other = await inPlace(file, { send: true });
  expect(other.status).toBe(1);
  expect(other.output).toContain('another process is sending this file');
  held.release();
  await first.exited;
  expect(file.sandbox.requests.count(CREATE)).toBe(1);
});

test('two computers that send one file through one server at the same time send each row once', async () => {
  const { sandbox, url } = await startDurableServer();
  const count = cases(24, 120);
  const file = await startWith(count, sandbox);
  const copy = join(await temporaryFolder(), 'copy.csv');
  await copyFile(file.path, copy);
  const environment = { API_KEY: sandbox.owners[0].apiKey };
  const runs = [file.path, copy].map((path) =>
    spawnBuiltServer(environment, {
      args: ['schedule', path, '--server', url, '--send', '--per-minute', '6000'],
    }),
  );
  expect(await Promise.all(runs.map(({ exited }) => exited))).toEqual([0, 0]);
  for (const { standardOutput } of runs)
    expect(standardOutput).toContain(`\n${count} sent, 0 rejected, 0 unknown, 0 not sent\n`);
  expect(textsInQueue(sandbox, 'Bulk').toSorted()).toEqual(textsOf(count).toSorted());
  const again = await runInPlace(
    () => schedule(copy, { send: true, server: url, perMinute: '6000' }),
    environment,
  );
  expect([again.status, again.standardOutput]).toEqual([
    0,
    `Nothing to send: all ${count} rows were already sent.\n`,
  ]);
  expect(sandbox.requests.count(CREATE)).toBe(count);
});

test('nothing is sent through a server that forgets writes, and a dry run still works', async () => {
  const { sandbox, url } = await startDurableServer({ DATA_DIR: 'off' });
  const file = await startWith(2, sandbox);
  const run = (options: Partial<ScheduleOptions>): Promise<CommandRun> =>
    runInPlace(commandOf(file, { server: url, ...options }), { API_KEY: sandbox.owners[0].apiKey });
  expect((await run({})).standardOutput).toContain('--send will send 2 rows.');
  const refused = await run({ send: true });
  expect(refused.status).toBe(1);
  expect(refused.output).toContain('The server forgets writes when it restarts');
  expect(sandbox.requests.count(CREATE)).toBe(0);
});

test.each([
  [{ server: 'example.com' }, '--server: "example.com" is not an http(s) URL'],
  [{ server: 'http://a.example', sandbox: true }, '--server and --sandbox cannot be combined'],
])('with %j nothing is opened', async (options, words) => {
  const { status, output } = await inPlace(await startWith(1), options);
  expect(status).toBe(1);
  expect(output).toContain(words);
});

test('a row whose answer was lost for good ends it with status 3, and says what to do', async () => {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const header = ['account', 'placement', 'text'];
  const file = await bulkFile(sandbox, csvOf([header, [account, 'now', 'Bulk at once']]));
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'done' });
  expect(await file.send()).toMatchObject({ unknownRows: [{ row: 1 }] });
  const again = await inPlace(file, { send: true });
  expect(again.status).toBe(3);
  expect(again.output).toContain('line 2: it was to be published immediately');
  expect(again.output).toContain('check the queue and the account');
  expect(sandbox.requests.count(CREATE)).toBe(1);
});

test('with anything wrong nothing is sent; --skip-invalid sends the rest', async () => {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const rows = [HEADER, [account, '2031-05-20 09:00', 'Bulk right'], [account, 'tomorrow', 'Bulk wrong']];
  const file = await bulkFile(sandbox, csvOf(rows));
  const refused = await inPlace(file, { send: true });
  expect(refused.status).toBe(1);
  expect(refused.output).toContain('line 3, time: "tomorrow" is not a valid date');
  expect(sandbox.requests.count(CREATE)).toBe(0);
  const results = `${file.resultsPath}-elsewhere`;
  const skipping = start(file, '--send', '--skip-invalid', '--json', '--results', results);
  expect(await skipping.exited).toBe(1);
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk right']);
  const lines = skipping.standardOutput
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([
    { type: 'check', problems: [{ line: 3, column: 'time' }] },
    { type: 'row', row: 1, outcome: 'COMPLETED', rowsDone: 1, rowsTotal: 1 },
    { type: 'summary', sentRows: 1, unsentRows: 1 },
  ]);
  expect(await readFile(results, 'utf8')).toContain('"outcome":"COMPLETED"');
  await expect(file.entries()).rejects.toThrow('ENOENT');
});

test('a dry run shows what would be sent, as a table or as JSON, and leaves nothing behind', async () => {
  const file = await startWith(3);
  const [table, json] = [await inPlace(file), await inPlace(file, { json: true })];
  expect([table.status, json.status]).toEqual([0, 0]);
  expect(table.standardOutput).toMatch(/^Line +State +Time +Accounts +Text\n2 +to send +2031-05-10 10:00/);
  expect(JSON.parse(json.standardOutput)).toMatchObject({
    isSent: false,
    problems: [],
    rows: [{ line: 2 }, {}, {}],
  });
  expect(file.sandbox.requests.count(CREATE)).toBe(0);
  expect(await readdir(dirname(file.path))).toEqual(['posts.csv']);
});

test.each([
  [{ perMinute: '0' }, '--per-minute: '],
  [{ results: 'missing/results.jsonl', send: true }, 'its folder does not exist'],
])('with %j nothing is begun', async (options, words) => {
  const file = await startWith(1);
  const { status, output } = await inPlace(file, options);
  expect(status).toBe(1);
  expect(output).toContain(words);
  expect(file.sandbox.requests.count(CREATE)).toBe(0);
});

test('a key that is not accepted is told in a sentence', async () => {
  const file = await startWith(1);
  file.sandbox.faults.add({ kind: 'status', status: 401, endpoint: '*', times: Infinity });
  const refused = await inPlace(file);
  expect(refused.status).toBe(1);
  expect(refused.output).toContain('API_KEY: was rejected by the current surface.');
});

test('a file that is wholly sent is told so by the next run, with status 0', async () => {
  const file = await startWith(2);
  expect(await inPlace(file, { send: true })).toMatchObject({ status: 0 });
  const { status, standardOutput } = await inPlace(file, { send: true });
  expect([status, standardOutput]).toEqual([0, 'Nothing to send: all 2 rows were already sent.\n']);
  const dryRun = await inPlace(file);
  expect(dryRun.status).toBe(0);
  expect(dryRun.standardOutput).toMatch(
    /\n2 +sent .*\n3 +sent .*\n\nNothing to send: all 2 rows were already sent\.\n$/,
  );
  expect(file.sandbox.requests.count(CREATE)).toBe(2);
});

test('an account that has another name since its rows were sent does not stop a rerun', async () => {
  const sandbox = await startBulkSandbox();
  const account = sandbox.state.owner('harbour').insertAccount(0, { username: 'Old name' });
  const file = await bulkFile(sandbox, csvOf([HEADER, ['Old name', '2031-05-20 09:00', 'Bulk a']]));
  expect(await inPlace(file, { send: true })).toMatchObject({ status: 0 });
  Object.assign(account, { username: 'New name' });
  const { status, standardOutput } = await inPlace(file, { send: true });
  expect([status, standardOutput]).toEqual([0, 'Nothing to send: the only row was already sent.\n']);
});

test('when the reader of its output goes away, it ends after the row that is under way, with status 1', async () => {
  const file = await startWith(12);
  const running = start(file, '--send', '--json', '--per-minute', '600');
  await expect.poll(() => running.standardOutput).toContain('"type":"row"');
  running.stopReading();
  expect(await running.exited).toBe(1);
  expect(running.output).toContain('Finishing the current row.');
  const made = file.sandbox.requests.count(CREATE);
  expect(made).toBeLessThan(12);
  const outcomes = (await file.entries()).map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome !== 'SENDING')).toEqual(
    Array.from({ length: made }, () => 'COMPLETED'),
  );
  const rest = await inPlace(file, { send: true });
  expect(rest.status).toBe(0);
  expect(rest.standardOutput).toContain(
    `Sending ${12 - made} rows (${made} already sent), at most 6000 per minute; `,
  );
  expect(file.sandbox.requests.count(CREATE)).toBe(12);
});

test('a dry run after an answer was lost says that the row is looked for, with status 3', async () => {
  const file = await startWith(2);
  const stop = new AbortController();
  file.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  await file.send({ signal: stop.signal, onRow: () => stop.abort() });
  const { status, standardOutput } = await inPlace(file);
  expect(status).toBe(3);
  expect(standardOutput).toMatch(/\n2 +unknown .*\n3 +to send /);
  expect(standardOutput).toContain('--send will send 1 row, and looks up 1 without a response.\n');
});

test('a dry run of a file with mistakes says how to send the rest, with status 1', async () => {
  const file = await startWith(1);
  await writeFile(file.path, (await readFile(file.path, 'utf8')).replace('2031-', '2013-'));
  const { status, standardOutput } = await inPlace(file);
  expect(status).toBe(1);
  expect(standardOutput).toMatch(/\n2 +invalid /);
  expect(standardOutput).toContain('Problems (1):\n  line 2, time: 10:00 on 10 May 2013 is in the past');
  expect(standardOutput).toContain('--skip-invalid sends the other rows');
});

test('without a service, the file of the documentation is checked against a sandbox', async () => {
  const [content] = blocksOf('The file', 'csv', 'docs/bulk-scheduling.md');
  const file = await startWith(0);
  await writeFile(file.path, content);
  const { status, output } = await runInPlace(commandOf(file), { LOG_LEVEL: 'warn' });
  expect(output).toContain('using a SANDBOX');
  expect(output).toContain('Nothing was sent. --send will send 2 rows.');
  expect(status).toBe(0);
  expect(file.sandbox.requests.all).toEqual([]);
});
