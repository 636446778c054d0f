/** Lets new connections in before work begins. */
export interface Doorway {
  /** Notes that a new connection has come. */
  readonly note: () => void;
  /** Null while nobody is seen to come in; else resolves when nobody waits to come in any more, or after a while. */
  whenClear(): Promise<void> | null;
  /** How long what waits will take once it begins, by how long what began before took; in milliseconds. */
  readonly backlogMs: () => number;
}

/** For how long others are let in before work goes on: as long as the work before took, within these bounds. */
const SHORTEST_MS = 10;
const LONGEST_MS = 250;

/**
 * Makes the doorway of a server. Node.js takes one new connection in each turn of its event loop, however many wait. If each
 * turn works for 50 ms, a caller who opens 50 connections a second keeps everybody else from opening one for minutes. So
 * while some come, operations and large answers wait for turns that do little else: until one has brought no connection,
 * or for as long as the work before took, and then begin together.
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
