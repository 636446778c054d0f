import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { leaksIn } from '../support/leaks.ts';
import { write } from '../support/writes.ts';

// What a session shows is in the table of test/conformance.

const ALL = `session {
  portalUrl sessionId accessUrl token status createdAt expiresAt customerId redirectUrl
  linkedCustomers { customerId email hasBillingAddress hasPaymentMethod hasActiveSubscription }
}`;
const CALL = 'GET /payment/billing/portalcreate';

const create = (graph: RunningGraph, selection = ALL) =>
  write(graph, 'createBillingPortalSession', {}, { selection });

test('each call makes another session, and none is merged with another', async () => {
  const graph = await startGraph();
  const payloads = await Promise.all(Array.from({ length: 5 }, () => create(graph, 'session { token }')));
  const tokens = payloads.map(({ session }) => (session as { readonly token: string }).token);
  expect(new Set(tokens).size).toBe(5);
  expect(graph.sandbox.requests.count(CALL)).toBe(5);
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
