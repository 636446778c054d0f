import { expect, test } from 'vitest';
import { queue, type QueueOptions } from '../../src/cli/queue.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { spawnBuiltServer } from '../support/built-server.ts';
import { startBulkSandbox } from '../support/bulk.ts';
import { runInPlace, type CommandRun } from '../support/command.ts';

const environmentOf = (sandbox: Sandbox) => ({
  CURRENT_API_URL: sandbox.url,
  API_KEY: sandbox.owners[0].apiKey,
  LOG_LEVEL: 'warn',
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

test('a queue that is too long is told in words', async () => {
  const sandbox = await startBulkSandbox({ quirks: { maxLimit: 1 } });
  const { status, output, standardOutput } = await inPlace(sandbox, { csv: true });
  expect(status).toBe(1);
  expect(output).toContain('SCAN_LIMIT_REACHED: the list is longer than this command reads');
  expect(standardOutput).toBe('');
});
