import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { anything, assert, json, property } from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import type { PushSettings } from '../../src/config.ts';
import {
  keepConnected,
  pauseBefore,
  resultsIn,
  webSocketConnection,
  type ConnectionEvents,
} from '../../src/sources/ai-results/push.ts';
import { isOfAnother, joinResults } from '../../src/sources/current/openai.ts';
import { costOf, MOST_GROWTH } from '../support/costs.ts';
import { startSocketServer } from '../support/web-sockets.ts';

const RESULT = { contentId: 'abc', aiResponse: 'A text.' };

describe('in a message', () => {
  test.each<[string, unknown]>([
    ['bare', RESULT],
    ['as JSON', JSON.stringify(RESULT)],
    ['as JSON within JSON', JSON.stringify(JSON.stringify(RESULT))],
    ['after blanks', `\n  ${JSON.stringify(RESULT)}\n`],
    ['under response', { message: 'Success', response: RESULT }],
    ['under data', { event: 'aiResponse', data: RESULT }],
    ['under payload', { type: 'aiResponse', payload: RESULT }],
    ['as JSON under data', { data: JSON.stringify(RESULT) }],
    ['in an envelope within an envelope', { payload: { response: RESULT } }],
    ['in an array, after its name', ['aiResponse', RESULT]],
    ['beside other things', [null, 7, 'words', [], {}, RESULT, { data: null }]],
    ['with other fields', { response: { ...RESULT, access_token: 'tok-12345678901234567890', meta: {} } }],
  ])('a result is found %s, with its documented fields', (_where, message) => {
    expect(resultsIn(message)).toEqual([RESULT]);
  });

  test('a hundred results are found at most, with exact ids and whole characters', () => {
    const two = resultsIn([RESULT, { data: { ...RESULT, contentId: 'def' } }]);
    expect(two).toMatchObject([{ contentId: 'abc' }, { contentId: 'def' }]);
    expect(resultsIn(Array.from({ length: 1_000 }, () => RESULT))).toHaveLength(100);
    expect(resultsIn('{"contentId":12345678901234567890}')).toEqual([{ contentId: '12345678901234567890' }]);
    const half = { data: { ...RESULT, aiResponse: 'Half \ud83d' } };
    for (const form of [half, JSON.stringify(half), { data: JSON.stringify(half) }])
      expect(resultsIn(form)).toEqual([{ ...RESULT, aiResponse: 'Half \ufffd' }]);
  });

  test.each<[string, unknown]>([
    ['in null', null],
    ['in undefined', undefined],
    ['in words', 'Your text is ready.'],
    ['in broken JSON', '{"contentId":"abc"'],
    ['without an id', { aiResponse: 'A text.' }],
    ['with an empty id', { contentId: '' }],
    ['under any other name', { result: RESULT, constructor: RESULT }],
    ['in what an object inherits', Object.create({ data: RESULT })],
    ['deeper than six steps', [[[[[[RESULT]]]]]]],
    ['within 100,000 levels', '['.repeat(100_000) + JSON.stringify(RESULT) + ']'.repeat(100_000)],
    ['in a function', () => RESULT],
  ])('no result is found %s', (_where, message) => expect(resultsIn(message)).toEqual([]));

  test('anything is searched without an error', () => {
    assert(
      property(anything({ withBigInt: true, withDate: true, withMap: true }), (message) => {
        expect(Array.isArray(resultsIn(message))).toBe(true);
      }),
    );
    assert(property(json({ maxDepth: 8 }), (text) => void resultsIn(text)));
  });

  test('empty arrays before a result take time in proportion to their number', () => {
    const messageOf = (count: number) => `[${'[],'.repeat(count)}${JSON.stringify(RESULT)}]`;
    // A mebibyte, which is the most that a message may have.
    expect(resultsIn(messageOf(349_000))).toEqual([RESULT]);
    expect(costOf((count) => resultsIn(messageOf(count)), 200_000).growth).toBeLessThan(MOST_GROWTH);
  });
});

const ISO = '2026-11-20T08:00:01.234Z';
const MINUTE = '20-Nov-2026 08:00 AM';

describe('two records of one generation', () => {
  test('become one, with the values of the later where it has some', () => {
    const earlier = { contentId: 'a', totalCredit: 7, aiResponse: 'half', tone: 'Warm' };
    const later = { contentId: 'a', aiResponse: 'whole', tone: '', ownerId: 5, templateUsed: null };
    expect(joinResults(earlier, later)).toEqual({ ...earlier, aiResponse: 'whole', ownerId: 5 });
  });

  test.each([
    { earlier: ISO, later: MINUTE, joined: ISO },
    { earlier: MINUTE, later: ISO, joined: ISO },
    { earlier: MINUTE, later: '21-Nov-2026 08:00 AM', joined: '21-Nov-2026 08:00 AM' },
    { earlier: ISO, later: '2026-11-20T08:00:09.000Z', joined: '2026-11-20T08:00:09.000Z' },
    { earlier: ISO, later: undefined, joined: ISO },
    { earlier: undefined, later: MINUTE, joined: MINUTE },
    { earlier: ISO, later: '2026-11-20T08:00:09', joined: ISO },
    { earlier: '2026-11-20T08:00:09', later: ISO, joined: ISO },
    { earlier: '2026-11-20T08:00:09', later: MINUTE, joined: MINUTE },
  ])('from $earlier and $later have the time $joined', ({ earlier, later, joined }) => {
    expect(joinResults({ createdOn: earlier }, { createdOn: later })).toEqual({ createdOn: joined });
  });

  test.each([
    [{ ownerId: 1 }, { ownerId: 2 }, true],
    [{ ownerId: 1 }, { ownerId: '2' }, true],
    [{ ownerId: 1 }, { ownerId: '1' }, false],
    [{ ownerId: 1 }, {}, false],
    [{}, { ownerId: 2 }, false],
    [{ ownerId: 1 }, { ownerId: null }, false],
    [{ ownerId: 1 }, { ownerId: { of: 'no kind' } }, false],
    [{ ownerId: 1 }, null, false],
  ])('%j and %j are of different owners: %s', (ours, other, expected) => {
    expect(isOfAnother(ours, other)).toBe(expected);
  });
});

describe('a connection that is kept', () => {
  const told = {
    onOpen: vi.fn<() => void>(),
    onMessage: vi.fn<(message: unknown) => void>(),
    onClose: vi.fn<() => void>(),
  };
  const closed = vi.fn<() => void>();
  let tries: ConnectionEvents[] = [];
  const open = (events: ConnectionEvents) => {
    tries.push(events);
    return { close: closed };
  };
  const last = (): ConnectionEvents => tries.at(-1) as ConnectionEvents;

  beforeEach(() => {
    vi.resetAllMocks();
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(0);
    tries = [];
  });

  test.each([
    { random: 0, pauses: [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] },
    { random: 1, pauses: [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000] },
  ])(
    'is made again after pauses that double from 500 ms to 30 s, and are shorter by up to half, at $random',
    ({ random, pauses }) => {
      vi.spyOn(Math, 'random').mockReturnValue(random);
      keepConnected(open, told);
      for (const pauseMs of pauses) {
        const before = tries.length;
        last().onClose();
        vi.advanceTimersByTime(pauseMs - 1);
        expect(tries).toHaveLength(before);
        vi.advanceTimersByTime(1);
        expect(tries).toHaveLength(before + 1);
      }
      expect(told.onClose).toHaveBeenCalledTimes(8);
      expect(pauseBefore(2_000)).toBe(pauses.at(-1));
    },
  );

  test('that has lasted for ten seconds starts again with the shortest pause', () => {
    keepConnected(open, told);
    const holdFor = (ms: number): void => {
      last().onOpen();
      vi.advanceTimersByTime(ms);
      last().onClose();
    };
    holdFor(9_000);
    vi.advanceTimersByTime(500);
    holdFor(9_000);
    vi.advanceTimersByTime(999);
    expect(tries).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(tries).toHaveLength(3);
    holdFor(10_001);
    vi.advanceTimersByTime(500);
    expect(tries).toHaveLength(4);
  });

  test('that is closed reports nothing more, and is not made again, not even after a pause', () => {
    const feed = keepConnected(open, told);
    last().onOpen();
    last().onMessage('one');
    feed.close();
    expect(closed).toHaveBeenCalledTimes(1);
    last().onMessage('two');
    last().onOpen();
    last().onClose();
    vi.advanceTimersByTime(100_000);
    expect(tries).toHaveLength(1);
    expect(told.onMessage.mock.calls).toEqual([['one']]);
    expect([told.onOpen, told.onClose].map((mock) => mock.mock.calls.length)).toEqual([1, 0]);
    const pausing = keepConnected(open, told);
    last().onClose();
    pausing.close();
    vi.advanceTimersByTime(100_000);
    expect([tries.length, vi.getTimerCount()]).toEqual([2, 0]);
  });
});

const PING_MS = 15_000;

/** Connects to a port, with a clock that the test holds. */
function connect(port: number) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const settings = {
    url: new URL(`ws://127.0.0.1:${port}/`),
    auth: [],
  } as Partial<PushSettings> as PushSettings;
  const listener = { onOpen: vi.fn(), onMessage: vi.fn(), onClose: vi.fn() };
  const connection = webSocketConnection(settings, 'a key')(listener);
  onTestFinished(() => connection.close());
  return listener;
}

/** A server of push sockets that answers pings, or does not. */
async function startPeer(autoPong: boolean) {
  let pings = 0;
  // Comes after the answer to the ping.
  const answer = (socket: WebSocket) => socket.on('ping', () => socket.send(`ping ${(pings += 1)}`));
  return await startSocketServer(answer, { autoPong });
}

describe('a WebSocket', () => {
  const soon = { interval: 2 };

  test('is kept while its peer answers pings', async () => {
    const { onOpen, onMessage, onClose } = connect(await startPeer(true));
    await expect.poll(() => onOpen, soon).toHaveBeenCalled();
    for (const count of [1, 2, 3]) {
      vi.advanceTimersByTime(PING_MS);
      await expect.poll(() => onMessage, soon).toHaveBeenLastCalledWith(`ping ${count}`);
    }
    expect(onClose).not.toHaveBeenCalled();
  });

  test('is given up when a ping was not answered', async () => {
    const { onOpen, onMessage, onClose } = connect(await startPeer(false));
    await expect.poll(() => onOpen, soon).toHaveBeenCalled();
    vi.advanceTimersByTime(PING_MS);
    await expect.poll(() => onMessage, soon).toHaveBeenCalledWith('ping 1');
    expect(onClose).not.toHaveBeenCalled();
    vi.advanceTimersByTime(PING_MS);
    await expect.poll(() => onClose, soon).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is not pinged while it is being opened, which would fail', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const { onClose } = connect((silent.address() as AddressInfo).port);
    expect(() => vi.advanceTimersByTime(2 * PING_MS)).not.toThrow();
    expect(onClose).not.toHaveBeenCalled();
  });
});
