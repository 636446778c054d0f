import type { Facts } from './facts.ts';

/** An observation as shared between processes: JSON without secrets. */
export interface SharedObservation {
  /** When its reading started, in epoch milliseconds by a shared clock. */
  readonly observedAt: number;
  /** Number of failed readings in a row before this one. */
  readonly failures: number;
  readonly items: readonly unknown[];
  /** The rows whose key could not be read; earlier versions do not share them. */
  readonly unreadable?: readonly Facts[];
}

/** The shared observations of one list of one credential. */
export interface SharedObservations {
  /** Returns the latest published observation, or null. */
  latest(): Promise<SharedObservation | null>;
  publish(observation: SharedObservation): Promise<void>;
  close(): void;
}

/** The identity under which observations are shared. */
export interface SharedName {
  readonly holder: string;
  readonly list: string;
  /** The credential with which they are sealed, so that only its holders can read them. */
  readonly credential: string;
}

/** Shares observations between processes. */
export interface ObservationExchange {
  /** `onNews` is called when another process has published one, or may have. */
  open(name: SharedName, onNews: () => void): SharedObservations;
}

/** Creates the exchange of a single process, which has nobody to share with. */
export function createObservationExchange(): ObservationExchange {
  return {
    open: () => ({
      latest: () => Promise.resolve(null),
      publish: () => Promise.resolve(),
      close: () => undefined,
    }),
  };
}
