import { expect, test } from 'vitest';
import { currentAccounts, harbour } from '../support/account-records.ts';
import { startGraph } from '../support/graph.ts';
import { startExample } from './programs.ts';

test('an account that needs to be connected again is told on a line', async () => {
  const graph = await startGraph({ environment: { WATCH_INTERVAL: '50ms' } });
  const accounts = currentAccounts(graph);
  const grouped = accounts.find(
    (one) => !one.needsReconnect && harbour(graph).groups.some(({ members }) => members.includes(one)),
  );
  const running = startExample('alerts.js', graph.url);
  await expect.poll(() => running.stdout).toContain(`${accounts.length} accounts: `);
  Object.assign(grouped ?? {}, { needsReconnect: true, blocked: false, locked: false });
  await expect.poll(() => running.stdout).toContain(`${grouped?.username} needs to be connected again.`);
  expect((await running.end()).stderr).toBe('');
});
