import { describe, expect, test } from 'vitest';
import type { Quirks } from '../../src/sandbox/quirks.ts';
import { resultRecord, SOCKETS, startLive, type LiveGraph } from '../support/live.ts';
import type { Reading } from '../support/live-reading.ts';

const SHAPES: readonly Quirks['pushShape'][] = ['bare', 'response', 'data', 'payload', 'text', 'array'];

interface Waiting {
  readonly graph: LiveGraph;
  readonly reading: Reading;
  readonly contentId: string;
  /** The record of the result as the socket may bring it. */
  readonly result: object;
}

/** Waits for a result that only the socket will bring. */
async function wait(way: (typeof SOCKETS)[number]): Promise<Waiting> {
  const graph = await startLive(way);
  const { contentId } = await graph.ask();
  const reading = graph.watch(contentId);
  await Promise.all([reading.received(1), graph.sandbox.push.waitForOpen(1)]);
  const { ownerId } = graph.sandbox.state.owner('harbour');
  return { graph, reading, contentId, result: resultRecord(contentId, { ownerId }) };
}

/** So many arrays within each other, as JSON. */
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe.each(SOCKETS)('by %s', (way) => {
  test.each(SHAPES)('a result is understood in the shape "%s"', async (pushShape) => {
    const { graph, reading, contentId } = await wait(way);
    graph.sandbox.quirks.pushShape = pushShape;
    graph.sandbox.generations.finish(contentId, { history: false });
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  });

  test.each([true, false])('a result is understood with timeConsuming %s', async (pushTimeConsuming) => {
    const { graph, reading, contentId } = await wait(way);
    graph.sandbox.quirks.pushTimeConsuming = pushTimeConsuming;
    graph.sandbox.generations.finish(contentId, { history: false });
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  });

  test.each([
    ['JSON within JSON', (result: object) => JSON.stringify(JSON.stringify(result))],
    ['JSON under data', (result: object) => ({ type: 'done', data: JSON.stringify({ response: result }) })],
    [
      'an envelope within an envelope',
      (result: object) => ({ payload: { message: 'ok', response: result } }),
    ],
    ['an array after its name', (result: object) => ['result', 1, null, { data: [result] }]],
  ])('a result is understood as %s', async (_name, shaped) => {
    const { graph, reading, result } = await wait(way);
    graph.sandbox.push.send('harbour', shaped(result));
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  });

  test('a record without a text is no result yet', async () => {
    const { graph, reading, result } = await wait(way);
    for (const aiResponse of ['', null, undefined])
      graph.sandbox.push.send('harbour', { ...result, aiResponse });
    graph.sandbox.push.send('harbour', result);
    await reading.ended();
    expect(reading.events).toMatchObject([
      { generation: { status: 'PENDING', text: null } },
      { generation: { status: 'COMPLETE', text: expect.stringContaining('The text of') } },
    ]);
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['a number', 17],
    ['words', 'Your text is ready!'],
    ['broken JSON', '{"contentId": "abc", '],
    ['arrays of nothing', [[], [[]], [[], [{}]]]],
    ['100,000 levels as a text', deep(100_000)],
    ['a thousand levels', JSON.parse(deep(1_000))],
    ['two hundred thousand empty arrays', JSON.parse(`[${'[],'.repeat(200_000)}[]]`)],
    ['odd ids', [{ contentId: {} }, { contentId: [1] }, { contentId: 1e300 }, { contentId: true }]],
    ['odd fields', [{ contentId: 'x', aiResponse: { a: 1 }, ownerId: [], createdOn: 'never', aiToken: 7 }]],
    ['keys of objects themselves', JSON.parse('{"__proto__":{"contentId":"x"},"constructor":{"data":1}}')],
  ])('%s before a result does no harm', async (_name, rubbish) => {
    const { graph, reading, contentId } = await wait(way);
    graph.sandbox.push.send('harbour', rubbish);
    graph.sandbox.push.send('harbour', { data: rubbish });
    graph.sandbox.generations.finish(contentId, { history: false });
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
    expect(graph.sandbox.requests.all.filter(({ endpoint }) => endpoint === null)).toHaveLength(1);
  });

  test('a damaged field of a result spoils nothing but itself', async () => {
    const { graph, reading, result } = await wait(way);
    graph.sandbox.push.send('harbour', { ...result, aiToken: 'many', tone: { is: 'odd' }, totalCredit: 'x' });
    await reading.ended();
    const [, { generation, errors } = { generation: null, errors: [] }] = reading.events;
    expect(generation).toMatchObject({ status: 'COMPLETE', tone: null, tokenUsage: null });
    expect(generation.text).toContain('The text of');
    expect(errors.map(({ path, extensions }) => [path?.at(-1), extensions['code']])).toEqual([
      ['tone', 'UPSTREAM_MALFORMED'],
      ['tokenUsage', 'UPSTREAM_MALFORMED'],
      ['creditsRemaining', 'UPSTREAM_MALFORMED'],
    ]);
  });

  test('a message that is too large ends the socket, and a new one is opened', async () => {
    const { graph, reading, contentId } = await wait(way);
    const { sandbox } = graph;
    sandbox.push.send('harbour', 'x'.repeat(2 * 1024 * 1024));
    await sandbox.push.waitForOpen(0);
    await sandbox.push.waitForOpen(1);
    expect(reading.said).toEqual(['PENDING']);
    sandbox.generations.finish(contentId, { history: false });
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  });
});

test.each(['aiResponse', 'message', 'ai:done', 'openai/response'])(
  'a result by socket.io is understood in an event named "%s"',
  async (event) => {
    const { graph, reading, result } = await wait('socket.io');
    graph.sandbox.push.send('harbour', result, event);
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  },
);
