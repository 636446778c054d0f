import { describe, expect, test, vi } from 'vitest';
import type { Coordination } from '../../src/coordination/coordination.ts';
import { Generations, type KnownGeneration } from '../../src/live/generations.ts';
import { completed } from '../../src/writes/outcome.ts';
import { journalKey, hearEachOther, PAIRS, pauseOf, sharePair } from '../support/redis.ts';

// What processes agree on, wherever it lies; `test/journal/contract.test.ts` has the same for writes with a key.

const PENDING = { contentId: 'c', aiResponse: '', tone: 'Wärme 🚢' };
const FULL = { contentId: 'c', aiResponse: 'The text.', tone: 'Wärme 🚢' };
const WHOLE = { status: 'COMPLETE', startedHere: true, wire: FULL } as const;
let callers = 0;

const newCaller = (): string => `caller ${(callers += 1)}`;

/** What one process knows of the generations of a caller. */
function generationsOf(caller: string, peers: Coordination['peers'], all = new Generations(60_000, peers)) {
  return {
    start: (contentId = 'c', isFinished = false) =>
      all.start(caller, contentId, { wire: { ...(isFinished ? FULL : PENDING), contentId }, isFinished }),
    finish: (contentId = 'c') => all.finish(caller, contentId, { ...FULL, contentId }),
    expire: (contentId = 'c') => all.expire(caller, contentId),
    await: () => all.await(caller, 'c'),
    find: (contentId = 'c', by = caller): KnownGeneration | null => all.find(by, contentId),
    becomes: (known: Partial<KnownGeneration>) =>
      expect.poll(() => all.find(caller, 'c')).toMatchObject(known),
    pending: (by = caller) =>
      all
        .pending(by)
        .map(({ contentId }) => contentId)
        .toSorted(),
  };
}

const HOUR_MS = 60 * 60 * 1_000;
const RECORD = { mutation: 'createPost', fingerprint: 'f', result: completed('done') };
const recordNow = () => ({ ...RECORD, startedAt: Date.now() });

function jumpBy(hours: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * HOUR_MS });
}

async function begin({ journal }: Coordination, id: string): Promise<void> {
  expect(await journal.begin(journalKey(id), recordNow())).toBeNull();
}

async function expectKnown({ journal }: Coordination, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    expect(await journal.find(journalKey(id)), id).not.toBeNull();
    expect(await journal.begin(journalKey(id), recordNow()), id).not.toBeNull();
  }
}

describe.each(PAIRS)('%s,', (_name, open) => {
  const pair = sharePair(open);

  test('a pause that one was asked for is kept by all for one caller and one surface, and the longer one stands', async () => {
    const [one, other] = [pair.one.rateLimitGates.current, pair.other.rateLimitGates.current];
    one.note('me', 10_000);
    await expect.poll(() => pauseOf(other, 'me')).toBeGreaterThan(8_000);
    other.note('me', 1_000);
    other.note('a marker', 5_000);
    await expect.poll(() => pauseOf(one, 'a marker')).toBeGreaterThan(0);
    for (const gate of [one, other]) expect(pauseOf(gate, 'me')).toBeGreaterThan(5_000);
    other.note('me', 20_000);
    await expect.poll(() => pauseOf(one, 'me')).toBeGreaterThan(15_000);
    one.note('me', 1e9);
    await expect.poll(() => pauseOf(other, 'me')).toBeGreaterThan(25_000);
    expect(pauseOf(other, 'me')).toBeLessThanOrEqual(30_000);
    pair.one.rateLimitGates.legacy.note('you', 10_000);
    await expect.poll(() => pauseOf(pair.other.rateLimitGates.legacy, 'you')).toBeGreaterThan(0);
    for (const { rateLimitGates } of [pair.one, pair.other]) {
      expect(pauseOf(rateLimitGates.legacy, 'me')).toBe(0);
      expect(pauseOf(rateLimitGates.current, 'you')).toBe(0);
    }
  });

  describe('generations', () => {
    /** The generations of a new caller in two processes, or in one twice. */
    async function openGenerations() {
      const caller = newCaller();
      const one = generationsOf(caller, pair.one.peers);
      const other = pair.one === pair.other ? one : generationsOf(caller, pair.other.peers);
      // Both have subscribed before something later is heard.
      if (one !== other) await hearEachOther([pair.one, pair.other]);
      return { one, other };
    }

    test.each([
      ['asked for', 'ended', ['start', 'finish']],
      ['ended', 'asked for', ['finish', 'start']],
    ] as const)('are whole where one was %s here and then %s there', async (_first, _then, steps) => {
      const { one, other } = await openGenerations();
      one[steps[0]]();
      other[steps[1]]();
      for (const generations of [one, other]) await generations.becomes(WHOLE);
    });

    test('that have their text keep it, whoever gives them up or waits for them later', async () => {
      const { one, other } = await openGenerations();
      one.start();
      one.finish();
      other.await();
      other.expire();
      for (const generations of [one, other]) await generations.becomes({ status: 'COMPLETE', wire: FULL });
      expect(one.expire()).toMatchObject({ status: 'COMPLETE', wire: FULL });
      expect(one.find()?.status).toBe('COMPLETE');
    });

    test('that are only waited for belong to nobody, and are not told of', async () => {
      const { one, other } = await openGenerations();
      const known = one.await();
      expect(known).toMatchObject({ status: 'PENDING', startedHere: false, wire: { contentId: 'c' } });
      expect(one.await()).toMatchObject(known);
      one.start('a marker');
      await expect.poll(() => other.find('a marker')).not.toBeNull();
      expect(other.pending()).toEqual(['a marker']);
    });

    test('that are pending are known to all, each caller’s own, until they end', async () => {
      const { one, other } = await openGenerations();
      for (const contentId of ['a', 'b', 'd', 'e']) one.start(contentId);
      other.start('c');
      other.start('quick', true);
      for (const at of [one, other]) await expect.poll(() => at.pending()).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(other.pending('you')).toEqual([]);
      one.finish('a');
      other.finish('b');
      one.expire('d');
      for (const at of [one, other]) await expect.poll(() => at.pending()).toEqual(['c', 'e']);
    });
  });

  test.each([
    [25, -25],
    [-25, 25],
  ])('no write is forgotten while the clock jumps by %i hours and then by %i', async (there, back) => {
    const { one, other } = pair;
    const ids = ['before', 'meanwhile', 'after'].map((id) => `${id} a jump of ${there}`);
    for (const [count, id] of ids.entries()) {
      await expectKnown(other, ids.slice(0, count));
      await begin(one, id);
      jumpBy([there, back, 0][count] ?? 0);
    }
    await expectKnown(other, ids);
  });
});
