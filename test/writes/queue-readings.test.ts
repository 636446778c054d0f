import { describe, expect, test } from 'vitest';
import { QueueReadings } from '../../src/writes/queue.ts';
import { callsOf } from '../support/calls.ts';
import { startGraph, type CallerHeaders, type RunningGraph } from '../support/graph.ts';
import { account, write } from '../support/writes.ts';

const WINDOW_MS = 10_000;
const NOTHING = { queue: null, total: 3, limit: null, isComplete: true };

describe('a reading of the queue', () => {
  /** Reads for callers at times of the test's own, and tells when each reading began. */
  function readings() {
    const clock = { now: 1_000 };
    const memory = new QueueReadings(WINDOW_MS, () => clock.now);
    const read = async (caller = 'one', facts = NOTHING) =>
      (await memory.read(caller, () => Promise.resolve(facts))).readAt;
    return { clock, memory, read };
  }

  test('serves its caller until it is too old, and nobody else', async () => {
    const { clock, read } = readings();
    expect(await read()).toBe(1_000);
    clock.now += WINDOW_MS - 1;
    expect(await read()).toBe(1_000);
    expect(await read('another')).toBe(clock.now);
    clock.now += 1;
    expect(await read()).toBe(clock.now);
    // A clock that was set back says nothing about its age.
    clock.now = 500;
    expect(await read()).toBe(500);
  });

  test('that failed in part does not serve again', async () => {
    const { clock, read } = readings();
    await read('one', { ...NOTHING, isComplete: false });
    clock.now += 1;
    expect(await read()).toBe(clock.now);
  });

  test('is dropped when its caller writes, also one that is being made', async () => {
    const { clock, memory, read } = readings();
    await read();
    await read('another');
    memory.forget('one');
    clock.now += 1;
    const underWay = memory.read('one', () => {
      memory.forget('one');
      return Promise.resolve(NOTHING);
    });
    expect((await underWay).readAt).toBe(1_001);
    clock.now += 1;
    expect(await read()).toBe(1_002);
    expect(await read('another')).toBe(1_000);
  });

  test('never serves where that is switched off', async () => {
    const memory = new QueueReadings(0, () => 1_000);
    let count = 0;
    const read = () => memory.read('one', () => Promise.resolve({ ...NOTHING, total: (count += 1) }));
    expect([(await read()).total, (await read()).total]).toEqual([1, 2]);
  });
});

const VALIDATE = `query ($input: CreatePostInput!) { validatePost(input: $input) {
  warnings { code } lookedAt { queueReadAt queueTotal queueLimit } } }`;

async function validate(graph: RunningGraph, text: string, headers: CallerHeaders = graph.caller.both) {
  const variants = [{ variant: 'ORIGINAL', text }];
  const input = { accountIds: [account()], timing: { placement: 'QUEUE' }, variants };
  const { data, errors } = await graph.query(VALIDATE, { variables: { input }, headers });
  expect(errors).toEqual([]);
  return data.validatePost as { warnings: { code: string }[]; lookedAt: Record<string, unknown> };
}

const start = () => startGraph({ environment: { VALIDATION_REUSE: '1m' } });

describe('validating a post while it is written', () => {
  test('reads the queue and the plan once, and says when', async () => {
    const graph = await start();
    const before = Date.now();
    const first = await validate(graph, 'A');
    const second = await validate(graph, 'A new');
    expect(second.lookedAt).toEqual(first.lookedAt);
    const { queueReadAt, queueTotal, queueLimit } = first.lookedAt;
    expect([queueTotal, queueLimit]).toEqual([25, 60]);
    expect(Date.parse(String(queueReadAt))).toBeGreaterThanOrEqual(before);
    expect(Date.parse(String(queueReadAt))).toBeLessThanOrEqual(Date.now());
    expect(callsOf(graph)).toEqual({
      'GET /accounts/view/{loginId}': 2,
      'GET /posts/queued': 1,
      'GET /membership/plan/list': 1,
    });
  });

  test('reads anew after a write of the same caller, and sees it', async () => {
    const graph = await start();
    const text = 'Not yet in the queue';
    expect((await validate(graph, text)).warnings).toEqual([]);
    const input = {
      accountIds: [account()],
      timing: { placement: 'QUEUE' },
      variants: [{ variant: 'ORIGINAL', text }],
    };
    expect((await write(graph, 'createPost', input)).outcome).toBe('COMPLETED');
    const { warnings, lookedAt } = await validate(graph, text);
    expect(warnings.map(({ code }) => code)).toEqual(['SAME_TEXT_IN_QUEUE']);
    expect(lookedAt['queueTotal']).toBe(26);
    expect(callsOf(graph)['GET /posts/queued']).toBe(2);
  });

  test('does not read a queue again that is too long to be read', async () => {
    const graph = await startGraph({
      environment: { VALIDATION_REUSE: '1m' },
      sandbox: { data: 'large', quirks: { maxLimit: 49 } },
    });
    const first = await validate(graph, 'A');
    expect(first.lookedAt['queueTotal']).toBe(1_000);
    const { 'GET /posts/queued': calls } = callsOf(graph);
    expect((await validate(graph, 'A new')).lookedAt).toEqual(first.lookedAt);
    expect(callsOf(graph)['GET /posts/queued']).toBe(calls);
  });

  test('shares nothing with another credential', async () => {
    const graph = await start();
    const [, other] = graph.sandbox.owners;
    await validate(graph, 'A');
    const input = { accountIds: [], timing: { placement: 'QUEUE' }, variants: [] };
    await graph.query(VALIDATE, { variables: { input }, headers: { 'x-api-key': other?.apiKey ?? '' } });
    expect(callsOf(graph)['GET /posts/queued']).toBe(2);
  });

  test('reads again after a failure, which is null and has no time', async () => {
    const graph = await start();
    graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /posts/queued', times: 10 });
    expect((await validate(graph, 'A')).lookedAt).toMatchObject({ queueTotal: null, queueReadAt: null });
    graph.sandbox.faults.clear();
    expect((await validate(graph, 'A')).lookedAt).toMatchObject({ queueTotal: 25 });
  });
});
