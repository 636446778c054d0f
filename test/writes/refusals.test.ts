import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { oauthEnvironment } from '../support/consent.ts';
import { byEndpoint } from '../support/one-request.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { inputsOf, WRITE_CALLS, type WriteCall } from '../support/write-calls.ts';
import { problemsOf, write, type WritePayload } from '../support/writes.ts';

// A refusal strikes all calls at once, none of which has its effect: one sandbox will do for all of them.

const graph = shareGraph({ environment: oauthEnvironment() });
const legacyCalls = WRITE_CALLS.filter(({ endpoint }) => endpoint.includes(' /oauth/'));

/** What came of each call under a fault, by its endpoint; none of them was sent twice. */
async function refuse(fault: FaultKind, calls = WRITE_CALLS): Promise<readonly WritePayload[]> {
  const { sandbox } = graph;
  sandbox.faults.clear();
  const inputs = await inputsOf(sandbox, calls);
  sandbox.requests.clear();
  for (const { endpoint } of calls) sandbox.faults.add({ ...fault, endpoint });
  const payloads = await Promise.all(
    calls.map(({ mutation }, index) => write(graph, mutation, inputs[index])),
  );
  expect(byEndpoint(({ endpoint }) => sandbox.requests.count(endpoint), calls)).toEqual(
    byEndpoint(() => 1, calls),
  );
  return payloads;
}

const verdictOf = (payload?: WritePayload): unknown[] =>
  payload
    ? [payload.outcome, ...problemsOf(payload), ...payload.userErrors.map(({ retryable }) => retryable)]
    : [];

/** Fails the test for each call that did not end as told, by name. */
function expectVerdicts(
  payloads: readonly WritePayload[],
  verdict: (call: WriteCall) => unknown,
  calls = WRITE_CALLS,
): void {
  expect(byEndpoint((_, index) => verdictOf(payloads[index]), calls)).toEqual(byEndpoint(verdict, calls));
}

const REJECTED = ['REJECTED', 'UPSTREAM_REJECTED', false];
const UNKNOWN = ['UNKNOWN', 'OUTCOME_UNKNOWN', false];
const WORDS = { error_description: 'x', message: '<b>Not</b> like &quot;this&quot;' };

test.each([400, 403, 404, 405, 409, 413, 418, 422])(
  'every call that the service refuses with %i is told as not done, in the service’s words without their markup',
  async (status) => {
    const payloads = await refuse({ kind: 'status', status, body: WORDS });
    expectVerdicts(payloads, () => REJECTED);
    // The answer to an exchange may repeat the code or the secret, so it is not quoted.
    const words = byEndpoint(({ mutation }, index) => {
      const expected = mutation === 'exchangeAuthorizationCode' ? 'rejected the request.' : 'Not like "this"';
      const message = payloads[index]?.userErrors[0]?.message ?? '';
      return message.includes(expected) && !/[<>]/.test(message) ? 'as expected' : message;
    });
    expect(words).toEqual(byEndpoint(() => 'as expected'));
  },
);

test('every call that the service refuses with 401 is told as a matter of the credential', async () => {
  const payloads = await refuse({ kind: 'status', status: 401 });
  expectVerdicts(payloads, () => ['REJECTED', 'CREDENTIAL_REJECTED', false]);
});

describe('every legacy call that is flagged as failed is told as not done', () => {
  test.each([
    { status: 200, error: 1 },
    { status: 200, error: '1' },
    { status: 200, error: true },
    { status: 400, error: 1 },
    { status: 401, error: 1 },
  ])('with the status $status and the flag $error', async ({ status, error }) => {
    const payloads = await refuse(
      { kind: 'status', status, body: { error, msg: '<p>Later</p>' } },
      legacyCalls,
    );
    expectVerdicts(payloads, () => REJECTED, legacyCalls);
  });

  test('with 429 as one to be repeated later', async () => {
    const payloads = await refuse(
      { kind: 'status', status: 429, body: { error: 1, msg: 'Slow down' } },
      legacyCalls,
    );
    expectVerdicts(payloads, () => ['REJECTED', 'RATE_LIMITED', true], legacyCalls);
  });
});

test.each([500, 502, 503])(
  'a legacy call that fails with %i and the flag is not told as refused: the service may have broken on the way',
  async (status) => {
    const payloads = await refuse({ kind: 'status', status, body: { error: 1, msg: 'Later' } }, legacyCalls);
    expectVerdicts(payloads, () => UNKNOWN, legacyCalls);
  },
);

test('every call that the service gives up with 408 may have happened', async () => {
  const payloads = await refuse({ kind: 'status', status: 408, body: { error: 1, msg: 'Too slow' } });
  expectVerdicts(payloads, () => UNKNOWN);
});

test('a redirect of any call is not followed, and says nothing of what happened', async () => {
  const location = `${graph.sandbox.url}/membership/plan/list`;
  const payloads = await refuse({ kind: 'redirect', location });
  expectVerdicts(payloads, () => UNKNOWN);
  expect(graph.sandbox.requests.count('GET /membership/plan/list')).toBe(0);
});
