import { expect, test } from 'vitest';
import { oauthEnvironment } from './consent.ts';
import { startGraph } from './graph.ts';
import { shortenDeadlines } from './short-deadlines.ts';
import type { WriteCall } from './write-calls.ts';
import { WRITE_FAULTS } from './write-faults.ts';
import { problemsOf, write } from './writes.ts';

/**
 * Tests each call against everything that can go wrong after it was sent, with its effect and without: it is sent once,
 * and the outcome is that of the table in the documentation of writes.
 */
export function testThatEachIsSentOnce(
  calls: readonly WriteCall[],
  faults = WRITE_FAULTS,
  effects: readonly ('done' | 'none')[] = ['done', 'none'],
): void {
  const cases = calls.flatMap((call) =>
    Object.entries(faults).flatMap(([fault, kind]) =>
      effects.map((effect) => ({ endpoint: call.endpoint, call, fault, kind, effect })),
    ),
  );
  test.each(cases)('$endpoint, $fault, effect $effect', async ({ call, fault, kind, effect }) => {
    const graph = await startGraph({ environment: oauthEnvironment() });
    const { sandbox } = graph;
    const input = await call.input(sandbox);
    if (fault.startsWith('no answer in time')) shortenDeadlines({ endpoint: call.endpoint });
    sandbox.faults.add({ ...kind, endpoint: call.endpoint, effect, times: Number.POSITIVE_INFINITY });

    const payload = await write(graph, call.mutation, input);

    expect(sandbox.requests.count(call.endpoint)).toBe(1);
    expect(call.effects(sandbox)).toBe(effect === 'done' ? 1 : 0);
    expect([payload.outcome, ...problemsOf(payload)]).toEqual(verdictOn(call, fault, effect));
    // Only a refusal says that asking again is safe.
    const isSafe = payload.outcome === 'REJECTED';
    for (const { retryable } of payload.userErrors) expect(retryable).toBe(isSafe);
    await expect.poll(() => sandbox.requests.open).toBe(0);
  });
}

function verdictOn({ readBack }: WriteCall, fault: string, effect: 'done' | 'none'): string[] {
  if (fault === 'a 429') return ['REJECTED', 'RATE_LIMITED'];
  if (readBack === 'decides') return effect === 'done' ? ['COMPLETED'] : ['REJECTED', 'UPSTREAM_REJECTED'];
  if (readBack === 'confirms' && effect === 'done') return ['COMPLETED'];
  return ['UNKNOWN', 'OUTCOME_UNKNOWN'];
}
