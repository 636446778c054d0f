import { expect, test } from 'vitest';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { ACCOUNT_FIELDS } from '../support/account-selections.ts';
import { startGraph } from '../support/graph.ts';
import { leaksIn, secretsOf } from '../support/leaks.ts';
import { operateWithPlanted, PLANTED_TOKEN } from '../support/planted.ts';
import { scrape } from '../support/scrape.ts';

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
  const environment = { MAX_SELECTIONS: '1000', API_KEY: OPERATOR, CLIENT_TOKENS: PLANTED_TOKEN };
  const graph = await startGraph({ environment });
  const headers = { ...graph.caller.both, 'x-client-token': PLANTED_TOKEN };
  await operateWithPlanted(graph, { headers, queries: QUERIES, faults: FAULTS });
  const { text, series } = await scrape(graph.url);
  expect(series.length).toBeGreaterThan(100);
  expect(text).not.toMatch(/planted|demo-|127\.0\.0\.1|localhost/);
  expect(leaksIn([text], secretsOf(graph))).toEqual([]);
});
