import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { queue, type QueueOptions } from '../../../src/cli/queue.ts';
import { calendarOfQueue, csvOfQueue, type QueueRow } from '../src/queue.ts';
import { readTable } from '../src/table.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { startBulkSandbox } from './tables.ts';
import { listen } from '../../../test/support/attack-page.ts';
import { eachCase } from '../../../test/support/cases.ts';
import { skipPauses } from '../../../test/support/clock.ts';
import { currentOf, failed, runInPlace, type CommandRun } from '../../../test/support/command.ts';
import { temporaryFolder } from '../../../test/support/files.ts';
import { startGraph } from '../../../test/support/graph.ts';
import { changingEach } from '../../../test/support/sandbox.ts';

const NOW = new Date('2026-11-20T08:00:00Z');

const row = (values: Partial<QueueRow> = {}): QueueRow => ({
  id: 'MXFjOnA3',
  postId: 'p7',
  accountName: 'Kelpgate',
  accountLabel: 'Kelpgate',
  accountId: 'MWFjOjE',
  loginId: '1',
  network: 'X',
  scheduledAtLocal: '2031-05-20T09:00',
  scheduledAt: null,
  scheduledLabel: '20 May 2031',
  title: null,
  text: 'Doors at seven.',
  linkUrl: null,
  comment: null,
  obstacles: [],
  ...values,
});

const calendar = (rows: readonly QueueRow[], timeZone: string | null = null): string =>
  calendarOfQueue(rows, { now: NOW, timeZone });
const unfolded = (text: string): string[] => text.replaceAll('\r\n ', '').split('\r\n');
const valueOf = (text: string, name: string): string | undefined =>
  unfolded(text)
    .find((line) => line.startsWith(`${name}:`))
    ?.slice(name.length + 1);

const inPlace = (sandbox: Sandbox, options: QueueOptions, environment = {}): Promise<CommandRun> =>
  runInPlace(() => queue(options), { ...currentOf(sandbox), LOG_LEVEL: 'error', ...environment });

async function listing(sandbox: Sandbox, environment = {}): Promise<QueueRow[]> {
  const { standardOutput } = await inPlace(sandbox, { json: true }, environment);
  return JSON.parse(standardOutput) as QueueRow[];
}

test('the whole queue is listed in its order, with the same ids and times as in the graph', async () => {
  const sandbox = await startBulkSandbox();
  const { queue: posts } = sandbox.state.owner('harbour');
  const rows = await listing(sandbox, { SERVICE_TIME_ZONE: 'UTC' });
  expect(rows.map(({ postId }) => postId)).toEqual(posts.map(({ postId }) => postId));
  const instants = rows.map(({ scheduledAt }) => Date.parse(scheduledAt ?? ''));
  expect(instants).toEqual(posts.map(({ dueAt }) => dueAt - (dueAt % 60_000)));
  expect(new Set(rows.flatMap(({ obstacles }) => obstacles))).toContain('isAccountPaused');
});

test('an event keeps its id, whatever its text and time', () => {
  const [id, other] = [row(), row({ text: 'Doors at eight.', scheduledAtLocal: '2031-05-21T09:00' })].map(
    (one) => valueOf(calendar([one]), 'UID'),
  );
  expect([id, other]).toEqual([expect.stringContaining('p7'), id]);
});

test('times float where the zone is not known, and are instants where it is', () => {
  expect(valueOf(calendar([row()]), 'DTSTART')).toBe('20310520T090000');
  const zoned = calendar([row({ scheduledAt: '2031-05-20T07:00:00.000Z' })], 'Europe/Paris');
  expect(valueOf(zoned, 'DTSTART')).toBe('20310520T070000Z');
  expect(valueOf(zoned, 'X-WR-TIMEZONE')).toBe('Europe/Paris');
  expect(valueOf(zoned, 'DTSTAMP')).toBe('20261120T080000Z');
});

test('texts are escaped, and no line is longer than 75 octets or cuts a character', () => {
  const text = `One, two; three\\four\nBEGIN:VEVENT ${'ü👩🏽‍🚀'.repeat(40)}`;
  const made = calendar([row({ text })]);
  expect(valueOf(made, 'DESCRIPTION')).toBe(text.replaceAll(/[\\,;]/g, '\\$&').replace('\n', '\\n'));
  expect(made.split('\r\n').filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(1);
  expect(made.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  for (const line of made.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
});

test('CSV keeps texts, but for an apostrophe before what would be a formula', () =>
  eachCase(
    [
      ['Plain', 'Plain'],
      ['With "quotes", commas;\nand lines', 'With "quotes", commas;\nand lines'],
      ['=HYPERLINK("https://evil.example")', '\'=HYPERLINK("https://evil.example")'],
      ['+1', "'+1"],
      ['-1', "'-1"],
      ['@here', "'@here"],
      ['\t=1', "'\t=1"],
    ],
    ([text, cell]) => {
      const [header, ...lines] = csvOfQueue([row({ text })]).split('\r\n');
      expect(header).toMatch(/^\uFEFFid,postId,/);
      // The reader of this project's own tables, with a header that it knows.
      const table = ['account,time,x1,x2,x3,x4,x5,x6,x7,text', ...lines].join('\r\n');
      const { rows } = readTable(Buffer.from(table));
      expect(rows[0]?.cells.get('text')).toBe(cell);
    },
  ));

test('an account without a name is shown by its label, and one that is unknown by nothing but the network of its post', async () => {
  const titled = row({ accountLabel: null, text: null, title: 'Doors' });
  expect(valueOf(calendar([titled]), 'SUMMARY')).toBe('X: Doors');
  const sandbox = await startBulkSandbox();
  const odd = [
    { accountUsername: ' ', scenario: 'gmb-locations', loginId: 7 },
    { accountUsername: [], scenario: 'gmb-locations', loginId: 7 },
    { accountUsername: null, scenario: 'quillnet', loginId: 8 },
    { accountUsername: null, scenario: null, loginId: '' },
  ];
  sandbox.faults.add(changingEach('GET /posts/queued', (index) => odd[index] ?? {}));
  const rows = await listing(sandbox);
  const labels = ['Google Business account 7', 'Google Business account 7', 'Account 8'];
  expect(rows.slice(0, 4).map(({ accountLabel }) => accountLabel)).toEqual([...labels, null]);
  const unknown = { accountName: null, accountId: null, loginId: null, network: 'UNKNOWN' };
  expect(rows[3]).toMatchObject(unknown);
  const lines = csvOfQueue(rows).split('\r\n');
  expect(lines.slice(1, 4).map((line) => line.split(',')[2])).toEqual(labels);
});

// The command.

test('the queue is printed as a table, as JSON or as a calendar, and nothing has an effect', async () => {
  const sandbox = await startBulkSandbox();
  const { length } = sandbox.state.owner('harbour').queue;
  const [table, json] = [await inPlace(sandbox, {}), await inPlace(sandbox, { json: true })];
  const ics = await inPlace(sandbox, { ics: true });
  expect([table.status, json.status, ics.status]).toEqual([0, 0, 0]);
  expect(table.standardOutput).toMatch(/^Time +Account +Network +Text +Obstacles\n/);
  expect(table.standardOutput).toContain(`\n${length} posts\n`);
  expect(JSON.parse(json.standardOutput)).toHaveLength(length);
  expect(ics.standardOutput.match(/^BEGIN:VEVENT\r$/gm)).toHaveLength(length);
  const called = new Set(sandbox.requests.all.map(({ endpoint }) => endpoint));
  expect([...called]).toEqual(['GET /posts/queued']);
});

test('the queue is read through a running server as well, with its client token', async () => {
  const CLIENT_TOKENS = 'a-token-of-a-client';
  const { sandbox, url } = await startGraph({ environment: { CLIENT_TOKENS } });
  const { length } = sandbox.state.owner('harbour').queue;
  const settings = { API_KEY: sandbox.owners[0].apiKey, CLIENT_TOKENS };
  const cwd = await temporaryFolder();
  const run = (environment: Partial<typeof settings>) =>
    runInPlace(() => queue({ json: true, server: `${url}/graphql` }), environment, { cwd });
  const given = await run(settings);
  const lines = ['HOST=::', `API_KEY=${settings.API_KEY}`, `CLIENT_TOKENS=${CLIENT_TOKENS}`];
  await writeFile(join(cwd, '.env'), lines.join('\n'));
  for (const { status, standardOutput, output } of [given, await run({})]) {
    expect(status, output).toBe(0);
    expect(JSON.parse(standardOutput)).toHaveLength(length);
  }
  const output = 'CREDENTIAL_REJECTED: The token in "x-client-token" is not valid.\n';
  const wrong = await run({ ...settings, CLIENT_TOKENS: 'a-token-of-another-client' });
  expect(wrong).toMatchObject({ status: 1, output });
});

const page = (info: object) => ({ data: { list: { nodes: [], pageInfo: { endCursor: 'c', ...info } } } });
const TOO_LONG = 'SCAN_LIMIT_REACHED: The list is too long, or changed while it was read.';

test.each<[what: string, answer: object, words: string]>([
  ['without end', page({ hasNextPage: true, drifted: false }), TOO_LONG],
  ['that changed while it was read', page({ hasNextPage: false, drifted: true }), TOO_LONG],
  ['that a server refuses', { errors: [{ message: 'No.', extensions: { code: 'ODD' } }] }, 'ODD: No.'],
])('a queue %s is not printed', async (_, answer, words) => {
  const server = await listen(createServer((_request, response) => response.end(JSON.stringify(answer))));
  const { status, output } = await runInPlace(() => queue({ server }), {});
  expect([status, output.trim()]).toEqual([1, words]);
});

test('a server that cannot be reached is reported, and with two forms at once nothing is printed or read', async () => {
  const sandbox = await startBulkSandbox();
  const words = 'queue: --json, --csv and --ics cannot be combined';
  const { standardOutput } = await failed(inPlace(sandbox, { json: true, csv: true }), words);
  expect(standardOutput).toBe('');
  expect(sandbox.requests.all).toEqual([]);
  skipPauses();
  const refused = runInPlace(() => queue({ server: 'http://127.0.0.1:9/' }), {});
  await failed(refused, 'http://127.0.0.1:9/graphql: The request failed');
});

/** The display texts of a time, which nothing can read. */
const SOON = Object.fromEntries(
  ['formatedPostDate', 'postDate', 'postDateFormat', 'postTimeFormat'].map((name) => [name, 'soon']),
);

test('posts that a calendar can’t hold, or that have no id, are counted apart from what may go into a file', async () => {
  const sandbox = await startBulkSandbox();
  const { length } = sandbox.state.owner('harbour').queue;
  sandbox.faults.add(
    changingEach('GET /posts/queued', (index) => {
      if (index === 0) return { postId: null };
      return index < 3 ? SOON : {};
    }),
  );
  const [ics, csv] = [await inPlace(sandbox, { ics: true }), await inPlace(sandbox, { csv: true })];
  const withoutId = 'Omitted: 1 post without an id.\n';
  expect(ics.standardOutput.match(/^BEGIN:VEVENT\r$/gm)).toHaveLength(length - 3);
  const withoutTime = 'Omitted: 2 posts with an unreadable time.\n';
  expect(ics.output.slice(ics.standardOutput.length)).toBe(withoutId + withoutTime);
  expect(csv.standardOutput).toMatch(/^\uFEFFid,postId,account,/);
  expect(csv.output.slice(csv.standardOutput.length)).toBe(withoutId);
});

test('the table shows the words of the service for a time that can’t be read, and nothing for what a post has not', async () => {
  const sandbox = await startBulkSandbox();
  const owner = sandbox.state.owner('harbour');
  owner.drainQueue(owner.queue.length - 2);
  sandbox.faults.add(
    changingEach('GET /posts/queued', (index) => ({
      ...(index === 0 ? SOON : { ...SOON, formatedPostDate: null }),
      postTitle: index === 0 ? 'Doors' : null,
      postDesc: '',
    })),
  );
  const { standardOutput } = await inPlace(sandbox, {});
  const [, titled, empty, ...rest] = standardOutput.split('\n');
  expect(titled).toMatch(/^soon {2}\S.* {2}Doors/);
  expect(empty).toMatch(/^ {6}\S/);
  expect(empty).not.toMatch(/null|undefined/);
  expect(rest).toEqual(['', '2 posts', '']);
});
