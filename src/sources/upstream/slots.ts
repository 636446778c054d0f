import { SourceError, type Surface } from '../errors.ts';

// Two nested cockatiel bulkheads were measured to be insufficient: a waiting call can lose its place to a later one, an
// abandoned call keeps its place, and callers do not take turns.

/** Limits on concurrent calls. */
export interface SlotLimits {
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
  queue: Queue | null;
}

/** The waiting calls of one caller. */
interface Queue {
  /** When each call started to wait, as a `performance.now` time, oldest first. */
  readonly calls: Map<WaitingCall, number>;
  /** When a call of the caller last started or ended. */
  movedAt: number;
  /** Runs while calls wait. */
  timer: NodeJS.Timeout | undefined;
}

/** Bounds the calls in flight to one surface, fairly: callers with waiting calls take turns. */
export class Slots {
  readonly #surface: Surface;
  readonly #limits: SlotLimits;
  readonly #callers = new Map<string, CallerSlots>();
  #running = 0;
  #waiting = 0;
  #isAdmitting = false;

  constructor(surface: Surface, limits: SlotLimits) {
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
    const slots = this.#callers.get(caller);
    if (slots === undefined) return;
    slots.running -= 1;
    this.#running -= 1;
    if (slots.queue !== null) slots.queue.movedAt = performance.now();
    this.#forgetIdle(caller, slots);
    // Deferred so that all policies have recorded the calls that ended together before the next call starts.
    if (this.#waiting === 0 || this.#isAdmitting) return;
    this.#isAdmitting = true;
    queueMicrotask(() => this.#admit());
  }

  /**
   * Queues a call for a slot. It waits as long as other calls of the caller make progress, because an operation may
   * make more calls than are admitted at once. It is rejected immediately if too many calls are waiting.
   */
  wait(caller: string, call: WaitingCall): void {
    const slots = this.#callers.get(caller) ?? { running: 0, queue: null };
    if (this.#waiting >= MAX_WAITING || (slots.queue?.calls.size ?? 0) >= MAX_WAITING_PER_CALLER)
      return call.refuse(this.#overloaded());
    this.#callers.set(caller, slots);
    const queue = (slots.queue ??= { calls: new Map(), movedAt: 0, timer: undefined });
    queue.calls.set(call, performance.now());
    queue.timer ??= this.#watch(caller, queue, MAX_STANDSTILL_MS);
    this.#waiting += 1;
  }

  /** Removes a waiting call from the queue. */
  stopWaiting(caller: string, call: WaitingCall): void {
    const slots = this.#callers.get(caller);
    if (!slots?.queue?.calls.has(call)) return;
    this.#remove(call, slots.queue);
    this.#forgetIdle(caller, slots);
  }

  #remove(call: WaitingCall, queue: Queue): void {
    queue.calls.delete(call);
    this.#waiting -= 1;
    if (queue.calls.size > 0) return;
    clearTimeout(queue.timer);
    queue.timer = undefined;
  }

  #admit(): void {
    this.#isAdmitting = false;
    for (const [caller, slots] of this.#callers) {
      if (this.#running >= this.#limits.calls) break;
      const [first] = slots.queue?.calls.keys() ?? [];
      if (slots.queue === null || first === undefined || slots.running >= this.#limits.callsPerCaller)
        continue;
      // Callers take turns: the caller just served goes to the end. The loop over the map will reach it again.
      this.#callers.delete(caller);
      this.#callers.set(caller, slots);
      this.#remove(first, slots.queue);
      this.#running += 1;
      slots.running += 1;
      slots.queue.movedAt = performance.now();
      first.enter();
    }
  }

  /** Rejects the calls of a queue that has not moved. */
  #watch(caller: string, queue: Queue, ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      queue.timer = undefined;
      for (const [call, since] of queue.calls) {
        const leftMs = Math.max(since, queue.movedAt) + MAX_STANDSTILL_MS - performance.now();
        if (leftMs > 0) {
          queue.timer = this.#watch(caller, queue, Math.ceil(leftMs));
          return;
        }
        this.stopWaiting(caller, call);
        call.refuse(this.#overloaded());
      }
    }, ms);
  }

  #forgetIdle(caller: string, { running, queue }: CallerSlots): void {
    if (running === 0 && (queue === null || queue.calls.size === 0)) this.#callers.delete(caller);
  }

  #overloaded(): SourceError {
    return new SourceError('overloaded', this.#surface, 'overloaded while the call waited for a slot');
  }
}
