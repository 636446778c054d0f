import type { AiGenerationRecord } from '../records/ai-generation.ts';

/** An event for a reader of live results: a generation, or the error that ended the reading. */
export type LiveEvent = AiGenerationRecord | Error;

/** A reader of live results. */
export interface LiveReader {
  push(event: LiveEvent): void;
  end(): void;
}

/** Leaves; has no effect if the reading has already ended. */
export type Leave = () => void;

/** The readers of one credential's live results. */
export interface Readers {
  /** Adds a reader of one generation, which is waited for until `endsAt`, in epoch milliseconds. */
  add(contentId: string, endsAt: number, reader: LiveReader): Leave;
  /** Adds a reader of all generations that the credential requested. */
  follow(reader: LiveReader): Leave;
  /** Waits for a generation on behalf of the followers, if there are any. */
  expect(contentId: string, endsAt: number): void;
  /** Shortens the wait for a generation to this time. */
  hasten(contentId: string, endsAt: number): void;
  /** Returns the awaited generations, each with the end of its wait. */
  wanted(): ReadonlyMap<string, number>;
  isEmpty(): boolean;
  /** Delivers the end of a generation: its readers are then finished, followers continue. */
  tell(event: AiGenerationRecord, tellsFollowers: boolean): void;
  /** Ends every reading, with an error if given. */
  endAll(error: Error | null): void;
}

interface Wait {
  endsAt: number;
  readonly readers: Set<LiveReader>;
}

/** Creates readers without any; `onLeave` is called whenever one has left or finished. */
export function createReaders(onLeave: () => void): Readers {
  const waits = new Map<string, Wait>();
  const followers = new Set<LiveReader>();
  const waitFor = (contentId: string, endsAt: number): Wait => {
    const wait = waits.get(contentId) ?? { endsAt, readers: new Set<LiveReader>() };
    waits.set(contentId, wait);
    return wait;
  };
  const forgetUnread = (): void => {
    for (const [id, { readers }] of waits) if (readers.size === 0 && followers.size === 0) waits.delete(id);
    onLeave();
  };
  return {
    add(contentId, endsAt, reader) {
      const { readers } = waitFor(contentId, endsAt);
      readers.add(reader);
      return () => readers.delete(reader) && forgetUnread();
    },
    follow(reader) {
      followers.add(reader);
      return () => followers.delete(reader) && forgetUnread();
    },
    expect: (contentId, endsAt) => void (followers.size > 0 && waitFor(contentId, endsAt)),
    hasten(contentId, endsAt) {
      const wait = waits.get(contentId);
      if (wait) wait.endsAt = Math.min(wait.endsAt, endsAt);
    },
    wanted: () => new Map([...waits].map(([id, { endsAt }]) => [id, endsAt])),
    isEmpty: () => waits.size + followers.size === 0,
    tell(event, tellsFollowers) {
      const readers = [...(waits.get(event.contentId)?.readers ?? [])];
      waits.delete(event.contentId);
      for (const reader of tellsFollowers ? [...readers, ...followers] : readers) reader.push(event);
      endEach(readers);
      onLeave();
    },
    endAll(error) {
      const readers = [...followers, ...[...waits.values()].flatMap((wait) => [...wait.readers])];
      waits.clear();
      followers.clear();
      if (error) for (const reader of readers) reader.push(error);
      endEach(readers);
      onLeave();
    },
  };
}

function endEach(readers: readonly LiveReader[]): void {
  for (const reader of readers) reader.end();
}
