import { describe, expect, test } from 'vitest';
import { oauthEnvironment } from '../support/consent.ts';
import { startGraph } from '../support/graph.ts';
import { shortenDeadlines } from '../support/short-deadlines.ts';
import { WRITE_CALLS, type WriteCall } from '../support/write-calls.ts';
import { WRITE_FAULTS } from '../support/write-faults.ts';
import { problemsOf, write, type WritePayload } from '../support/writes.ts';

const CASES = WRITE_CALLS.flatMap((call) =>
  Object.entries(WRITE_FAULTS).flatMap(([fault, kind]) =>
    (['done', 'none'] as const).map((effect) => ({ ...call, call, fault, kind, effect })),
  ),
);

/** Outcome and code of the table in the documentation of writes. */
function expected({ readBack }: WriteCall, fault: string, effect: 'done' | 'none'): string[] {
  if (fault === 'a 429') return ['REJECTED', 'RATE_LIMITED'];
  if (readBack === 'decides') return effect === 'done' ? ['COMPLETED'] : ['REJECTED', 'UPSTREAM_REJECTED'];
  if (readBack === 'confirms' && effect === 'done') return ['COMPLETED'];
  return ['UNKNOWN', 'OUTCOME_UNKNOWN'];
}

const verdictOf = (payload: WritePayload): string[] => [payload.outcome, ...problemsOf(payload)];

describe('a call with an effect is sent once', () => {
  test.each(CASES)('$endpoint, $fault, effect $effect', async ({ call, fault, kind, effect }) => {
    const graph = await startGraph({ environment: oauthEnvironment() });
    const { sandbox } = graph;
    const input = await call.input(sandbox);
    if (kind.kind === 'never-answer') shortenDeadlines(120);
    sandbox.faults.add({ ...kind, endpoint: call.endpoint, effect, times: Number.POSITIVE_INFINITY });

    const payload = await write(graph, call.mutation, input);

    expect(sandbox.requests.count(call.endpoint)).toBe(1);
    expect(call.effects(sandbox)).toBe(effect === 'done' ? 1 : 0);
    expect(verdictOf(payload)).toEqual(expected(call, fault, effect));
    const isSafeToRepeat = payload.outcome === 'REJECTED';
    expect(payload.userErrors.map(({ retryable }) => retryable)).toEqual(
      payload.userErrors.map(() => isSafeToRepeat),
    );
    await expect.poll(() => sandbox.requests.open).toBe(0);
  });
});
