import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { leaksIn } from '../support/leaks.ts';
import { verdictOf, write } from '../support/writes.ts';

const ALL = `session {
  portalUrl sessionId accessUrl token status createdAt expiresAt customerId redirectUrl
  linkedCustomers { customerId email hasBillingAddress hasPaymentMethod hasActiveSubscription }
}`;
const CALL = 'GET /payment/billing/portalcreate';

const create = (graph: RunningGraph, selection = ALL) =>
  write(graph, 'createBillingPortalSession', {}, { selection });

test('a session is made, and told in full', async () => {
  const now = Date.UTC(2031, 0, 2, 3, 4, 5);
  const graph = await startGraph({ sandbox: { now: () => now } });
  const payload = await create(graph);
  const [token] = graph.sandbox.secrets.billingSessions;
  const [sessionId] = graph.sandbox.state.owner('harbour').billingSessions;
  const address = `https://billing.example.com/portal/${sessionId}?token=${token}`;
  expect(payload).toEqual({
    outcome: 'COMPLETED',
    userErrors: [],
    session: {
      portalUrl: address,
      sessionId,
      accessUrl: address,
      token,
      status: 'created',
      createdAt: '2031-01-02T03:04:05.000Z',
      expiresAt: '2031-01-02T04:04:05.000Z',
      customerId: 'customer-20417',
      redirectUrl: 'https://app.example.com/billing',
      linkedCustomers: [
        {
          customerId: 'customer-20417',
          email: 'billing@kelpgate.example',
          hasBillingAddress: true,
          hasPaymentMethod: true,
          hasActiveSubscription: true,
        },
      ],
    },
  });
});

test('each call makes another session, and none is merged with another', async () => {
  const graph = await startGraph();
  const payloads = await Promise.all(Array.from({ length: 5 }, () => create(graph, 'session { token }')));
  const tokens = payloads.map(({ session }) => (session as { readonly token: string }).token);
  expect(new Set(tokens).size).toBe(5);
  expect(graph.sandbox.requests.count(CALL)).toBe(5);
});

test('nothing but the mutation makes a session', async () => {
  const graph = await startGraph();
  await graph.query('{ membership { currentPlan { name } } surfaces { surface } }');
  expect(graph.sandbox.requests.count(CALL)).toBe(0);
});

test('nothing of a session is in the log, whatever comes of it', async () => {
  const graph = await startGraph();
  await create(graph);
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: CALL,
    change: (answer) => {
      const { response } = answer as { readonly response: { portal: Record<string, unknown> } };
      Object.assign(response.portal, { created_at: 'long ago', linked_customers: 'nobody', access_url: 7 });
      return answer;
    },
  });
  await graph.query(`mutation { createBillingPortalSession { ${ALL} } }`);
  graph.sandbox.faults.add({ kind: 'cut-body', framing: 'close', effect: 'done', endpoint: CALL });
  await create(graph);
  const secrets = graph.sandbox.secrets.billingSessions;
  expect(secrets).toHaveLength(3);
  expect(graph.log.length).toBeGreaterThanOrEqual(3);
  expect(leaksIn(graph.log, [...secrets, 'portal_', 'billing@kelpgate.example'])).toEqual([]);
});

test('a session that nobody selects is not in the answer', async () => {
  const graph = await startGraph();
  const payload = await create(graph, '');
  expect(leaksIn([JSON.stringify(payload)], graph.sandbox.secrets.billingSessions)).toEqual([]);
});

test('an answer with a session is not to be kept by anybody on the way', async () => {
  const graph = await startGraph();
  const { headers } = await graph.query('mutation { createBillingPortalSession { session { token } } }');
  expect(headers.get('cache-control')).toBe('no-store');
});

test('a session needs the key', async () => {
  const graph = await startGraph();
  const payload = await write(graph, 'createBillingPortalSession', {}, { headers: graph.caller.token });
  expect(verdictOf(payload)).toEqual(['REJECTED', 'CREDENTIAL_MISSING']);
  expect(payload['session']).toBeNull();
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('the plan that refuses a session is told in the service’s own words, without a secret in them', async () => {
  const graph = await startGraph();
  const [{ apiKey }] = graph.sandbox.owners;
  graph.sandbox.faults.add({
    kind: 'status',
    status: 400,
    endpoint: CALL,
    body: { message: `Your plan has no portal. key ${apiKey}, token=abcdef123456` },
  });
  const { userErrors } = await create(graph);
  expect(userErrors[0]).toMatchObject({ code: 'UPSTREAM_REJECTED', retryable: false });
  expect(userErrors[0]?.message).toContain('Your plan has no portal.');
  expect(leaksIn([JSON.stringify(userErrors)], [apiKey, 'abcdef123456'])).toEqual([]);
});
