import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import {
  bulkFile,
  csvOf,
  healthyAccounts,
  startBulkSandbox,
  textsInQueue,
  type BulkFile,
} from '../support/bulk.ts';
import { changingEach, changingPage } from '../support/wire-changes.ts';

const CREATE = 'POST /posts/create';
const QUEUE = 'GET /posts/queued';
const HEADER = ['account', 'time', 'text', 'comment'];
const AHEAD = '2031-05-20 09:00';

const fileOf = (sandbox: Sandbox, account: string, comments: readonly string[] = ['']): Promise<BulkFile> =>
  bulkFile(sandbox, csvOf([HEADER, ...comments.map((comment) => [account, AHEAD, 'Bulk lost', comment])]));

/** Sends a file of which nothing arrives, without an answer, and ends before its rows are looked for. */
async function loseIn(file: BulkFile): Promise<void> {
  const fault = file.sandbox.faults.add({
    kind: 'reset-before-headers',
    endpoint: CREATE,
    effect: 'none',
    times: Infinity,
  });
  const stop = new AbortController();
  await file.send({ settleMs: 60_000, signal: stop.signal, onPause: () => stop.abort() });
  fault.remove();
}

/** Why the rows of a file are still unknown after another run. */
const reasonsOf = async (file: BulkFile): Promise<readonly string[]> =>
  (await file.send()).unknownRows.map(({ reason }) => reason);

test('a row of which the queue shows a part is not sent again, and the part is named', async () => {
  const sandbox = await startBulkSandbox();
  const [one = '', other = ''] = healthyAccounts(sandbox, 2);
  const file = await fileOf(sandbox, `${one} | ${other}`);
  await loseIn(file);
  await (await fileOf(sandbox, one)).send();
  const [made] = sandbox.state
    .owner('harbour')
    .queue.filter(({ content }) => content.description === 'Bulk lost');
  expect(await reasonsOf(file)).toEqual([`the queue contains 1 of its 2 posts (${made?.postId})`]);
  expect(textsInQueue(sandbox, 'Bulk')).toHaveLength(1);
});

test('rows of which one was made, and nobody can tell which, are not sent again', async () => {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const file = await fileOf(sandbox, account, ['One', 'Other']);
  await loseIn(file);
  await (await fileOf(sandbox, account)).send();
  const reason = expect.stringMatching(
    /^the queue contains posts that may belong to this row or to others: \w+$/,
  );
  expect(await reasonsOf(file)).toEqual([reason, reason]);
  expect(textsInQueue(sandbox, 'Bulk')).toHaveLength(1);
});

test('absence proves nothing of an account whose client has to approve posts', async () => {
  const sandbox = await startBulkSandbox();
  const { loginId } = sandbox.state.owner('harbour').insertAccount(0, { clientId: 'client' });
  const file = await fileOf(sandbox, String(loginId));
  await loseIn(file);
  expect(await reasonsOf(file)).toEqual(['it is not in the queue, but may be awaiting a client’s approval']);
});

test('a new post that the service shows without an id may be any row of its account', async () => {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const file = await fileOf(sandbox, account);
  await loseIn(file);
  sandbox.faults.add(changingEach(QUEUE, (index) => (index === 0 ? { postId: null, loginId: '' } : {})));
  expect(await reasonsOf(file)).toEqual([expect.stringMatching(/may include it: \(without an id\)$/)]);
});

test.each([
  ['had a post without an id', changingEach(QUEUE, (index) => (index === 0 ? { postId: null } : {}))],
  ['did not show as many posts as it counted', changingPage(QUEUE, { totalRecords: 99 })],
])('a queue that %s before the first row proves nothing of what came later', async (_, odd) => {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const file = await fileOf(sandbox, account);
  const fault = sandbox.faults.add(odd);
  await loseIn(file);
  fault.remove();
  expect(await reasonsOf(file)).toEqual([expect.stringContaining('before the first row was sent or now')]);
});

test('a queue that can’t be read as a whole now proves nothing, and does once it can', async () => {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const file = await fileOf(sandbox, account);
  await loseIn(file);
  const fault = sandbox.faults.add(changingPage(QUEUE, { totalRecords: 99 }));
  expect(await reasonsOf(file)).toEqual([expect.stringContaining('could not be read in full')]);
  fault.remove();
  expect(await file.send()).toMatchObject({ sentRows: 1, unknownRows: [] });
});

test('while the queue can’t be read, a row that was under way when the process ended is not sent again', async () => {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const file = await fileOf(sandbox, account);
  await loseIn(file);
  const results = await readFile(file.resultsPath, 'utf8');
  await writeFile(file.resultsPath, results.replace(/(?<=\n)\{"type":"outcome".*\n/, ''));
  sandbox.faults.add({ kind: 'status', status: 500, endpoint: QUEUE, times: Infinity });
  expect(await reasonsOf(file)).toEqual(['the queue could not be read']);
  expect(sandbox.requests.count(CREATE)).toBe(1);
  sandbox.faults.clear();
  expect(await file.send()).toMatchObject({ sentRows: 1, unknownRows: [] });
  expect(textsInQueue(sandbox, 'Bulk')).toHaveLength(1);
});
