import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bulkFile, csvOf, healthyAccounts, startBulkSandbox, textsInQueue, type BulkFile } from './tables.ts';

const CREATE = 'POST /posts/create';
const HEADER = ['account', 'time', 'text'];
const AHEAD = '2031-05-20 09:00';

/** A sandbox and rows for one account of it, one for each text. */
async function startWith(
  texts: readonly string[],
  { time = (): string => AHEAD, placement = '', zone = '' } = {},
) {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const header = [...HEADER, 'placement'];
  const rows = texts.map((text) => [account, placement === '' ? time() : '', text, placement]);
  const file = await bulkFile(sandbox, csvOf([header, ...rows]), { SERVICE_TIME_ZONE: zone });
  return { account, file, sandbox };
}

async function replaceIn({ path }: BulkFile, from: string, to: string): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));
}

test('each row is sent once, in order, and reported before and after', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  expect(await file.send()).toMatchObject({ sentRows: 2, unsentRows: 0, unknownRows: [], refusedRows: [] });
  expect((await file.entries()).map(({ outcome, line }) => [outcome, line])).toEqual([
    ['SENDING', 2],
    ['COMPLETED', 2],
    ['SENDING', 3],
    ['COMPLETED', 3],
  ]);
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk a', 'Bulk b']);
});

test('the same file again sends nothing, with its results file or without; equal rows are two posts', async () => {
  const { file, sandbox } = await startWith(['Bulk twice', 'Bulk twice']);
  await file.send();
  expect(await file.send()).toMatchObject({ sentRows: 2 });
  await rm(file.resultsPath);
  expect(await file.check()).toMatchObject({ pending: [], unknown: [] });
  expect(await file.send()).toMatchObject({ sentRows: 2 });
  expect(sandbox.requests.count(CREATE)).toBe(2);
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk twice', 'Bulk twice']);
});

test('rows that are moved, added or written otherwise are the same rows', async () => {
  const { account, file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  await file.send();
  const other = healthyAccounts(sandbox, 2)[1] ?? '';
  const rows = [
    ['time', 'text', 'account'],
    ['20.05.2031 9.00', 'Bulk b', account],
    ['2031-05-20 09:00', 'Bulk a', account],
    ['2031-05-20 09:00', 'Bulk b', account],
    ['2031-05-20 09:00', 'Bulk c', other],
  ];
  await writeFile(file.path, csvOf(rows, { delimiter: ';' }));
  expect(await file.send()).toMatchObject({ sentRows: 4, unknownRows: [] });
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk a', 'Bulk b', 'Bulk b', 'Bulk c']);
});

test('a row that changed after it was sent has to be accepted', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  await file.send();
  await replaceIn(file, 'Bulk a', 'Bulk corrected');
  const { report } = await file.check();
  expect(report.problems).toMatchObject([{ line: 2, message: expect.stringContaining('“Bulk a”') }]);
  expect(report.problems[0]?.message).toContain('--send-changed');
  expect(await file.send()).toMatchObject({ sentRows: 1, unsentRows: 1 });
  expect(await file.send({ sendsChanged: true })).toMatchObject({ sentRows: 2 });
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk a', 'Bulk b', 'Bulk corrected']);
});

test('without the results file, a changed row is another post', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  await file.send();
  await rm(file.resultsPath);
  await replaceIn(file, 'Bulk a', 'Bulk corrected');
  expect(await file.send()).toMatchObject({ sentRows: 2 });
  expect(sandbox.requests.count(CREATE)).toBe(3);
});

test('without the record of the server, the results file still tells what was sent', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  await file.send();
  await rm(`${file.resultsPath}.journal`, { recursive: true });
  expect(await file.send()).toMatchObject({ sentRows: 2 });
  expect(sandbox.requests.count(CREATE)).toBe(2);
});

test('a row whose response was lost longer ago than the server remembers is listed, and not sent', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  await file.send();
  await rm(`${file.resultsPath}.journal`, { recursive: true });
  const lines = (await readFile(file.resultsPath, 'utf8')).trim().split('\n');
  const old = new Date(Date.now() - 8 * 24 * 60 * 60 * 1_000).toISOString();
  const begun = (lines[2] ?? '').replace(/(?<="at":")[^"]+/, old);
  await writeFile(file.resultsPath, `${[...lines.slice(0, 2), begun].join('\n')}\n`);
  expect(await file.send()).toMatchObject({
    sentRows: 1,
    unknownRows: [{ line: 3, text: 'Bulk b', reason: expect.stringContaining('no longer remembers') }],
  });
  expect(sandbox.requests.count(CREATE)).toBe(2);
});

test('a row whose response was lost is found by the server, and not sent again', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk lost', 'Bulk b']);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'done', skip: 1 });
  expect(await file.send()).toMatchObject({ sentRows: 3, unknownRows: [] });
  expect(sandbox.requests.count(CREATE)).toBe(3);
});

test('a row whose response was lost is found in a long queue, also beside an equal one', async () => {
  const sandbox = await startBulkSandbox({ data: 'large' });
  const [account = ''] = healthyAccounts(sandbox, 1);
  const owner = sandbox.state.owner('harbour');
  owner.drainQueue(owner.queue.length - 400);
  const middle = new Date((owner.queue[200]?.dueAt ?? 0) + 60_000).toISOString().slice(0, 16);
  const rows = [HEADER, [account, middle, 'Bulk lost'], [account, middle, 'Bulk lost']];
  const file = await bulkFile(sandbox, csvOf(rows));
  for (const effect of ['done', 'none'] as const)
    sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect });
  expect(await file.send()).toMatchObject({ sentRows: 2, unknownRows: [] });
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk lost', 'Bulk lost']);
  expect(sandbox.requests.count(CREATE)).toBe(3);
});

test('rows of which one was created, and nobody can tell which, are not sent again', async () => {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const header = [...HEADER, 'comment'];
  const rows = ['One', 'Other'].map((comment) => [account, AHEAD, 'Bulk lost', comment]);
  const file = await bulkFile(sandbox, csvOf([header, ...rows]));
  for (const effect of ['none', 'done'] as const)
    sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect });
  const { unknownRows } = await file.send();
  const reason = expect.stringContaining('may belong to it');
  expect(unknownRows).toMatchObject([{ reason }, { reason }]);
  expect(sandbox.requests.count(CREATE)).toBe(2);
});

test('a row of which the queue shows a part is not sent again', async () => {
  const sandbox = await startBulkSandbox();
  const [one = '', other = ''] = healthyAccounts(sandbox, 2);
  const file = await bulkFile(sandbox, csvOf([HEADER, [`${one}|${other}`, AHEAD, 'Bulk lost']]));
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  const part = await bulkFile(sandbox, csvOf([HEADER, [one, AHEAD, 'Bulk lost']]));
  const stop = new AbortController();
  await file.send({ settleMs: 60_000, signal: stop.signal, onPause: () => stop.abort() });
  await part.send();
  expect((await file.send()).unknownRows).toMatchObject([{ reason: expect.stringContaining('may belong') }]);
  expect(textsInQueue(sandbox, 'Bulk')).toHaveLength(1);
});

test('a row that certainly was not created is sent again, with another key', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk lost', 'Bulk b']);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none', skip: 1 });
  expect(await file.send()).toMatchObject({ sentRows: 3, unknownRows: [] });
  const begun = (await file.entries()).filter(({ line, outcome }) => line === 3 && outcome === 'SENDING');
  expect(begun.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(textsInQueue(sandbox, 'Bulk').toSorted()).toEqual(['Bulk a', 'Bulk b', 'Bulk lost']);
  await rm(file.resultsPath);
  expect(await file.send()).toMatchObject({ sentRows: 3 });
  expect(sandbox.requests.count(CREATE)).toBe(4);
});

test('a post of an equal row is not taken for a row whose response was lost', async () => {
  const { file, sandbox } = await startWith(['Bulk same', 'Bulk same'], { zone: 'UTC' });
  const stop = new AbortController();
  await file.send({ signal: stop.signal, onRow: () => stop.abort() });
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  expect(await file.send()).toMatchObject({ sentRows: 2 });
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk same', 'Bulk same']);
});

test('a row that may still be in progress is not sent again', async () => {
  const { file, sandbox } = await startWith(['Bulk lost']);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  const stop = new AbortController();
  const onPause = (): void => stop.abort();
  const summary = await file.send({ settleMs: 60_000, signal: stop.signal, onPause });
  expect(summary).toMatchObject({ sentRows: 0, unknownRows: [{ row: 1 }] });
  expect(sandbox.requests.count(CREATE)).toBe(1);
  expect(await file.send()).toMatchObject({ sentRows: 1, unknownRows: [] });
});

test.each([
  ['a placement', { placement: 'queue' }, 'no fixed time'],
  ['publishing at once', { placement: 'now' }, 'immediately'],
  ['a time that comes soon', { time: () => soon(4), zone: 'UTC' }, 'its time may have passed'],
  ['a time in some hours, by a clock of any zone', { time: () => soon(5 * 60) }, 'its time may have passed'],
])('absence proves nothing of %s: the row stays unknown, and is listed', async (_, timing, words) => {
  const { file, sandbox } = await startWith(['Bulk lost'], timing);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  for (let run = 0; run < 2; run += 1) {
    const { unknownRows } = await file.send();
    expect(unknownRows).toMatchObject([
      { row: 1, text: 'Bulk lost', reason: expect.stringContaining(words) },
    ]);
    expect(unknownRows[0]?.accounts).toHaveLength(1);
  }
  expect(sandbox.requests.count(CREATE)).toBe(1);
});

function soon(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 16);
}

test('absence proves nothing where a post of the account may be the row, shown otherwise than it was sent', async () => {
  const { file, sandbox, account } = await startWith(['Bulk lost']);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  const elsewhere = await bulkFile(sandbox, csvOf([HEADER, [account, AHEAD, 'Of somebody else']]));
  const stop = new AbortController();
  await file.send({ settleMs: 60_000, signal: stop.signal, onPause: () => stop.abort() });
  await elsewhere.send();
  const { unknownRows } = await file.send();
  expect(unknownRows).toMatchObject([{ reason: expect.stringContaining('may belong to it') }]);
  expect(textsInQueue(sandbox, 'Bulk')).toEqual([]);
});

test('absence proves nothing while the queue cannot be read', async () => {
  const { file, sandbox } = await startWith(['Bulk lost']);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  const onRow = (): void =>
    void sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /posts/queued', times: Infinity });
  const { unknownRows } = await file.send({ onRow });
  expect(unknownRows).toMatchObject([{ reason: 'the queue could not be read' }]);
  expect(sandbox.requests.count(CREATE)).toBe(1);
});

test('absence proves nothing where a client has to approve the post', async () => {
  const { file, sandbox, account } = await startWith(['Bulk lost']);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  const found = sandbox.state.owner('harbour').accounts.find(({ loginId }) => String(loginId) === account);
  Object.assign(found ?? {}, { clientApproval: true });
  const { unknownRows } = await file.send();
  expect(unknownRows).toMatchObject([{ reason: expect.stringContaining('approval') }]);
  expect(sandbox.requests.count(CREATE)).toBe(1);
});

test('a pause that the service asks for is kept, and the row is sent after it', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  const pauses: number[] = [];
  sandbox.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '2' }, endpoint: CREATE });
  const summary = await file.send({ onPause: ({ ms }) => void pauses.push(ms) });
  expect(summary).toMatchObject({ sentRows: 2, stopped: null });
  expect(pauses[0]).toBe(2_000);
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk a', 'Bulk b']);
});

test('what the service rejects is reported, keeps nothing else from being sent, and is sent again by the next run', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  const rejection = {
    kind: 'status',
    status: 400,
    body: { message: 'Not on Sundays.' },
    endpoint: CREATE,
  } as const;
  sandbox.faults.add(rejection);
  const rejected = [{ row: 1, reason: expect.stringContaining('Not on Sundays.') }];
  expect(await file.send()).toMatchObject({ sentRows: 1, refusedRows: rejected });
  sandbox.faults.add(rejection);
  expect(await file.send()).toMatchObject({ sentRows: 1, refusedRows: rejected });
  expect(await file.send()).toMatchObject({ sentRows: 2, refusedRows: [] });
  await rm(file.resultsPath);
  expect(await file.send()).toMatchObject({ sentRows: 2, refusedRows: [] });
  expect(sandbox.requests.count(CREATE)).toBe(4);
});

test('a row that the service rejected five times has to be changed', async () => {
  const { file, sandbox } = await startWith(['Bulk a']);
  sandbox.faults.add({ kind: 'status', status: 400, endpoint: CREATE, times: Infinity });
  for (let run = 0; run < 5; run += 1) expect(await file.send()).toMatchObject({ refusedRows: [{ row: 1 }] });
  expect((await file.check()).report.problems).toMatchObject([
    { line: 2, message: expect.stringContaining('rejected this row 5 times') },
  ]);
  await file.send();
  expect(sandbox.requests.count(CREATE)).toBe(5);
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

test('a credential that is no longer accepted ends it at once', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  sandbox.faults.add({ kind: 'status', status: 401, endpoint: CREATE, times: Infinity });
  expect(await file.send()).toMatchObject({
    sentRows: 0,
    unsentRows: 1,
    stopped: expect.stringContaining('credential'),
  });
});

test('a results file of another service or of another kind is refused, and kept', async () => {
  const { file, sandbox } = await startWith(['Bulk a']);
  await file.send();
  const results = await readFile(file.resultsPath, 'utf8');
  const refused = async (content: string, words: string): Promise<void> => {
    await writeFile(file.resultsPath, content);
    await expect(file.send()).rejects.toThrow(words);
    expect(await readFile(file.resultsPath, 'utf8')).toBe(content);
  };
  const elsewhere = results.replaceAll(new URL(sandbox.url).href, 'https://elsewhere.example/');
  await refused(elsewhere, 'https://elsewhere.example/');
  await refused(`${results}{"at":\n`, 'line 3 is not a result of this version');
  await refused('my own notes', 'line 1 is not a result of this version');
  expect(sandbox.requests.count(CREATE)).toBe(1);
});

test('a line that was cut off when the process ended is replaced', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  await file.send();
  const lines = (await readFile(file.resultsPath, 'utf8')).split('\n');
  await writeFile(file.resultsPath, `${lines.slice(0, 3).join('\n')}\n${lines[3]?.slice(0, 40)}`);
  expect(await file.check()).toMatchObject({ pending: [], unknown: [] });
  await replaceIn(file, 'Bulk b', 'Bulk c');
  expect(await file.send({ sendsChanged: true })).toMatchObject({ sentRows: 2 });
  expect((await file.entries()).map(({ outcome }) => outcome)).toEqual([
    'SENDING',
    'COMPLETED',
    'SENDING',
    'SENDING',
    'COMPLETED',
  ]);
  expect(sandbox.requests.count(CREATE)).toBe(3);
});

test('a results file that can’t be written is reported, and nothing is sent', async () => {
  const { file, sandbox } = await startWith(['Bulk a']);
  await mkdir(file.resultsPath);
  await expect(file.send()).rejects.toThrow(`${file.resultsPath}: cannot be read`);
  expect(sandbox.requests.count(CREATE)).toBe(0);
});

test('when it is ended while it waits for the next row, it ends then', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  const stop = new AbortController();
  const onRow = (): void => void setImmediate(() => stop.abort());
  expect(await file.send({ perMinute: 1, signal: stop.signal, onRow })).toMatchObject({
    sentRows: 1,
    unsentRows: 1,
    stopped: 'interrupted',
  });
  expect(sandbox.requests.count(CREATE)).toBe(1);
});

test('when it is ended during a pause, it does not send the row that the pause was for', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  sandbox.faults.add({ kind: 'status', status: 429, endpoint: CREATE });
  const stop = new AbortController();
  const pauses: number[] = [];
  const onPause = ({ ms }: { readonly ms: number }): void => {
    pauses.push(ms);
    stop.abort();
  };
  expect(await file.send({ signal: stop.signal, onPause })).toMatchObject({ sentRows: 0, unsentRows: 1 });
  expect(pauses).toHaveLength(1);
  expect(textsInQueue(sandbox, 'Bulk')).toEqual([]);
});

test('a service that asks for pauses without end is asked no more than fourteen times for a row', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  const busy = { status: 429, headers: { 'retry-after': '0' }, endpoint: CREATE, times: Infinity } as const;
  sandbox.faults.add({ kind: 'status', ...busy });
  const summary = await file.send({ perMinute: 1e6 });
  expect(summary).toMatchObject({ sentRows: 0, refusedRows: [{ row: 1 }], unsentRows: 1 });
  expect(summary.stopped).toContain('Rate limited');
  expect(sandbox.requests.count(CREATE)).toBe(14);
});
