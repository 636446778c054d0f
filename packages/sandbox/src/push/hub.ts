import type { Owner } from '../data/model.ts';
import type { Quirks } from '../quirks.ts';
import { toJson } from '../wire/json.ts';

/** One push socket of an owner, whatever its protocol. */
export interface PushClient {
  readonly owner: Owner;
  /** Sends one message; a protocol without event names ignores `event`. */
  send(event: string, message: unknown): void;
  /** Drops the connection without a close message. */
  kill(): void;
}

/** The push sockets that receive finished generations. */
export interface PushHub {
  /** Whether new sockets are rejected. */
  refusing: boolean;
  /** Adds a socket; the returned function removes it. */
  join(client: PushClient): () => void;
  /** Sends a result in the shape of the quirk `pushShape`. */
  publish(owner: Owner, result: unknown): void;
  /** Sends a message unchanged. */
  send(owner: Owner, message: unknown, event: string): void;
  kill(): number;
  count(owner?: Owner): number;
  /** Calls `run` whenever a socket joins or leaves; the returned function stops that. */
  watch(run: () => void): () => void;
}

/** Creates a hub without sockets. */
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
