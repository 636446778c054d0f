import { describe, expect, test } from 'vitest';
import { oauthEnvironment } from '../support/consent.ts';
import { startGraph } from '../support/graph.ts';
import { WRITE_CALLS } from '../support/write-calls.ts';
import { problemsOf, write } from '../support/writes.ts';

const isLegacy = (endpoint: string): boolean => endpoint.includes(' /oauth/');
const table = <T>(calls: typeof WRITE_CALLS, values: readonly T[]) =>
  calls.flatMap((call) => values.map((value) => ({ ...call, call, value })));

const STATUSES = [400, 403, 404, 405, 409, 413, 418, 422];
const WORDS = { error_description: 'x', message: '<b>Not</b> like &quot;this&quot;' };

describe('a call that the service refuses is not done', () => {
  test.each(table(WRITE_CALLS, STATUSES))('$endpoint with $value', async ({ call, value: status }) => {
    const graph = await startGraph({ environment: oauthEnvironment() });
    const input = await call.input(graph.sandbox);
    graph.sandbox.faults.add({ kind: 'status', status, body: WORDS, endpoint: call.endpoint });
    const payload = await write(graph, call.mutation, input);
    expect([payload.outcome, ...problemsOf(payload)]).toEqual(['REJECTED', 'UPSTREAM_REJECTED']);
    // The answer to an exchange may repeat the code or the secret.
    const words = call.mutation === 'exchangeAuthorizationCode' ? 'refused this.' : 'Not like "this"';
    expect(payload.userErrors[0]?.message).toContain(words);
    expect(payload.userErrors[0]?.message).not.toMatch(/[<>]/);
    expect(payload.userErrors[0]?.retryable).toBe(false);
    expect(graph.sandbox.requests.count(call.endpoint)).toBe(1);
  });

  test.each(WRITE_CALLS)('$endpoint with 401 is about the credential', async (call) => {
    const graph = await startGraph({ environment: oauthEnvironment() });
    const input = await call.input(graph.sandbox);
    graph.sandbox.faults.add({ kind: 'status', status: 401, endpoint: call.endpoint });
    const payload = await write(graph, call.mutation, input);
    expect([payload.outcome, ...problemsOf(payload)]).toEqual(['REJECTED', 'CREDENTIAL_REJECTED']);
    expect(graph.sandbox.requests.count(call.endpoint)).toBe(1);
  });
});

const FLAGGED = [
  { status: 200, error: 1 },
  { status: 200, error: '1' },
  { status: 200, error: true },
  { status: 400, error: 1 },
  { status: 401, error: 1 },
  { status: 500, error: 1 },
];
const legacyCalls = WRITE_CALLS.filter(({ endpoint }) => isLegacy(endpoint));

describe('a legacy call that is flagged as failed is not done, whatever its status', () => {
  test.each(table(legacyCalls, FLAGGED))(
    '$endpoint with $value.status and $value.error',
    async ({ call, value }) => {
      const graph = await startGraph({ environment: oauthEnvironment() });
      const input = await call.input(graph.sandbox);
      const { status, error } = value;
      graph.sandbox.faults.add({
        kind: 'status',
        status,
        body: { error, msg: '<p>Later</p>' },
        endpoint: call.endpoint,
      });
      const payload = await write(graph, call.mutation, input);
      expect([payload.outcome, ...problemsOf(payload)]).toEqual(['REJECTED', 'UPSTREAM_REJECTED']);
      expect(graph.sandbox.requests.count(call.endpoint)).toBe(1);
    },
  );
});

describe('a legacy call that is flagged as failed with 429 is asked to wait', () => {
  test.each(legacyCalls)('$endpoint', async (call) => {
    const graph = await startGraph({ environment: oauthEnvironment() });
    const input = await call.input(graph.sandbox);
    const body = { error: 1, msg: 'Slow down' };
    graph.sandbox.faults.add({ kind: 'status', status: 429, body, endpoint: call.endpoint });
    const payload = await write(graph, call.mutation, input);
    expect([payload.outcome, ...problemsOf(payload)]).toEqual(['REJECTED', 'RATE_LIMITED']);
    expect(payload.userErrors[0]?.retryable).toBe(true);
  });
});

describe('a redirect is not followed, and says nothing of what happened', () => {
  test.each(WRITE_CALLS)('$endpoint', async (call) => {
    const graph = await startGraph({ environment: oauthEnvironment() });
    const input = await call.input(graph.sandbox);
    const location = `${graph.sandbox.url}/membership/plan/list`;
    graph.sandbox.faults.add({ kind: 'redirect', location, endpoint: call.endpoint });
    const payload = await write(graph, call.mutation, input);
    expect([payload.outcome, ...problemsOf(payload)]).toEqual(
      call.readBack === 'decides' ? ['REJECTED', 'UPSTREAM_REJECTED'] : ['UNKNOWN', 'OUTCOME_UNKNOWN'],
    );
    expect(graph.sandbox.requests.count('GET /membership/plan/list')).toBe(0);
    expect(graph.sandbox.requests.count(call.endpoint)).toBe(1);
  });
});
