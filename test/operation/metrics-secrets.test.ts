import { expect, test } from 'vitest';
import type { FaultKind } from '../../src/sandbox/faults/fault.ts';
import { ACCOUNT_FIELDS } from '../support/account-selections.ts';
import { startGraph } from '../support/graph.ts';
import { leaksIn, secretsOf } from '../support/leaks.ts';
import { scrape } from '../support/scrape.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const CLIENT_TOKEN = 'planted-client-token';
const OPERATOR = 'planted-operator-key';
const QUERIES = [
  `{ accounts(first: 100) { nodes { id ...AccountFields } } } ${ACCOUNT_FIELDS}`,
  `{ accounts(first: 100, surface: LEGACY) { nodes { id ...AccountFields } } } ${ACCOUNT_FIELDS}`,
  '{ accountGroups { nodes { name } } nothing }',
];
const FAULTS: readonly FaultKind[] = [
  { kind: 'status', status: 500, body: { message: 'planted-words' } },
  { kind: 'malformed-json', text: '{"planted-text": ' },
  { kind: 'redirect', location: 'http://127.0.0.1:9/?access_token=planted-location' },
  { kind: 'rewrite', change: () => ({ 'planted-field': 'planted-value' }) },
];

test('metrics hold no credential of anybody, no secret of the service and no word of either', async () => {
  const environment = { MAX_SELECTIONS: '1000', API_KEY: OPERATOR, CLIENT_TOKENS: CLIENT_TOKEN };
  const graph = await startGraph({ environment });
  const headers = { ...graph.caller.both, 'x-client-token': CLIENT_TOKEN };
  const strangers = [{}, { 'x-client-token': 'planted-wrong-token' }, { 'x-client-token': CLIENT_TOKEN }];
  for (const transport of TRANSPORTS) {
    for (const query of QUERIES) await openTransport(transport, graph.url, headers)({ query });
    for (const one of strangers)
      await openTransport(transport, graph.url, one)({ query: '{ accounts { totalCount } }' });
  }
  const asked = {
    ...graph,
    query: ((document, call) => graph.query(document, { ...call, headers })) as typeof graph.query,
  };
  await write(asked, 'createPost', { ...EXAMPLES.createPost, idempotencyKey: 'planted-key' });
  await write(asked, 'createBillingPortalSession', {});
  for (const fault of FAULTS) {
    graph.sandbox.faults.add({ ...fault, endpoint: '*', times: 2 });
    await graph.query('{ accounts(first: 2) { nodes { displayName color } } }', { headers });
  }
  const { text, series } = await scrape(graph.url);
  expect(series.length).toBeGreaterThan(100);
  expect(text).not.toMatch(/planted|demo-|127\.0\.0\.1|localhost/);
  expect(leaksIn([text], secretsOf(graph))).toEqual([]);
});
