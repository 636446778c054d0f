import { describe, expect, test } from 'vitest';
import { Generations, type KnownGeneration } from '../../src/live/generations.ts';
import { hearEachOther, PAIRS, type Pair } from '../support/processes.ts';

const PENDING = { contentId: 'c', aiResponse: '', tone: 'Wärme 🚢' };
const FULL = { contentId: 'c', aiResponse: 'The text.', tone: 'Wärme 🚢' };
const MAX_WAIT_MS = 60_000;
const start = (at: Generations, contentId = 'c', isFinished = false): void =>
  at.start('me', contentId, { wire: { ...(isFinished ? FULL : PENDING), contentId }, isFinished });
const finish = (at: Generations, contentId = 'c'): void => at.finish('me', contentId, { ...FULL, contentId });

/** The generations of two processes, or of one twice. */
async function openGenerations(open: () => Promise<Pair>) {
  const pair = await open();
  const one = new Generations(MAX_WAIT_MS, pair[0].peers);
  const other = pair[0] === pair[1] ? one : new Generations(MAX_WAIT_MS, pair[1].peers);
  // Both have subscribed before something later is heard.
  if (one !== other) await hearEachOther(pair);
  return [one, other] as const;
}

const knownBy = (at: Generations, contentId = 'c'): KnownGeneration | null => at.find('me', contentId);

const becomes = (at: Generations, known: Partial<KnownGeneration>): Promise<void> =>
  expect.poll(() => knownBy(at)).toMatchObject(known);

/** What a process knows to be pending. */
const pendingAt = (at: Generations, holder = 'me'): string[] =>
  at
    .pending(holder)
    .map(({ contentId }) => contentId)
    .toSorted();

describe.each(PAIRS)('generations, %s,', (_name, open) => {
  test('that one process asked for are known to all, with their end', async () => {
    const [one, other] = await openGenerations(open);
    expect(knownBy(other)).toBeNull();
    start(one);
    const knownSince = knownBy(one)?.knownSince ?? 0;
    await becomes(other, { status: 'PENDING', startedHere: true, knownSince, wire: { tone: PENDING.tone } });
    finish(one);
    await becomes(other, { status: 'COMPLETE', startedHere: true, wire: FULL });
    expect(other.find('you', 'c')).toBeNull();
  });

  test.each([
    ['asked for', 'ended', [start, finish]],
    ['ended', 'asked for', [finish, start]],
  ] as const)('are whole where one was %s here and then %s there', async (_first, _then, steps) => {
    const [one, other] = await openGenerations(open);
    steps[0](one);
    steps[1](other);
    const whole = { status: 'COMPLETE', startedHere: true, wire: FULL } as const;
    for (const generations of [one, other]) await becomes(generations, whole);
  });

  test('that have their text keep it, whoever gives them up or waits for them later', async () => {
    const [one, other] = await openGenerations(open);
    start(one);
    finish(one);
    other.await('me', 'c');
    other.expire('me', 'c');
    for (const generations of [one, other]) await becomes(generations, { status: 'COMPLETE', wire: FULL });
  });

  test('that have their text keep it where it was found, too', async () => {
    const [one] = await openGenerations(open);
    start(one);
    finish(one);
    expect(one.expire('me', 'c')).toMatchObject({ status: 'COMPLETE', wire: FULL });
    expect(one.find('me', 'c')?.status).toBe('COMPLETE');
  });

  test('that were given up are so everywhere, until their text is there', async () => {
    const [one, other] = await openGenerations(open);
    start(one);
    await becomes(other, { status: 'PENDING' });
    other.expire('me', 'c');
    await becomes(one, { status: 'EXPIRED' });
    finish(one);
    await becomes(other, { status: 'COMPLETE', wire: FULL });
  });

  test('that are only waited for belong to nobody, and are not told of', async () => {
    const [one, other] = await openGenerations(open);
    const known = one.await('me', 'c');
    expect(known).toMatchObject({ status: 'PENDING', startedHere: false, wire: { contentId: 'c' } });
    expect(one.await('me', 'c')).toMatchObject(known);
    start(one, 'a marker');
    await expect.poll(() => knownBy(other, 'a marker')).not.toBeNull();
    expect(other.pending('me').map(({ contentId }) => contentId)).toEqual(['a marker']);
  });

  test('that are pending are known to all, each caller’s own, until they end', async () => {
    const [one, other] = await openGenerations(open);
    for (const contentId of ['a', 'b', 'd', 'e']) start(one, contentId);
    start(other, 'c');
    start(other, 'quick', true);
    for (const at of [one, other]) await expect.poll(() => pendingAt(at)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(pendingAt(other, 'you')).toEqual([]);
    finish(one, 'a');
    finish(other, 'b');
    one.expire('me', 'd');
    for (const at of [one, other]) await expect.poll(() => pendingAt(at)).toEqual(['c', 'e']);
  });
});

describe.each(PAIRS)('turns to poll, %s,', (name, open) => {
  test('are taken by one process in an interval, and each list has its own', async () => {
    const pair = await open();
    const [{ peers: one }, { peers: other }] = pair;
    const waits = [
      await one.takeTurn('a', 300),
      await other.takeTurn('a', 300),
      await one.takeTurn('a', 300),
    ];
    expect(await other.takeTurn('b', 300)).toBe(0);
    if (name !== 'through Redis') return expect(waits).toEqual([0, 0, 0]);
    expect(waits[0]).toBe(0);
    for (const waitMs of waits.slice(1)) {
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(300);
    }
    await expect.poll(() => other.takeTurn('a', 300)).toBe(0);
  });
});
