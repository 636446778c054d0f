import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { createGraph } from '../src/graph.ts';
import { openLocalGraph } from '../src/local-graph.ts';
import { openLog } from '../src/observability/log.ts';
import { openServices } from '../src/services.ts';
import { CALLBACK, oauthEnvironment } from './support/connect.ts';
import { holdAnswers, sandboxForTest } from './support/sandbox.ts';

/** The graph of a sandbox for its first owner, and the ids of its requests. */
async function openGraph() {
  const sandbox = await sandboxForTest();
  const surfaces = { CURRENT_API_URL: sandbox.url, LEGACY_API_URL: sandbox.url };
  const services = openServices(readConfig({ ...surfaces, ...oauthEnvironment() }), openLog('silent'));
  onTestFinished(() => services.close());
  const current = { state: 'given', value: sandbox.owners[0].apiKey } as const;
  const caller = { credentials: { current, legacy: { state: 'missing' } as const }, requestId: 'request 1' };
  const graph = openLocalGraph({ services, graph: createGraph(services) }, caller);
  return { sandbox, services, graph };
}

test('one signal may serve many operations, which leave no listeners on it', async () => {
  const { sandbox, graph } = await openGraph();
  const { signal } = new AbortController();
  for (let time = 0; time < 3; time += 1) {
    const query = '{ queuedPosts(first: 1) { totalCount } accounts(first: 1) { totalCount } }';
    expect(await graph.execute({ query }, { signal })).toMatchObject({
      data: { queuedPosts: { totalCount: 25 }, accounts: { totalCount: 12 } },
    });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  }
  expect(sandbox.requests.count('GET /posts/queued')).toBe(3);
});

test('an operation that is cancelled rejects with the reason, and its call ends', async () => {
  const { sandbox, graph } = await openGraph();
  sandbox.faults.add({ endpoint: 'GET /posts/queued', kind: 'never-answer' });
  const controller = new AbortController();
  const { signal } = controller;
  const result = graph.execute({ query: '{ queuedPosts { totalCount } }' }, { signal });
  await expect.poll(() => sandbox.requests.count('GET /posts/queued')).toBe(1);
  controller.abort(new Error('enough'));
  await expect(result).rejects.toThrow('enough');
});

const EXCHANGE = `(input: { code: "${'c'.repeat(80)}", redirectUri: "${CALLBACK}" })`;

test.each([
  ['GET /payment/billing/portalcreate', 'COMPLETED', 'createBillingPortalSession', ''],
  ['POST /oauth/accesstoken', 'REJECTED', 'exchangeAuthorizationCode', EXCHANGE],
] as const)('a shutdown waits for the answer to %s', async (endpoint, outcome, name, input) => {
  const { sandbox, services, graph } = await openGraph();
  const held = holdAnswers(sandbox, { endpoint });
  const result = graph.execute({ query: `mutation { ${name}${input} { outcome } }` });
  await held.arrived();
  expect(services.writes.isIdle).toBe(false);
  held.release();
  expect(await result).toMatchObject({ data: { [name]: { outcome } } });
  expect(services.writes.isIdle).toBe(true);
});

test.each([
  ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
  ['{ accounts', 'GRAPHQL_PARSE_FAILED'],
  ['subscription { aiGenerationUpdated(id: "x") { id } }', 'BAD_USER_INPUT'],
])('the operation %s is a result with errors, which carry the id of its request', async (query, code) => {
  const { graph } = await openGraph();
  const refused = { errors: [{ extensions: { code, requestId: 'request 1' } }] };
  expect(await graph.subscribe({ query })).toMatchObject(refused);
  if (code !== 'BAD_USER_INPUT') expect(await graph.execute({ query })).toMatchObject(refused);
});
