import { untilDeadline } from '../deadline.ts';
import type { Generation, Owner } from '../data/model.ts';
import type { Ending } from '../domain/generations.ts';
import type { Service } from '../service.ts';

/** The push sockets, seen from inside. */
export interface PushHandle {
  /** Sends any message to an owner's sockets, as it is; `event` is the socket.io event name. */
  send(ownerName: string, message: unknown, event?: string): void;
  /** Drops every push socket without a close message; returns how many. */
  kill(): number;
  /** Authenticated push sockets of an owner, or of all. */
  open(ownerName?: string): number;
  /** Rejects new sockets, or accepts them again. */
  refuse(refusing: boolean): void;
  /** Waits until exactly this many sockets are open; rejects after `timeoutMs` (30 s by default). */
  waitForOpen(
    count: number,
    options?: { readonly owner?: string; readonly timeoutMs?: number },
  ): Promise<void>;
}

/** Slow generations, seen from inside. */
export interface GenerationHandle {
  pending(ownerName: string): readonly Generation[];
  /**
   * Ends a pending generation now. `pushes` (1) is how often it is sent to the sockets, `history` (true) whether it
   * enters the history: `{ pushes: 0 }` delivers to the history only, `{ pushes: 2 }` twice.
   */
  finish(contentId: string, ending?: Ending): void;
  /** Pushes a result again, or ahead of time; the history is unchanged. */
  deliver(contentId: string): void;
}

/** Creates the handle on a service's push sockets. */
export function createPushHandle({ hub, world }: Service): PushHandle {
  const named = (name: string) => ownerNamed(world.owners, name);
  const open = (name?: string) => hub.count(name === undefined ? undefined : named(name));
  return {
    send: (name, message, event) => hub.send(named(name), message, event),
    kill: () => hub.kill(),
    open,
    refuse(refusing) {
      hub.refusing = refusing;
    },
    waitForOpen: (count, { owner, timeoutMs = 30_000 } = {}) =>
      untilDeadline(
        () => open(owner) === count,
        (run) => hub.watch(run),
        {
          timeoutMs,
          describe: () => `${open(owner)} push sockets are open instead of ${count}`,
        },
      ),
  };
}

/** Creates the handle on a service's slow generations. */
export function createGenerationHandle({ generations, world }: Service): GenerationHandle {
  return {
    pending: (name) => generations.pending(ownerNamed(world.owners, name)),
    finish: (contentId, ending) => generations.finish(contentId, ending),
    deliver: (contentId) => generations.deliver(contentId),
  };
}

function ownerNamed(owners: readonly Owner[], name: string): Owner {
  const owner = owners.find((entry) => entry.credentials.name === name);
  if (!owner) throw new Error(`there is no owner ${name}`);
  return owner;
}
