import { createHash } from 'node:crypto';
import type { JournalKey } from '../../src/journal/journal.ts';

/** What a write is remembered by, of a name that can be read; all of one caller. */
export function journalKey(id: string, owner = 'the caller'): JournalKey {
  return { id, owner, secret: createHash('sha256').update(id).digest() };
}
