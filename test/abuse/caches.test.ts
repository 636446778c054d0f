import { expect, test } from 'vitest';
import { startBuiltServer } from '../support/built-server.ts';
import { ACCOUNT_FIELDS } from '../support/accounts.ts';
import { CALLBACK, connectThrough, freshCode, oauthEnvironment } from '../support/connect.ts';
import { INSPECTED, inspectHeap } from '../support/costs.ts';
import { leaksIn } from '../support/leaks.ts';
import { freePort } from '../support/network.ts';
import { postJson } from '../support/http.ts';
import { sandboxForTest } from '../support/sandbox.ts';
import { documentOf } from '../support/writes.ts';

test('what a process keeps between operations holds no secret, no credential of a caller and nothing of an authorisation', async () => {
  const sandbox = await sandboxForTest();
  const port = await freePort();
  const app = oauthEnvironment(`http://127.0.0.1:${port}/connect/callback,${CALLBACK}`);
  const graph = await startBuiltServer({
    ...INSPECTED,
    ...app,
    PORT: String(port),
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
  expect((await connectThrough({ url: graph.url, sandbox })).reply.status).toBe(200);
  const exchange = { input: { code: await freshCode(sandbox), redirectUri: CALLBACK } };
  for (const [query, variables] of [
    [documentOf('createBillingPortalSession'), {}],
    [documentOf('exchangeAuthorizationCode'), exchange],
    [
      'mutation { generateAiText(input: { idempotencyKey: "k", prompt: "A line", tone: "warm" }) { outcome } }',
    ],
    [`{ accounts(first: 100) { nodes { id ...AccountFields } } } ${ACCOUNT_FIELDS}`],
    [`{ accounts(first: 100, surface: LEGACY) { nodes { id ...AccountFields } } } ${ACCOUNT_FIELDS}`],
    ['{ accountGroups(surface: LEGACY) { nodes { name accounts { nodes { displayName } } } } }'],
  ] as const) {
    const { status, text } = await postJson(`${graph.url}/graphql`, { query, variables }, headers);
    expect(status).toBe(200);
    expect(text).not.toContain('"errors"');
    if (query.startsWith('mutation')) expect(text).toContain('"outcome":"COMPLETED"');
  }
  const kept = await heap.snapshot();
  expect(kept).toContain('kept-by-the-process');
  const { clientSecrets, authorizationCodes, billingSessions } = sandbox.secrets;
  expect([authorizationCodes.length, billingSessions.length]).toEqual([2, expect.any(Number)]);
  // It has a secret of its own, with which it exchanges codes.
  const secrets = sandbox.secrets.all().filter((secret) => !clientSecrets.includes(secret));
  expect(leaksIn([kept], secrets)).toEqual([]);
});
