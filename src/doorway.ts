/** Accepts new connections before work starts. */
export interface Doorway {
  /** Records a new connection. */
  readonly note: () => void;
  /** Returns null if no connections are arriving; otherwise resolves when none is waiting, or after a while. */
  whenClear(): Promise<void> | null;
  /** Returns how long the waiting work will take once it starts, estimated from the work before it, in milliseconds. */
  readonly backlogMs: () => number;
}

/** How long connections are accepted before work continues: as long as the previous work took, within these limits. */
const SHORTEST_MS = 10;
const LONGEST_MS = 250;

/**
 * Creates the doorway of a server. Node.js accepts one new connection per turn of its event loop, however many wait. If
 * each turn works for 50 ms, a caller who opens 50 connections a second keeps everybody else from connecting for
 * minutes. So while connections arrive, operations and large responses wait for turns that do little else: until one
 * brings no connection, or for as long as the previous work took, and then start together.
 */
export function createDoorway(): Doorway {
  let waiting: (() => void)[] = [];
  let isWatching = false;
  let hasCome = false;
  let since = 0;
  let longestMs = SHORTEST_MS;
  let workedFrom: number | null = null;
  let begun = 0;
  let eachMs = 0;

  const letIn = (now: number): void => {
    if (workedFrom !== null) {
      longestMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, now - workedFrom));
      if (begun > 0) eachMs = (now - workedFrom) / begun;
    }
    workedFrom = null;
    since = now;
  };
  const work = (now: number): void => {
    for (const begin of waiting) begin();
    begun = waiting.length;
    waiting = [];
    workedFrom = now;
  };
  const afterTurn = (): void => {
    const now = performance.now();
    if (workedFrom !== null) letIn(now);
    isWatching = hasCome;
    if (!hasCome || now - since > longestMs) work(now);
    hasCome = false;
    if (isWatching) setImmediate(afterTurn);
  };
  return {
    note() {
      hasCome = true;
      if (isWatching) return;
      isWatching = true;
      letIn(performance.now());
      setImmediate(afterTurn);
    },
    whenClear: () => (isWatching ? new Promise((resolve) => void waiting.push(resolve)) : null),
    backlogMs: () => waiting.length * eachMs,
  };
}
