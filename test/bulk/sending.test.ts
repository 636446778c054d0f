import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bulkFile, csvOf, healthyAccounts, startBulkSandbox, textsInQueue } from '../support/bulk.ts';

const CREATE = 'POST /posts/create';
const HEADER = ['account', 'time', 'text'];
const AHEAD = '2031-05-20 09:00';

/** A sandbox and rows for one account of it, one for each text. */
async function startWith(texts: readonly string[], { time = AHEAD, placement = '', zone = '' } = {}) {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const header = [...HEADER, 'placement'];
  const rows = texts.map((text) => [account, placement === '' ? time : '', text, placement]);
  const file = await bulkFile(sandbox, csvOf([header, ...rows]), { SERVICE_TIME_ZONE: zone });
  return { account, file, sandbox };
}

test('each row is sent once, in order, with a line on the disk before and after', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  expect(await file.send()).toMatchObject({ sentRows: 2, unsentRows: 0, unknownRows: [], refusedRows: [] });
  expect((await file.entries()).map(({ type, row }) => [type, row])).toEqual([
    ['file', undefined],
    ['attempt', 1],
    ['outcome', 1],
    ['attempt', 2],
    ['outcome', 2],
  ]);
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk a', 'Bulk b']);
});

test('the same file again sends nothing; equal rows of one file are two posts', async () => {
  const { file, sandbox } = await startWith(['Bulk twice', 'Bulk twice']);
  await file.send();
  expect(await file.send()).toMatchObject({ sentRows: 2 });
  expect(sandbox.requests.count(CREATE)).toBe(2);
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk twice', 'Bulk twice']);
  const keys = (await file.entries()).flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
  expect(new Set(keys).size).toBe(2);
});

test('a row whose answer was lost is found in the queue, and not sent again', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk lost', 'Bulk b']);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'done', skip: 1 });
  expect(await file.send()).toMatchObject({ sentRows: 3, unknownRows: [] });
  expect(sandbox.requests.count(CREATE)).toBe(3);
  expect((await file.entries()).filter(({ isFound }) => isFound)).toMatchObject([
    { row: 2, outcome: 'COMPLETED' },
  ]);
});

test('a row that certainly was not made is sent again, with another key', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk lost', 'Bulk b']);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none', skip: 1 });
  expect(await file.send()).toMatchObject({ sentRows: 3, unknownRows: [] });
  const attempts = (await file.entries()).filter(({ type, row }) => type === 'attempt' && row === 2);
  expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(new Set(attempts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  expect(textsInQueue(sandbox, 'Bulk').toSorted()).toEqual(['Bulk a', 'Bulk b', 'Bulk lost']);
});

test('of two equal rows, the one that was made is found, and the other is sent again', async () => {
  const { file, sandbox } = await startWith(['Bulk same', 'Bulk same']);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'done' });
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  expect(await file.send()).toMatchObject({ sentRows: 2, unknownRows: [] });
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk same', 'Bulk same']);
});

test('what an earlier run made is not taken for an equal row whose answer was lost', async () => {
  const { file, sandbox } = await startWith(['Bulk same', 'Bulk same'], { zone: 'UTC' });
  const stop = new AbortController();
  await file.send({ signal: stop.signal, onRow: () => stop.abort() });
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  expect(await file.send()).toMatchObject({ sentRows: 2 });
  expect(textsInQueue(sandbox, 'Bulk')).toEqual(['Bulk same', 'Bulk same']);
});

test('a sending that may still be under way is not repeated', async () => {
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
])('absence proves nothing of %s', async (_, timing, words) => {
  const { file, sandbox } = await startWith(['Bulk lost'], timing);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  for (let run = 0; run < 2; run += 1) {
    const { unknownRows } = await file.send();
    expect(unknownRows).toMatchObject([{ row: 1, reason: expect.stringContaining(words) }]);
  }
  expect(sandbox.requests.count(CREATE)).toBe(1);
});

test.each([
  ['in two minutes', 2, 'UTC'],
  ['in some hours, by the clock of no known zone', 5 * 60, ''],
])('absence proves nothing when the time comes %s', async (_, minutes, zone) => {
  const soon = new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 16);
  const { file, sandbox } = await startWith(['Bulk lost'], { time: soon, zone });
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  const { unknownRows } = await file.send();
  expect(unknownRows).toMatchObject([{ reason: expect.stringContaining('its time may have passed') }]);
  expect(sandbox.requests.count(CREATE)).toBe(1);
});

test('absence proves nothing where a new post of the account may be the row, shown otherwise than it was sent', async () => {
  const { file, sandbox, account } = await startWith(['Bulk lost']);
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  const elsewhere = await bulkFile(sandbox, csvOf([HEADER, [account, AHEAD, 'Of somebody else']]));
  const stop = new AbortController();
  await file.send({ settleMs: 60_000, signal: stop.signal, onPause: () => stop.abort() });
  await elsewhere.send();
  const { unknownRows } = await file.send();
  expect(unknownRows).toMatchObject([{ reason: expect.stringContaining('may include it') }]);
  expect(textsInQueue(sandbox, 'Bulk')).toEqual([]);
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

test('what the service refuses is told, keeps nothing else from being sent, and is sent again by the next run', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  sandbox.faults.add({ kind: 'status', status: 400, body: { message: 'Not on Sundays.' }, endpoint: CREATE });
  expect(await file.send()).toMatchObject({
    sentRows: 1,
    refusedRows: [{ row: 1, reason: expect.stringContaining('Not on Sundays.') }],
  });
  expect(await file.send()).toMatchObject({ sentRows: 2, refusedRows: [] });
});

test('a service that confirms nothing is sent no more than three rows', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b', 'Bulk c', 'Bulk d', 'Bulk e']);
  sandbox.faults.add({ kind: 'status', status: 500, endpoint: CREATE, times: Infinity });
  const { stopped, unknownRows, unsentRows } = await file.send();
  expect([unknownRows.length, unsentRows]).toEqual([3, 2]);
  expect(stopped).toContain('did not confirm');
  sandbox.faults.clear();
  expect(await file.send()).toMatchObject({ sentRows: 5 });
  expect(textsInQueue(sandbox, 'Bulk').toSorted()).toEqual([
    'Bulk a',
    'Bulk b',
    'Bulk c',
    'Bulk d',
    'Bulk e',
  ]);
});

test('a credential that is not accepted any more ends it at once', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  sandbox.faults.add({ kind: 'status', status: 401, endpoint: CREATE, times: Infinity });
  expect(await file.send()).toMatchObject({
    sentRows: 0,
    unsentRows: 1,
    stopped: expect.stringContaining('credential'),
  });
});

test('the results of a file that was changed since, or of another service, are refused in words', async () => {
  const { file, sandbox } = await startWith(['Bulk a']);
  await file.send();
  const content = await readFile(file.path, 'utf8');
  await writeFile(file.path, content.replace('Bulk a', 'Bulk b'));
  await expect(file.send()).rejects.toThrow('before it was changed');
  await writeFile(file.path, content);
  const results = await readFile(file.resultsPath, 'utf8');
  await writeFile(file.resultsPath, results.replace(new URL(sandbox.url).href, 'https://elsewhere.example/'));
  await expect(file.send()).rejects.toThrow('https://elsewhere.example/');
  expect(sandbox.requests.count(CREATE)).toBe(1);
});

test('a line that was cut off when the process ended counts for nothing; one that was changed is refused', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  await file.send();
  const results = await readFile(file.resultsPath, 'utf8');
  const lines = results.trim().split('\n');
  await writeFile(file.resultsPath, `${lines.slice(0, 3).join('\n')}\n${lines[3]?.slice(0, 40)}`);
  expect(await file.check()).toMatchObject({ pending: [{ row: 2 }], unknown: [] });
  await writeFile(file.resultsPath, `${lines.slice(0, 2).join('\n')}\n{"type":\n${lines[2]}\n`);
  await expect(file.check()).rejects.toThrow('line 3 is corrupt');
  await writeFile(file.resultsPath, 'my own notes');
  await expect(file.send()).rejects.toThrow('is corrupt');
  expect(await readFile(file.resultsPath, 'utf8')).toBe('my own notes');
  expect(sandbox.requests.count(CREATE)).toBe(2);
});

test('a results file that can’t be written is told in words, and nothing is sent', async () => {
  const { file, sandbox } = await startWith(['Bulk a']);
  await mkdir(file.resultsPath);
  await expect(file.send()).rejects.toThrow('cannot be read: it is a folder, not a file.');
  expect(sandbox.requests.count(CREATE)).toBe(0);
});

test('told to end while it keeps its pace, it ends then', async () => {
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

test('told to end during a pause, it does not send the row that the pause was for', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  sandbox.faults.add({ kind: 'status', status: 429, endpoint: CREATE });
  const stop = new AbortController();
  const pauses: number[] = [];
  const onPause = ({ ms }: { readonly ms: number }): void => {
    pauses.push(ms);
    stop.abort();
  };
  expect(await file.send({ signal: stop.signal, onPause })).toMatchObject({ sentRows: 0, unsentRows: 1 });
  expect(pauses).toEqual([1_000]);
  expect(textsInQueue(sandbox, 'Bulk')).toEqual([]);
});

test('a service that asks for pauses without end is asked no more than sixty times for a row', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  const busy = { status: 429, headers: { 'retry-after': '0' }, endpoint: CREATE, times: Infinity } as const;
  sandbox.faults.add({ kind: 'status', ...busy });
  const summary = await file.send({ perMinute: 1e6 });
  expect(summary).toMatchObject({ sentRows: 0, refusedRows: [{ row: 1 }], unsentRows: 1 });
  expect(summary.stopped).toContain('Rate limited');
  expect(sandbox.requests.count(CREATE)).toBe(60);
});

test('a row that was under way when the process ended is looked for by the next run', async () => {
  const { file, sandbox } = await startWith(['Bulk a', 'Bulk b']);
  await file.send();
  const lines = (await readFile(file.resultsPath, 'utf8')).split('\n');
  await writeFile(file.resultsPath, `${lines.slice(0, -2).join('\n')}\n`);
  expect(await file.check()).toMatchObject({ pending: [], unknown: [{ row: 2 }] });
  expect(await file.send()).toMatchObject({ sentRows: 2, unknownRows: [] });
  expect(sandbox.requests.count(CREATE)).toBe(2);
});

test('results of a later version, of another attempt or of another kind are refused, and nothing is sent', async () => {
  const { file, sandbox } = await startWith(['Bulk a']);
  await file.send();
  const results = await readFile(file.resultsPath, 'utf8');
  const told = async (from: string, to: string): Promise<void> => {
    expect(results).toContain(from);
    await writeFile(file.resultsPath, results.replace(from, to));
    await file.send();
  };
  await expect(told('"version":1', '"version":2')).rejects.toThrow('by a later version of this program');
  await expect(told('"attempt":1,"outcome"', '"attempt":2,"outcome"')).rejects.toThrow('line 3 is corrupt');
  await expect(told('"type":"attempt"', '"type":"guess"')).rejects.toThrow('line 2 is corrupt');
  expect(sandbox.requests.count(CREATE)).toBe(1);
});
