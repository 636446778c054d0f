import type { Owner } from '../data/model.ts';

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
  /** Sends a message unchanged, by default with the event name of results. */
  send(owner: Owner, message: unknown, event?: string): void;
  kill(): number;
  count(owner?: Owner): number;
  /** Calls `run` whenever a socket joins or leaves; the returned function stops that. */
  watch(run: () => void): () => void;
}

/** Creates a hub without sockets. */
export function createPushHub(): PushHub {
  const clients = new Set<PushClient>();
  const watchers = new Set<() => void>();
  const notify = () => watchers.forEach((run) => run());
  const of = (owner: Owner) => [...clients].filter((client) => client.owner === owner);
  return {
    refusing: false,
    send(owner, message, event = 'aiResponse') {
      for (const client of of(owner)) client.send(event, message);
    },
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
