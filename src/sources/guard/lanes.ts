import { SourceError, type SourceErrorKind, type Surface } from '../errors.ts';

// Two bulkheads of cockatiel, one in the other, were measured to fall short here: a call that waits can lose its place to
// one that comes later, and one that has given up keeps its place. Nor do callers take turns.

/** How many calls are made at once. */
export interface LaneLimits {
  /** Calls in flight to one surface, for all callers. */
  readonly calls: number;
  /** Calls in flight to one surface for one caller, so that none can take the whole of it. */
  readonly callsPerCaller: number;
}

/** Bounds the calls in flight, fairly between callers: those who wait take turns. */
export interface Lanes {
  /**
   * Runs a call when its turn has come. Fails with `overloaded` when its caller's calls stand still or too many wait, and with `cancelled` when
   * its signal is aborted before; then it was not run.
   */
  run<T>(who: Waiting, call: () => Promise<T>): Promise<T>;
}

/** Whose call it is. */
export interface Waiting {
  readonly caller: string;
  /** Aborted when nobody waits for the call any longer. */
  readonly signal?: AbortSignal;
}

/** Most calls of one caller that wait for their turn. */
const MAX_WAITING_PER_CALLER = 256;
/** Most calls that wait for their turn. */
const MAX_WAITING = 4_096;
/** A caller whose calls have all stood still for so long gives up those that wait, in milliseconds. */
const MAX_STANDSTILL_MS = 1_000;

/** The calls of one caller. */
interface Lane {
  running: number;
  /** When a call of it last began or ended, in the milliseconds of `performance.now`. */
  movedAt: number;
  /** Lets those in that wait, the first first. */
  readonly waiting: Set<() => void>;
}

/** Makes the lanes of one surface. */
export function createLanes(surface: Surface, { calls, callsPerCaller }: LaneLimits): Lanes {
  const lanes = new Map<string, Lane>();
  let running = 0;
  let waiting = 0;
  const laneOf = (caller: string): Lane => {
    const lane = lanes.get(caller) ?? { running: 0, movedAt: performance.now(), waiting: new Set() };
    lanes.set(caller, lane);
    return lane;
  };
  const forgetIdle = (caller: string, lane: Lane): void => {
    if (lane.running === 0 && lane.waiting.size === 0) lanes.delete(caller);
  };
  const letIn = (): void => {
    for (const [caller, lane] of lanes) {
      if (running >= calls) return;
      const [first] = lane.waiting;
      if (first === undefined || lane.running >= callsPerCaller) continue;
      // Who was let in is the last to be looked at the next time.
      lanes.delete(caller);
      lanes.set(caller, lane);
      lane.movedAt = performance.now();
      lane.running += 1;
      running += 1;
      first();
    }
  };
  const wait = async ({ caller, signal }: Waiting, lane: Lane): Promise<void> => {
    waiting += 1;
    try {
      await turn(lane, surface, signal);
    } finally {
      waiting -= 1;
      forgetIdle(caller, lane);
    }
  };
  return {
    async run(who, call) {
      const lane = laneOf(who.caller);
      if (running < calls && lane.running < callsPerCaller) {
        lane.movedAt = performance.now();
        lane.running += 1;
        running += 1;
      } else if (waiting >= MAX_WAITING || lane.waiting.size >= MAX_WAITING_PER_CALLER) {
        throw failure('overloaded', surface);
      } else await wait(who, lane);
      try {
        return await call();
      } finally {
        lane.running -= 1;
        lane.movedAt = performance.now();
        running -= 1;
        forgetIdle(who.caller, lane);
        letIn();
      }
    },
  };
}

/**
 * Waits in a lane until it is let in, the lane stands still, or nobody waits for it any longer. A lane that moves is no
 * reason to give up: an operation may well ask for more than is let in at once.
 */
function turn(lane: Lane, surface: Surface, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      lane.waiting.delete(enter);
    };
    const enter = (): void => {
      stop();
      resolve();
    };
    const leave = (kind: SourceErrorKind): void => {
      stop();
      reject(failure(kind, surface));
    };
    const onAbort = (): void => leave('cancelled');
    const look = (): void => {
      const leftMs = lane.movedAt + MAX_STANDSTILL_MS - performance.now();
      if (leftMs <= 0) leave('overloaded');
      else timer = setTimeout(look, leftMs);
    };
    let timer = setTimeout(look, MAX_STANDSTILL_MS);
    signal?.addEventListener('abort', onAbort, { once: true });
    lane.waiting.add(enter);
  });
}

function failure(kind: SourceErrorKind, surface: Surface): SourceError {
  return new SourceError(kind, surface, `${kind} while the call waited for its turn`);
}
