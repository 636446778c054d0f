import type { Owner } from '../data/model.ts';
import type { Quirks } from '../quirks.ts';
import { toJson } from '../wire/json.ts';

/** One push socket of an owner, whatever its protocol. */
export interface PushClient {
  readonly owner: Owner;
  /** Sends one message; a protocol without event names leaves `event` out. */
  send(event: string, message: unknown): void;
  /** Cuts the connection without a goodbye. */
  kill(): void;
}

/** Who listens for finished generations. */
export interface PushHub {
  /** Whether new sockets are turned away. */
  refusing: boolean;
  /** Takes a socket in; the returned function lets it go. */
  join(client: PushClient): () => void;
  /** Sends a result in the shape of the quirk `pushShape`. */
  publish(owner: Owner, result: unknown): void;
  /** Sends a message as it is. */
  send(owner: Owner, message: unknown, event: string): void;
  kill(): number;
  count(owner?: Owner): number;
  /** Calls back whenever a socket joins or leaves; the returned function ends that. */
  watch(run: () => void): () => void;
}

/** A hub without sockets. */
export function createPushHub(quirks: Quirks): PushHub {
  const clients = new Set<PushClient>();
  const watchers = new Set<() => void>();
  const notify = () => watchers.forEach((run) => run());
  const of = (owner: Owner) => [...clients].filter((client) => client.owner === owner);
  const send = (owner: Owner, message: unknown, event: string) => {
    for (const client of of(owner)) client.send(event, message);
  };
  return {
    refusing: false,
    send,
    publish: (owner, result) => send(owner, shaped(result, quirks), quirks.pushEvent),
    join(client) {
      clients.add(client);
      notify();
      return () => {
        clients.delete(client);
        notify();
      };
    },
    kill() {
      const killed = [...clients];
      for (const client of killed) client.kill();
      return killed.length;
    },
    count: (owner) => (owner ? of(owner).length : clients.size),
    watch(run) {
      watchers.add(run);
      return () => watchers.delete(run);
    },
  };
}

function shaped(result: unknown, { pushShape, pushEvent }: Quirks): unknown {
  const shapes = {
    bare: () => result,
    response: () => ({ message: 'AI response ready.', response: result }),
    data: () => ({ event: pushEvent, data: result }),
    payload: () => ({ type: pushEvent, payload: result }),
    text: () => toJson(result),
    array: () => [pushEvent, result],
  };
  return shapes[pushShape]();
}
