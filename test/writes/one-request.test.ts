import { describe, expect, test, vi } from 'vitest';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { SourceError, type SourceErrorKind } from '../../src/sources/errors.ts';
import { resultOfFailure, resultOfLookup } from '../../src/writes/outcome.ts';
import { oauthEnvironment } from '../support/connect.ts';
import { isDeep } from '../support/depth.ts';
import { startGraph, type RunningGraph, shareGraph } from '../support/graph.ts';
import { holdDeadlines } from '../support/clock.ts';
import { BROKEN_HTTP, NO_UTF8, SILENT, SWITCHED, WRITE_FAULTS } from '../support/faults.ts';
import { inputsOf, WRITE_CALLS, type WriteCall } from '../support/calls.ts';
import { EXAMPLES, problemsOf, write, type WritePayload } from '../support/writes.ts';

// Each call with an effect is sent once, whatever happens to it, and its outcome is told truthfully.

type Effect = 'done' | 'none';

interface Strike {
  readonly graph: RunningGraph;
  readonly fault: (call: WriteCall) => FaultKind;
  readonly calls?: readonly WriteCall[];
  readonly effectOf?: (call: WriteCall) => Effect;
  /** Whether the service stays silent, so that the call ends at its deadline. */
  readonly isSilent?: boolean;
}

/** One value for each of the calls, under its endpoint: what a failing comparison shows. */
function byEndpoint<T>(valueOf: (call: WriteCall, at: number) => T, calls = WRITE_CALLS): Record<string, T> {
  return Object.fromEntries(calls.map((call, index) => [call.endpoint, valueOf(call, index)]));
}

/** Makes each call once under a fault, and returns the payloads. Each is sent once, and has its effect once or not at all. */
async function strike({ graph, fault, calls = WRITE_CALLS, effectOf, isSilent = false }: Strike) {
  const { sandbox } = graph;
  const inputs = await inputsOf(sandbox, calls);
  sandbox.requests.clear();
  const deadlines = isSilent ? holdDeadlines(calls.map(({ endpoint }) => endpoint)) : null;
  for (const call of calls) {
    const target = { endpoint: call.endpoint, times: Number.POSITIVE_INFINITY };
    sandbox.faults.add({ ...fault(call), ...target, ...(effectOf ? { effect: effectOf(call) } : {}) });
  }
  const effects = (call: WriteCall): number => (effectOf ? call.effects(sandbox) : 0);
  const state = () => byEndpoint((call) => [sandbox.requests.count(call.endpoint), effects(call)], calls);
  const once = byEndpoint((call) => [1, effectOf?.(call) === 'done' ? 1 : 0], calls);
  const payloads = calls.map(({ mutation }, index) => write(graph, mutation, inputs[index]));
  if (deadlines) {
    await expect.poll(state).toEqual(once);
    deadlines.pass();
    // A call that is sent again meets the same silence, and would be waited for in vain.
    const sentAgain = calls.map(({ endpoint }) => sandbox.requests.waitFor(endpoint, 2));
    await Promise.all(payloads.map((payload, index) => Promise.race([payload, sentAgain[index]])));
    expect(state()).toEqual(once);
  }
  const answered = await Promise.all(payloads);
  expect(state()).toEqual(once);
  await expect.poll(() => sandbox.requests.open, { interval: 1 }).toBe(0);
  return answered;
}

function verdictOf(payload: WritePayload | undefined): unknown[] {
  if (!payload) return [];
  return [payload.outcome, ...problemsOf(payload), ...payload.userErrors.map(({ retryable }) => retryable)];
}

/** Strikes the calls, and compares what is told of each with what the documentation of writes says. */
async function expectVerdicts(options: Strike, verdict: (call: WriteCall) => unknown) {
  const payloads = await strike(options);
  const { calls } = options;
  expect(byEndpoint((_, index) => verdictOf(payloads[index]), calls)).toEqual(byEndpoint(verdict, calls));
  return payloads;
}

const COMPLETED = ['COMPLETED'];
const REJECTED = ['REJECTED', 'UPSTREAM_REJECTED', false];
const RATE_LIMITED = ['REJECTED', 'RATE_LIMITED', true];
const UNKNOWN = ['UNKNOWN', 'OUTCOME_UNKNOWN', false];

// Reads may be repeated here, so that a write that is would be found out.
const start = () => startGraph({ environment: { ...oauthEnvironment(), READ_ATTEMPTS: '3' } });

const BROKEN: Readonly<Record<string, FaultKind>> = {
  'a claim of five gigabytes': { kind: 'huge-body', bytes: 1_000, claim: 5_000_000_000 },
  'a change of protocol': SWITCHED,
  'a head of seventy kilobytes': BROKEN_HTTP['a head of seventy kilobytes'] ?? SWITCHED,
  'UTF-16': NO_UTF8['UTF-16'] ?? SWITCHED,
};

/** Each fault with an effect of some calls and not of the others, in turn; in depth with either effect of all. */
const rowsOf = (faults: Readonly<Record<string, FaultKind>>, isSilent = false) =>
  Object.entries(faults).flatMap(([what, fault], turn) =>
    (isDeep ? [turn, turn + 1] : [turn]).map((first) => [what, fault, first, isSilent] as const),
  );

// Only a refusal says that sending again is safe.
test.each([...rowsOf(WRITE_FAULTS), ...rowsOf(BROKEN), ...rowsOf(SILENT, true)])(
  'each call is sent once after %s',
  async (_what, fault, first, isSilent) => {
    const effectOf = (call: WriteCall): Effect =>
      (WRITE_CALLS.indexOf(call) + first) % 2 === 0 ? 'done' : 'none';
    await expectVerdicts({ graph: await start(), fault: () => fault, effectOf, isSilent }, (call) => {
      if (fault.kind === 'status' && fault.status === 429) return RATE_LIMITED;
      return call.readBack === 'confirms' && effectOf(call) === 'done' ? COMPLETED : UNKNOWN;
    });
  },
);

const LONGEST = Math.max(...WRITE_CALLS.map(({ incomplete }) => incomplete.length));

test.each(Array.from({ length: LONGEST }, (_, round) => round))(
  'a success without its data is not taken for one: a read decides, or the outcome is unknown (answer %i of each call)',
  async (round) => {
    const calls = WRITE_CALLS.filter(({ incomplete }) => round < incomplete.length);
    const fault = ({ incomplete }: WriteCall): FaultKind => ({
      kind: 'rewrite',
      change: () => incomplete[round],
    });
    await expectVerdicts({ graph: await start(), fault, calls }, ({ readBack }) =>
      readBack === 'confirms' ? COMPLETED : UNKNOWN,
    );
  },
);

/** An answer that says by its flag that the call failed. */
const flagged = (status: number, error: unknown): FaultKind => ({
  kind: 'status',
  status,
  body: { error, msg: '<p>Later</p>' },
});

describe('a refusal', () => {
  // None of the calls has its effect: one sandbox will do for all of them.
  const graph = shareGraph({ environment: oauthEnvironment() });
  const legacy = WRITE_CALLS.filter(({ endpoint }) => endpoint.includes(' /oauth/'));

  test.each([400, 404, 409, 422])(
    'by the status %i is told as not done, in the service’s words without their markup',
    async (status) => {
      const body = { error_description: 'x', message: '<b>Not</b> like &quot;this&quot;' };
      const fault = (): FaultKind => ({ kind: 'status', status, body });
      const payloads = await expectVerdicts({ graph, fault }, () => REJECTED);
      // The answer to an exchange may repeat the code or the secret, so it is not quoted.
      const words = byEndpoint(({ mutation }, index) => {
        const expected =
          mutation === 'exchangeAuthorizationCode' ? 'rejected the request.' : 'Not like "this"';
        const message = payloads[index]?.userErrors[0]?.message ?? '';
        return message.includes(expected) && !/[<>]/.test(message) ? 'as expected' : message;
      });
      expect(words).toEqual(byEndpoint(() => 'as expected'));
    },
  );

  test('by 401 is told as a matter of the credential, where the caller sends one', async () => {
    await expectVerdicts({ graph, fault: () => ({ kind: 'status', status: 401 }) }, ({ endpoint }) =>
      endpoint === 'POST /oauth/accesstoken' ? REJECTED : ['REJECTED', 'CREDENTIAL_REJECTED', false],
    );
  });

  test.each<[status: number, flag: unknown, verdict: readonly unknown[]]>([
    [200, 1, REJECTED],
    [200, '1', REJECTED],
    [200, true, REJECTED],
    [400, 1, REJECTED],
    [401, 1, REJECTED],
    [429, 1, RATE_LIMITED],
    // The service may have broken on the way.
    [500, 1, UNKNOWN],
    [502, 1, UNKNOWN],
    [503, 1, UNKNOWN],
  ])('of a legacy call by the status %i and the flag %j is told as %j', async (status, flag, verdict) => {
    await expectVerdicts({ graph, fault: () => flagged(status, flag), calls: legacy }, () => verdict);
  });

  test('by 408, when the service gives up, may have come too late', async () => {
    await expectVerdicts({ graph, fault: () => flagged(408, 1) }, () => UNKNOWN);
  });

  test('is not what a redirect says, which is not followed', async () => {
    const location = `${graph.sandbox.url}/membership/plan/list`;
    await expectVerdicts({ graph, fault: () => ({ kind: 'redirect', location }) }, () => UNKNOWN);
    expect(graph.sandbox.requests.count('GET /membership/plan/list')).toBe(0);
  });
});

const UNSENT = ['REJECTED', false, 'SURFACE_UNAVAILABLE', true];
const refused = (isSent: boolean) => ['REJECTED', isSent, 'UPSTREAM_REJECTED', false];
test.each<[kind: SourceErrorKind, sent: unknown[], lookup: unknown[]]>([
  ['overloaded', UNSENT, UNSENT],
  ['cancelled', ['UNKNOWN', true, 'OUTCOME_UNKNOWN', false], UNSENT],
  ['rejected', refused(true), refused(false)],
  ['malformed', ['UNKNOWN', true, 'OUTCOME_UNKNOWN', false], UNSENT],
])(
  'a call that fails as %s, or a look-up before it, has its own outcome and the service’s words',
  (kind, sent, lookup) => {
    const error = new SourceError(kind, 'legacy', 'for the log', { serviceMessage: 'Not like this.' });
    const results = [resultOfFailure(error, 'Look there.'), resultOfLookup(error, 'the account')];
    const told = results.map(({ outcome, isSent, userErrors: [problem] }) => {
      expect(problem?.message).not.toContain('for the log');
      if (kind === 'rejected' || kind === 'malformed') expect(problem?.message).toContain('Not like this.');
      return [outcome, isSent, problem?.code, problem?.retryable];
    });
    expect(told).toEqual([sent, lookup]);
  },
);

// Giving up sooner would leave an outcome unknown that the service would have told.
test('an answer that begins after twelve seconds is waited for', async () => {
  // The clock runs as it does, and jumps once both calls are under way. The deadlines of the calls don't follow it.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  const graph = await startGraph();
  const calls = ['POST /openai/response', 'POST /posts/create'] as const;
  for (const endpoint of calls) graph.sandbox.faults.add({ kind: 'delay', ms: 12_000, endpoint });
  const payloads = Promise.all([
    write(graph, 'generateAiText', EXAMPLES.generateAiText),
    write(graph, 'createPost', EXAMPLES.createPost),
  ]);
  for (const endpoint of calls) await graph.sandbox.requests.waitFor(endpoint, 1);
  await vi.advanceTimersByTimeAsync(12_000);
  expect((await payloads).map(({ outcome }) => outcome)).toEqual(['COMPLETED', 'COMPLETED']);
});
