import { journalKeyOf, type JournalKey, type WriteJournal } from '../journal/journal.ts';

// Which write may be the origin of a new record. It is stored in the journal of keyed writes, so that every process that
// shares it knows, also after a restart. A write that fails to be declared, because Redis is unavailable and it has no
// key, is the only origin that others cannot know of.

/** The origin once several writes may have created the record. */
const SEVERAL = 'several';

/** A write, and what the records that it creates look like. */
export interface Origin {
  /** Hash of the caller's credential. */
  readonly scope: string;
  /** A unique name, the same in each look-up of the write. */
  readonly name: string;
  /** Texts of which records share one if they could be taken for each other. */
  readonly marks: readonly string[];
}

/**
 * Declares a write as a possible origin of records, before the list is read with which a search compares them. Fails as
 * the journal's `begin` does.
 */
export async function declareOrigin(journal: WriteJournal, origin: Origin, startedAt: number): Promise<void> {
  const record = { mutation: 'origin', startedAt, result: null };
  for (const key of keysOf(origin)) {
    const known = await journal.begin(key, { ...record, fingerprint: origin.name });
    if (known !== null && known.fingerprint !== origin.name)
      await journal.finish(key, { ...record, fingerprint: SEVERAL });
  }
}

/** Whether no other write can have created the records since the write was declared. Fails as `find` does. */
export async function isOnlyOrigin(journal: WriteJournal, origin: Origin): Promise<boolean> {
  for (const key of keysOf(origin)) if ((await journal.find(key))?.fingerprint !== origin.name) return false;
  return true;
}

/** Declares that a write creates nothing more, since its outcome is known. */
export async function withdrawOrigin(journal: WriteJournal, origin: Origin): Promise<void> {
  for (const key of keysOf(origin)) await journal.forget(key, origin.name);
}

// A key of a caller contains no space.
function keysOf({ scope, marks }: Origin): JournalKey[] {
  return [...new Set(marks)].map((mark) => journalKeyOf(scope, `origin ${mark}`));
}
