import { describe, expect, test } from 'vitest';
import type { Quirks } from '../../packages/sandbox/src/quirks.ts';
import { eachCase } from '../support/cases.ts';
import {
  askAndWatch,
  letWaitsEnd,
  LOOKING,
  MAX_WAIT_MS,
  only,
  resultRecord,
  saidBy,
  skipTime,
  startLive,
  WAYS,
  waysAreOpen,
  type LiveGraph,
} from '../support/live.ts';

const ORDERS = ['newest-first', 'oldest-first'] as const;

/** A graph before a history of five pages: the sandbox's large data has 500 texts. */
const startLarge = async (quirks: Partial<Quirks> = {}): Promise<LiveGraph> =>
  await startLive('history', { sandbox: { data: 'large', quirks } });

/** The pages that were read, in order. */
const pagesRead = ({ sandbox }: LiveGraph): number[] =>
  sandbox.requests.of(LOOKING).map(({ query }) => Number(query.get('page')));

describe.each([
  { historyOrder: 'newest-first', newest: [1], oldest: [1, 2, 3, 4, 5], all: [1, 2, 3, 4, 5] },
  { historyOrder: 'oldest-first', newest: [1, 5], oldest: [1], all: [1, 5, 4, 3, 2] },
] as const)('a history with the $historyOrder', ({ historyOrder, newest, oldest, all }) => {
  test('is read by the first look up to the text, from the newer end where all must be read', async () => {
    const graph = await startLarge({ historyOrder });
    const { history } = graph.sandbox.state.owner('harbour');
    for (const [wanted, pages] of [
      [history.at(-1), newest],
      [history.at(0), oldest],
    ] as const) {
      const before = graph.looks();
      const reading = graph.watch(wanted?.contentId ?? '');
      await reading.ended();
      expect(reading.events[1]?.generation).toMatchObject({ status: 'COMPLETE', text: wanted?.aiResponse });
      expect(pagesRead(graph).slice(before)).toEqual(pages);
    }
  });

  test('is read at its newer end by the looks that follow, as a whole by each fifth, and shows what is new', async () => {
    const graph = await startLarge({ historyOrder });
    const { contentId } = await graph.ask();
    const reading = graph.watch(contentId);
    const expected = [...all, ...Array.from({ length: 4 }, () => newest).flat(), ...all];
    await graph.looksAgain(expected.length);
    expect(pagesRead(graph).slice(0, expected.length)).toEqual(expected);
    expect(reading.said).toEqual(['PENDING']);
    const before = graph.looks();
    graph.sandbox.generations.finish(contentId);
    expect(await saidBy(reading)).toEqual(['PENDING', 'COMPLETE']);
    expect(graph.looks() - before).toBeLessThanOrEqual(4);
  });
});

test.each(ORDERS)(
  'twenty pages are read at most of a list with the %s in small pages',
  async (historyOrder) => {
    const graph = await startLarge({ historyOrder, maxLimit: 10 });
    const { history } = graph.sandbox.state.owner('harbour');
    const readings = [history.at(-150), history.at(-185), history.at(-1)].map((one) =>
      graph.watch(one?.contentId ?? ''),
    );
    for (const reading of readings) expect(await saidBy(reading)).toEqual(['PENDING', 'COMPLETE']);
    const looks = pagesRead(graph);
    const again = looks.indexOf(1, 1);
    expect(again === -1 ? looks.length : again).toBeLessThanOrEqual(20);
  },
);

test('the next look comes soon when there is a reason', async () => {
  const environment = { AI_POLL_INTERVAL: '1h', AI_RESULT_MAX_WAIT: '24h' };
  const graph = await startLive('WebSocket', { environment });
  const { push } = graph.sandbox;
  const readings = [graph.follow(), graph.watch('elsewhere')];
  await Promise.all([readings[1]?.received(1), push.waitForOpen(1), graph.looksAgain(1)]);
  await eachCase<readonly [string, () => unknown]>(
    [
      ['somebody else comes', () => graph.watch('unheard-of')],
      ['something is asked for that is followed', () => graph.ask()],
      [
        'the socket tells of what was asked for elsewhere',
        () => push.send('harbour', resultRecord('elsewhere')),
      ],
      [
        'the socket is cut, before it is open again',
        () => {
          push.refuse(true);
          push.kill();
        },
      ],
    ],
    async ([, happen]) => {
      // The next look may come from now on, but its timer runs for another hour.
      skipTime(2 * 3_600_000);
      const looked = graph.looksAgain(1);
      await happen();
      await looked;
    },
  );
});

test('a record that the history lists before its text is there is pending until it is', async () => {
  const graph = await startLive('history', { sandbox: { quirks: { pendingInHistory: true } } });
  const { id, contentId, reading } = await askAndWatch(graph, 'history');
  await graph.looksAgain(3);
  const { data } = await graph.query('query ($id: ID!) { aiGeneration(id: $id) { status text } }', { id });
  expect(data.aiGeneration).toEqual({ status: 'PENDING', text: null });
  expect(reading.said).toEqual(['PENDING']);
  graph.sandbox.generations.finish(contentId);
  expect(await saidBy(reading)).toEqual(['PENDING', 'COMPLETE']);
});

/** Puts a time into each row of a list. */
const withTime = (createdOn: unknown) => (rows: unknown[]) =>
  rows.map((row) => ({ ...(row as object), createdOn }));

test('records that come while the pages are read, and odd ones, push none out of sight', async () => {
  const graph = await startLarge();
  const moving = await askAndWatch(graph, 'history');
  await graph.looksAgain(1);
  graph.sandbox.generations.finish(moving.contentId);
  graph.sandbox.state.owner('harbour').addHistory(250);
  expect(await saidBy(moving.reading)).toEqual(['PENDING', 'COMPLETE']);
  await eachCase<readonly [string, (rows: unknown[]) => unknown[]]>(
    [
      ['rows of other kinds', (rows) => [null, 5, 'text', [], {}, ...rows.slice(5)]],
      ['ids of other kinds', (rows) => [{ contentId: {} }, { contentId: [] }, ...rows.slice(2)]],
      ['times of no kind', withTime('soon')],
      ['no times', withTime(null)],
      ['instants', withTime('2026-11-20T08:00:00.000Z')],
    ],
    async ([, change]) => {
      const { contentId } = await graph.ask();
      graph.sandbox.generations.finish(contentId);
      // It is on the second page.
      graph.sandbox.state.owner('harbour').addHistory(110);
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
      expect(await saidBy(graph.watch(contentId))).toEqual(['PENDING', 'COMPLETE']);
      expect(seen).toEqual([100]);
    },
  );
  expect(graph.log.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
});

describe.each(WAYS)('by %s', (way) => {
  test('a generation that never finishes expires, ends its streams, and leaves nothing running', async () => {
    const graph = await startLive(way);
    const follower = graph.follow();
    await graph.ask({ prompt: 'a marker' });
    await follower.received(1);
    const { contentId, reading } = await askAndWatch(graph, way);
    const sse = graph.sse.watch(contentId);
    await sse.received(1);
    letWaitsEnd();
    for (const one of [reading, sse]) {
      expect(await one.ended()).toEqual({ how: 'complete' });
      expect(one.events).toMatchObject([
        { generation: { status: 'PENDING' } },
        { generation: { contentId, status: 'EXPIRED', text: null, prompt: 'slowly, never' }, errors: [] },
      ]);
    }
    await follower.received(2);
    expect(follower.said).toEqual(['COMPLETE', 'EXPIRED']);
    follower.leave();
    await graph.sandbox.push.waitForOpen(0);
    await graph.isQuiet();
  });

  test('a key that is revoked ends those who wait with it, within an interval', async () => {
    const graph = await startLive(way);
    const theirs = await askAndWatch(graph, way, { as: 'fernlight' });
    const { contentId, reading } = await askAndWatch(graph, way);
    const readings = [reading, graph.sse.watch(contentId), graph.follow()];
    await readings[1]?.received(1);
    await waysAreOpen(graph, way, 'harbour');
    const revoked = { kind: 'status', status: 401, endpoint: LOOKING, owner: 'harbour' } as const;
    graph.sandbox.faults.add({ ...revoked, times: Infinity });
    for (const one of readings) {
      await one.ended();
      expect(one.said.at(-1)).toBe('CREDENTIAL_REJECTED');
      expect(one.events.at(-1)?.errors).toMatchObject([
        { extensions: { surface: 'CURRENT', retryable: false, requestId: expect.any(String) } },
      ]);
    }
    const shutOut = { how: 'cut', code: 4401 };
    expect(readings.map(({ ending }) => ending)).toEqual([shutOut, { how: 'complete' }, shutOut]);
    graph.sandbox.generations.finish(theirs.contentId, only(way));
    expect(await saidBy(theirs.reading)).toEqual(['PENDING', 'COMPLETE']);
  });
});

test('a result that is there only at the last moment is delivered', async () => {
  // The second look is the last: it comes when somebody else begins to wait.
  const graph = await startLive('history', { environment: { AI_POLL_INTERVAL: '1h' } });
  const [found, missing] = [await graph.ask(), await graph.ask()];
  const readings = [graph.watch(found.contentId), graph.watch(missing.contentId)];
  await graph.looksAgain(1);
  graph.sandbox.generations.finish(found.contentId);
  await Promise.all(readings.map((reading) => reading.received(1)));
  letWaitsEnd();
  graph.watch('another');
  for (const reading of readings) await reading.ended();
  expect(readings.map(({ said }) => said)).toEqual([
    ['PENDING', 'COMPLETE'],
    ['PENDING', 'EXPIRED'],
  ]);
  expect(graph.looks()).toBeLessThanOrEqual(3);
});

test('a client that comes back does not have to wait longer than one that stayed', async () => {
  const graph = await startLive('history');
  const { contentId } = await graph.ask();
  for (let times = 0; times < 3; times += 1) {
    const reading = graph.watch(contentId);
    await Promise.all([reading.received(1), graph.looksAgain(2)]);
    reading.vanish();
  }
  skipTime(MAX_WAIT_MS / 2);
  const last = graph.watch(contentId);
  await Promise.all([last.received(1), graph.looksAgain(2)]);
  expect(last.said).toEqual(['PENDING']);
  skipTime(MAX_WAIT_MS / 2);
  expect(await saidBy(last)).toEqual(['PENDING', 'EXPIRED']);
});

test('one who comes to a generation that was given up, while others are looked for, is looked for too', async () => {
  const graph = await startLive('history');
  const { contentId, reading } = await askAndWatch(graph, 'history');
  letWaitsEnd();
  await reading.ended();
  graph.sandbox.generations.finish(contentId);
  const other = graph.watch('unheard-of');
  await Promise.all([other.received(1), graph.looksAgain(1)]);
  // The next look is under way, for the other one, when the text is asked for again.
  const slow = graph.sandbox.faults.add({ kind: 'delay', ms: 150, endpoint: LOOKING });
  await expect.poll(() => slow.hits).toBe(1);
  expect(await saidBy(graph.watch(contentId))).toEqual(['COMPLETE']);
});

test.each([
  ['answers 503', { kind: 'status', status: 503 }],
  ['cuts connections', { kind: 'reset-before-headers' }],
  ['answers something else', { kind: 'malformed-json' }],
] as const)(
  'a service that %s is asked on until it answers, or the generation expires',
  async (_name, outage) => {
    const graph = await startLive('WebSocket');
    graph.sandbox.push.refuse(true);
    const { contentId } = await graph.ask();
    graph.sandbox.generations.finish(contentId);
    const passing = graph.sandbox.faults.add({ ...outage, endpoint: LOOKING, times: 3 });
    expect(await saidBy(graph.watch(contentId))).toEqual(['PENDING', 'COMPLETE']);
    expect(passing.remaining).toBe(0);
    const lasting = graph.sandbox.faults.add({ ...outage, endpoint: LOOKING, times: Infinity });
    const { reading } = await askAndWatch(graph, 'history');
    await expect.poll(() => lasting.hits).toBeGreaterThan(1);
    letWaitsEnd();
    expect(await reading.ended()).toEqual({ how: 'complete' });
    expect(reading.said).toEqual(['PENDING', 'EXPIRED']);
  },
);

test('a service that is gone lets a generation expire, and takes nobody with it', async () => {
  const graph = await startLive('socket.io');
  const { reading } = await askAndWatch(graph, 'socket.io');
  await graph.sandbox.close();
  letWaitsEnd();
  expect(await reading.ended()).toEqual({ how: 'complete' });
  expect(reading.said).toEqual(['PENDING', 'EXPIRED']);
  expect((await graph.query('{ surfaces { isConfigured } }')).data.surfaces).toHaveLength(2);
});
