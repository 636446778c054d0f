import { expect, test } from 'vitest';
import { linesOfReport, listed } from '../src/output.ts';
import { bulkFile, csvOf, healthyAccounts, startBulkSandbox } from './tables.ts';
import { cases } from '../../../test/support/depth.ts';
import { blocksOf } from '../../../test/support/readme.ts';
import { changingRecord } from '../../../test/support/wire-changes.ts';

const HEADER = ['account', 'time', 'text'];
const AHEAD = '2031-05-20 09:00';

test('hundreds of rows for twelve accounts read each account and list once, and send nothing', async () => {
  const sandbox = await startBulkSandbox();
  const accounts = healthyAccounts(sandbox, 12);
  const rows = Array.from({ length: cases(120, 500) }, (_, index) => [
    accounts[index % 12] ?? '',
    `2031-05-${10 + (index % 20)} ${10 + (index % 13)}:00`,
    `Checked ${index}`,
  ]);
  const file = await bulkFile(sandbox, csvOf([HEADER, ...rows]));
  const { report, pending } = await file.check();
  expect(report.problems).toEqual([]);
  expect(pending).toHaveLength(rows.length);
  expect(sandbox.requests.count('POST /posts/create')).toBe(0);
  expect(sandbox.requests.count('GET /accounts/view/{loginId}')).toBe(12);
  expect(sandbox.requests.all.length).toBeLessThanOrEqual(12 + 12);
});

test('an account is named by its id, its loginId, the address of its profile or its name', async () => {
  const sandbox = await startBulkSandbox();
  const [account] = sandbox.state.owner('harbour').accounts;
  if (account === undefined) throw new Error('the sandbox has no account');
  const globalId = Buffer.from(`1ac:${account.loginId}`).toString('base64url');
  const names = [
    globalId,
    String(account.loginId),
    account.currentUrl,
    account.currentUrl.replace('https://', ''),
    ` ${account.username.toUpperCase()} `,
  ];
  const file = await bulkFile(sandbox, csvOf([HEADER, ...names.map((name) => [name, AHEAD, `To ${name}`])]));
  const { report, pending } = await file.check();
  expect(report.problems).toEqual([]);
  expect(pending.map(({ input }) => input.accountIds)).toEqual(names.map(() => [globalId]));
});

test('the file of the documentation is right', async () => {
  const [content] = blocksOf('The file', 'csv', 'docs/bulk-scheduling.md');
  const { report, pending } = await (await bulkFile(await startBulkSandbox(), content)).check();
  expect(report.problems).toEqual([]);
  expect(pending.map(({ input }) => [input.accountIds.length, input.variants.length])).toEqual([
    [1, 2],
    [2, 1],
  ]);
});

test('an account without a name is found and reported by its label', async () => {
  const sandbox = await startBulkSandbox();
  const nameless = sandbox.state.owner('harbour').insertAccount(0, { username: ' ' });
  sandbox.faults.add(changingRecord('GET /accounts/list', 'accountType', 'gmb-locations'));
  const label = `Google Business account ${nameless.loginId}`;
  const file = await bulkFile(
    sandbox,
    csvOf([HEADER, [label, AHEAD, 'a'], [`${label.toLowerCase()}|${label}`, AHEAD, 'b']]),
  );
  const { report } = await file.check();
  expect(report.rows[0]?.accounts).toEqual([label]);
  expect(report.problems).toMatchObject([{ line: 3, message: 'The same account was chosen twice.' }]);
});

test('a name of two accounts is refused, and both are named', async () => {
  const sandbox = await startBulkSandbox();
  const twins = [1, 2].map(() => sandbox.state.owner('harbour').insertAccount(0, { username: 'The Twins' }));
  const file = await bulkFile(sandbox, csvOf([HEADER, ['The Twins', AHEAD, 'a'], ['Nobody', AHEAD, 'b']]));
  const { report, pending } = await file.check();
  expect(pending).toEqual([]);
  expect(report.problems).toMatchObject([
    { line: 2, column: 'account', message: expect.stringContaining('"The Twins" matches 2 accounts') },
    { line: 3, column: 'account', message: expect.stringContaining('No account matches') },
  ]);
  for (const { loginId } of twins) expect(report.problems[0]?.message).toContain(String(loginId));
});

test('rows that ask for the same post are worth a look, and so is a text that is too long', async () => {
  const sandbox = await startBulkSandbox();
  const account = sandbox.state.owner('harbour').accounts.find(({ network }) => network.platformId === 2);
  const row = [String(account?.loginId), AHEAD, 'x'.repeat(281)];
  const { report } = await (await bulkFile(sandbox, csvOf([HEADER, row, row]))).check();
  expect(report.problems).toEqual([]);
  const codes = report.warnings.map(({ line, code, column }) => [line, code, column]);
  expect(codes).toContainEqual([2, 'TEXT_LONGER_THAN_NETWORK_ALLOWS', 'text']);
  expect(codes).toContainEqual([3, 'SAME_AS_ANOTHER_ROW', null]);
});

test('instants are read where the zone of the service is known', async () => {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const text = csvOf([HEADER, [account, '2031-05-20T09:00+02:00', 'An instant']]);
  const file = await bulkFile(sandbox, text, { SERVICE_TIME_ZONE: 'UTC' });
  expect(await file.send()).toMatchObject({ sentRows: 1 });
  const [post] = sandbox.state.owner('harbour').queue.slice(-1);
  expect(new Date(post?.dueAt ?? 0).toISOString()).toBe('2031-05-20T07:00:00.000Z');
});

test('the report for people shows one line for each row, whatever its text holds', async () => {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const { report } = await (
    await bulkFile(sandbox, csvOf([HEADER, [account, AHEAD, 'Two\nlines \u001B[31mand red\u202E']]))
  ).check();
  const lines = linesOfReport(report);
  expect(lines[1]).toMatch(/^2 +to send +2031-05-20 09:00 +.*Two lines \[31mand red$/);
  for (const control of ['\u001B', '\u202E']) expect(lines.join('')).not.toContain(control);
});

test('a mistake in the header is told alone, and nothing is asked of the service', async () => {
  const sandbox = await startBulkSandbox();
  const { report, pending } = await (await bulkFile(sandbox, 'account,text\n1,a\n2,b,c\n')).check();
  expect(pending).toEqual([]);
  expect(linesOfReport(report)).toEqual([
    'Problems (2):',
    expect.stringMatching(/^ {2}line 1: The table needs a column time or placement/),
    expect.stringMatching(/^ {2}line 3: The row has a cell in column 3/),
    '',
  ]);
  expect(sandbox.requests.all).toEqual([]);
});

test('the report shows instants, placements and the first text that there is', async () => {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  const rows = [
    ['account', 'time', 'placement', 'media', 'text:x'],
    [account, '2031-05-20T09:00+02:00', '', '', 'For one network'],
    [account, '', 'next', 'm1', ''],
  ];
  const file = await bulkFile(sandbox, csvOf(rows), { SERVICE_TIME_ZONE: 'UTC' });
  const { report } = await file.check();
  expect(report.rows.map(({ times, text }) => [...times, text])).toEqual([
    ['2031-05-20T07:00Z', 'For one network'],
    ['next', ''],
  ]);
});

test('of more than two hundred problems, the others are counted', () => {
  const problems = Array.from({ length: 203 }, (_, index) => ({
    line: index + 2,
    row: index + 1,
    column: 'time',
    message: 'is not a time.',
  }));
  const lines = listed('Wrong', problems);
  expect([lines[0], ...lines.slice(-3)]).toEqual([
    'Wrong (203):',
    '  line 201, time: is not a time.',
    '  and 3 more',
    '',
  ]);
});
