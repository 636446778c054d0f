import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { DiskJournal } from '../../../src/journal/disk.ts';
import { skipPauses } from '../../../test/support/clock.ts';
import { changing, changingRecord, MISSING } from '../../../test/support/sandbox.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { nameOfRow } from '../src/known.ts';
import type { ResultsEntry } from '../src/results.ts';
import type { SendOptions } from '../src/send.ts';
import {
  bulkFile,
  CREATE,
  csvOf,
  healthyAccounts,
  HEADER,
  startBulk,
  startBulkSandbox,
  textsInQueue,
  type BulkFile,
} from './tables.ts';

const AHEAD = '2031-05-20 09:00';
const UTC = { SERVICE_TIME_ZONE: 'UTC' };

async function startWith(
  texts: readonly string[],
  { time = (): string => AHEAD, placement = '', zone = '' } = {},
) {
  const rowsFor = (account: string) =>
    texts.map((text) => [account, placement === '' ? time() : '', text, placement]);
  const header = [...HEADER, 'placement'];
  const file = await startBulk((account) => [header, ...rowsFor(account)], { SERVICE_TIME_ZONE: zone });
  const { account, sandbox } = file;
  return { account, file, sandbox, created: (): number => sandbox.requests.count(CREATE) };
}

/** Loses the response to a row, which is created or not. */
function lose({ faults }: Sandbox, effect: 'done' | 'none', skip = 0): void {
  faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect, skip });
}

async function replaceIn({ path }: BulkFile, from: string, to: string): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));
}

const outcomesOf = async (file: BulkFile): Promise<string[]> =>
  (await file.entries()).map(({ outcome, line }) => `${outcome} ${line}`);

test('each row is sent once, in order, and reported before and after; equal rows are two posts', async () => {
  const { file, sandbox, created } = await startWith(['Bulk a', 'Bulk b', 'Bulk b']);
  expect(await file.send()).toMatchObject({ sentRows: 3, unsentRows: 0, unknownRows: [], refusedRows: [] });
  const lines = [2, 3, 4].flatMap((line) => [`SENDING ${line}`, `COMPLETED ${line}`]);
  expect(await outcomesOf(file)).toEqual(lines);
  expect(await file.send()).toMatchObject({ sentRows: 3 });
  // Without the results file, the server remembers; without the record of the server, the results file does.
  const results = await readFile(file.resultsPath);
  await rm(file.resultsPath);
  expect(await file.check()).toMatchObject({ pending: [], unknown: [] });
  expect(await file.send()).toMatchObject({ sentRows: 3 });
  await writeFile(file.resultsPath, results);
  await rm(`${file.resultsPath}.journal`, { recursive: true });
  expect(await file.send()).toMatchObject({ sentRows: 3 });
  expect(created()).toBe(3);
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk a', 'Bulk b', 'Bulk b']);
});

test('rows that are moved, added or written otherwise are the same rows', async () => {
  const { account, file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  await file.send();
  const other = healthyAccounts(sandbox, 2)[1] ?? '';
  const rows = [
    ['time', 'text', 'account'],
    ['20.05.2031 9.00', 'Bulk b', account],
    [AHEAD, 'Bulk a', account],
    [AHEAD, 'Bulk b', account],
    [AHEAD, 'Bulk c', other],
  ];
  await writeFile(file.path, csvOf(rows, { delimiter: ';' }));
  expect(await file.send()).toMatchObject({ sentRows: 4, unknownRows: [] });
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk a', 'Bulk b', 'Bulk b', 'Bulk c']);
});

test('a row that changed after it was sent has to be accepted; without the results file, it is another post', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  await file.send();
  await replaceIn(file, 'Bulk a', 'Bulk corrected');
  const { report } = await file.check();
  expect(report.problems).toMatchObject([{ line: 2, message: expect.stringContaining('“Bulk a”') }]);
  expect(report.problems[0]?.message).toContain('--send-changed');
  expect(await file.send()).toMatchObject({ sentRows: 1, unsentRows: 1 });
  expect(await file.send({ sendsChanged: true })).toMatchObject({ sentRows: 2 });
  await rm(file.resultsPath);
  await replaceIn(file, 'Bulk corrected', 'Bulk again');
  expect(await file.send()).toMatchObject({ sentRows: 2 });
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk a', 'Bulk b', 'Bulk corrected', 'Bulk again']);
});

/** Sends the first row of a file, and ends while it sends the second, at which the server receives nothing. */
async function endWhileSending(file: BulkFile, at = new Date()): Promise<void> {
  const stop = new AbortController();
  await file.send({ signal: stop.signal, onRow: () => stop.abort() });
  const [begun] = await file.entries();
  const [post] = (await file.check()).pending;
  if (begun === undefined || post === undefined) throw new Error('the file has no two rows');
  const row = { line: post.line, key: nameOfRow(post.input, 1), text: 'Bulk b' };
  const entry: ResultsEntry = { ...begun, ...row, at: at.toISOString() };
  await appendFile(file.resultsPath, `${JSON.stringify(entry)}\n`);
}

const DAY_MS = 24 * 60 * 60 * 1_000;

test('a row that the server would remember if it had received it is sent', async () => {
  const { file, created } = await startWith(['Bulk a', 'Bulk b']);
  await endWhileSending(file);
  expect((await file.check()).pending).toMatchObject([{ line: 3 }]);
  expect(await file.send()).toMatchObject({ sentRows: 2, unknownRows: [] });
  expect(created()).toBe(2);
});

test.each([
  ['was sent longer ago than it remembers', -8 * DAY_MS],
  ['was sent by a clock that was ahead', 8 * DAY_MS],
  ['lacks the write of another row', 0],
])('a row that the server need not remember, since it %s, is listed, and not sent', async (_, ms) => {
  const { file, created } = await startWith(['Bulk a', 'Bulk b']);
  await endWhileSending(file, new Date(Date.now() + ms));
  if (ms === 0) await rm(`${file.resultsPath}.journal`, { recursive: true });
  const unknownRows = [{ line: 3, text: 'Bulk b', reason: expect.stringContaining('no longer remembers') }];
  expect(await file.send()).toMatchObject({ sentRows: 1, unknownRows });
  // Whether it was sent is as unknown after it was changed.
  await replaceIn(file, 'Bulk b', 'Bulk corrected');
  const message = expect.stringContaining('“Bulk b”');
  expect((await file.check()).report.problems).toMatchObject([{ line: 3, message }]);
  expect(created()).toBe(1);
});

test('a row whose time is written as an instant after it was sent is a changed row', async () => {
  const { file, created } = await startWith(['Bulk a'], { zone: 'Europe/Paris' });
  await file.send();
  await replaceIn(file, AHEAD, '2031-05-20T07:00Z');
  const message = expect.stringMatching(/2031-05-20 09:00.*--send-changed/);
  expect((await file.check()).report.problems).toMatchObject([{ line: 2, message }]);
  await file.send();
  expect(created()).toBe(1);
});

test('many instants that were sent are compared with many rows in a moment', async () => {
  const texts = Array.from({ length: 25 }, (_, index) => `Bulk ${index}`);
  const { file } = await startWith(texts, { zone: 'Europe/Paris' });
  await endWhileSending(file);
  const [entry] = await file.entries();
  const times = Array.from({ length: 4_000 }, (_, index) => new Date(4e12 + index * 60_000).toISOString());
  const gone = { ...entry, key: 'gone', outcome: 'COMPLETED', times };
  await appendFile(file.resultsPath, `${JSON.stringify(gone)}\n`);
  const startedAt = performance.now();
  expect((await file.check()).report.problems).toEqual([]);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test('a row whose response was lost is found by the server, or sent again with another key if it certainly was not created', async () => {
  const { file, sandbox, created } = await startWith(['Bulk a', 'Bulk found', 'Bulk lost', 'Bulk b']);
  lose(sandbox, 'done', 1);
  lose(sandbox, 'none', 1);
  expect(await file.send()).toMatchObject({ sentRows: 4, unknownRows: [] });
  const begun = (await file.entries()).filter(({ line, outcome }) => line === 4 && outcome === 'SENDING');
  expect(begun.map(({ attempt }) => attempt)).toEqual([1, 2]);
  const texts = ['Bulk a', 'Bulk b', 'Bulk found', 'Bulk lost'];
  expect(textsInQueue(sandbox, 'Bulk').toSorted()).toEqual(texts);
  await rm(file.resultsPath);
  expect(await file.send()).toMatchObject({ sentRows: 4 });
  expect(created()).toBe(5);
});

test('a row that certainly was not created counts as unsent if the run ends before it is sent again', async () => {
  const { file, sandbox, created } = await startWith(['Bulk a', 'Bulk b']);
  lose(sandbox, 'none');
  lose(sandbox, 'none');
  const stop = new AbortController();
  const onRow: SendOptions['onRow'] = ({ outcome }) => void (outcome === 'COMPLETED' && stop.abort());
  const interrupted = { sentRows: 1, unknownRows: [], unsentRows: 1, stopped: 'interrupted' };
  expect(await file.send({ signal: stop.signal, onRow })).toMatchObject(interrupted);
  expect(await file.send()).toMatchObject({ sentRows: 2 });
  expect(created()).toBe(4);
});

test('a row whose response was lost is found in a long queue, also beside an equal one', async () => {
  const sandbox = await startBulkSandbox({ data: 'large' });
  const [account = ''] = healthyAccounts(sandbox, 1);
  const owner = sandbox.state.owner('harbour');
  owner.drainQueue(owner.queue.length - 400);
  const middle = new Date((owner.queue[200]?.dueAt ?? 0) + 60_000).toISOString().slice(0, 16);
  const row = [account, middle, 'Bulk lost'];
  const file = await bulkFile(sandbox, [HEADER, row, row]);
  for (const effect of ['done', 'none'] as const) lose(sandbox, effect);
  expect(await file.send()).toMatchObject({ sentRows: 2, unknownRows: [] });
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk lost', 'Bulk lost']);
  expect(sandbox.requests.count(CREATE)).toBe(3);
});

test.each([
  ['', false],
  [', also without the report', true],
])('a post of an equal row is not taken for a row whose response was lost%s', async (_, isReportGone) => {
  const { file, sandbox } = await startWith(['Bulk same', 'Bulk same'], { zone: 'UTC' });
  const stop = new AbortController();
  await file.send({ signal: stop.signal, onRow: () => stop.abort() });
  if (isReportGone) await rm(file.resultsPath);
  lose(sandbox, 'none');
  expect(await file.send()).toMatchObject({ sentRows: 2 });
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk same', 'Bulk same']);
});

test('a post of an equal row, whose ids the service did not tell, is not taken for a row whose response was lost', async () => {
  const { file, sandbox, created } = await startWith(['Bulk same', 'Bulk same']);
  const stop = new AbortController();
  sandbox.faults.add({ ...changing(CREATE, 'response.postIds', null), times: 1 });
  await file.send({ signal: stop.signal, onRow: () => stop.abort() });
  lose(sandbox, 'none');
  const unknownRows = [{ line: 3, reason: expect.stringContaining('may belong to it') }];
  for (let run = 0; run < 2; run += 1) expect(await file.send()).toMatchObject({ sentRows: 1, unknownRows });
  expect(created()).toBe(2);
});

test('rows of which one was created, and nobody can tell which, are not sent again', async () => {
  const file = await startBulk((account) => [
    [...HEADER, 'comment'],
    ...['One', 'Other'].map((comment) => [account, AHEAD, 'Bulk lost', comment]),
  ]);
  for (const effect of ['none', 'done'] as const) lose(file.sandbox, effect);
  const reason = expect.stringContaining('may belong to it');
  expect((await file.send()).unknownRows).toMatchObject([{ reason }, { reason }]);
  expect(file.sandbox.requests.count(CREATE)).toBe(2);
});

test.each([
  ['a part of it', AHEAD, 'Bulk lost', 2],
  ['it, shown otherwise than it was sent', AHEAD, 'Of somebody else', 1],
  ['it, for a time with an offset', '2031-05-20T11:00+02:00', 'Of somebody else', 1],
])('a row is not sent again while the queue has what may be %s', async (_, time, text, accounts) => {
  const sandbox = await startBulkSandbox();
  const names = healthyAccounts(sandbox, accounts);
  const file = await bulkFile(sandbox, [HEADER, [names.join('|'), time, 'Bulk lost']], UTC);
  const elsewhere = await bulkFile(sandbox, [HEADER, [names[0] ?? '', AHEAD, text]], UTC);
  lose(sandbox, 'none');
  const stop = new AbortController();
  await file.send({ settleMs: 60_000, signal: stop.signal, onPause: () => stop.abort() });
  await elsewhere.send();
  expect((await file.send()).unknownRows).toMatchObject([{ reason: expect.stringContaining('may belong') }]);
  expect(sandbox.requests.count(CREATE)).toBe(2);
});

test('a row that was sent late, after a long look at the queue, may still be in progress for as long', async () => {
  const { file, sandbox } = await startWith(['Bulk lost']);
  sandbox.faults.add({ kind: 'delay', ms: 1_000, endpoint: 'GET /posts/queued', skip: 1 });
  lose(sandbox, 'none');
  const pauses: number[] = [];
  const onPause = ({ ms }: { readonly ms: number }): void => void pauses.push(ms);
  expect(await file.send({ settleMs: 900, onPause })).toMatchObject({ sentRows: 1 });
  expect(pauses[0]).toBeGreaterThan(0);
});

const soon = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 16);

test.each([
  ['a placement', { placement: 'queue' }, 'no fixed time'],
  ['publishing at once', { placement: 'now' }, 'immediately'],
  ['a time that comes soon', { time: () => soon(4), zone: 'UTC' }, 'its time may have passed'],
  ['a time in some hours, by a clock of any zone', { time: () => soon(5 * 60) }, 'its time may have passed'],
])('absence proves nothing of %s: the row stays unknown, and is listed', async (_, timing, words) => {
  const { file, sandbox, created } = await startWith(['Bulk lost'], timing);
  lose(sandbox, 'none');
  const row = { row: 1, text: 'Bulk lost', accounts: { length: 1 }, reason: expect.stringContaining(words) };
  for (let run = 0; run < 2; run += 1) expect((await file.send()).unknownRows).toMatchObject([row]);
  expect(created()).toBe(1);
});

test('absence proves nothing while the queue cannot be read, or where a client has to approve the post', async () => {
  skipPauses();
  const { file, sandbox, created, account } = await startWith(['Bulk lost']);
  lose(sandbox, 'none');
  const unread = { kind: 'status', status: 500, endpoint: 'GET /posts/queued', times: Infinity } as const;
  const { unknownRows } = await file.send({ onRow: () => void sandbox.faults.add(unread) });
  expect(unknownRows).toMatchObject([{ reason: 'the queue could not be read' }]);
  sandbox.faults.clear();
  sandbox.faults.add(changingRecord('GET /posts/queued', 'postId', null));
  const unreadable = expect.stringContaining('contains posts that cannot be read');
  expect((await file.send()).unknownRows).toMatchObject([{ reason: unreadable }]);
  sandbox.faults.clear();
  const unapproved = [{ reason: expect.stringContaining('approval') }];
  const approval = 'response.clientApprovalApplicable';
  sandbox.faults.add(changing('GET /accounts/view/{loginId}', approval, MISSING));
  expect((await file.send()).unknownRows).toMatchObject(unapproved);
  sandbox.faults.clear();
  const found = sandbox.state.owner('harbour').accounts.find(({ loginId }) => String(loginId) === account);
  Object.assign(found ?? {}, { clientApproval: true });
  expect((await file.send()).unknownRows).toMatchObject(unapproved);
  expect(created()).toBe(1);
});

test('a pause that the service asks for is kept, and the row is sent after it', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  const pauses: number[] = [];
  sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '1' }, endpoint: CREATE });
  const summary = await file.send({ onPause: ({ ms }) => void pauses.push(ms) });
  expect(summary).toMatchObject({ sentRows: 2, stopped: null });
  expect(pauses[0]).toBe(1_000);
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk a', 'Bulk b']);
});

test('a service that asks for pauses without end is asked no more than fourteen times for a row', async () => {
  const { file, sandbox, created } = await startWith(['Bulk a', 'Bulk b']);
  const busy = { status: 429, headers: { 'retry-after': '0' }, endpoint: CREATE, times: Infinity } as const;
  sandbox.faults.add({ kind: 'status', ...busy });
  const summary = await file.send({ perMinute: 1e6 });
  expect(summary).toMatchObject({ sentRows: 0, refusedRows: [{ row: 1 }], unsentRows: 1 });
  expect(summary.stopped).toContain('Rate limited');
  expect(created()).toBe(14);
});

test('what the service rejects is reported, keeps nothing else from being sent, and is sent again by the next run', async () => {
  const { file, sandbox, created } = await startWith(['Bulk a', 'Bulk b']);
  const body = { message: 'Not on Sundays.' };
  const reject = () => sandbox.faults.add({ kind: 'status', status: 400, body, endpoint: CREATE });
  const rejected = [{ row: 1, reason: expect.stringContaining('Not on Sundays.') }];
  for (let run = 0; run < 2; run += 1) {
    reject();
    expect(await file.send()).toMatchObject({ sentRows: 1, refusedRows: rejected });
  }
  expect(await file.send()).toMatchObject({ sentRows: 2, refusedRows: [] });
  await rm(file.resultsPath);
  expect(await file.send()).toMatchObject({ sentRows: 2, refusedRows: [] });
  expect(created()).toBe(4);
});

test('a row that the service rejected five times has to be changed', async () => {
  const { file, sandbox, created } = await startWith(['Bulk a']);
  sandbox.faults.add({ kind: 'status', status: 400, endpoint: CREATE, times: Infinity });
  for (let run = 0; run < 5; run += 1) expect(await file.send()).toMatchObject({ refusedRows: [{ row: 1 }] });
  const message = expect.stringContaining('rejected this row 5 times');
  expect((await file.check()).report.problems).toMatchObject([{ line: 2, message }]);
  await file.send();
  expect(created()).toBe(5);
});

test('a service that confirms nothing is sent no more than three rows', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b', 'Bulk c', 'Bulk d', 'Bulk e']);
  sandbox.faults.add({ kind: 'status', status: 500, endpoint: CREATE, times: Infinity });
  const { stopped, unknownRows, unsentRows } = await file.send();
  expect([unknownRows.length, unsentRows]).toEqual([3, 2]);
  expect(stopped).toContain('did not confirm');
  sandbox.faults.clear();
  const { sentRows, unknownRows: open } = await file.send();
  expect(sentRows + open.length).toBe(5);
  expect(new Set(textsInQueue(sandbox, 'Bulk')).size).toBe(textsInQueue(sandbox, 'Bulk').length);
});

test('a row whose response was lost stays unknown while the server cannot say what happened to it', async () => {
  const { file, sandbox, created } = await startWith(['Bulk lost']);
  lose(sandbox, 'none');
  const stop = new AbortController();
  const failing = vi.spyOn(DiskJournal.prototype, 'find');
  const onRow = (): void => void failing.mockRejectedValue(new Error('away'));
  const { unknownRows } = await file.send({ signal: stop.signal, onRow, onPause: () => stop.abort() });
  expect(unknownRows).toMatchObject([{ row: 1, reason: expect.stringContaining('unavailable') }]);
  failing.mockRestore();
  // The server may have forgotten it by the next run.
  await rm(`${file.resultsPath}.journal`, { recursive: true });
  expect(await file.send()).toMatchObject({ sentRows: 0, unknownRows: [{ row: 1 }] });
  expect(created()).toBe(1);
});

test('a row that the server may forget during the run is not asked for again, which would send it', async () => {
  const { account, file, sandbox, created } = await startWith(['Bulk lost'], { placement: 'now' });
  lose(sandbox, 'done');
  // Nearly as long ago as it is remembered.
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - DAY_MS + 60_000);
  await file.send();
  clock.mockRestore();
  const rows = [
    [...HEADER, 'placement'],
    [account, AHEAD, 'Bulk new', ''],
    [account, '', 'Bulk lost', 'now'],
  ];
  await writeFile(file.path, csvOf(rows));
  const spies = [vi.spyOn(DiskJournal.prototype, 'find'), vi.spyOn(DiskJournal.prototype, 'begin')];
  const forget = (): void => spies.forEach((spy) => spy.mockResolvedValue(null));
  const { sentRows, unknownRows } = await file.send({ onRow: forget });
  expect([sentRows, unknownRows]).toMatchObject([1, [{ row: 2 }]]);
  expect(created()).toBe(2);
});

test('a credential that is no longer accepted ends it at once', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  sandbox.faults.add({ kind: 'status', status: 401, endpoint: CREATE, times: Infinity });
  const stopped = expect.stringContaining('credential');
  expect(await file.send()).toMatchObject({ sentRows: 0, unsentRows: 1, stopped });
});

test('a results file of another service or of another kind, or that cannot be written, is refused and kept', async () => {
  const { file, sandbox, created } = await startWith(['Bulk a']);
  await file.send();
  const results = await readFile(file.resultsPath, 'utf8');
  const elsewhere = 'https://elsewhere.example/';
  for (const [content, words] of [
    [results.replaceAll(new URL(sandbox.url).href, elsewhere), elsewhere],
    [`${results}{"at":\n`, 'line 3 is not a result of this version'],
    ['my own notes', 'line 1 is not a result of this version'],
  ] as const) {
    await writeFile(file.resultsPath, content);
    await expect(file.send()).rejects.toThrow(words);
    expect(await readFile(file.resultsPath, 'utf8')).toBe(content);
  }
  // As the message advises.
  await rm(file.resultsPath);
  expect(await file.send()).toMatchObject({ sentRows: 1 });
  await mkdir(file.resultsPath);
  await expect(file.send()).rejects.toThrow(`${file.resultsPath}: cannot be read`);
  expect(created()).toBe(1);
});

test('a line that was cut off when the process ended is replaced', async () => {
  const { file, created } = await startWith(['Bulk a', 'Bulk b']);
  await file.send();
  const lines = (await readFile(file.resultsPath, 'utf8')).split('\n');
  await writeFile(file.resultsPath, `${lines.slice(0, 3).join('\n')}\n${lines[3]?.slice(0, 40)}`);
  expect(await file.check()).toMatchObject({ pending: [], unknown: [] });
  await replaceIn(file, 'Bulk b', 'Bulk c');
  expect(await file.send({ sendsChanged: true })).toMatchObject({ sentRows: 2 });
  const expected = ['SENDING 2', 'COMPLETED 2', 'SENDING 3', 'SENDING 3', 'COMPLETED 3'];
  expect(await outcomesOf(file)).toEqual(expected);
  expect(created()).toBe(3);
});

test('when it is ended while it waits for the next row, or during a pause, it sends no further row', async () => {
  const { file, sandbox, created } = await startWith(['Bulk a', 'Bulk b']);
  sandbox.faults.add({ kind: 'status', status: 429, endpoint: CREATE });
  const paused = new AbortController();
  const pausing = await file.send({ signal: paused.signal, onPause: () => paused.abort() });
  expect(pausing).toMatchObject({ sentRows: 0, unsentRows: 1 });
  expect(textsInQueue(sandbox, 'Bulk')).toEqual([]);
  const stop = new AbortController();
  const onRow = (): void => void setImmediate(() => stop.abort());
  const waiting = await file.send({ perMinute: 1, signal: stop.signal, onRow });
  expect(waiting).toMatchObject({ sentRows: 1, unsentRows: 1, stopped: 'interrupted' });
  expect(created()).toBe(2);
});
