import { beforeEach, describe, expect, test, vi } from 'vitest';
import { HistoryFeed } from '../../src/sources/ai-results/history.ts';
import type { CurrentClient } from '../../src/sources/current/client.ts';
import { SourceError, type SourceErrorDetails } from '../../src/sources/errors.ts';

const INTERVAL_MS = 1_000;
/** How many records a page has here, however many are asked for. */
const SERVED = 10;

/** A record of a list with the newest first. */
function recordAt(row: number): object {
  const minute = String(59 - (row % 60)).padStart(2, '0');
  return { contentId: `another-${row}`, aiResponse: 'A text.', createdOn: `20-Nov-2026 08:${minute} AM` };
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const failing = (kind: SourceError['kind'], details: SourceErrorDetails = {}): SourceError =>
  new SourceError(kind, 'current', 'as a test wants it', details);

describe('the history', () => {
  let wanted: Map<string, number>;
  let rows: object[];
  let total: number;
  let isReversed: boolean;
  let changeRow: (row: object, index: number) => unknown;
  let failure: SourceError | null;
  /** How long another process has the turn. */
  let waitMs: number;
  const onLooked = vi.fn<() => void>();
  const call = vi.fn<CurrentClient['call']>();
  const onResult = vi.fn<(contentId: string) => void>();
  const onRefusal = vi.fn<() => void>();
  const overdue = vi.fn<(contentIds: readonly string[]) => void>();

  beforeEach(() => {
    vi.resetAllMocks();
    vi.useFakeTimers();
    wanted = new Map();
    rows = [];
    total = 0;
    isReversed = false;
    changeRow = (row) => row;
    failure = null;
    waitMs = 0;
    overdue.mockImplementation((contentIds) => contentIds.forEach((contentId) => wanted.delete(contentId)));
    call.mockImplementation(async (_endpoint, { query = {} } = {}) => {
      if (failure) throw failure;
      const first = (Number(query['page']) - 1) * SERVED;
      const served = range(first, first + SERVED - 1).map((row) => recordAt(isReversed ? 59 - row : row));
      const list = total === 0 ? rows : served.map(changeRow);
      const totalRecords = total || rows.length;
      const response = { currentPage: query['page'], pageLimit: SERVED, totalRecords, list };
      return await Promise.resolve({
        response,
        message: () => null,
        origin: { surface: 'current', endpoint: 'test', onDrift: () => undefined },
      });
    });
  });

  function open(): HistoryFeed {
    return new HistoryFeed(
      {
        client: { call },
        wanted: () => new Map(wanted),
        isWantedElsewhere: (contentId) => contentId === 'elsewhere',
        takeTurn: () => Promise.resolve(waitMs),
        onLooked,
        pageSize: 100,
        firstIntervalMs: INTERVAL_MS,
      },
      { onResult: ({ contentId }) => onResult(contentId), onRefusal, onOverdue: overdue },
    );
  }
  const want = (contentId: string, forMs = 60_000): void => void wanted.set(contentId, Date.now() + forMs);
  const lookFor = (...wanting: Parameters<typeof want>): HistoryFeed => {
    const feed = open();
    want(...wanting);
    feed.lookSoon();
    return feed;
  };
  const looksWithin = async (ms: number): Promise<number> => {
    const before = call.mock.calls.length;
    await vi.advanceTimersByTimeAsync(ms);
    return call.mock.calls.length - before;
  };

  test('is read at most once in an interval, however often that is requested', async () => {
    const feed = open();
    want('a');
    for (let times = 0; times < 100; times += 1) {
      feed.lookSoon();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(call.mock.calls.length).toBeGreaterThanOrEqual(10);
    expect(call.mock.calls.length).toBeLessThanOrEqual(11);
  });

  test('is not read before the turn of another process is over, not even at the end of the waiting', async () => {
    waitMs = 700;
    lookFor('a', 300);
    expect(await looksWithin(699)).toBe(0);
    waitMs = 0;
    expect(await looksWithin(1)).toBe(1);
    expect(overdue).toHaveBeenCalledWith(['a']);
  });

  test('is not read for an interval after another process has read it, except at the end of the waiting', async () => {
    const feed = lookFor('a', 5_000);
    await looksWithin(0);
    expect(onLooked).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(900);
    feed.postpone();
    expect(await looksWithin(1_400)).toBe(0);
    expect(await looksWithin(200)).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    feed.postpone();
    expect(await looksWithin(500)).toBe(1);
    expect(overdue).toHaveBeenLastCalledWith(['a']);
  });

  test('reports what other processes wait for, and nothing if it cannot be read', async () => {
    rows = ['elsewhere', 'of nobody'].map((contentId) => ({ contentId, aiResponse: 'A text.' }));
    lookFor('a');
    await looksWithin(0);
    expect(onResult.mock.calls).toEqual([['elsewhere']]);
    failure = failing('unavailable');
    expect(await looksWithin(2_000)).toBe(1);
    expect(onLooked).toHaveBeenCalledTimes(1);
  });

  test('is read as often as before if the clock is set back a day', async () => {
    const feed = lookFor('a', 2 * 86_400_000);
    await looksWithin(0);
    vi.setSystemTime(Date.now() - 86_400_000);
    feed.lookSoon();
    expect(await looksWithin(INTERVAL_MS)).toBe(1);
    expect(await looksWithin(60_000)).toBeGreaterThan(5);
  });

  test('is read again after 1, 1.5, 2.25 and up to 10 intervals', async () => {
    lookFor('a', 1_000_000);
    await looksWithin(0);
    const times: number[] = [];
    const begun = Date.now();
    call.mockImplementation(() => {
      times.push(Date.now() - begun);
      return Promise.reject(failing('unavailable'));
    });
    await looksWithin(60_000);
    const pauses = times.map((time, index) => time - (times[index - 1] ?? 0));
    const expected = [1_000, 1_500, 2_250, 3_375, 5_062, 7_593, 10_000, 10_000, 10_000];
    expect(pauses).toEqual(expected.map((pauseMs) => expect.closeTo(pauseMs, -1)));
  });

  test('is not read for as long as the service asks, up to half a minute', async () => {
    failure = failing('rate-limited', { retryAfterMs: 7_000 });
    const feed = lookFor('a', 1_000_000);
    expect(await looksWithin(0)).toBe(1);
    feed.lookSoon();
    expect(await looksWithin(6_999)).toBe(0);
    failure = failing('rate-limited', { retryAfterMs: 7_000_000 });
    expect(await looksWithin(1)).toBe(1);
    feed.lookSoon();
    expect(await looksWithin(29_999)).toBe(0);
    expect(await looksWithin(1)).toBe(1);
  });

  test('is read at the end of the waiting, whatever the pause, and then reports what it lacks', async () => {
    failure = failing('unavailable', { retryAfterMs: 20_000 });
    lookFor('a', 5_000);
    await looksWithin(4_999);
    expect(overdue.mock.calls.flat(2)).toEqual([]);
    expect(await looksWithin(1)).toBe(1);
    expect(overdue.mock.calls.flat(2)).toEqual(['a']);
  });

  test('is read once more if the waiting ended during a read', async () => {
    const answer = call.getMockImplementation();
    call.mockImplementation(async (...asked) => {
      await new Promise((resolve) => setTimeout(resolve, 800));
      return await (answer?.(...asked) ?? Promise.reject(new Error('no answer')));
    });
    lookFor('a', 500);
    await looksWithin(900);
    expect(overdue.mock.calls.flat(2)).toEqual([]);
    rows = [{ ...recordAt(0), contentId: 'a' }];
    await looksWithin(2_000);
    expect(onResult).toHaveBeenCalledWith('a');
    expect(overdue.mock.calls.flat(2)).toEqual([]);
  });

  test('reports nothing about results that it was not read for yet', async () => {
    call.mockImplementationOnce(async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      throw failing('unavailable');
    });
    const feed = lookFor('a');
    await looksWithin(0);
    wanted.set('b', Date.now() - 1);
    rows = [{ contentId: 'b', aiResponse: 'A text.' }];
    feed.lookSoon();
    await looksWithin(500);
    expect(overdue.mock.calls.flat(2)).toEqual([]);
    await looksWithin(INTERVAL_MS);
    expect(onResult.mock.calls).toEqual([['b']]);
  });

  const pagesWithin = async (ms: number): Promise<unknown[]> => {
    const before = call.mock.calls.length;
    await vi.advanceTimersByTimeAsync(ms);
    return call.mock.calls.slice(before).map(([, sent]) => sent?.query?.['page']);
  };

  describe.each([
    { order: 'newest', newer: [1], all: [1, 2, 3], many: [1, ...range(2, 20)] },
    { order: 'oldest', newer: [1, 3], all: [1, 3, 2], many: [1, ...range(32, 50).toReversed()] },
  ] as const)('with the $order first', ({ order, newer, all, many }) => {
    beforeEach(() => {
      isReversed = order === 'oldest';
    });

    test('is read in full for a new result, in every fifth read, and once more at the end of the waiting', async () => {
      total = 3 * SERVED;
      const feed = lookFor('a', 8_000);
      expect(await pagesWithin(0)).toEqual(all);
      expect(await pagesWithin(1_000)).toEqual(newer);
      want('b', 60_000);
      feed.lookSoon();
      expect(await pagesWithin(1_000)).toEqual(all);
      expect(await pagesWithin(3_000)).toEqual([...newer, ...newer]);
      // The sixth look reads all of it in any case, the seventh for being the last one for `a`.
      expect(await pagesWithin(3_000)).toEqual([...all, ...all]);
      expect(overdue.mock.calls.flat(2)).toEqual(['a']);
    });

    test('is read no further than the result', async () => {
      total = 5 * SERVED;
      lookFor(`another-${isReversed ? 59 : 0}`);
      expect(await pagesWithin(0)).toEqual([1]);
    });

    test('is read in pages of the size that the service chooses, at most twenty', async () => {
      total = 50 * SERVED;
      lookFor('a');
      expect(await pagesWithin(0)).toEqual(many);
      const sizes = call.mock.calls.map(([, sent]) => sent?.query?.['limit']);
      expect(sizes).toEqual([100, ...Array.from({ length: 19 }, () => SERVED)]);
    });
  });

  test.each<[string, (row: object, index: number) => unknown]>([
    ['rows of other kinds', (row, index) => [null, 5, 'text', [], {}][index] ?? row],
    ['ids of other kinds', (row, index) => [{ contentId: {} }, { contentId: [] }][index] ?? row],
    ['times of no kind', (row) => ({ ...row, createdOn: 'soon' })],
    ['no times', (row) => ({ ...row, createdOn: null })],
    ['instants', (row) => ({ ...row, createdOn: '2026-11-20T08:00:00.000Z' })],
  ])('is read to its end in spite of %s', async (_what, change) => {
    total = 2 * SERVED;
    changeRow = change;
    lookFor('another-15');
    expect(await pagesWithin(0)).toEqual([1, 2]);
    expect(onResult.mock.calls).toEqual([['another-15']]);
  });

  test('is read from both ends if the first page is of one minute', async () => {
    total = 50 * SERVED;
    changeRow = (row, index) => (index < SERVED ? { ...row, createdOn: '20-Nov-2026 08:59 AM' } : row);
    lookFor('another-15');
    expect(await pagesWithin(0)).toEqual([1, 50, 2]);
    expect(onResult.mock.calls).toEqual([['another-15']]);
  });

  test('is read in pages that can be counted, however many it claims to have', async () => {
    total = 2_000_000_000;
    lookFor('a');
    expect(await pagesWithin(0)).toEqual([1, ...range(2, 20)]);
  });

  test('reports a refused credential, and is not read after it was closed', async () => {
    failure = failing('unauthenticated');
    const feed = lookFor('a');
    await looksWithin(0);
    expect(onRefusal).toHaveBeenCalledTimes(1);
    feed.close();
    expect(await looksWithin(100_000)).toBe(0);
    feed.lookSoon();
    expect(await looksWithin(100_000)).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
