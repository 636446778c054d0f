import { describe, expect, onTestFinished, test } from 'vitest';
import {
  JournalFull,
  type JournalLimits,
  type WriteJournal,
  type WriteRecord,
} from '../../src/journal/journal.ts';
import { completed, refused, unknown, userError } from '../../src/writes/outcome.ts';
import { journalKey } from '../support/journal-keys.ts';
import { DiskJournal } from '../../src/journal/disk.ts';
import { MemoryJournal } from '../../src/journal/memory.ts';
import { openStore } from '../../src/journal/store.ts';
import { openLog } from '../../src/observability/log.ts';
import { PAIRS, type Pair } from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// What every journal and every mutex promises, wherever its records lie.

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

const finishedWith = (result: WriteRecord['result']): WriteRecord => ({ ...RECORD, result });
const PARTIAL = { ...completed('some'), outcome: 'PARTIAL' } as const;
const SETTLED = [completed('made'), PARTIAL, { ...refused([]), isSent: true }];

describe.each(PAIRS)('a result that was settled, %s,', (_name, open) => {
  test.each(SETTLED)('$outcome is kept when the write ends without knowing', async (result) => {
    const [{ journal: one }, { journal: other }] = await open();
    await one.begin(journalKey('id'), RECORD);
    // Another call has found it while the one that sent it went on.
    expect(await other.finish(journalKey('id'), finishedWith(result))).toEqual(finishedWith(result));
    for (const unsettled of [unknown('Look.'), null])
      expect(await one.finish(journalKey('id'), finishedWith(unsettled))).toEqual(finishedWith(result));
    for (const journal of [one, other])
      expect(await journal.find(journalKey('id'))).toEqual(finishedWith(result));
  });

  test('takes the place of an unknown one, and of an earlier settled one', async () => {
    const [{ journal: one }, { journal: other }] = await open();
    await one.begin(journalKey('id'), RECORD);
    for (const result of [unknown('Look.'), completed('found'), completed('made')]) {
      expect(await one.finish(journalKey('id'), finishedWith(result))).toEqual(finishedWith(result));
      expect(await other.find(journalKey('id'))).toEqual(finishedWith(result));
    }
  });

  test('is kept when it is one of two that end at the same moment', async () => {
    const pair = await open();
    await pair[0].journal.begin(journalKey('id'), RECORD);
    await Promise.all(
      [unknown('Look.'), completed('found'), unknown('Look.'), null].map((result, index) =>
        sideOf(pair, index).journal.finish(journalKey('id'), finishedWith(result)),
      ),
    );
    expect((await pair[0].journal.find(journalKey('id')))?.result).toEqual(completed('found'));
  });
});

const remaining = async (journal: WriteJournal) => (await journal.find(journalKey('id')))?.fingerprint;

describe.each(PAIRS)('a record that is withdrawn, %s,', (_name, open) => {
  test('is the one that is meant, and no other of its id', async () => {
    const [{ journal: one }, { journal: other }] = await open();
    await one.begin(journalKey('id'), RECORD);
    await one.forget(journalKey('id'), 'another');
    expect(await remaining(other)).toBe('f');
    await one.forget(journalKey('id'), 'f');
    expect(await remaining(other)).toBeUndefined();
  });

  test('has no result', async () => {
    const [{ journal: one }, { journal: other }] = await open();
    await one.begin(journalKey('id'), RECORD);
    await one.finish(journalKey('id'), finishedWith(completed('made')));
    await one.forget(journalKey('id'), 'f');
    await one.forget(journalKey('id'));
    expect(await remaining(other)).toBe('f');
  });

  test('is not the one that others have taken over in the meantime', async () => {
    const [{ journal: one }, { journal: other }] = await open();
    await one.begin(journalKey('id'), RECORD);
    await Promise.all([
      other.finish(journalKey('id'), { ...RECORD, fingerprint: 'several' }),
      one.forget(journalKey('id'), 'f'),
    ]);
    expect(await remaining(one)).toBe('several');
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

interface Bounded {
  readonly limits: JournalLimits;
  readonly keptMs?: number;
}

/** The journals that have limits of their own. */
const BOUNDED: readonly (readonly [name: string, open: (bounded: Bounded) => Promise<WriteJournal>])[] = [
  ['in memory', (bounded) => Promise.resolve(new MemoryJournal(bounded))],
  [
    'on disk',
    async ({ limits, keptMs = 60_000 }) => {
      const folder = await temporaryFolder();
      const journal = new DiskJournal({
        folder,
        openStore: (visit) => openStore({ path: `${folder}/journal`, format: 'f' }, visit),
        keptMs,
        log: openLog('silent'),
        limits,
      });
      onTestFinished(() => journal.close());
      return journal;
    },
  ],
];

const spaceFor = (records: number, size = Infinity) => ({ records, size });
const now = (): WriteRecord => ({ ...RECORD, startedAt: Date.now() });
const refusal = (): WriteRecord => ({ ...now(), result: { ...refused([]), isSent: true } });

describe.each(BOUNDED)('the space of a journal %s', (_name, open) => {
  const begin = async (journal: WriteJournal, id: string, owner: string): Promise<unknown> =>
    await journal.begin(journalKey(id, owner), now()).catch((error: unknown) => error);
  const refuse = (journal: WriteJournal, id: string, owner: string) =>
    journal.finish(journalKey(id, owner), refusal());

  test('is shared: a caller that has used up its own is refused, and others are not', async () => {
    const journal = await open({ limits: { whole: spaceFor(10), share: spaceFor(2) } });
    for (const id of ['a', 'b']) expect(await begin(journal, id, 'one')).toBeNull();
    expect(await begin(journal, 'c', 'one')).toBeInstanceOf(JournalFull);
    expect(await begin(journal, 'c', 'other')).toBeNull();
    await journal.forget(journalKey('a', 'one'));
    expect(await begin(journal, 'd', 'one')).toBeNull();
    expect(await begin(journal, 'e', 'one')).toBeInstanceOf(JournalFull);
  });

  test('is made by forgetting what the service refused: of the caller, or of anybody when all is full', async () => {
    const journal = await open({ limits: { whole: spaceFor(4), share: spaceFor(2) } });
    for (const [id, owner] of [
      ['of another', 'other'],
      ['mine', 'one'],
      ['mine, too', 'one'],
      ['of a third', 'third'],
    ] as const)
      expect(await begin(journal, id, owner)).toBeNull();
    for (const [id, owner] of [
      ['of another', 'other'],
      ['mine', 'one'],
      ['mine, too', 'one'],
    ] as const)
      await refuse(journal, id, owner);
    expect(await begin(journal, 'mine, once more', 'one')).toBeNull();
    expect(await journal.find(journalKey('of another', 'other'))).not.toBeNull();
    const mine = await Promise.all(['mine', 'mine, too'].map((id) => journal.find(journalKey(id, 'one'))));
    expect(mine.filter((record) => record !== null)).toHaveLength(1);
    expect(await begin(journal, 'third, too', 'third')).toBeNull();
    expect(await begin(journal, 'fourth', 'fourth')).toBeNull();
    expect(await begin(journal, 'fifth', 'fifth')).toBeInstanceOf(JournalFull);
  });

  test('is measured by what each write takes in the end', async () => {
    const journal = await open({ limits: { whole: spaceFor(10), share: spaceFor(10, 5_000) } });
    expect(await begin(journal, 'a', 'one')).toBeNull();
    await journal.finish(journalKey('a', 'one'), { ...now(), result: completed('x'.repeat(2_000)) });
    expect(await begin(journal, 'b', 'one')).toBeNull();
    await journal.finish(journalKey('b', 'one'), { ...now(), result: completed('x'.repeat(4_000)) });
    expect(await begin(journal, 'c', 'one')).toBeInstanceOf(JournalFull);
    expect(await begin(journal, 'c', 'other')).toBeNull();
  });

  test('is free again when writes are forgotten after their time', async () => {
    const journal = await open({ limits: { whole: spaceFor(2), share: spaceFor(2) }, keptMs: 300 });
    for (const id of ['a', 'b']) expect(await begin(journal, id, 'one')).toBeNull();
    expect(await begin(journal, 'c', 'one')).toBeInstanceOf(JournalFull);
    await expect.poll(() => begin(journal, 'c', 'one')).toBeNull();
  });
});
