import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

/** A listener that counts who comes. */
async function startListener(): Promise<{ readonly origin: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

test('the listener would notice a visit', async () => {
  const { origin, seen } = await startListener();
  await fetch(`${origin}/x`);
  expect(seen).toHaveLength(1);
});

test('no redirect of the service is followed, whatever its status and target', async () => {
  const { origin, seen } = await startListener();
  const targets = [
    `${origin}/accounts/list`,
    `//${origin.slice(7)}/x`,
    `${graph.sandbox.url}/group/list`,
    '/group/list',
    '',
  ];
  for (const [index, status] of [300, 301, 302, 303, 304, 305, 307, 308].entries()) {
    // Each status with some of the targets, each target with some of the statuses.
    for (const location of [0, 2].map((step) => targets[(index + step) % targets.length] ?? '')) {
      const name = `${status} to ${location}`;
      graph.sandbox.requests.clear();
      graph.sandbox.faults.add({ kind: 'redirect', location, status, endpoint: 'GET /accounts/list' });
      graph.sandbox.faults.add({ kind: 'redirect', location, status, endpoint: 'GET /oauth/accounts' });
      const answer = await graph.query(
        '{ current: accounts(surface: CURRENT) { totalCount } legacy: accounts(surface: LEGACY) { totalCount } }',
      );
      expect(errorsOf(answer), name).toEqual(['current UPSTREAM_MALFORMED', 'legacy UPSTREAM_MALFORMED']);
      expect(graph.sandbox.requests.count(), name).toBe(2);
      expect(JSON.stringify(answer.errors), name).not.toContain(origin);
    }
  }
  expect(seen).toEqual([]);
});

test('addresses in the data are passed on, and never visited', async () => {
  const { origin, seen } = await startListener();
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'GET /accounts/list',
    change: (answer) => {
      const { response } = answer as { readonly response: { readonly list: Record<string, unknown>[] } };
      for (const record of response.list)
        Object.assign(record, { accountUrl: `${origin}/a`, profilePicture: `${origin}/b` });
      return answer;
    },
  });
  const { data } = await graph.query('{ accounts(first: 1) { nodes { profileUrl avatarUrl } } }');
  expect(data.accounts.nodes).toEqual([{ profileUrl: `${origin}/a`, avatarUrl: `${origin}/b` }]);
  expect(seen).toEqual([]);
});
