import { describe, expect, test } from 'vitest';
import type { Quirks } from '../../packages/sandbox/src/quirks.ts';
import { LOOKING, resultRecord, skipTime, startLive, type LiveGraph } from '../support/live.ts';

// What it costs to find a result in a history of five pages. The sandbox's large data has 500 texts.

const LARGE = { data: 'large' } as const;
const ORDERS = ['newest-first', 'oldest-first'] as const;

/** The pages that were read, in order. */
const pagesRead = ({ sandbox }: LiveGraph): number[] =>
  sandbox.requests.of(LOOKING).map(({ query }) => Number(query.get('page')));

async function startLarge(quirks: Partial<Quirks> = {}, environment = {}): Promise<LiveGraph> {
  return await startLive('history', { sandbox: { ...LARGE, quirks }, environment });
}

const REASONS: readonly [string, (graph: LiveGraph) => unknown][] = [
  ['somebody else comes', (graph) => graph.watch('unheard-of')],
  ['something is asked for that is followed', (graph) => graph.ask()],
  [
    'the socket is cut, before it is open again',
    ({ sandbox }) => {
      sandbox.push.refuse(true);
      sandbox.push.kill();
    },
  ],
  [
    'the socket tells of what was asked for elsewhere',
    ({ sandbox }) => sandbox.push.send('harbour', resultRecord('elsewhere')),
  ],
];

describe('the first look', () => {
  test.each([
    { historyOrder: 'newest-first', place: 'newest', pages: [1] },
    { historyOrder: 'newest-first', place: 'oldest', pages: [1, 2, 3, 4, 5] },
    { historyOrder: 'oldest-first', place: 'newest', pages: [1, 5] },
    { historyOrder: 'oldest-first', place: 'oldest', pages: [1] },
  ] as const)('at a list with the $historyOrder finds the $place text on pages $pages', async (example) => {
    const graph = await startLarge({ historyOrder: example.historyOrder });
    const { history } = graph.sandbox.state.owner('harbour');
    const wanted = history.at(example.place === 'newest' ? -1 : 0);
    const reading = graph.watch(wanted?.contentId ?? '');
    await reading.ended();
    expect(reading.events[1]?.generation).toMatchObject({ status: 'COMPLETE', text: wanted?.aiResponse });
    expect(pagesRead(graph)).toEqual(example.pages);
  });

  test.each(ORDERS)(
    'at a list with the %s, in pages that the service cuts small, reads twenty at most',
    async (historyOrder) => {
      const graph = await startLarge({ historyOrder, maxLimit: 10 });
      const { history } = graph.sandbox.state.owner('harbour');
      const readings = [history.at(-150), history.at(-185), history.at(-1)].map((one) =>
        graph.watch(one?.contentId ?? ''),
      );
      for (const reading of readings) await reading.ended();
      expect(readings.map(({ said }) => said)).toEqual(readings.map(() => ['PENDING', 'COMPLETE']));
      const looks = pagesRead(graph);
      const again = looks.indexOf(1, 1);
      expect(again === -1 ? looks.length : again).toBeLessThanOrEqual(20);
    },
  );
});

describe('the looks that follow', () => {
  test.each([
    { historyOrder: 'newest-first', each: [1] },
    { historyOrder: 'oldest-first', each: [1, 5] },
  ] as const)(
    'at a list with the $historyOrder read pages $each, and all of it each fifth time',
    async (example) => {
      const graph = await startLarge({ historyOrder: example.historyOrder });
      const { contentId } = await graph.ask();
      const reading = graph.watch(contentId);
      const all = example.historyOrder === 'newest-first' ? [1, 2, 3, 4, 5] : [1, 5, 4, 3, 2];
      const expected = [...all, ...Array.from({ length: 4 }, () => example.each).flat(), ...all];
      await graph.looksAgain(expected.length);
      expect(pagesRead(graph).slice(0, expected.length)).toEqual(expected);
      expect(reading.said).toEqual(['PENDING']);
    },
  );

  test.each(ORDERS)(
    'at a list with the %s find what is new without reading all of it',
    async (historyOrder) => {
      const graph = await startLarge({ historyOrder });
      const { contentId } = await graph.ask();
      const reading = graph.watch(contentId);
      await graph.looksAgain(historyOrder === 'newest-first' ? 6 : 7);
      const before = graph.looks();
      graph.sandbox.generations.finish(contentId);
      await reading.ended();
      expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
      expect(graph.looks() - before).toBeLessThanOrEqual(4);
    },
  );

  test.each(REASONS)('come soon again when %s', async (_reason, happen) => {
    const environment = { AI_POLL_INTERVAL: '1h', AI_RESULT_MAX_WAIT: '24h' };
    const graph = await startLive('WebSocket', { environment });
    const readings = [graph.follow(), graph.watch('elsewhere')];
    await Promise.all([readings[1]?.received(1), graph.sandbox.push.waitForOpen(1), graph.looksAgain(1)]);
    // The next look may come from now on, but its timer runs for another hour.
    skipTime(2 * 3_600_000);
    await happen(graph);
    await graph.looksAgain(1);
  });
});

test('a record that the history lists before its text is there is pending until it is', async () => {
  const graph = await startLive('history', { sandbox: { quirks: { pendingInHistory: true } } });
  const { id, contentId } = await graph.ask();
  const reading = graph.watch(contentId);
  await graph.looksAgain(3);
  const { data } = await graph.query('query ($id: ID!) { aiGeneration(id: $id) { status text } }', { id });
  expect(data.aiGeneration).toEqual({ status: 'PENDING', text: null });
  expect(reading.said).toEqual(['PENDING']);
  graph.sandbox.generations.finish(contentId);
  await reading.ended();
  expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
});

test('records that come while the pages are read push none out of sight', async () => {
  const graph = await startLarge();
  const { contentId } = await graph.ask();
  const reading = graph.watch(contentId);
  await graph.looksAgain(1);
  graph.sandbox.generations.finish(contentId);
  graph.sandbox.state.owner('harbour').addHistory(250);
  await reading.ended();
  expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
});

test.each<[string, (rows: unknown[]) => unknown[]]>([
  ['rows of other kinds', (rows) => [null, 5, 'text', [], {}, ...rows.slice(5)]],
  ['ids of other kinds', (rows) => [{ contentId: {} }, { contentId: [] }, ...rows.slice(2)]],
  ['times of no kind', (rows) => rows.map((row) => ({ ...(row as object), createdOn: 'soon' }))],
  ['no times', (rows) => rows.map((row) => ({ ...(row as object), createdOn: null }))],
  ['instants', (rows) => rows.map((row) => ({ ...(row as object), createdOn: '2026-11-20T08:00:00.000Z' }))],
])('a history with %s is looked through like any other', async (_name, change) => {
  const graph = await startLarge();
  const { contentId } = await graph.ask();
  graph.sandbox.generations.finish(contentId);
  const seen: number[] = [];
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: LOOKING,
    times: 1,
    change: (answer) => {
      const { response } = answer as { response: { list: unknown[] } };
      const list = change(response.list);
      seen.push(list.length);
      return { ...(answer as object), response: { ...response, list } };
    },
  });
  const reading = graph.watch(contentId);
  await reading.ended();
  expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  expect(seen).toEqual([100]);
  await expect.poll(() => graph.log.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
});
