import { expect, test } from 'vitest';
import { currentAccounts } from '../support/account-records.ts';
import { startGraph } from '../support/graph.ts';
import { startExample } from './programs.ts';

test('an account that needs to be connected again is told on a line', async () => {
  const graph = await startGraph({ environment: { WATCH_INTERVAL: '50ms' } });
  const accounts = currentAccounts(graph);
  const running = startExample('alerts.js', graph.url);
  await expect.poll(() => running.stdout).toContain(`${accounts.length} accounts: `);
  await fetch(`${graph.sandbox.url}/sandbox/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"kind":"disconnect"}',
  });
  await expect.poll(() => running.stdout).toContain(`${accounts[0]?.username} needs to be connected again.`);
  expect((await running.end()).stderr).toBe('');
});
