import type { PeerListener, Peers } from '../../src/live/peers.ts';

/** The peers of one of several processes, all in this one. */
export interface TestPeers extends Peers {
  /** Whether it sends and hears anything, and takes turns with the others. */
  isCutOff: boolean;
  /** What it has sent. */
  readonly sent: readonly unknown[];
}

/** Makes processes that hear each other at once and take turns. */
export function joinPeers(count: number): readonly TestPeers[] {
  const turns = new Map<string, number>();
  const all: { readonly peers: TestPeers; readonly hear: (topic: string, text: string) => void }[] = [];
  const join = () => {
    const listeners = new Map<string, Set<PeerListener<unknown>>>();
    const sent: unknown[] = [];
    const peers: TestPeers = {
      isCutOff: false,
      sent,
      get areReachable() {
        return !peers.isCutOff;
      },
      clockAheadMs: 0,
      takeTurn(name, intervalMs) {
        const now = performance.now();
        const leftMs = (turns.get(name) ?? 0) - now;
        if (peers.isCutOff) return Promise.resolve(0);
        if (leftMs > 0) return Promise.resolve(Math.ceil(leftMs));
        turns.set(name, now + intervalMs);
        return Promise.resolve(0);
      },
      publish(topic, message) {
        if (peers.isCutOff) return;
        sent.push(message);
        for (const other of all) if (other.peers !== peers) other.hear(topic, JSON.stringify(message));
      },
      listen(topic, listener) {
        const own = listeners.get(topic) ?? new Set();
        listeners.set(topic, own.add(listener));
        return () => void own.delete(listener);
      },
    };
    all.push({
      peers,
      hear(topic, text) {
        if (peers.isCutOff) return;
        for (const listener of listeners.get(topic) ?? []) listener.onMessage(JSON.parse(text));
      },
    });
    return peers;
  };
  return Array.from({ length: count }, join);
}
