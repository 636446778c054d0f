import { SourceError, type Surface } from '../errors.ts';

// Two nested cockatiel bulkheads were measured to be insufficient: a waiting call can lose its place to a later one, an
// abandoned call keeps its place, and callers do not take turns.

/** Limits on concurrent calls. */
export interface BulkheadLimits {
  /** Calls in flight to one surface, for all callers. */
  readonly calls: number;
  /** Calls in flight to one surface for one caller, so that no caller can occupy all slots. */
  readonly callsPerCaller: number;
}

/** A call waiting for a slot. */
export interface WaitingCall {
  /** Called when the call gets a slot, which it then holds. */
  enter(): void;
  /** Called when the call cannot wait any longer. */
  refuse(error: SourceError): void;
}

/** Maximum number of waiting calls of one caller. */
const MAX_WAITING_PER_CALLER = 256;
/** Maximum number of waiting calls of all callers. */
const MAX_WAITING = 4_096;
/** A caller's waiting calls are rejected when none of its calls has started or ended for this many milliseconds. */
const MAX_STANDSTILL_MS = 1_000;

/** The calls of one caller. */
interface CallerSlots {
  running: number;
  /** Null until a call has to wait. */
  queue: CallerQueue | null;
}

/** Bounds the calls in flight to one surface, fairly: callers with waiting calls take turns. */
export class Bulkhead {
  readonly #surface: Surface;
  readonly #limits: BulkheadLimits;
  readonly #callers = new Map<string, CallerSlots>();
  #running = 0;
  #waiting = 0;
  #isAdmitting = false;

  constructor(surface: Surface, limits: BulkheadLimits) {
    this.#surface = surface;
    this.#limits = limits;
  }

  /** Takes a slot if one is free and not about to be assigned. The holder of a slot must call `leave`. */
  tryEnter(caller: string): boolean {
    if (this.#isAdmitting || this.#running >= this.#limits.calls) return false;
    const slots = this.#callers.get(caller);
    if (slots === undefined) this.#callers.set(caller, { running: 1, queue: null });
    else if (slots.running >= this.#limits.callsPerCaller) return false;
    else slots.running += 1;
    this.#running += 1;
    return true;
  }

  /** Frees a slot; the next waiting call gets it in a microtask. */
  leave(caller: string): void {
    const slots = this.#slotsOf(caller);
    slots.running -= 1;
    slots.queue?.noteMovement();
    this.#running -= 1;
    this.#forgetIdle(caller, slots);
    if (this.#waiting > 0) this.#admitSoon();
  }

  /**
   * Queues a call for a slot. It waits as long as other calls of the caller make progress, because an operation may
   * make more calls than are admitted at once. It is rejected immediately if too many calls are waiting.
   */
  wait(caller: string, call: WaitingCall): void {
    const slots = this.#slotsOf(caller);
    const queue = (slots.queue ??= new CallerQueue((stuck) => this.#refuse(caller, stuck)));
    if (this.#waiting < MAX_WAITING && queue.calls.size < MAX_WAITING_PER_CALLER) {
      this.#waiting += 1;
      queue.add(call);
    } else {
      this.#forgetIdle(caller, slots);
      call.refuse(this.#overloaded());
    }
  }

  /** Removes a waiting call from the queue. */
  stopWaiting(caller: string, call: WaitingCall): void {
    const slots = this.#callers.get(caller);
    if (!slots?.queue?.delete(call)) return;
    this.#waiting -= 1;
    this.#forgetIdle(caller, slots);
  }

  #refuse(caller: string, call: WaitingCall): void {
    this.stopWaiting(caller, call);
    call.refuse(this.#overloaded());
  }

  // Deferred so that all policies have recorded the calls that ended together before the next call starts.
  #admitSoon(): void {
    if (this.#isAdmitting) return;
    this.#isAdmitting = true;
    queueMicrotask(() => {
      this.#isAdmitting = false;
      this.#admit();
    });
  }

  #admit(): void {
    for (const [caller, slots] of this.#callers) {
      if (this.#running >= this.#limits.calls) break;
      if (slots.running >= this.#limits.callsPerCaller || !slots.queue?.calls.size) continue;
      const [first] = slots.queue.calls.keys();
      if (first === undefined) continue;
      this.#moveToEnd(caller, slots);
      this.#waiting -= 1;
      this.#running += 1;
      slots.running += 1;
      slots.queue.delete(first);
      slots.queue.noteMovement();
      first.enter();
    }
  }

  // Callers take turns: the caller just served goes to the end. The loop over the map will reach it again.
  #moveToEnd(caller: string, slots: CallerSlots): void {
    this.#callers.delete(caller);
    this.#callers.set(caller, slots);
  }

  #slotsOf(caller: string): CallerSlots {
    const slots = this.#callers.get(caller) ?? { running: 0, queue: null };
    this.#callers.set(caller, slots);
    return slots;
  }

  #forgetIdle(caller: string, { running, queue }: CallerSlots): void {
    if (running === 0 && (queue === null || queue.calls.size === 0)) this.#callers.delete(caller);
  }

  #overloaded(): SourceError {
    return new SourceError('overloaded', this.#surface, 'overloaded while the call waited for a slot');
  }
}

/** The waiting calls of one caller, oldest first. Detects calls that make no progress. */
class CallerQueue {
  /** When each call started to wait, as a `performance.now` time. */
  readonly calls = new Map<WaitingCall, number>();
  readonly #refuse: (call: WaitingCall) => void;
  /** When a call of the caller last started or ended. */
  #movedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(refuse: (call: WaitingCall) => void) {
    this.#refuse = refuse;
  }

  add(call: WaitingCall): void {
    this.calls.set(call, performance.now());
    this.#timer ??= setTimeout(this.#refuseStuck, MAX_STANDSTILL_MS);
  }

  delete(call: WaitingCall): boolean {
    const wasWaiting = this.calls.delete(call);
    if (this.calls.size === 0) this.#stop();
    return wasWaiting;
  }

  noteMovement(): void {
    this.#movedAt = performance.now();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #refuseStuck = (): void => {
    this.#stop();
    for (const [call, since] of this.calls) {
      const leftMs = Math.max(since, this.#movedAt) + MAX_STANDSTILL_MS - performance.now();
      if (leftMs > 0) {
        this.#timer = setTimeout(this.#refuseStuck, Math.ceil(leftMs));
        return;
      }
      this.#refuse(call);
    }
  };
}
