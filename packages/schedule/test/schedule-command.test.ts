import { copyFile, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { schedule, type ScheduleOptions } from '../../../src/cli/schedule.ts';
import { spawnBuiltServer, type RunningProcess } from '../../../test/support/built-server.ts';
import { eachCase } from '../../../test/support/cases.ts';
import {
  currentOf,
  failed,
  runInPlace,
  runProgramInPlace,
  startInPlace,
  type CommandRun,
} from '../../../test/support/command.ts';
import { cases } from '../../../test/support/depth.ts';
import { openLossyWay } from '../../../test/examples/programs.ts';
import { blocksOf, temporaryFolder } from '../../../test/support/files.ts';
import { startGraph } from '../../../test/support/graph.ts';
import { holdAnswers } from '../../../test/support/sandbox.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { Progress, type ProgressOptions } from '../src/progress.ts';
import {
  CREATE,
  HEADER,
  bulkFile,
  healthyAccounts,
  startBulk,
  startBulkSandbox,
  textsInQueue,
  type BulkFile,
} from './tables.ts';

type Options = Partial<ScheduleOptions>;

const environmentOf = (sandbox: Sandbox) => ({
  ...currentOf(sandbox),
  LOG_LEVEL: 'warn',
  // In use by a server, it would be locked: this command does without.
  DATA_DIR: '/proc/none',
});

const send = ({ sandbox, path }: BulkFile, ...options: readonly string[]): RunningProcess =>
  spawnBuiltServer(environmentOf(sandbox), {
    args: ['schedule', path, '--send', '--per-minute', '6000', ...options],
  });

const commandOf =
  ({ path }: Pick<BulkFile, 'path'>, options: Options = {}) =>
  (): Promise<void> =>
    schedule(path, { perMinute: '6000', ...options });

const inPlace = (file: BulkFile, options: Options = {}): Promise<CommandRun> =>
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
  return await bulkFile(sandbox, [HEADER, ...rows]);
}

test('killed again and again on the way, it sends each row exactly once, and never beside another process', async () => {
  const [count, kills] = [cases(24, 500), cases(2, 10)];
  const file = await startWith(count);
  const { faults, requests } = file.sandbox;
  for (let round = 0; round < kills; round += 1) {
    faults.clear();
    const seen = requests.count(CREATE);
    const more = 1 + Math.floor(Math.random() * (count / kills - 2));
    // The answer to a later row is held, made or not; every third time, nothing is held.
    const effect = round % 3 === 0 ? 'done' : 'none';
    if (round % 3 < 2) faults.add({ kind: 'never-answer', endpoint: CREATE, effect, skip: more - 1 });
    const running = send(file);
    await expect.poll(() => requests.count(CREATE)).toBeGreaterThanOrEqual(seen + more);
    if (round === 0) {
      await failed(inPlace(file, { send: true }), 'another process is sending this file');
    }
    await running.end('SIGKILL');
  }
  faults.clear();
  const summary = { refusedRows: [], unknownRows: [], unsentRows: 0, stopped: null };
  expect(await file.send()).toMatchObject({ sentRows: count, ...summary });
  expect(textsInQueue(file.sandbox, 'Bulk').toSorted()).toEqual(textsOf(count).toSorted());
});

test('told to end, it ends after the row that is under way, and the next run goes on', async () => {
  const file = await startWith(12);
  const held = holdAnswers(file.sandbox, { endpoint: CREATE, skip: 2 });
  const running = startInPlace(commandOf(file, { send: true }), environmentOf(file.sandbox));
  await held.arrived();
  const ended = running.end('SIGINT');
  held.release();
  expect(await ended).toBe(1);
  const entries = await file.entries();
  expect(entries.at(-1)?.outcome).toBe('COMPLETED');
  expect(running.output).toContain('Press Ctrl-C again to stop now');
  expect(running.output).toContain('Stopped before the last row: interrupted');
  expect(await file.send()).toMatchObject({ sentRows: 12 });
  expect(file.sandbox.requests.count(CREATE)).toBe(12);
});

test.each([
  ['a dry run', {}],
  ['a sending', { send: true }],
])('%s that is told to end while it still checks ends at once, and sends nothing', async (_, options) => {
  const file = await startWith(1);
  const held = holdAnswers(file.sandbox, { endpoint: 'GET /accounts/list' });
  const running = startInPlace(commandOf(file, options), environmentOf(file.sandbox));
  await held.arrived();
  expect(await running.end('SIGINT')).toBe(1);
  expect(running.output).not.toContain('Finishing the current row');
  expect(file.sandbox.requests.count(CREATE)).toBe(0);
  await expect(file.entries()).rejects.toThrow('ENOENT');
});

test('when the reader of its output goes away, it ends after the row that is under way, with status 1', async () => {
  const file = await startWith(12);
  const held = holdAnswers(file.sandbox, { endpoint: CREATE, skip: 1 });
  const running = send(file, '--json', '--per-minute', '600');
  await held.arrived();
  await expect.poll(() => running.standardOutput).toContain('"type":"row"');
  running.stopReading();
  held.release();
  expect(await running.exited).toBe(1);
  expect(running.output).toContain('Finishing the current row.');
  const made = file.sandbox.requests.count(CREATE);
  expect(made).toBeLessThan(12);
  const outcomes = (await file.entries()).map(({ outcome }) => outcome);
  const others = outcomes.filter((outcome) => outcome !== 'SENDING');
  expect(others).toEqual(Array.from({ length: made }, () => 'COMPLETED'));
  const rest = await inPlace(file, { send: true });
  expect(rest.status).toBe(0);
  const sending = `Sending ${12 - made} rows (${made} already sent), at most 6000 per minute; `;
  expect(rest.standardOutput).toContain(sending);
  expect(file.sandbox.requests.count(CREATE)).toBe(12);
});

test('two computers that send one file through one server at the same time send each row once', async () => {
  const { sandbox, url } = await startGraph({ environment: { DATA_DIR: await temporaryFolder() } });
  sandbox.state.owner('harbour').queueLimit = 10_000;
  const count = cases(24, 120);
  const file = await startWith(count, sandbox);
  const copy = join(await temporaryFolder(), 'copy.csv');
  await copyFile(file.path, copy);
  const environment = { API_KEY: sandbox.owners[0].apiKey };
  const args = ['schedule', copy, '--server', url, '--send', '--per-minute', '6000'];
  const sendHere = commandOf(file, { server: url, send: true });
  // The first row is under way there when this computer begins.
  const held = holdAnswers(sandbox, { effect: 'none', endpoint: CREATE });
  const there = spawnBuiltServer(environment, { args });
  await held.arrived();
  const here = startInPlace(sendHere, environment);
  await expect.poll(() => here.output).toContain(`Sending ${count} rows`);
  held.release();
  const summary = `\n${count} sent, 0 rejected, 0 unknown, 0 not sent\n`;
  await expect.poll(() => here.standardOutput).toContain(summary);
  expect([await here.end('SIGTERM'), await there.exited]).toEqual([0, 0]);
  expect(there.standardOutput).toContain(summary);
  expect(textsInQueue(sandbox, 'Bulk').toSorted()).toEqual(textsOf(count).toSorted());
  const again = await runInPlace(sendHere, environment);
  const nothing = `Nothing to send: all ${count} rows were already sent.\n`;
  expect(again).toMatchObject({ status: 0, standardOutput: nothing });
  expect(sandbox.requests.count(CREATE)).toBe(count);
});

test('a row whose response is lost on the way from a server is sent again with its key, and is one post', async () => {
  const { sandbox, url } = await startGraph({ environment: { DATA_DIR: await temporaryFolder() } });
  let lost = 0;
  const way = await openLossyWay(url, ({ answer }) =>
    answer.includes('"createPost"') && (lost += 1) === 1 ? 'lost before' : 'passes',
  );
  const file = await startWith(2, sandbox);
  const environment = { API_KEY: sandbox.owners[0].apiKey };
  const command = commandOf(file, { server: `${way.url}/graphql`, send: true });
  const { status, standardOutput } = await runInPlace(command, environment);
  expect([status, standardOutput]).toEqual([0, expect.stringContaining('\n2 sent, 0 rejected, 0 unknown')]);
  expect(sandbox.requests.count(CREATE)).toBe(2);
});

test('nothing is sent through a server that forgets writes, and a dry run still works', async () => {
  const { sandbox, url } = await startGraph();
  const file = await startWith(2, sandbox);
  const run = (options: Options): Promise<CommandRun> =>
    runInPlace(commandOf(file, { server: url, ...options }), { API_KEY: sandbox.owners[0].apiKey });
  expect((await run({})).standardOutput).toContain('--send will send 2 rows.');
  await failed(run({ send: true }), 'The server forgets writes when it restarts');
  expect(sandbox.requests.count(CREATE)).toBe(0);
});

test('with a wrong option, or a key that is not accepted, nothing is begun', async () => {
  const file = await startWith(1);
  await eachCase<readonly [string, Options]>(
    [
      ['--server: "example.com" is not an http(s) URL', { server: 'example.com' }],
      ['--server: contains a user name or password', { server: 'https://me:planted@example.com' }],
      ['--server and --sandbox cannot be combined', { server: 'http://a.example', sandbox: true }],
      ['--per-minute: ', { perMinute: '0' }],
      ['its folder does not exist', { results: 'missing/results.jsonl', send: true }],
    ],
    ([words, options]) => failed(inPlace(file, options), words),
  );
  const missing = inPlace({ ...file, path: 'missing.csv' });
  await failed(missing, 'missing.csv: cannot be read: no such file or directory.');
  expect(file.sandbox.requests.all).toEqual([]);
  file.sandbox.faults.add({ kind: 'status', status: 401, endpoint: '*', times: Infinity });
  await failed(inPlace(file), 'API_KEY: was rejected by the current surface.');
});

test('a row whose answer was lost for good ends it with status 3, and says what to do', async () => {
  const header = ['account', 'placement', 'text'];
  const file = await startBulk((account) => [header, [account, 'now', 'Bulk at once']]);
  file.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'done' });
  expect(await file.send()).toMatchObject({ unknownRows: [{ row: 1 }] });
  const again = await inPlace(file, { send: true });
  expect(again.status).toBe(3);
  expect(again.output).toContain('line 2: it was to be published immediately');
  expect(again.output).toContain('check the queue and the account');
  expect(file.sandbox.requests.count(CREATE)).toBe(1);
});

test('with anything wrong nothing is sent; --skip-invalid sends the rest', async () => {
  const file = await startBulk((account) => [
    HEADER,
    [account, '2031-05-20 09:00', 'Bulk right'],
    [account, 'tomorrow', 'Bulk wrong'],
  ]);
  const { sandbox } = file;
  const dryRun = await failed(inPlace(file));
  expect(dryRun.standardOutput).toMatch(/\n3 +invalid /);
  expect(dryRun.standardOutput).toContain('--skip-invalid sends the other rows');
  const problem = 'Problems (1):\n  line 3, time: "tomorrow" is not a valid date';
  await failed(inPlace(file, { send: true }), problem);
  expect(sandbox.requests.count(CREATE)).toBe(0);
  const results = `${file.resultsPath}-elsewhere`;
  const args = ['schedule', file.path, '--send', '--skip-invalid', '--json', '--results', results];
  const { standardOutput } = await failed(runProgramInPlace(args, environmentOf(sandbox)));
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk right']);
  const lines = standardOutput.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { type: 'check', problems: [{ line: 3, column: 'time' }] },
    { type: 'row', row: 1, outcome: 'COMPLETED', rowsDone: 1, rowsTotal: 1 },
    { type: 'summary', sentRows: 1, unsentRows: 1 },
  ]);
  expect(await readFile(results, 'utf8')).toContain('"outcome":"COMPLETED"');
  await expect(file.entries()).rejects.toThrow('ENOENT');
  const again = await inPlace(file, { send: true, skipInvalid: true, results });
  const nothing = 'Nothing to send: 1 of 2 rows already sent; the others are invalid.';
  expect(again.standardOutput).toContain(nothing);
});

test('a folder that cannot record what is sent is named, and not DATA_DIR', async () => {
  const file = await startWith(1);
  await writeFile(`${file.resultsPath}.journal`, '');
  const problem = `${file.resultsPath}.journal: cannot be used: not a directory`;
  const { output } = await failed(inPlace(file, { send: true }), problem);
  expect(output).not.toContain('DATA_DIR');
  expect(file.sandbox.requests.count(CREATE)).toBe(0);
});

test('a table that is wrong as a whole is not sent, and --skip-invalid is not said to help', async () => {
  const header = [...HEADER, 'colour'];
  const file = await startBulk((account) => [header, [account, '2031-05-20 09:00', 'Bulk right', 'red']]);
  for (const options of [{}, { send: true }, { send: true, skipInvalid: true }]) {
    const { standardOutput } = await failed(inPlace(file, options));
    expect(standardOutput).toContain('line 1, colour: ');
    expect(standardOutput).not.toContain('--skip-invalid');
  }
  expect(file.sandbox.requests.count(CREATE)).toBe(0);
});

test('a dry run shows what would be sent, as a table or as JSON, and leaves nothing behind', async () => {
  const file = await startWith(3);
  const [table, json] = [await inPlace(file), await inPlace(file, { json: true })];
  expect([table.status, json.status]).toEqual([0, 0]);
  expect(table.standardOutput).toMatch(/^Line +State +Time +Accounts +Text\n2 +to send +2031-05-10 10:00/);
  const report = { isSent: false, problems: [], rows: [{ line: 2 }, {}, {}] };
  expect(JSON.parse(json.standardOutput)).toMatchObject(report);
  expect(file.sandbox.requests.count(CREATE)).toBe(0);
  expect(await readdir(dirname(file.path))).toEqual(['posts.csv']);
});

test('a file that is wholly sent is told so by the next run, with status 0, also if an account has another name', async () => {
  const file = await startWith(2);
  expect(await inPlace(file, { send: true })).toMatchObject({ status: 0 });
  const nothing = 'Nothing to send: all 2 rows were already sent.\n';
  const { status, standardOutput } = await inPlace(file, { send: true });
  expect([status, standardOutput]).toEqual([0, nothing]);
  const dryRun = await inPlace(file);
  expect(dryRun.status).toBe(0);
  expect(dryRun.standardOutput).toMatch(/\n2 +sent .*\n3 +sent .*\n\n/);
  expect(dryRun.standardOutput.split('\n\n')[1]).toBe(nothing);
  expect(file.sandbox.requests.count(CREATE)).toBe(2);
  const account = file.sandbox.state.owner('harbour').insertAccount(0, { username: 'Old name' });
  const named = await bulkFile(file.sandbox, [HEADER, ['Old name', '2031-05-20 09:00', 'Bulk a']]);
  expect(await inPlace(named, { send: true })).toMatchObject({ status: 0 });
  Object.assign(account, { username: 'New name' });
  const nothingElse = 'Nothing to send: the only row was already sent.\n';
  const again = await inPlace(named, { send: true });
  expect(again).toMatchObject({ status: 0, standardOutput: nothingElse });
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

test('without a service, the file of the documentation is checked against a sandbox', async () => {
  const path = join(await temporaryFolder(), 'posts.csv');
  await writeFile(path, blocksOf('The file', 'csv', 'docs/bulk-scheduling.md')[0]);
  const { status, output } = await runInPlace(commandOf({ path }), { LOG_LEVEL: 'warn' });
  expect(output).toContain('using a SANDBOX');
  expect(output).toContain('Nothing was sent. --send will send 2 rows.');
  expect(status).toBe(0);
});

// The display of its progress.

/** A display of ten rows at 60 per minute, what it wrote, and its clock. */
function display(options: Partial<ProgressOptions> = {}) {
  const written: string[] = [];
  let now = 0;
  const write = (text: string): void => void written.push(text);
  const rules = { total: 10, perMinute: 60, json: false, isTerminal: false, write, now: () => now };
  return { progress: new Progress({ ...rules, ...options }), written, advance: (ms: number) => (now += ms) };
}

const row = (number: number, postIds: readonly string[] = [`p${number}`]) => ({
  row: number,
  line: number + 1,
  attempt: 1,
  outcome: 'COMPLETED' as const,
  postIds: [...postIds],
  reason: '',
  replayed: false,
});
const refused = { ...row(2), outcome: 'REJECTED' as const, postIds: [], reason: 'Not on\nSundays.' };

test('a terminal shows one line that is written over, and keeps what needs attention above it', () => {
  const { progress, written, advance } = display({ isTerminal: true, total: 2 });
  advance(30_000);
  progress.onRow(row(1));
  progress.onRow(refused);
  progress.onPause({ ms: 1_500, reason: 'Too\u001B[2Jfast.' });
  progress.end();
  expect(written).toEqual([
    '\r\u001B[2K1 of 2 rows, 2 per minute, 30 s left',
    '\r\u001B[2Kline 3: REJECTED, Not on Sundays.\n1 of 2 rows, 2 per minute, 30 s left',
    '\r\u001B[2K1 of 2 rows, 2 per minute, 30 s left; pausing 2 s: Too [2Jfast.',
    '\n',
  ]);
});

test('a file gets a line for each row and pause; a row that is sent again after a refusal is one row', () => {
  const { progress, written, advance } = display();
  progress.onRow(refused);
  // Rows sent without waiting count at the pace of the run.
  advance(50);
  progress.onRow(row(1, ['p1', 'p2']));
  advance(60_000);
  progress.onRow({ ...row(2), replayed: true });
  progress.onPause({ ms: 120_000, reason: 'Too fast.' });
  progress.end();
  expect(written).toEqual([
    'line 3: REJECTED, Not on Sundays. (0 of 10 rows, 0 per minute)\n',
    'line 2: COMPLETED, p1, p2 (1 of 10 rows, 60 per minute, 9 s left)\n',
    'line 3: COMPLETED, p2, recorded before (2 of 10 rows, 2 per minute, 4 min left)\n',
    'pausing 2 min: Too fast.\n',
  ]);
});

test('a program gets an object for each row and each pause, with how far it is; no time left is made up', () => {
  const { progress, written, advance } = display({ json: true, isTerminal: true });
  advance(60_000);
  progress.onPause({ ms: 1_001, reason: 'Too fast.' });
  progress.onRow(row(1));
  progress.end();
  const begun = { rowsDone: 0, rowsTotal: 10, rowsPerMinute: 0, secondsLeft: null };
  expect(written.map((line) => JSON.parse(line) as object)).toEqual([
    { ...begun, type: 'pause', seconds: 2, reason: 'Too fast.' },
    { type: 'row', ...row(1), rowsDone: 1, rowsTotal: 10, rowsPerMinute: 1, secondsLeft: 540 },
  ]);
  expect(written.every((line) => line.endsWith('}\n'))).toBe(true);
});
