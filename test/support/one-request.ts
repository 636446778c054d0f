import { expect, test } from 'vitest';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { oauthEnvironment } from './consent.ts';
import { startGraph } from './graph.ts';
import { holdDeadlines } from './held-deadlines.ts';
import { inputsOf, WRITE_CALLS, type WriteCall } from './write-calls.ts';
import { problemsOf, write } from './writes.ts';

/** How a fault leaves a call. */
interface Plan {
  readonly fault: FaultKind;
  readonly effect: 'done' | 'none';
  /** True where the service stays silent, so that the call ends at its deadline. */
  readonly isSilent?: boolean;
}

/**
 * Lets one fault strike each of the eleven calls with an effect, all at once: each is sent once, has its effect at most
 * once, and its outcome is the one in the documentation of writes. A failure names the calls that went wrong.
 */
export async function expectEachSentOnce({ fault, effect, isSilent = false }: Plan): Promise<void> {
  // Reads may be repeated here, so that a write that is would be found out.
  const graph = await startGraph({ environment: { ...oauthEnvironment(), READ_ATTEMPTS: '3' } });
  const { sandbox } = graph;
  const inputs = await inputsOf(sandbox);
  const endpoints = WRITE_CALLS.map(({ endpoint }) => endpoint);
  const deadlines = isSilent ? holdDeadlines(endpoints) : null;
  for (const endpoint of endpoints)
    sandbox.faults.add({ ...fault, endpoint, effect, times: Number.POSITIVE_INFINITY });
  const state = (call: WriteCall) => ({
    requests: sandbox.requests.count(call.endpoint),
    effects: call.effects(sandbox),
  });
  const once = { requests: 1, effects: effect === 'done' ? 1 : 0 };

  const payloads = WRITE_CALLS.map((call, index) => write(graph, call.mutation, inputs[index]));
  if (deadlines) {
    await expect.poll(() => byEndpoint(state)).toEqual(byEndpoint(() => once));
    deadlines.pass();
  }
  const answered = await Promise.all(payloads);

  expect(byEndpoint((_, index) => verdictOf(answered[index]))).toEqual(
    byEndpoint((call) => documentedVerdict(call, fault, effect)),
  );
  expect(byEndpoint(state)).toEqual(byEndpoint(() => once));
  await expect.poll(() => sandbox.requests.open).toBe(0);
}

/** Tests that each call is sent once under each fault. */
export function testThatEachIsSentOnce(
  faults: Readonly<Record<string, FaultKind>>,
  options: Omit<Plan, 'fault'>,
): void {
  test.each(Object.entries(faults))(`%s, with the effect ${options.effect}`, async (_, fault) => {
    await expectEachSentOnce({ fault, ...options });
  });
}

/** One value for each of the calls, under its endpoint. */
export function byEndpoint<T>(
  valueOf: (call: WriteCall, index: number) => T,
  calls = WRITE_CALLS,
): Record<string, T> {
  return Object.fromEntries(calls.map((call, index) => [call.endpoint, valueOf(call, index)]));
}

type Payload = Awaited<ReturnType<typeof write>>;

/** Outcome, codes, and whether each problem may be retried. */
function verdictOf(payload: Payload | undefined): unknown {
  if (!payload) return undefined;
  const retryable = payload.userErrors.map((error) => error.retryable);
  return [payload.outcome, ...problemsOf(payload), ...retryable];
}

const UNKNOWN = ['UNKNOWN', 'OUTCOME_UNKNOWN', false];

// Only a refusal says that sending again is safe.
function documentedVerdict({ readBack }: WriteCall, fault: FaultKind, effect: 'done' | 'none'): unknown {
  if (fault.kind === 'status' && fault.status === 429) return ['REJECTED', 'RATE_LIMITED', true];
  const isConfirmed = readBack === 'confirms' && effect === 'done';
  return isConfirmed ? ['COMPLETED'] : UNKNOWN;
}
