import { describe, expect, test } from 'vitest';
import { journalKey } from '../support/journal-keys.ts';
import { ORIGIN, PAIRS, type Pair } from '../support/processes.ts';
import { completed, refused, userError } from '../../src/writes/outcome.ts';
import type { WriteRecord } from '../../src/journal/journal.ts';

const RECORD: WriteRecord = { mutation: 'createPost', fingerprint: 'f', startedAt: Date.now(), result: null };
const RESULTS = [
  ['unicode', completed({ text: 'Größe 🚢 \u2028 \u0000 \ud800 "\\', é: ['日本'] })],
  ['nulls and nested data', completed({ a: null, b: [null, { c: [[], {}, 0, -1.5, true, ''] }] })],
  ['no data', refused([userError('LIMIT_REACHED', 'm', { path: ['input', 'a', '0'], retryable: true })])],
] as const;
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `name ${index}`);
/** The two processes in turn. */
const sideOf = ([one, other]: Pair, index: number) => (index % 2 === 0 ? one : other);

describe.each(PAIRS)('what remembers writes, %s,', (_name, open) => {
  test('gives the first record to whoever begins again, wherever, and the result when there is one', async () => {
    const [{ journal: one }, { journal: other }] = await open();
    expect(await one.find(journalKey('id'))).toBeNull();
    expect(await one.begin(journalKey('id'), RECORD)).toBeNull();
    const second = { ...RECORD, fingerprint: 'g' };
    for (const journal of [one, other]) {
      expect(await journal.begin(journalKey('id'), second)).toEqual(RECORD);
      expect(await journal.find(journalKey('id'))).toEqual(RECORD);
    }
    const finished = { ...RECORD, result: completed('made') };
    await one.finish(journalKey('id'), finished);
    for (const journal of [one, other]) {
      expect(await journal.begin(journalKey('id'), second)).toEqual(finished);
      expect(await journal.find(journalKey('id'))).toEqual(finished);
    }
    expect(await other.find(journalKey('another'))).toBeNull();
  });

  test('lets begin anew what was forgotten, elsewhere too', async () => {
    const [{ journal: one }, { journal: other }] = await open();
    await one.begin(journalKey('id'), RECORD);
    await one.begin(journalKey('other'), RECORD);
    await one.forget(journalKey('id'));
    expect(await other.find(journalKey('id'))).toBeNull();
    expect(await other.begin(journalKey('id'), RECORD)).toBeNull();
    expect(await one.begin(journalKey('id'), RECORD)).toEqual(RECORD);
    expect(await other.find(journalKey('other'))).toEqual(RECORD);
    await one.forget(journalKey('never begun'));
  });

  test('lets exactly one of a hundred begin', async () => {
    const pair = await open();
    const began = await Promise.all(
      names(100).map((fingerprint, index) =>
        sideOf(pair, index).journal.begin(journalKey('id'), { ...RECORD, fingerprint }),
      ),
    );
    const [winner] = names(100).filter((_, index) => began[index] === null);
    expect(began.filter((known) => known === null)).toHaveLength(1);
    for (const known of began) expect([null, winner]).toContain(known?.fingerprint ?? null);
  });

  test.each(RESULTS)('gives back a result with %s as it was', async (_what, result) => {
    const [{ journal: one }, { journal: other }] = await open();
    await one.begin(journalKey('id'), RECORD);
    await one.finish(journalKey('id'), { ...RECORD, result });
    expect(await other.find(journalKey('id'))).toEqual({ ...RECORD, result });
  });
});

describe.each(PAIRS)('a keyed mutex, %s,', (_name, open) => {
  test('never overlap, and those of one process come in order', async () => {
    const pair = await open();
    const under = { way: 0, most: 0 };
    const begun: string[] = [];
    const task = (name: string) => async (): Promise<string> => {
      under.way += 1;
      under.most = Math.max(under.most, under.way);
      begun.push(name);
      await new Promise((resolve) => setTimeout(resolve, 2));
      under.way -= 1;
      return name;
    };
    const all = names(20).map((name, index) => sideOf(pair, index).mutex.run('one', task(name)));
    expect(await Promise.all(all)).toEqual(names(20));
    expect(under.most).toBe(1);
    const own = begun.filter((name) => names(20).indexOf(name) % 2 === 0);
    expect(own).toEqual(names(20).filter((_, index) => index % 2 === 0));
  });

  test('of another name do not wait', async () => {
    const [{ mutex: one }, { mutex: other }] = await open();
    const ended = await one.run('one', () => other.run('other', () => Promise.resolve('in time')));
    expect(ended).toBe('in time');
  });

  test('are over when their task fails, and its failure is its own', async () => {
    const [{ mutex: one }, { mutex: other }] = await open();
    const failing = one.run('one', () => Promise.reject(new Error('mine')));
    const next = other.run('one', (turn) => Promise.resolve(turn.isHeld()));
    await expect(failing).rejects.toThrow('mine');
    expect(await next).toBe(true);
    expect(await one.run('one', (turn) => Promise.resolve(turn.isHeld()))).toBe(true);
  });
});

/** The pause that a check speaks of, in milliseconds. */
const waitOf = (check: () => void): number => {
  try {
    check();
    return 0;
  } catch (error) {
    return (error as { details: { retryAfterMs: number } }).details.retryAfterMs;
  }
};

describe.each(PAIRS)('rate-limit gates, %s,', (_name, open) => {
  test('that one was asked for are kept by all, and the longer one stands', async () => {
    const [{ rateLimitGates: one }, { rateLimitGates: other }] = await open();
    one.current.note('me', 10_000);
    await expect.poll(() => waitOf(() => other.current.check('me'))).toBeGreaterThan(8_000);
    other.current.note('me', 1_000);
    other.current.note('a marker', 5_000);
    await expect.poll(() => waitOf(() => one.current.check('a marker'))).toBeGreaterThan(0);
    for (const { current } of [one, other]) expect(waitOf(() => current.check('me'))).toBeGreaterThan(5_000);
    other.current.note('me', 20_000);
    await expect.poll(() => waitOf(() => one.current.check('me'))).toBeGreaterThan(15_000);
    one.current.note('me', 1e9);
    await expect.poll(() => waitOf(() => other.current.check('me'))).toBeGreaterThan(25_000);
    expect(waitOf(() => other.current.check('me'))).toBeLessThanOrEqual(30_000);
  });

  test('concern one caller and one surface', async () => {
    const [{ rateLimitGates: one }, { rateLimitGates: other }] = await open();
    one.legacy.note('me', 10_000);
    await expect.poll(() => waitOf(() => other.legacy.check('me'))).toBeGreaterThan(0);
    for (const rateLimitGates of [one, other]) {
      expect(waitOf(() => rateLimitGates.current.check('me'))).toBe(0);
      expect(waitOf(() => rateLimitGates.legacy.check('you'))).toBe(0);
    }
  });
});

describe.each(PAIRS)('authorisations, %s,', (_name, open) => {
  test('that began at one end once, at any', async () => {
    const [{ openAuthorizations: one }, { openAuthorizations: other }] = await open();
    await one.open('state', ORIGIN);
    expect(await other.take('another')).toBe(false);
    expect(await other.take('state')).toBe(true);
    for (const side of [one, other]) expect(await side.take('state')).toBe(false);
    await one.open('own', ORIGIN);
    expect(await one.take('own')).toBe(true);
    expect(await other.take('own')).toBe(false);
  });

  test('are taken by one of fifty', async () => {
    const pair = await open();
    await pair[0].openAuthorizations.open('state', ORIGIN);
    const taken = await Promise.all(
      names(50).map((_, index) => sideOf(pair, index).openAuthorizations.take('state')),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });
});
