import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalized } from '../../packages/text-length/src/text-length.ts';
import { plainText, QueueReadings } from '../../src/writes/queue.ts';
import { anyText, eachCase } from '../support/cases.ts';
import { callsOf } from '../support/calls.ts';
import { costOf, MOST_GROWTH } from '../support/costs.ts';
import { startGraph, type CallerHeaders, type RunningGraph } from '../support/graph.ts';
import { account, write } from '../support/writes.ts';

// How the queue is read and compared with a post that is being written.

const QUEUE = 'GET /posts/queued';
const ONCE = { [QUEUE]: 1, 'GET /membership/plan/list': 1 };

describe('a reading of the queue', () => {
  const WINDOW_MS = 10_000;
  const NOTHING = { queue: null, total: 3, limit: null, isComplete: true };

  /** Reads for callers at times of the test's own, and tells when each reading began. */
  function readings(windowMs = WINDOW_MS) {
    const clock = { now: 1_000 };
    const memory = new QueueReadings(windowMs, () => clock.now);
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

  test.each([
    ['that failed in part', WINDOW_MS, { ...NOTHING, isComplete: false }],
    ['does not serve where that is switched off', 0, NOTHING],
  ])('%s does not serve again', async (_which, windowMs, facts) => {
    const { clock, read } = readings(windowMs);
    await read('one', facts);
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
});

const inputOf = (text: string) => ({
  accountIds: [account()],
  timing: { placement: 'QUEUE' },
  variants: [{ variant: 'ORIGINAL', text }],
});

const start = (options = {}) => startGraph({ environment: { VALIDATION_REUSE: '1m' }, ...options });

describe('validating a post while it is written', () => {
  const VALIDATE = `query ($input: CreatePostInput!) { validatePost(input: $input) {
    warnings { code } lookedAt { queueReadAt queueTotal queueLimit } } }`;

  async function validate(graph: RunningGraph, text: string, headers: CallerHeaders = graph.caller.both) {
    const data = await graph.dataOf(VALIDATE, { variables: { input: inputOf(text) }, headers });
    return data.validatePost as { warnings: { code: string }[]; lookedAt: Record<string, unknown> };
  }

  test('reads the queue and the plan once, and says when; after a write of its caller, anew', async () => {
    const graph = await start();
    const before = Date.now();
    const { lookedAt } = await validate(graph, 'A');
    expect((await validate(graph, 'A new')).lookedAt).toEqual(lookedAt);
    expect(lookedAt).toMatchObject({ queueTotal: 25, queueLimit: 60 });
    const readAt = Date.parse(String(lookedAt['queueReadAt']));
    expect([readAt >= before, readAt <= Date.now()]).toEqual([true, true]);
    expect(callsOf(graph)).toEqual({ ...ONCE, 'GET /accounts/view/{loginId}': 2 });

    const text = 'Not yet in the queue';
    expect((await validate(graph, text)).warnings).toEqual([]);
    expect((await write(graph, 'createPost', inputOf(text))).outcome).toBe('COMPLETED');
    const after = await validate(graph, text);
    expect(after.warnings.map(({ code }) => code)).toEqual(['SAME_TEXT_IN_QUEUE']);
    expect(after.lookedAt['queueTotal']).toBe(26);
    expect(callsOf(graph)[QUEUE]).toBe(2);
  });

  test('does not read a queue again that is too long to be read', async () => {
    const graph = await start({ sandbox: { data: 'large', quirks: { maxLimit: 49 } } });
    const first = await validate(graph, 'A');
    expect(first.lookedAt['queueTotal']).toBe(1_000);
    const { [QUEUE]: calls } = callsOf(graph);
    expect((await validate(graph, 'A new')).lookedAt).toEqual(first.lookedAt);
    expect(callsOf(graph)[QUEUE]).toBe(calls);
  });
});

describe('a text that is compared', () => {
  const MARKS = '\u0301\u0316';

  test('is normalised as Unicode says, however its characters are spelt', () => {
    const texts = ['Café', 'Cafe\u0301', '\u1112\u1161\u11ab', `a${MARKS.repeat(14)}`, 'Ω'];
    fc.assert(
      fc.property(anyText(40), (text) => {
        expect(normalized(text)).toBe(text.normalize('NFC'));
      }),
      { examples: texts.map((text) => [text]) },
    );
  });

  test('takes time in proportion to its length, whatever it consists of', () =>
    eachCase(
      ['a', ' ', ' \n', '漢', 'İ', MARKS, `a${MARKS}`, '\u0344', '\u1100\u1161\u11a8', '👩\u200d'],
      (part) => {
        const compare = (length: number) => plainText(part.repeat(length / part.length));
        expect(costOf(compare, 60_000).growth).toBeLessThan(MOST_GROWTH);
      },
    ));
});
