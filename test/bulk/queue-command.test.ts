import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { spawnBuiltServer } from '../support/built-server.ts';
import { startBulkSandbox } from '../support/bulk.ts';

function start(sandbox: Sandbox, ...options: readonly string[]) {
  const environment = { CURRENT_API_URL: sandbox.url, API_KEY: sandbox.owners[0].apiKey, LOG_LEVEL: 'warn' };
  return spawnBuiltServer(environment, { args: ['queue', ...options] });
}

test('the queue is printed as a table, as JSON or as a calendar, and nothing has an effect', async () => {
  const sandbox = await startBulkSandbox();
  const { length } = sandbox.state.owner('harbour').queue;
  const [table, json, calendar] = [start(sandbox), start(sandbox, '--json'), start(sandbox, '--ics')];
  expect(await Promise.all([table.exited, json.exited, calendar.exited])).toEqual([0, 0, 0]);
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
  const running = start(sandbox, '--csv');
  expect(await running.exited).toBe(1);
  expect(running.output).toContain('SCAN_LIMIT_REACHED: the list is longer than this command reads');
  expect(running.standardOutput).toBe('');
});
