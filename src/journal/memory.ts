import { isRefusal, KEPT_MS, type WriteJournal, type WriteRecord } from './journal.ts';
import { JournalIndex, steadyNow, type IndexEntry } from './journal-index.ts';

const MIB = 1024 * 1024;
const BOUNDS = {
  whole: { records: 50_000, size: 64 * MIB },
  share: { records: 10_000, size: 16 * MIB },
} as const;

interface Entry extends IndexEntry {
  readonly record: WriteRecord;
}

/**
 * Stores writes in this process, each for 24 hours: at most 50,000 or 64 MiB in all, and 10,000 or 16 MiB per caller.
 * Further writes are rejected before anything is sent. `now` is a clock that never jumps.
 */
export function createMemoryJournal(now: () => number = steadyNow): WriteJournal {
  const index = new JournalIndex<Entry>(BOUNDS, { keptMs: KEPT_MS, now });
  const put = (id: string, owner: string, record: WriteRecord): void =>
    index.set(id, {
      owner,
      record,
      startedAt: index.get(id)?.startedAt ?? now(),
      size: JSON.stringify(record).length,
      isRefused: isRefusal(record.result),
    });
  return {
    find: async ({ id }) => index.get(id)?.record ?? null,
    begin: async ({ id, owner }, record) => {
      const known = index.get(id);
      if (known !== undefined) return known.record;
      index.takeExpired();
      index.makeRoom(owner);
      put(id, owner, record);
      return null;
    },
    finish: async ({ id, owner }, record) => put(id, owner, record),
    forget: async ({ id }) => index.delete(id),
  };
}
