import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../support/attack-page.ts';
import { errorsOf, onlyError, shareGraph } from '../support/graph.ts';
import { postJson } from '../support/http.ts';
import { changingEach } from '../support/sandbox.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const graph = shareGraph();

const BOTH =
  '{ current: accounts(surface: CURRENT) { totalCount } legacy: accounts(surface: LEGACY) { totalCount } }';

async function startListener(): Promise<{ readonly origin: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end('{}');
  });
  return { origin: await listen(server), seen };
}

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
    // Each status with one of the targets.
    const location = targets[index % targets.length] ?? '';
    const name = `${status} to ${location}`;
    graph.sandbox.requests.clear();
    for (const endpoint of ['GET /accounts/list', 'GET /oauth/accounts'] as const)
      graph.sandbox.faults.add({ kind: 'redirect', location, status, endpoint });
    const answer = await graph.query(BOTH);
    expect(errorsOf(answer), name).toEqual(['current UPSTREAM_MALFORMED', 'legacy UPSTREAM_MALFORMED']);
    expect(graph.sandbox.requests.count(), name).toBe(2);
  }
  expect(seen).toEqual([]);
  // It would have noticed a visit.
  await fetch(`${origin}/x`);
  expect(seen).toHaveLength(1);
});

test.each([
  ['https://new.example/v2/accounts/list?page=1#top', 'https://new.example/v2/accounts/list'],
  ['HTTP://user:pass%40word@New.Example:8443/a?access_token=planted', 'http://new.example:8443/a'],
  ['//new.example/b?key=planted', 'https://new.example/b'],
  ['/login?next=%2Faccounts', '/login'],
  ['', '/'],
  [`https://new.example/${'long/'.repeat(100)}`, `https://new.example/${'long/'.repeat(19)}long…`],
])('a redirect to %j is named as %j, and which setting to correct', async (location, target) => {
  for (const endpoint of ['GET /accounts/list', 'GET /oauth/accounts', 'POST /draft/create'] as const)
    graph.sandbox.faults.add({ kind: 'redirect', location, status: 308, endpoint });
  const { errors } = await graph.query(BOTH);
  const { userErrors } = await write(graph, 'createDraft', EXAMPLES.createDraft);
  const onCurrent = `The current surface redirects to ${target} (HTTP 308); correct its base URL in this server’s settings.`;
  expect(errors.map(({ message }) => message)).toEqual([
    onCurrent,
    `The legacy surface redirects to ${target} (HTTP 308); correct its base URL in this server’s settings.`,
  ]);
  expect(userErrors[0]?.message).toContain(onCurrent);
});

test('a redirect to what is no address of a page is not named', async () => {
  for (const location of ['javascript:alert(1)', 'ftp://new.example/a', 'https://[']) {
    graph.sandbox.faults.add({ kind: 'redirect', location, endpoint: 'GET /accounts/list' });
    const answer = await graph.query('{ accounts { totalCount } }');
    expect(onlyError(answer).message).toBe('The current surface returned an unexpected response.');
  }
});

test('no header of the service reaches the caller, and no address in its data is visited', async () => {
  const headers = {
    'set-cookie': 'planted=1',
    'x-planted': '1',
    location: '/planted',
    'cache-control': 'public',
  };
  for (const status of [200, 401, 500]) {
    graph.sandbox.faults.add({ kind: 'status', status, headers, body: [], endpoint: 'GET /oauth/accounts' });
    const query = '{ accounts(surface: LEGACY) { totalCount } }';
    const reply = await postJson(`${graph.url}/graphql`, { query }, graph.caller.token);
    expect(JSON.stringify(reply.headers)).not.toContain('planted');
    expect(reply.headers['cache-control']).toBe('no-store');
  }
  const { origin, seen } = await startListener();
  const values = { accountUrl: `${origin}/a`, profilePicture: `${origin}/b` };
  graph.sandbox.faults.add(changingEach('GET /accounts/list', () => values));
  const { data } = await graph.query('{ accounts(first: 1) { nodes { profileUrl avatarUrl } } }');
  expect(data.accounts.nodes).toEqual([{ profileUrl: `${origin}/a`, avatarUrl: `${origin}/b` }]);
  expect(seen).toEqual([]);
});
