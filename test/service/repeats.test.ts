import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { errorsOf, onlyError } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { holdClock } from '../support/held-clock.ts';
import { holdTimers } from '../support/held-timers.ts';
import { READ_CALLS } from '../support/read-calls.ts';
import { EXAMPLES, problemsOf, write } from '../support/writes.ts';

const LIST = 'GET /accounts/list';
const PATIENCE_MS = 60_000;
const CURRENT = '{ accounts(surface: CURRENT, first: 1) { totalCount } }';
const LEGACY = '{ accounts(surface: LEGACY) { totalCount } }';
const THREE = { environment: { READ_ATTEMPTS: '3' } };

test.each(READ_CALLS)('$endpoint answers at the third attempt', async ({ endpoint, field }) => {
  const graph = await startGraph(THREE);
  graph.sandbox.faults.add({ kind: 'status', status: 503, endpoint, times: 2 });
  const answer = await graph.query(`{ ${field(graph.sandbox)} }`);
  expect(errorsOf(answer)).toEqual([]);
  expect(graph.sandbox.requests.count(endpoint)).toBe(3);
});

test('without attempts to spare the first failure is the answer', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'status', status: 503, endpoint: LIST });
  expect(errorsOf(await graph.query(CURRENT))).toEqual(['accounts SURFACE_UNAVAILABLE']);
  expect(graph.sandbox.requests.count()).toBe(1);
});

const until = (ms: number): string => new Date(Date.now() + ms).toUTCString();

describe('a pause that the service asks for', () => {
  test.each<readonly [form: string, header: () => string, retryAfterMs: number | undefined, isKept: boolean]>(
    [
      ['a number of seconds', () => '3600', 3_600_000, true],
      ['an absurd number of seconds', () => '1000000000', 1e12, true],
      ['a date to come', () => until(3_600_000), 3_600_000, true],
      ['a date gone by', () => until(-60_000), 0, false],
      ['a negative number', () => '-5', undefined, false],
      ['a word', () => 'soon', undefined, false],
      ['a number as programs write it', () => '1e9', 1e12, true],
      ['seconds with a fraction', () => '19.7', 19_700, true],
    ],
  )('in the form of %s is told, and kept where it is one', async (_form, header, told, isKept) => {
    const graph = await startGraph(THREE);
    const headers = { 'retry-after': header() };
    // A pause of no length is waited for, and the read sent once more.
    graph.sandbox.faults.add({ kind: 'status', status: 429, headers, endpoint: LIST, times: 2 });
    const error = onlyError(await graph.query(CURRENT));
    expect(error.extensions['code']).toBe('RATE_LIMITED');
    const { retryAfterMs } = error.extensions;
    if (told === undefined) expect(retryAfterMs).toBeUndefined();
    // A date is told as what is left until then, which is less on a busy machine.
    else {
      expect(retryAfterMs).toBeLessThanOrEqual(told);
      expect(retryAfterMs).toBeGreaterThanOrEqual(Math.max(0, told - PATIENCE_MS));
    }
    graph.sandbox.faults.clear();
    graph.sandbox.requests.clear();
    const next = await graph.query(CURRENT);
    expect(errorsOf(next)).toEqual(isKept ? ['accounts RATE_LIMITED'] : []);
    expect(graph.sandbox.requests.count()).toBe(isKept ? 0 : 1);
    if (isKept) expect(onlyError(next).extensions['retryAfterMs']).toBeLessThanOrEqual(30_000);
  });

  test('of a second is waited for: nothing is sent before, and then the read is', async () => {
    const clock = holdClock();
    const timers = holdTimers();
    // Without the random part of the pause it lasts for what was asked, and two milliseconds to be safe.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    timers.hold(1_002, 'pause');
    const graph = await startGraph(THREE);
    const headers = { 'retry-after': '1' };
    graph.sandbox.faults.add({ kind: 'status', status: 429, headers, endpoint: LIST });
    const reading = graph.query(CURRENT);
    await expect.poll(() => timers.names).toEqual(['pause']);
    clock.advance(1_002);
    expect(graph.sandbox.requests.count(LIST)).toBe(1);
    timers.fire('pause');
    expect(errorsOf(await reading)).toEqual([]);
    expect(graph.sandbox.requests.count(LIST)).toBe(2);
  });

  test('is of one caller and one surface: its other surface and other callers go on', async () => {
    const graph = await startGraph(THREE);
    const [, other] = graph.sandbox.owners;
    const headers = { 'retry-after': '3600' };
    graph.sandbox.faults.add({ kind: 'status', status: 429, headers, endpoint: LIST, owner: 'harbour' });
    expect(errorsOf(await graph.query(CURRENT))).toEqual(['accounts RATE_LIMITED']);
    graph.sandbox.requests.clear();
    for (let count = 0; count < 5; count += 1) {
      expect(errorsOf(await graph.query(CURRENT))).toEqual(['accounts RATE_LIMITED']);
      expect(errorsOf(await graph.query(LEGACY))).toEqual([]);
      const answer = await graph.query(CURRENT, { headers: { 'x-api-key': other.apiKey } });
      expect(errorsOf(answer)).toEqual([]);
    }
    expect(graph.sandbox.requests.of(LIST).filter(({ owner }) => owner === 'harbour')).toEqual([]);
    expect(graph.sandbox.requests.count()).toBe(10);
  });

  test('refuses writes for certain, and sends none', async () => {
    const graph = await startGraph(THREE);
    const headers = { 'retry-after': '3600' };
    graph.sandbox.faults.add({ kind: 'status', status: 429, headers, endpoint: LIST });
    await graph.query(CURRENT);
    const payload = await write(graph, 'createDraft', EXAMPLES.createDraft);
    expect([payload.outcome, ...problemsOf(payload)]).toEqual(['REJECTED', 'RATE_LIMITED']);
    expect(graph.sandbox.requests.count('POST /draft/create')).toBe(0);
  });
});
