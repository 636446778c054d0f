import { describe, expect, test, vi } from 'vitest';
import { KEPT_MS, type WriteRecord } from '../../src/journal/journal.ts';
import { withKey, type KeyedWrite } from '../../src/writes/keyed-write.ts';
import { JournalFull, JournalIndex } from '../../src/journal/journal-index.ts';
import { createMemoryJournal } from '../../src/journal/memory.ts';
import { completed, type WriteResult } from '../../src/writes/outcome.ts';
import { costOf } from '../support/cpu.ts';
import { journalKey } from '../support/journal-keys.ts';

/** A write with a key that counts how often it is performed. */
function write(changes: Partial<KeyedWrite<string>> = {}) {
  const perform = vi.fn(() => Promise.resolve<WriteResult<string>>(completed('made')));
  const defaults = { key: 'k', scope: 'me', mutation: 'createPost', input: { a: 1 }, howToFindOut: 'Look.' };
  return { ...defaults, perform, ...changes };
}

describe('the journal in memory', () => {
  test('remembers for 24 hours from the intent on, and no longer', async () => {
    let now = 1_000;
    const clock = () => now;
    const journal = createMemoryJournal(clock);
    const slow = write({ perform: () => ((now = 61_000), Promise.resolve(completed('x'))) });
    await withKey(journal, slow, clock);
    now = 1_000 + KEPT_MS;
    expect((await withKey(journal, write(), clock)).replayed).toBe(true);
    now += 1;
    const late = write();
    expect((await withKey(journal, late, clock)).replayed).toBe(false);
    expect(late.perform).toHaveBeenCalledOnce();
  });

  test('refuses a caller one write more than its share, and leaves that of others alone', async () => {
    const journal = createMemoryJournal();
    for (let index = 0; index < 10_000; index += 1)
      await journal.begin(journalKey(`id ${index}`, 'one'), recordNow());
    await expect(journal.begin(journalKey('one more', 'one'), recordNow())).rejects.toThrow(JournalFull);
    expect(await journal.begin(journalKey('of another', 'other'), recordNow())).toBeNull();
    expect(await journal.find(journalKey('id 0', 'one'))).not.toBeNull();
  });

  test('forgets for it what the service refused, and nothing that may have happened', async () => {
    const journal = createMemoryJournal();
    for (let index = 0; index < 10_000; index += 1)
      await journal.begin(journalKey(`id ${index}`), recordNow());
    const result: WriteResult<string> = { outcome: 'REJECTED', data: null, userErrors: [], isSent: true };
    await journal.finish(journalKey('id 7'), { ...recordNow(), result });
    expect(await journal.begin(journalKey('one more'), recordNow())).toBeNull();
    expect(await journal.find(journalKey('id 7'))).toBeNull();
    expect(await journal.find(journalKey('id 0'))).not.toBeNull();
    await expect(journal.begin(journalKey('yet one more'), recordNow())).rejects.toThrow(JournalFull);
  });
});

const entry = (startedAt: number, owner: string) => ({ owner, startedAt, size: 1, isRefused: false });

test('a full journal turns a write away as fast as one that is nearly empty', () => {
  const fullOf = (records: number) => {
    const bounds = { records, size: Infinity };
    const index = new JournalIndex({ whole: bounds, share: bounds }, { keptMs: KEPT_MS, now: () => 0 });
    for (let id = 0; id < records; id += 1) index.set(String(id), entry(0, 'one'));
    return index;
  };
  const most = 8_000;
  const indexes = new Map([most / 4, most].map((records) => [records, fullOf(records)]));
  const turnAway = (records: number) => {
    for (let time = 0; time < 5_000; time += 1)
      expect.soft(() => indexes.get(records)?.makeRoom('one')).toThrow(JournalFull);
  };
  // Searching it takes four times as long for four times as many.
  expect(costOf(turnAway, most).growth).toBeLessThan(2);
});

test('what is over is taken out whether or not there is room for what comes', () => {
  let now = 0;
  const bounds = { records: 2, size: 1_000 };
  const index = new JournalIndex({ whole: bounds, share: bounds }, { keptMs: 100, now: () => now });
  index.set('old', entry(0, 'one'));
  index.set('newer', entry(60, 'other'));
  index.set('newest', entry(61, 'other'));
  now = 101;
  expect(index.get('old')).toBeUndefined();
  expect(index.takeExpired()).toEqual(['old']);
  expect(() => index.makeRoom('other')).toThrow(JournalFull);
  expect([...index.entries()].map(([id]) => id)).toEqual(['newer', 'newest']);
  // Written anew it is young again, and stands last.
  index.set('newer', entry(101, 'other'));
  now = 162;
  expect(index.takeExpired()).toEqual(['newest']);
});

test('a write that has ended counts with its last size only, for all and for its caller', () => {
  const bounds = { records: 10, size: 10 };
  const index = new JournalIndex({ whole: bounds, share: bounds }, { keptMs: KEPT_MS, now: () => 0 });
  index.set('one', { ...entry(0, 'one'), size: 4 });
  index.set('one', { ...entry(0, 'one'), size: 9 });
  expect(index.makeRoom('one')).toEqual([]);
  index.set('one', { ...entry(0, 'one'), size: 10 });
  expect(() => index.makeRoom('one')).toThrow(JournalFull);
});

test('what is forgotten where a caller and the whole are full is one write of that caller, and none of another', () => {
  const bounds = { whole: { records: 4, size: 100 }, share: { records: 2, size: 100 } };
  const index = new JournalIndex(bounds, { keptMs: KEPT_MS, now: () => 0 });
  const refused = (owner: string) => ({ ...entry(0, owner), isRefused: true });
  index.set('of another', refused('other'));
  index.set('mine', refused('one'));
  index.set('mine, too', refused('one'));
  index.set('of a third', entry(0, 'third'));
  expect(index.makeRoom('one')).toEqual(['mine']);
  index.set('mine, once more', entry(0, 'one'));
  // Who has room of his own in a full journal takes that of the oldest refused write of all.
  expect(index.makeRoom('third')).toEqual(['of another']);
});

function recordNow(): WriteRecord {
  return { mutation: 'createPost', fingerprint: 'f', startedAt: Date.now(), result: null };
}
