import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { holdClock, type HeldClock } from '../support/held-clock.ts';
import { EXAMPLES, write, type WritePayload } from '../support/writes.ts';

const PAUSE_MS = 60_000;
const FAILURES = 20;
const GUARDED = { BREAKER_MIN_CALLS: String(FAILURES), BREAKER_PAUSE: `${PAUSE_MS}ms`, READ_ATTEMPTS: '3' };
const CURRENT = '{ accounts(surface: CURRENT, first: 1) { totalCount } }';
const LEGACY = '{ accounts(surface: LEGACY) { totalCount } }';
const DOWN = ['accounts SURFACE_UNAVAILABLE'];

/** Reads that are not equal, all at the same time, by each owner of the sandbox in turn. */
const manyReads = (graph: RunningGraph, count: number) =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const { owners } = graph.sandbox;
      const headers = { 'x-api-key': owners[n % owners.length]?.apiKey ?? '' };
      return await graph.query(CURRENT.replace('1', String(n + 2)), { headers });
    }),
  );

/** Reads of one caller that are not equal, one after the other. */
async function readsOfOne(graph: RunningGraph, count: number): Promise<string[][]> {
  const errors: string[][] = [];
  for (let n = 0; n < count; n += 1)
    errors.push(errorsOf(await graph.query(CURRENT.replace('1', String(n + 2)))));
  return errors;
}

interface BrokenGraph extends RunningGraph {
  /** What the pause is measured with: none of it passes by itself. */
  readonly clock: HeldClock;
}

/** A graph whose current surface has failed for three callers until it was given up. */
async function startBroken(): Promise<BrokenGraph> {
  const clock = holdClock();
  const graph = await startGraph({ environment: GUARDED, sandbox: { moreOwners: 1 } });
  const fault = graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: '*', times: FAILURES });
  for (const answer of await manyReads(graph, FAILURES)) expect(errorsOf(answer)).toEqual(DOWN);
  expect(fault.remaining).toBe(0);
  graph.sandbox.requests.clear();
  return { ...graph, clock };
}

const verdictOf = ({ userErrors, ...payload }: WritePayload): unknown[] => [
  payload.outcome,
  ...userErrors.map(({ code }) => code),
  ...userErrors.map(({ retryable }) => retryable),
];

const ready = async ({ url }: RunningGraph): Promise<unknown> => await (await fetch(`${url}/ready`)).json();

describe('a surface of the service that has failed twenty times', () => {
  test('is asked for nothing, fails at once, and says why', async () => {
    const graph = await startBroken();
    const answers = await manyReads(graph, 10);
    for (const answer of answers) expect(errorsOf(answer)).toEqual(DOWN);
    expect(answers[0]?.errors[0]).toMatchObject({
      message: 'The current surface is failing; requests are suspended temporarily.',
      extensions: { surface: 'CURRENT', retryable: true },
    });
    graph.clock.advance(PAUSE_MS - 1);
    expect(errorsOf(await graph.query(CURRENT))).toEqual(DOWN);
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test('is asked by one call after its pause, and works for all once that has', async () => {
    const graph = await startBroken();
    graph.clock.advance(PAUSE_MS);
    const probe = holdAnswers(graph.sandbox, { endpoint: 'GET /accounts/list' });
    const first = graph.query(CURRENT);
    await probe.arrived();
    for (const answer of await manyReads(graph, 8)) expect(errorsOf(answer)).toEqual(DOWN);
    expect(graph.sandbox.requests.count()).toBe(1);
    probe.release();
    expect(errorsOf(await first)).toEqual([]);
    expect(errorsOf(await graph.query(CURRENT))).toEqual([]);
    expect(await ready(graph)).toMatchObject({ surfaces: { current: 'configured' } });
  });

  test('leaves the other surface as it was, and the server ready', async () => {
    const graph = await startBroken();
    const answers = await Promise.all(Array.from({ length: 20 }, async () => await graph.query(LEGACY)));
    for (const answer of answers) expect(errorsOf(answer)).toEqual([]);
    expect(await ready(graph)).toMatchObject({
      status: 'ready',
      surfaces: { current: 'out of order', legacy: 'configured' },
    });
    expect((await write(graph, 'createStatusUpdate', EXAMPLES.createStatusUpdate)).outcome).toBe('COMPLETED');
  });

  test('refuses writes for certain while it is left alone, and may be asked by one of them after', async () => {
    const graph = await startBroken();
    const { sandbox } = graph;
    const draft = () => write(graph, 'createDraft', EXAMPLES.createDraft);
    const refused = ['REJECTED', 'SURFACE_UNAVAILABLE', true];
    expect(verdictOf(await draft())).toEqual(refused);
    expect(sandbox.requests.count()).toBe(0);

    graph.clock.advance(PAUSE_MS);
    const probe = holdAnswers(sandbox, { endpoint: 'POST /draft/create', effect: 'none' });
    const first = draft();
    await probe.arrived();
    for (const payload of await Promise.all([draft(), draft(), draft(), draft()]))
      expect(verdictOf(payload)).toEqual(refused);
    probe.release();
    expect((await first).outcome).toBe('COMPLETED');

    for (const { outcome } of await Promise.all([draft(), draft()])) expect(outcome).toBe('COMPLETED');
    expect(sandbox.requests.count('POST /draft/create')).toBe(3);
    expect(sandbox.state.owner('harbour').drafts).toHaveLength(3);
  });
});

test('a surface that fails for one caller only is asked for it, and for the others', async () => {
  const graph = await startGraph({ environment: { ...GUARDED, READ_ATTEMPTS: '1' } });
  const [, { apiKey }] = graph.sandbox.owners;
  const fault = { kind: 'status', status: 500, endpoint: '*', owner: 'harbour' } as const;
  graph.sandbox.faults.add({ ...fault, times: Number.POSITIVE_INFINITY });
  const other = async () => errorsOf(await graph.query(CURRENT, { headers: { 'x-api-key': apiKey } }));
  expect(await other()).toEqual([]);
  for (const errors of await readsOfOne(graph, 2 * FAILURES)) expect(errors).toEqual(DOWN);
  expect(await other()).toEqual([]);
  expect(await ready(graph)).toMatchObject({ surfaces: { current: 'configured' } });
});

test('a surface that fails for its only caller is left alone as well', async () => {
  holdClock();
  const graph = await startGraph({ environment: { ...GUARDED, READ_ATTEMPTS: '1' } });
  const [, { apiKey }] = graph.sandbox.owners;
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: '*', owner: 'harbour', times: FAILURES });
  for (const errors of await readsOfOne(graph, FAILURES)) expect(errors).toEqual(DOWN);
  graph.sandbox.requests.clear();
  expect(errorsOf(await graph.query(CURRENT))).toEqual(DOWN);
  expect(errorsOf(await graph.query(CURRENT, { headers: { 'x-api-key': apiKey } }))).toEqual(DOWN);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('refusals of every kind, however many, do not make a surface count as out of order', async () => {
  const graph = await startGraph({ environment: GUARDED });
  const statuses = [400, 401, 403, 404, 422, 429];
  for (const status of statuses) {
    graph.sandbox.faults.add({ kind: 'status', status, endpoint: 'GET /accounts/list', times: 25 });
    await manyReads(graph, 25);
  }
  expect(graph.sandbox.requests.count()).toBe(25 * statuses.length);
  expect(errorsOf(await graph.query(CURRENT))).toEqual([]);
});
