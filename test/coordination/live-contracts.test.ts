import { describe, expect, test } from 'vitest';
import type { Generations, KnownGeneration } from '../../src/live/generations.ts';
import type { Wanted } from '../../src/sources/ai-results/history.ts';
import { candidacyOf, PAIRS } from '../support/processes.ts';

const PENDING = { contentId: 'c', aiResponse: '', tone: 'Wärme 🚢' };
const FULL = { contentId: 'c', aiResponse: 'The text.', tone: 'Wärme 🚢' };
const start = (at: Generations, contentId = 'c', isFinished = false): KnownGeneration =>
  at.start('me', contentId, { wire: { ...(isFinished ? FULL : PENDING), contentId }, isFinished });
const finish = (at: Generations, contentId = 'c'): KnownGeneration =>
  at.finish('me', contentId, { ...FULL, contentId });

/** What a process knows of one after it has asked the others. */
async function knownBy(at: Generations, contentId = 'c'): Promise<KnownGeneration | null> {
  await at.refresh('me', [contentId]);
  return at.find('me', contentId);
}

const becomes = (at: Generations, known: Partial<KnownGeneration>): Promise<void> =>
  expect.poll(() => knownBy(at)).toMatchObject(known);

/** What a process knows to be pending after it has asked the others. */
const pendingAt = async (at: Generations, holder = 'me'): Promise<string[]> => {
  await at.refreshPending(holder);
  return at
    .pending(holder)
    .map(({ contentId }) => contentId)
    .toSorted();
};

describe.each(PAIRS)('generations, %s,', (_name, open) => {
  test('that one process asked for are known to all, with their end', async () => {
    const [{ generations: one }, { generations: other }] = await open();
    expect(await knownBy(other)).toBeNull();
    const { knownSince } = start(one);
    await becomes(other, { status: 'PENDING', startedHere: true, knownSince, wire: { tone: PENDING.tone } });
    finish(one);
    await becomes(other, { status: 'COMPLETE', startedHere: true, wire: FULL });
    expect(other.find('you', 'c')).toBeNull();
    await other.refresh('me', []);
  });

  test.each([
    ['asked for', 'ended', [start, finish]],
    ['ended', 'asked for', [finish, start]],
  ] as const)('are whole where one was %s here and then %s there', async (_first, _then, steps) => {
    const [{ generations: one }, { generations: other }] = await open();
    steps[0](one);
    steps[1](other);
    const whole = { status: 'COMPLETE', startedHere: true, wire: FULL } as const;
    for (const generations of [one, other]) await becomes(generations, whole);
  });

  test('that have their text keep it, whoever gives them up or waits for them later', async () => {
    const [{ generations: one }, { generations: other }] = await open();
    start(one);
    finish(one);
    other.await('me', 'c');
    other.expire('me', 'c');
    for (const generations of [one, other]) await becomes(generations, { status: 'COMPLETE', wire: FULL });
  });

  test('that have their text keep it where it was found, too', async () => {
    const [{ generations: one }] = await open();
    start(one);
    finish(one);
    expect(one.expire('me', 'c')).toMatchObject({ status: 'COMPLETE', wire: FULL });
    expect(one.find('me', 'c')?.status).toBe('COMPLETE');
  });

  test('that were given up are so everywhere, until their text is there', async () => {
    const [{ generations: one }, { generations: other }] = await open();
    start(one);
    await becomes(other, { status: 'PENDING' });
    other.expire('me', 'c');
    await becomes(one, { status: 'EXPIRED' });
    finish(one);
    await becomes(other, { status: 'COMPLETE', wire: FULL });
  });

  test('that are only waited for belong to nobody, and are not told of', async () => {
    const [{ generations: one }, { generations: other }] = await open();
    const known = one.await('me', 'c');
    expect(known).toMatchObject({ status: 'PENDING', startedHere: false, wire: { contentId: 'c' } });
    expect(one.await('me', 'c')).toMatchObject(known);
    start(one, 'a marker');
    await expect.poll(() => knownBy(other, 'a marker')).not.toBeNull();
    await other.refreshPending('me');
    expect(other.pending('me').map(({ contentId }) => contentId)).toEqual(['a marker']);
  });

  test('that are pending are known to all, each caller’s own, until they end', async () => {
    const [{ generations: one }, { generations: other }] = await open();
    for (const contentId of ['a', 'b', 'd', 'e']) start(one, contentId);
    start(other, 'c');
    start(other, 'quick', true);
    for (const at of [one, other]) await expect.poll(() => pendingAt(at)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await pendingAt(other, 'you')).toEqual([]);
    finish(one, 'a');
    finish(other, 'b');
    one.expire('me', 'd');
    for (const at of [one, other]) await expect.poll(() => pendingAt(at)).toEqual(['c', 'e']);
  });
});

/** Wishes that end at a time. */
const wish = (...ids: readonly string[]): Wanted => new Map(ids.map((id) => [id, 1_700_000_000_000]));
const idsOf = (wanted: Wanted | null): string[] | null => wanted && [...wanted.keys()].toSorted();

describe.each(PAIRS)('lookouts, %s,', (_name, open) => {
  /** Two of one caller, and how often each was told that it is worth asking again. */
  async function openBoth() {
    const [one, other] = await open();
    const turns = [0, 0];
    const noting = (index: number) => () => void (turns[index] = (turns[index] ?? 0) + 1);
    return { turns, first: candidacyOf(one, 'me', noting(0)), second: candidacyOf(other, 'me', noting(1)) };
  }

  test('let one look for all', async () => {
    const { first, second, turns } = await openBoth();
    expect(idsOf(await first.ask(wish('a')))).toEqual(['a']);
    expect(await second.ask(wish('b', 'c'))).toBeNull();
    await expect.poll(() => turns[0]).toBe(1);
    expect(idsOf(await first.ask(wish('a', 'd')))).toEqual(['a', 'b', 'c', 'd']);
    expect(await second.ask(wish('c'))).toBeNull();
    expect(idsOf(await first.ask(wish('a')))).toEqual(['a', 'c']);
  });

  test('look for what several want until the last of them wants it no more', async () => {
    const { first, second } = await openBoth();
    await first.ask(new Map([['a', 1_000]]));
    await second.ask(new Map([['a', 3_000]]));
    expect(await first.ask(new Map([['a', 2_000]]))).toEqual(new Map([['a', 3_000]]));
  });

  test('tell the one who looks of new wishes, and of no others', async () => {
    const { first, second, turns } = await openBoth();
    await first.ask(wish('a'));
    await second.ask(wish('b'));
    await expect.poll(() => turns[0]).toBe(1);
    await second.ask(wish('b'));
    await second.ask(wish('b', 'c'));
    await expect.poll(() => turns[0]).toBe(2);
    await second.ask(wish('c'));
    await second.ask(wish('d'));
    await expect.poll(() => turns[0]).toBe(3);
  });

  test('have the one who looks do so soon, whoever says that it is worth it', async () => {
    const [one, other] = await open();
    let turns = 0;
    const looking = candidacyOf(one, 'me', () => (turns += 1));
    await looking.ask(wish('a'));
    other.pollLeader.nudge('me');
    other.pollLeader.nudge('you');
    await expect.poll(() => turns).toBe(1);
  });

  test('hand over when the one who looks rests', async () => {
    const { first, second, turns } = await openBoth();
    await first.ask(wish('a'));
    expect(await second.ask(wish('b'))).toBeNull();
    first.rest();
    first.rest();
    await expect.poll(() => turns[1]).toBe(1);
    expect(idsOf(await second.ask(wish('b')))).toEqual(['b']);
    expect(await first.ask(wish('a'))).toBeNull();
    expect(idsOf(await second.ask(wish('b')))).toEqual(['a', 'b']);
  });

  test('of two callers do not know each other', async () => {
    const [one, other] = await open();
    const mine = candidacyOf(one, 'me');
    const yours = candidacyOf(other, 'you');
    expect(idsOf(await mine.ask(wish('a')))).toEqual(['a']);
    expect(idsOf(await yours.ask(wish('b')))).toEqual(['b']);
  });
});
