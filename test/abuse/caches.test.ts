import { expect, test } from 'vitest';
import { startBuiltServer } from '../support/built-server.ts';
import { ACCOUNT_FIELDS } from '../support/accounts.ts';
import { INSPECTED, inspectHeap } from '../support/costs.ts';
import { watchForLeaks } from '../support/leaks.ts';
import { postJson } from '../support/http.ts';
import { sandboxForTest } from '../support/sandbox.ts';

const OPERATIONS = [
  `{ accounts(first: 100) { nodes { id ...AccountFields } } } ${ACCOUNT_FIELDS}`,
  `{ accounts(first: 100, surface: LEGACY) { nodes { id ...AccountFields } } } ${ACCOUNT_FIELDS}`,
  '{ accountGroups(surface: LEGACY) { nodes { name accounts { nodes { displayName } } } } }',
  'mutation { generateAiText(input: { idempotencyKey: "k", prompt: "A line", tone: "warm" }) { outcome } }',
];

test('what a process keeps between operations holds no secret, and no credential of a caller', async () => {
  const sandbox = await sandboxForTest();
  const graph = await startBuiltServer({
    ...INSPECTED,
    CURRENT_API_URL: sandbox.url,
    LEGACY_API_URL: sandbox.url,
    CLIENT_TOKENS: 'kept-by-the-process',
    MAX_SELECTIONS: '1000',
    OVERLOAD_DELAY: '1h',
  });
  const heap = await inspectHeap(graph);
  const [{ apiKey, accessToken }] = sandbox.owners;
  const headers = {
    'x-api-key': apiKey,
    authorization: `Bearer ${accessToken}`,
    'x-client-token': 'kept-by-the-process',
  };
  for (const query of OPERATIONS) {
    const { status, text } = await postJson(`${graph.url}/graphql`, { query }, headers);
    expect(status).toBe(200);
    expect(text).not.toContain('"errors"');
  }
  const kept = await heap.snapshot();
  expect(kept).toContain('kept-by-the-process');
  const watch = watchForLeaks(() => ({ url: graph.url, sandbox }));
  watch.logged(kept);
  await watch.look();
});
