import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DiskJournal } from '../../src/journal/disk.ts';
import {
  JournalFull,
  KEPT_MS,
  type JournalLimits,
  type WriteJournal,
  type WriteRecord,
} from '../../src/journal/journal.ts';
import { MemoryJournal } from '../../src/journal/memory.ts';
import { openStore } from '../../src/journal/store.ts';
import { openLog } from '../../src/observability/log.ts';
import { completed, refused, unknown, userError } from '../../src/writes/outcome.ts';
import { costOf, MOST_GROWTH } from '../support/costs.ts';
import { journalKey, PAIRS, sharePair } from '../support/redis.ts';
import { temporaryFolder } from '../support/files.ts';

// What every journal and every mutex promises, wherever its records lie.

const RECORD: WriteRecord = { mutation: 'createPost', fingerprint: 'f', startedAt: Date.now(), result: null };
const ANOTHER = { ...RECORD, fingerprint: 'g' };
const MADE = completed('made');
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `name ${index}`);
const finishedWith = (result: WriteRecord['result']): WriteRecord => ({ ...RECORD, result });

let keys = 0;
function newKey() {
  keys += 1;
  return journalKey(`id ${keys}`);
}

describe.each(PAIRS)('what remembers writes, %s,', (_name, open) => {
  const pair = sharePair(open);
  const both = (): readonly WriteJournal[] => [pair.one.journal, pair.other.journal];
  const sideOf = (index: number) => (index % 2 === 0 ? pair.one : pair.other);

  async function begun() {
    const [one, other] = both() as [WriteJournal, WriteJournal];
    const key = newKey();
    expect(await one.begin(key, RECORD)).toBeNull();
    return { one, other, key };
  }

  test('gives the first record to whoever begins again, wherever, and the result when there is one', async () => {
    const { one, other, key } = await begun();
    for (const known of [RECORD, finishedWith(MADE)]) {
      if (known.result) await one.finish(key, known);
      for (const journal of both()) {
        expect(await journal.begin(key, ANOTHER)).toEqual(known);
        expect(await journal.find(key)).toEqual(known);
      }
    }
    expect(await other.find(newKey())).toBeNull();
  });

  test('lets begin anew what was forgotten, elsewhere too', async () => {
    const { one, other, key } = await begun();
    const { key: another } = await begun();
    await one.forget(key);
    expect(await other.find(key)).toBeNull();
    expect(await other.begin(key, RECORD)).toBeNull();
    expect(await one.begin(key, RECORD)).toEqual(RECORD);
    expect(await other.find(another)).toEqual(RECORD);
    await one.forget(newKey());
  });

  test.each([
    ['the process that has begun it', 0, MADE],
    ['another one', 1, unknown('Look.')],
  ] as const)('forgets for %s the record that is meant and has no result, and no other', async (...row) => {
    const [, index, result] = row;
    const { one, key } = await begun();
    const forget = (fingerprint?: string) => sideOf(index).journal.forget(key, fingerprint);
    await forget('another');
    for (const journal of both()) expect(await journal.find(key)).toEqual(RECORD);
    await forget('f');
    for (const journal of both()) expect(await journal.find(key)).toBeNull();
    expect(await one.begin(key, RECORD)).toBeNull();
    await one.finish(key, finishedWith(result));
    await forget('f');
    await forget();
    for (const journal of both()) expect(await journal.find(key)).toEqual(finishedWith(result));
  });

  test('does not forget a record that another process has taken over in the meantime', async () => {
    const { one, other, key } = await begun();
    const taken = { ...RECORD, fingerprint: 'several' };
    await Promise.all([other.finish(key, taken), one.forget(key, 'f')]);
    expect(await one.find(key)).toEqual(taken);
  });

  test('lets exactly one of a hundred begin', async () => {
    const key = newKey();
    const fingerprints = names(100);
    const began = await Promise.all(
      fingerprints.map((fingerprint, index) => sideOf(index).journal.begin(key, { ...RECORD, fingerprint })),
    );
    const [winner] = fingerprints.filter((_, index) => began[index] === null);
    const others = began.filter((known) => known !== null);
    expect(others).toHaveLength(99);
    expect(new Set(others.map(({ fingerprint }) => fingerprint))).toEqual(new Set([winner]));
  });

  test.each([
    ['unicode', completed({ text: 'Größe 🚢 \u2028 \u0000 \ud800 "\\', é: ['日本'] })],
    ['nulls and nested data', completed({ a: null, b: [null, { c: [[], {}, 0, -1.5, true, ''] }] })],
    ['no data', refused([userError('LIMIT_REACHED', 'm', { path: ['input', 'a', '0'], retryable: true })])],
  ])('gives back a result with %s as it was', async (_what, result) => {
    const { one, other, key } = await begun();
    await one.finish(key, finishedWith(result));
    expect(await other.find(key)).toEqual(finishedWith(result));
  });

  test.each([MADE, { ...MADE, outcome: 'PARTIAL' as const }, { ...refused([]), isSent: true }])(
    'keeps the settled result $outcome when the write ends without knowing',
    async (result) => {
      const { one, other, key } = await begun();
      // Another call has found it while the one that sent it went on.
      expect(await other.finish(key, finishedWith(result))).toEqual(finishedWith(result));
      for (const unsettled of [unknown('Look.'), null])
        expect(await one.finish(key, finishedWith(unsettled))).toEqual(finishedWith(result));
      for (const journal of both()) expect(await journal.find(key)).toEqual(finishedWith(result));
    },
  );

  test('puts a settled result in the place of an unknown one, and of an earlier settled one', async () => {
    const { one, other, key } = await begun();
    for (const result of [unknown('Look.'), completed('found'), MADE]) {
      expect(await one.finish(key, finishedWith(result))).toEqual(finishedWith(result));
      expect(await other.find(key)).toEqual(finishedWith(result));
    }
  });

  test('keeps the settled one of results that come at the same moment', async () => {
    const { one, key } = await begun();
    const results = [unknown('Look.'), completed('found'), unknown('Look.'), null];
    await Promise.all(results.map((result, at) => sideOf(at).journal.finish(key, finishedWith(result))));
    expect((await one.find(key))?.result).toEqual(completed('found'));
  });

  test('lets tasks of one name take turns, and those of one process in order', async () => {
    const under = { way: 0, most: 0 };
    const started: string[] = [];
    const task = (name: string) => async (): Promise<string> => {
      under.way += 1;
      under.most = Math.max(under.most, under.way);
      started.push(name);
      await new Promise((resolve) => setTimeout(resolve, 2));
      under.way -= 1;
      return name;
    };
    const all = names(20).map((name, index) => sideOf(index).mutex.run('in turn', task(name)));
    expect(await Promise.all(all)).toEqual(names(20));
    expect(under.most).toBe(1);
    const isOwn = (name: string): boolean => names(20).indexOf(name) % 2 === 0;
    expect(started.filter(isOwn)).toEqual(names(20).filter(isOwn));
  });

  test('lets tasks of other names not wait', async () => {
    const { one, other } = pair;
    const ended = one.mutex.run('a', () => other.mutex.run('b', () => Promise.resolve('in time')));
    expect(await ended).toBe('in time');
  });

  test('lets a task fail by itself: the next has its turn, and so has the one after it', async () => {
    const failing = pair.one.mutex.run('failing', () => Promise.reject(new Error('mine')));
    const next = pair.other.mutex.run('failing', (turn) => Promise.resolve(turn.isHeld()));
    await expect(failing).rejects.toThrow('mine');
    expect(await next).toBe(true);
    expect(await pair.one.mutex.run('failing', (turn) => Promise.resolve(turn.isHeld()))).toBe(true);
  });
});

interface Bounded {
  readonly limits?: JournalLimits;
  readonly keptMs?: number;
}

const openMemory = (bounded: Bounded): Promise<WriteJournal> => Promise.resolve(new MemoryJournal(bounded));

async function openDisk({ limits, keptMs = 60_000 }: Bounded, at?: string): Promise<DiskJournal> {
  const folder = at ?? (await temporaryFolder());
  const journal = new DiskJournal({
    folder,
    openStore: (visit) => openStore({ path: `${folder}/journal`, format: 'f' }, visit),
    keptMs,
    log: openLog('silent'),
    ...(limits ? { limits } : {}),
  });
  onTestFinished(() => journal.close());
  return journal;
}

/** The journals that have a limited space. */
const BOUNDED = [
  ['in memory', openMemory],
  ['on disk', openDisk],
] as const;

const spaceFor = (records: number, size = Infinity) => ({ records, size });
const now = (): WriteRecord => ({ ...RECORD, startedAt: Date.now() });
const begin = (journal: WriteJournal, id: string, owner: string): Promise<unknown> =>
  journal.begin(journalKey(id, owner), now()).catch((error: unknown) => error);
const finish = (journal: WriteJournal, id: string, owner: string, result: WriteRecord['result']) =>
  journal.finish(journalKey(id, owner), { ...now(), result });
const REFUSAL = { ...refused([]), isSent: true };
const FULL: unknown = expect.any(JournalFull);

describe.each(BOUNDED)('the space of a journal %s', (_name, open) => {
  test('is shared: a caller that has used up its own is refused, and others are not', async () => {
    const journal = await open({ limits: { whole: spaceFor(10), share: spaceFor(2) } });
    for (const id of ['a', 'b']) expect(await begin(journal, id, 'one')).toBeNull();
    expect(await begin(journal, 'c', 'one')).toEqual(FULL);
    expect(await begin(journal, 'c', 'other')).toBeNull();
    await journal.forget(journalKey('a', 'one'));
    expect(await begin(journal, 'd', 'one')).toBeNull();
    expect(await begin(journal, 'e', 'one')).toEqual(FULL);
  });

  test('is made by forgetting what the service refused: of the caller, or of anybody when all is full', async () => {
    const journal = await open({ limits: { whole: spaceFor(4), share: spaceFor(2) } });
    const refusals = [
      ['of another', 'other'],
      ['mine', 'one'],
      ['mine, too', 'one'],
    ] as const;
    for (const [id, owner] of [...refusals, ['of a third', 'third']] as const)
      expect(await begin(journal, id, owner)).toBeNull();
    for (const [id, owner] of refusals) await finish(journal, id, owner, REFUSAL);
    expect(await begin(journal, 'mine, once more', 'one')).toBeNull();
    expect(await journal.find(journalKey('of another', 'other'))).not.toBeNull();
    const mine = await Promise.all(['mine', 'mine, too'].map((id) => journal.find(journalKey(id, 'one'))));
    expect(mine.filter((record) => record !== null)).toHaveLength(1);
    expect(await begin(journal, 'third, too', 'third')).toBeNull();
    expect(await begin(journal, 'fourth', 'fourth')).toBeNull();
    expect(await begin(journal, 'fifth', 'fifth')).toEqual(FULL);
  });

  test('is made by forgetting as many refusals as a write needs', async () => {
    const journal = await open({ limits: { whole: spaceFor(100), share: spaceFor(100, 5_000) } });
    for (const id of ['a', 'b', 'c', 'd']) {
      expect(await begin(journal, id, 'one')).toBeNull();
      await finish(journal, id, 'one', REFUSAL);
    }
    expect(await begin(journal, 'large', 'one')).toBeNull();
    await finish(journal, 'large', 'one', completed('x'.repeat(5_000)));
    expect(await begin(journal, 'more', 'one')).toEqual(FULL);
    expect(await begin(journal, 'more', 'one')).toEqual(FULL);
  });

  test('is measured by what each write takes in the end', async () => {
    const journal = await open({ limits: { whole: spaceFor(10), share: spaceFor(10, 5_000) } });
    expect(await begin(journal, 'a', 'one')).toBeNull();
    await finish(journal, 'a', 'one', completed('x'.repeat(2_000)));
    expect(await begin(journal, 'b', 'one')).toBeNull();
    await finish(journal, 'b', 'one', completed('x'.repeat(4_000)));
    expect(await begin(journal, 'c', 'one')).toEqual(FULL);
    expect(await begin(journal, 'c', 'other')).toBeNull();
  });

  test('is free again when writes are forgotten after their time', async () => {
    const journal = await open({ limits: { whole: spaceFor(2), share: spaceFor(2) }, keptMs: 300 });
    for (const id of ['a', 'b']) expect(await begin(journal, id, 'one')).toBeNull();
    expect(await begin(journal, 'c', 'one')).toEqual(FULL);
    await expect.poll(() => begin(journal, 'c', 'one')).toBeNull();
  });

  test('is free again at once, however many writes of others have to be forgotten before', async () => {
    const journal = await open({ limits: { whole: spaceFor(1_000), share: spaceFor(1) }, keptMs: 1_000 });
    for (const id of names(150)) expect(await begin(journal, id, id)).toBeNull();
    expect(await begin(journal, 'mine', 'one')).toBeNull();
    await expect.poll(() => journal.find(journalKey('mine', 'one')), { timeout: 5_000 }).toBeNull();
    expect(await begin(journal, 'mine, too', 'one')).toBeNull();
  });
});

test.each(BOUNDED)(
  'a record that a later write takes over is remembered for as long as that write %s',
  async (_name, open) => {
    const KEPT = 60_000;
    const clock = { ahead: 0 };
    const realNow = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => realNow() + clock.ahead);
    const journal = await open({ keptMs: KEPT, limits: { whole: spaceFor(2), share: spaceFor(2) } });
    const key = journalKey('origin', 'one');
    expect(await begin(journal, 'origin', 'one')).toBeNull();
    clock.ahead = KEPT / 3;
    expect(await begin(journal, 'other', 'one')).toBeNull();
    clock.ahead = KEPT / 2;
    const later = { ...now(), startedAt: Date.now() + 1, fingerprint: 'several', result: MADE };
    await journal.finish(key, later);
    clock.ahead = KEPT * 1.45;
    expect(await journal.find(key)).toEqual(later);
    // It is not in the way of one that ends before it.
    expect(await begin(journal, 'one more', 'one')).toBeNull();
    clock.ahead = KEPT * 1.6;
    expect(await journal.find(key)).toBeNull();
  },
);

test('on disk, writes that seem to have expired keep no other from being recorded', async () => {
  const folder = await temporaryFolder();
  const bounded = { limits: { whole: spaceFor(2), share: spaceFor(2) }, keptMs: KEPT_MS };
  const first = await openDisk(bounded, folder);
  await first.begin(journalKey('new'), now());
  await first.begin(journalKey('old'), { ...finishedWith(MADE), startedAt: Date.now() - 3 * KEPT_MS });
  await first.close();
  const second = await openDisk(bounded, folder);
  expect(await second.find(journalKey('old'))).not.toBeNull();
  expect(await second.begin(journalKey('another'), now())).toBeNull();
  expect(await second.find(journalKey('old'))).toBeNull();
  expect(await second.find(journalKey('new'))).not.toBeNull();
});

describe('the journal in memory', () => {
  test('remembers for 24 hours from the intent on, and no longer', async () => {
    const clock = { now: 1_000 };
    const journal = new MemoryJournal({ now: () => clock.now });
    const key = journalKey('id');
    await journal.begin(key, RECORD);
    clock.now = 61_000;
    await journal.finish(key, finishedWith(MADE));
    clock.now = 1_000 + KEPT_MS;
    expect((await journal.begin(key, RECORD))?.result).toEqual(MADE);
    clock.now += 1;
    expect(await journal.find(key)).toBeNull();
    expect(await journal.begin(key, RECORD)).toBeNull();
  });

  test('has room for ten thousand writes of a caller', async () => {
    const journal = new MemoryJournal();
    for (let index = 0; index < 10_000; index += 1)
      await journal.begin(journalKey(`id ${index}`, 'one'), RECORD);
    expect(await begin(journal, 'one more', 'one')).toEqual(FULL);
    expect(await begin(journal, 'of another', 'other')).toBeNull();
    expect(await journal.find(journalKey('id 0', 'one'))).not.toBeNull();
  });

  test('turns a write away as fast when it holds many as when it holds few', async () => {
    const most = 20_000;
    const journals = new Map<number, MemoryJournal>();
    for (const [size, records] of [
      [most / 4, 10],
      [most, most],
    ] as const) {
      const limits = { whole: spaceFor(records), share: spaceFor(records) };
      const journal = new MemoryJournal({ limits });
      for (const id of names(records)) await journal.begin(journalKey(id), RECORD);
      journals.set(size, journal);
    }
    const key = journalKey('one more');
    const turnAway = (size: number) => {
      // What it decides is decided in the call itself, before its promise is settled.
      for (let time = 0; time < 2_000; time += 1)
        void journals
          .get(size)
          ?.begin(key, RECORD)
          .catch(() => undefined);
    };
    // Searching it takes two thousand times as long for two thousand times as many.
    expect(costOf(turnAway, most).growth).toBeLessThan(MOST_GROWTH);
  });
});
