import type { Attribution } from './attribution.ts';
import type { Generations, KnownGeneration } from './generations.ts';
import type { Readers } from './readers.ts';

/** The parts of a channel involved in synchronising with other processes. */
export interface PeerSyncOptions {
  readonly holder: string;
  readonly generations: Generations;
  readonly readers: Readers;
  readonly attribution: Attribution;
  /** Delivers the end of a generation; to followers only if it is news. */
  readonly tell: (known: KnownGeneration, isNews?: boolean) => void;
  /** Returns until when it is waited for, in epoch milliseconds. */
  readonly endOf: (known: KnownGeneration) => number;
  readonly lookSoon: () => void;
  /** Ends seen here before it was known that the credential had requested them. */
  readonly undecided: () => string[];
}

/** Synchronises a credential's generations with other processes. */
export interface PeerSync {
  /** Handles a requested generation: delivers its result if it is already here, and waits for it otherwise. */
  expect(known: KnownGeneration): void;
  /** Reads what others know of some awaited generations; followers are notified of an end that they expect. */
  compare(contentIds: readonly string[], isExpected: boolean): Promise<void>;
  /** Reads what others know of all pending or awaited generations. */
  catchUp(): Promise<void>;
  leave(): void;
}

/** Listens to other processes until it leaves. */
export function createPeerSync(options: PeerSyncOptions): PeerSync {
  const { holder, generations, readers, attribution, tell, endOf, lookSoon, undecided } = options;
  const expect = (known: KnownGeneration): void => {
    if (attribution.early(known.contentId)) return;
    readers.expect(known.contentId, endOf(known));
    lookSoon();
  };
  const onNews = (known: KnownGeneration, again: boolean): void => {
    if (known.status !== 'PENDING') tell(known, !again || readers.wanted().has(known.contentId));
    else if (known.startedHere) expect(known);
  };
  const compare = async (contentIds: readonly string[], isExpected: boolean): Promise<void> => {
    await generations.refresh(holder, contentIds);
    const wanted = readers.wanted();
    for (const contentId of contentIds) {
      const known = generations.find(holder, contentId);
      if (known === null || !wanted.has(contentId)) continue;
      readers.hasten(contentId, endOf(known));
      if (known.status === 'COMPLETE') tell(known, isExpected);
      else if (known.startedHere) attribution.early(contentId);
    }
  };
  const decide = async (): Promise<void> => {
    const contentIds = undecided();
    await generations.refresh(holder, contentIds);
    for (const contentId of contentIds) {
      const known = generations.find(holder, contentId);
      if (known?.startedHere) tell(known, false);
    }
  };
  const catchUp = async (): Promise<void> => {
    await generations.refreshPending(holder);
    for (const known of generations.pending(holder)) readers.expect(known.contentId, endOf(known));
    await compare([...readers.wanted().keys()], true);
    await decide();
    lookSoon();
  };
  const leave = generations.listen(holder, { onNews, onGap: () => void catchUp() });
  return { expect, compare, catchUp, leave };
}
