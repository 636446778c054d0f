import { expect, test } from 'vitest';
import { queue, type QueueOptions } from '../../../src/cli/queue.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { spawnBuiltServer } from '../../../test/support/built-server.ts';
import { startDurableServer } from './server.ts';
import { startBulkSandbox } from './tables.ts';
import { runInPlace, type CommandRun } from '../../../test/support/command.ts';
import { changingEach } from '../../../test/support/wire-changes.ts';

const environmentOf = (sandbox: Sandbox) => ({
  CURRENT_API_URL: sandbox.url,
  API_KEY: sandbox.owners[0].apiKey,
  LOG_LEVEL: 'error',
});

const inPlace = (sandbox: Sandbox, options: QueueOptions): Promise<CommandRun> =>
  runInPlace(() => queue(options), environmentOf(sandbox));

test('the queue is printed as a table, as JSON or as a calendar, and nothing has an effect', async () => {
  const sandbox = await startBulkSandbox();
  const { length } = sandbox.state.owner('harbour').queue;
  const calendar = spawnBuiltServer(environmentOf(sandbox), { args: ['queue', '--ics'] });
  const [table, json] = [await inPlace(sandbox, {}), await inPlace(sandbox, { json: true })];
  expect([table.status, json.status, await calendar.exited]).toEqual([0, 0, 0]);
  expect(table.standardOutput).toMatch(/^Time +Account +Network +Text +Obstacles\n/);
  expect(table.standardOutput).toContain(`\n${length} posts\n`);
  expect(JSON.parse(json.standardOutput)).toHaveLength(length);
  expect(calendar.standardOutput.match(/^BEGIN:VEVENT\r$/gm)).toHaveLength(length);
  expect(new Set(sandbox.requests.all.map(({ endpoint }) => endpoint))).toEqual(
    new Set(['GET /posts/queued']),
  );
});

test('the queue is read through a running server as well', async () => {
  const { sandbox, url } = await startDurableServer();
  const { length } = sandbox.state.owner('harbour').queue;
  const { status, standardOutput } = await runInPlace(() => queue({ json: true, server: url }), {
    API_KEY: sandbox.owners[0].apiKey,
  });
  expect(status).toBe(0);
  expect(JSON.parse(standardOutput)).toHaveLength(length);
});

test('a server that cannot be reached is reported', async () => {
  const refused = await runInPlace(() => queue({ server: 'http://127.0.0.1:9/' }), {});
  expect(refused.status).toBe(1);
  expect(refused.output).toContain('http://127.0.0.1:9/graphql: The request failed');
});

/** The display texts of a time, which nothing can read. */
const SOON = {
  formatedPostDate: 'soon',
  postDate: 'soon',
  postDateFormat: 'soon',
  postTimeFormat: 'soon',
};

test('posts that a calendar can’t hold, or that have no id, are counted apart from what may go into a file', async () => {
  const sandbox = await startBulkSandbox();
  const { length } = sandbox.state.owner('harbour').queue;
  sandbox.faults.add(
    changingEach('GET /posts/queued', (index) => {
      if (index === 0) return { postId: null };
      return index < 3 ? SOON : {};
    }),
  );
  const [calendar, csv] = [await inPlace(sandbox, { ics: true }), await inPlace(sandbox, { csv: true })];
  const withoutId = 'Omitted: 1 post without an id.\n';
  expect(calendar.standardOutput.match(/^BEGIN:VEVENT\r$/gm)).toHaveLength(length - 3);
  expect(calendar.output.slice(calendar.standardOutput.length)).toBe(
    `${withoutId}Omitted: 2 posts with an unreadable time.\n`,
  );
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

test('asked for two forms at once, it prints none and reads nothing', async () => {
  const sandbox = await startBulkSandbox();
  const { status, output, standardOutput } = await inPlace(sandbox, { json: true, csv: true });
  expect([status, standardOutput]).toEqual([1, '']);
  expect(output).toContain('queue: --json, --csv and --ics cannot be combined');
  expect(sandbox.requests.all).toEqual([]);
});
