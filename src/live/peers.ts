/** Receives the messages of other processes on one topic. */
export interface PeerListener<M> {
  onMessage(message: M): void;
  /**
   * Called when this process has joined the others. Messages of the last `missedMs` milliseconds, in either direction,
   * may have been lost; the first time, these are the ones since it started.
   */
  onJoin?(missedMs: number): void;
}

/**
 * The other processes with the same Redis. Turns and messages only save calls and time: the history and the lists of
 * the service are the truth, and a lost message is made up for by the next poll.
 */
export interface Peers {
  /** Whether messages reach anybody at the moment. */
  readonly areReachable: boolean;
  /** Milliseconds by which the clock that all processes share is ahead of this one. */
  readonly clockAheadMs: number;
  /**
   * Takes the turn to poll something, unless a process has taken it within the interval. Returns 0 if it was taken, or
   * the milliseconds to wait.
   */
  takeTurn(name: string, intervalMs: number): Promise<number>;
  /** Sends a message to the listeners of a topic in all other processes, in order. */
  publish(topic: string, message: object): void;
  /** Listens to a topic until the returned function is called. */
  listen<M>(topic: string, listener: PeerListener<M>): () => void;
}

/** The peers of a single process: nobody. */
export const NO_PEERS: Peers = {
  areReachable: false,
  clockAheadMs: 0,
  takeTurn: () => Promise.resolve(0),
  publish: () => undefined,
  listen: () => () => undefined,
};
