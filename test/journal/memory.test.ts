import { describe, expect, test } from 'vitest';
import { JournalFull, KEPT_MS, type WriteRecord } from '../../src/journal/journal.ts';
import { MemoryJournal } from '../../src/journal/memory.ts';
import { completed, type WriteResult } from '../../src/writes/outcome.ts';
import { costOf } from '../support/cpu.ts';
import { journalKey } from '../support/journal-keys.ts';

describe('the journal in memory', () => {
  test('remembers for 24 hours from the intent on, and no longer', async () => {
    let now = 1_000;
    const journal = new MemoryJournal({ now: () => now });
    await journal.begin(journalKey('id'), recordNow());
    now = 61_000;
    await journal.finish(journalKey('id'), { ...recordNow(), result: completed('x') });
    now = 1_000 + KEPT_MS;
    expect((await journal.begin(journalKey('id'), recordNow()))?.result).toEqual(completed('x'));
    now += 1;
    expect(await journal.find(journalKey('id'))).toBeNull();
    expect(await journal.begin(journalKey('id'), recordNow())).toBeNull();
  });

  test('refuses a caller one write more than its share, and leaves that of others alone', async () => {
    const journal = new MemoryJournal();
    for (let index = 0; index < 10_000; index += 1)
      await journal.begin(journalKey(`id ${index}`, 'one'), recordNow());
    await expect(journal.begin(journalKey('one more', 'one'), recordNow())).rejects.toThrow(JournalFull);
    expect(await journal.begin(journalKey('of another', 'other'), recordNow())).toBeNull();
    expect(await journal.find(journalKey('id 0', 'one'))).not.toBeNull();
  });

  test('forgets for it what the service refused, and nothing that may have happened', async () => {
    const journal = new MemoryJournal();
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

test('a full journal turns a write away as fast as one that is nearly empty', async () => {
  const fullOf = async (records: number) => {
    const space = { records, size: Infinity };
    const journal = new MemoryJournal({ limits: { whole: space, share: space } });
    for (let id = 0; id < records; id += 1) await journal.begin(journalKey(String(id)), recordNow());
    return journal;
  };
  const most = 8_000;
  const journals = new Map<number, MemoryJournal>();
  for (const records of [most / 4, most]) journals.set(records, await fullOf(records));
  const key = journalKey('one more');
  const turnAway = (records: number) => {
    // What it decides is decided in the call itself, before its promise is settled.
    for (let time = 0; time < 5_000; time += 1)
      void journals
        .get(records)
        ?.begin(key, recordNow())
        .catch(() => undefined);
  };
  // Searching it takes four times as long for four times as many.
  expect(costOf(turnAway, most).growth).toBeLessThan(2);
});

function recordNow(): WriteRecord {
  return { mutation: 'createPost', fingerprint: 'f', startedAt: Date.now(), result: null };
}
