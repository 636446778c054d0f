import { describe, expect, test } from 'vitest';
import type { Quirks } from '../../packages/sandbox/src/quirks.ts';
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

/** Waits at a graph for a result that only the socket will bring. */
async function waitAt(graph: LiveGraph): Promise<Waiting> {
  const { contentId } = await graph.ask();
  const reading = graph.watch(contentId);
  await Promise.all([reading.received(1), graph.sandbox.push.waitForOpen(1)]);
  const { ownerId } = graph.sandbox.state.owner('harbour');
  return { graph, reading, contentId, result: resultRecord(contentId, { ownerId }) };
}

const wait = async (way: (typeof SOCKETS)[number]): Promise<Waiting> => await waitAt(await startLive(way));

/** Brings one result after the other at one graph, over one socket. */
async function bringAll<T>(
  way: (typeof SOCKETS)[number],
  cases: readonly (readonly [name: string, value: T])[],
  bring: (waiting: Waiting, value: T) => void,
): Promise<void> {
  const graph = await startLive(way);
  graph.follow();
  for (const [name, value] of cases) {
    const waiting = await waitAt(graph);
    bring(waiting, value);
    await expect.poll(() => waiting.reading.ending, { message: name }).toEqual({ how: 'complete' });
    expect(waiting.reading.said, name).toEqual(['PENDING', 'COMPLETE']);
    const handshakes = graph.sandbox.requests.all.filter(({ endpoint }) => endpoint === null);
    expect(handshakes, name).toHaveLength(1);
  }
}

/** So many arrays within each other, as JSON. */
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const RUBBISH: readonly (readonly [string, unknown])[] = [
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
];

describe.each(SOCKETS)('by %s', (way) => {
  test('a result is understood in each shape that the service may send it in, consuming time or not', async () => {
    const shapes = SHAPES.flatMap((pushShape) =>
      [true, false].map(
        (pushTimeConsuming) =>
          [`${pushShape}, timeConsuming ${pushTimeConsuming}`, { pushShape, pushTimeConsuming }] as const,
      ),
    );
    await bringAll(way, shapes, ({ graph: { sandbox }, contentId }, quirks) => {
      Object.assign(sandbox.quirks, quirks);
      sandbox.generations.finish(contentId, { history: false });
    });
  });

  test('a result is understood as JSON within JSON, in an envelope within an envelope, and in an array', async () => {
    const shapes: readonly (readonly [string, (result: object) => unknown])[] = [
      ['JSON within JSON', (result) => JSON.stringify(JSON.stringify(result))],
      ['JSON under data', (result) => ({ type: 'done', data: JSON.stringify({ response: result }) })],
      ['an envelope within an envelope', (result) => ({ payload: { message: 'ok', response: result } })],
      ['an array after its name', (result) => ['result', 1, null, { data: [result] }]],
    ];
    await bringAll(way, shapes, ({ graph, result }, shaped) => {
      graph.sandbox.push.send('harbour', shaped(result));
    });
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

  test('nothing that comes before a result does harm', async () => {
    await bringAll(way, RUBBISH, ({ graph: { sandbox }, contentId }, rubbish) => {
      sandbox.push.send('harbour', rubbish);
      sandbox.push.send('harbour', { data: rubbish });
      sandbox.generations.finish(contentId, { history: false });
    });
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

test('a result by socket.io is understood in an event of any name', async () => {
  const events = ['aiResponse', 'message', 'ai:done', 'openai/response'].map((name) => [name, name] as const);
  await bringAll('socket.io', events, ({ graph, result }, event) => {
    graph.sandbox.push.send('harbour', result, event);
  });
});
