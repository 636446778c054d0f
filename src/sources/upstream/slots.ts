import type { CallLimits } from '../../config.ts';
import { SourceError, type Surface } from '../errors.ts';

// Two nested cockatiel bulkheads were measured to be insufficient: a waiting call can lose its place to a later one, an
// abandoned call keeps its place, and callers do not take turns.

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
  /** When each waiting call started to wait, as a `performance.now` time, oldest first; null until one has to. */
  waiting: Map<WaitingCall, number> | null;
  /** When a call of the caller last started or ended; not recorded before one has to wait. */
  movedAt: number;
  /** Runs while calls wait. */
  timer: NodeJS.Timeout | undefined;
}

/** Bounds the calls in flight to one surface, fairly: callers with waiting calls take turns. */
export class Slots {
  readonly #surface: Surface;
  readonly #limits: CallLimits;
  readonly #callers = new Map<string, CallerSlots>();
  /** The callers whose waiting calls wait only for a slot, in the order of their turns. */
  readonly #turns = new Map<string, CallerSlots>();
  #running = 0;
  #waiting = 0;
  #isAdmitting = false;

  constructor(surface: Surface, limits: CallLimits) {
    this.#surface = surface;
    this.#limits = limits;
  }

  /** Takes a slot if one is free and not about to be assigned. The holder of a slot must call `leave`. */
  tryEnter(caller: string): boolean {
    if (this.#isAdmitting || this.#running >= this.#limits.calls) return false;
    const slots = this.#slotsOf(caller);
    if (slots.running >= this.#limits.callsPerCaller) return false;
    slots.running += 1;
    this.#running += 1;
    return true;
  }

  /** Frees a slot; the next waiting call gets it in a microtask. */
  leave(caller: string): void {
    const slots = this.#slotsOf(caller);
    slots.running -= 1;
    this.#running -= 1;
    if (slots.waiting !== null) slots.movedAt = performance.now();
    this.#queueForTurn(caller, slots);
    this.#tidy(caller, slots);
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
    const slots = this.#slotsOf(caller);
    slots.waiting ??= new Map();
    if (this.#waiting < MAX_WAITING && slots.waiting.size < MAX_WAITING_PER_CALLER) {
      this.#waiting += 1;
      slots.waiting.set(call, performance.now());
      this.#queueForTurn(caller, slots);
      slots.timer ??= setTimeout(() => this.#refuseStuck(caller, slots), MAX_STANDSTILL_MS);
    } else {
      this.#tidy(caller, slots);
      call.refuse(this.#overloaded());
    }
  }

  /** Removes a waiting call from the queue. */
  stopWaiting(caller: string, call: WaitingCall): void {
    const slots = this.#callers.get(caller);
    if (!slots?.waiting?.delete(call)) return;
    this.#waiting -= 1;
    this.#tidy(caller, slots);
  }

  #admit(): void {
    this.#isAdmitting = false;
    for (const [caller, slots] of this.#turns) {
      if (this.#running >= this.#limits.calls) break;
      const [first] = slots.waiting?.keys() ?? [];
      this.#turns.delete(caller);
      if (first === undefined) continue;
      slots.running += 1;
      slots.movedAt = performance.now();
      this.#running += 1;
      this.stopWaiting(caller, first);
      // The caller just served goes to the end, where the loop over the map will reach it again.
      this.#queueForTurn(caller, slots);
      first.enter();
    }
  }

  #queueForTurn(caller: string, slots: CallerSlots): void {
    if (slots.waiting?.size && slots.running < this.#limits.callsPerCaller) this.#turns.set(caller, slots);
  }

  #refuseStuck(caller: string, slots: CallerSlots): void {
    slots.timer = undefined;
    for (const [call, since] of slots.waiting ?? []) {
      const leftMs = Math.max(since, slots.movedAt) + MAX_STANDSTILL_MS - performance.now();
      if (leftMs > 0) {
        slots.timer ??= setTimeout(() => this.#refuseStuck(caller, slots), Math.ceil(leftMs));
        return;
      }
      this.stopWaiting(caller, call);
      call.refuse(this.#overloaded());
    }
  }

  #slotsOf(caller: string): CallerSlots {
    let slots = this.#callers.get(caller);
    if (slots === undefined) {
      slots = { running: 0, waiting: null, movedAt: 0, timer: undefined };
      this.#callers.set(caller, slots);
    }
    return slots;
  }

  #tidy(caller: string, slots: CallerSlots): void {
    if (slots.waiting !== null && slots.waiting.size > 0) return;
    this.#turns.delete(caller);
    clearTimeout(slots.timer);
    slots.timer = undefined;
    if (slots.running === 0) this.#callers.delete(caller);
  }

  #overloaded(): SourceError {
    return new SourceError('overloaded', this.#surface, 'overloaded while the call waited for a slot');
  }
}
