import { expect, test } from 'vitest';
import { Schedule, SLOWEST } from '../../src/watch/schedule.ts';
import { harbour } from '../support/account-records.ts';
import { startLive } from '../support/live.ts';
import { QUEUE_CALL, startWatched, watchQueue } from '../support/watching.ts';

test('readings with nothing new become rarer, up to twelve times as rare, and a change or a write ends that', () => {
  const schedule = new Schedule(5_000, () => Promise.reject(new Error('never run')));
  const pauses = Array.from({ length: 10 }, () => schedule.next(false));
  expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
  expect([pauses[0], pauses.at(-1)]).toEqual([7_500, 5_000 * SLOWEST]);
  expect(schedule.next(true)).toBe(5_000);
  schedule.next(false);
  schedule.quicken();
  expect(schedule.next(false)).toBe(7_500);
});

test('a pause that the service asks for is kept', async () => {
  const graph = await startWatched();
  const watching = watchQueue(graph);
  await watching.received(1);
  const headers = { 'retry-after': '1' };
  const fault = graph.sandbox.faults.add({ kind: 'status', status: 429, headers, endpoint: QUEUE_CALL });
  await expect.poll(() => fault.hits).toBe(1);
  const refused = graph.sandbox.requests.count(QUEUE_CALL);
  harbour(graph).drainQueue(1);
  await watching.received(2);
  const calls = graph.sandbox.requests.of(QUEUE_CALL);
  const last = calls[refused - 1]?.at ?? 0;
  expect((calls[refused]?.at ?? 0) - last).toBeGreaterThanOrEqual(1_000);
});

test('a queue that is too long to be watched is told so', async () => {
  const graph = await startWatched({ environment: { CURRENT_MAX_PAGE_SIZE: '1' } });
  expect(harbour(graph).queue.length).toBeGreaterThan(20);
  const watching = watchQueue(graph, { over: 'sse' });
  await watching.ended();
  expect(watching.events).toEqual([null]);
});

test('the end of the server ends the watching, over either transport', async () => {
  const graph = await startLive('history', { environment: { WATCH_INTERVAL: '50ms' } });
  const watching = (['socket', 'sse'] as const).map((over) => watchQueue(graph, { over }));
  await Promise.all(watching.map((one) => one.received(1)));
  await graph.close();
  for (const one of watching) await one.ended();
  expect(graph.sandbox.requests.open).toBe(0);
});
