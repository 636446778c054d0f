import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { EXAMPLES, problemsOf, write } from '../support/writes.ts';

const PAUSE_MS = 300;
const GUARDED = { BREAKER_MIN_CALLS: '20', BREAKER_PAUSE: `${PAUSE_MS}ms`, READ_ATTEMPTS: '3' };
const CURRENT = '{ accounts(surface: CURRENT, first: 1) { totalCount } }';
const LEGACY = '{ accounts(surface: LEGACY) { totalCount } }';
const SOON = { timeout: 3_000, interval: 10 };

/** A graph whose current side has failed until it was given up. */
async function startBroken(): Promise<RunningGraph> {
  const graph = await startGraph({ environment: GUARDED });
  const fault = graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: '*', times: 20 });
  for (let count = 0; count < 20; count += 1)
    expect(errorsOf(await graph.query(CURRENT))).toEqual(['accounts SURFACE_UNAVAILABLE']);
  expect(fault.remaining).toBe(0);
  graph.sandbox.requests.clear();
  return graph;
}

const ready = async ({ url }: RunningGraph): Promise<unknown> => await (await fetch(`${url}/ready`)).json();

describe('a side of the service that has failed twenty times', () => {
  test('is asked for nothing, fails at once, and says why (I1)', async () => {
    const graph = await startBroken();
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 10 }, async () => await graph.query(CURRENT)));
    expect(performance.now() - startedAt).toBeLessThan(PAUSE_MS - 50);
    for (const answer of answers) expect(errorsOf(answer)).toEqual(['accounts SURFACE_UNAVAILABLE']);
    expect(answers[0]?.errors[0]).toMatchObject({
      message: 'The current surface is out of order; it is not asked for a while.',
      extensions: { surface: 'CURRENT', retryable: true },
    });
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test('is asked by one call after its pause, and works for all once that has (I1)', async () => {
    const graph = await startBroken();
    graph.sandbox.faults.add({ kind: 'delay', ms: 100, endpoint: 'GET /accounts/list' });
    await expect
      .poll(async () => {
        const answers = await Promise.all(
          Array.from({ length: 8 }, async (_, n) => await graph.query(CURRENT.replace('1', String(n + 1)))),
        );
        return answers.filter(({ errors }) => errors.length === 0).length;
      }, SOON)
      .toBe(1);
    expect(graph.sandbox.requests.count()).toBe(1);
    expect(errorsOf(await graph.query(CURRENT))).toEqual([]);
    expect(await ready(graph)).toMatchObject({ surfaces: { current: 'configured' } });
  });

  test('leaves the other side as it was, and the server ready (I3)', async () => {
    const graph = await startBroken();
    const answers = await Promise.all(Array.from({ length: 20 }, async () => await graph.query(LEGACY)));
    for (const answer of answers) expect(errorsOf(answer)).toEqual([]);
    expect(await ready(graph)).toMatchObject({
      status: 'ready',
      surfaces: { current: 'out of order', legacy: 'configured' },
    });
    expect((await write(graph, 'createStatusUpdate', EXAMPLES.createStatusUpdate)).outcome).toBe('COMPLETED');
  });

  test('refuses writes for certain while it is left alone, and may be asked by one after (I4)', async () => {
    const graph = await startBroken();
    const refused = await write(graph, 'createDraft', EXAMPLES.createDraft);
    expect([refused.outcome, ...problemsOf(refused)]).toEqual(['REJECTED', 'SURFACE_UNAVAILABLE']);
    expect(refused.userErrors[0]?.retryable).toBe(true);
    expect(graph.sandbox.requests.count()).toBe(0);
    await expect
      .poll(async () => (await write(graph, 'createDraft', EXAMPLES.createDraft)).outcome, SOON)
      .toBe('COMPLETED');
    expect(graph.sandbox.requests.count('POST /draft/create')).toBe(1);
    expect(graph.sandbox.state.owner('harbour').drafts).toHaveLength(1);
  });

  test('is sent each of several writes once at most, whoever asks first (I4)', async () => {
    const graph = await startBroken();
    let completed = 0;
    await expect
      .poll(async () => {
        const payloads = await Promise.all(
          Array.from({ length: 5 }, async () => await write(graph, 'createDraft', EXAMPLES.createDraft)),
        );
        completed += payloads.filter(({ outcome }) => outcome === 'COMPLETED').length;
        expect(payloads.every(({ outcome }) => outcome !== 'UNKNOWN')).toBe(true);
        return completed;
      }, SOON)
      .toBeGreaterThanOrEqual(5);
    expect(graph.sandbox.requests.count('POST /draft/create')).toBe(completed);
    expect(graph.sandbox.state.owner('harbour').drafts).toHaveLength(completed);
  });
});

test('refusals of every kind, hundreds of them, give no side of the service up (I2)', async () => {
  const graph = await startGraph({ environment: GUARDED });
  for (const status of [400, 401, 403, 404, 422, 429]) {
    graph.sandbox.faults.add({ kind: 'status', status, endpoint: 'GET /accounts/list', times: 60 });
    for (let count = 0; count < 60; count += 20)
      await Promise.all(
        Array.from({ length: 20 }, async (_, n) => await graph.query(CURRENT.replace('1', String(n + 1)))),
      );
  }
  expect(graph.sandbox.requests.count()).toBe(360);
  expect(errorsOf(await graph.query(CURRENT))).toEqual([]);
});
