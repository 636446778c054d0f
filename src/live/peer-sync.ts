import type { Attribution } from './attribution.ts';
import type { Generations, KnownGeneration } from './generations.ts';
import type { Readers } from './readers.ts';

/** The parts of a channel that have to do with what other processes know. */
export interface PeerSyncOptions {
  readonly holder: string;
  readonly generations: Generations;
  readonly readers: Readers;
  readonly attribution: Attribution;
  /** Tells how a generation ended; those who follow only where it is news. */
  readonly tell: (known: KnownGeneration, isNews?: boolean) => void;
  /** Until when it is waited for, in epoch milliseconds. */
  readonly endOf: (known: KnownGeneration) => number;
  readonly lookSoon: () => void;
  /** Ends that were seen here before it was known that the credential had asked for them. */
  readonly undecided: () => string[];
}

/** What other processes know of a credential's generations. */
export interface PeerSync {
  /** A generation was asked for: its result may be here already, and is waited for otherwise. */
  expect(known: KnownGeneration): void;
  /** Finds out what they know of some that are waited for here; those who follow hear of an end that they expect. */
  compare(contentIds: readonly string[], isExpected: boolean): Promise<void>;
  /** Finds out what they know of all that is pending or waited for. */
  catchUp(): Promise<void>;
  leave(): void;
}

/** Listens to them until it leaves. */
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
