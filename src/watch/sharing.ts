/** An observation as processes show it to each other: JSON without secrets. */
export interface SharedObservation {
  /** When its reading began, in epoch milliseconds by a clock that all share. */
  readonly observedAt: number;
  /** Readings that had failed in a row before this one. */
  readonly failures: number;
  readonly items: readonly unknown[];
}

/** The observations of one list of one credential, beside those who watch it elsewhere. */
export interface SharedObservations {
  /** The latest one that somebody published, or null. */
  latest(): Promise<SharedObservation | null>;
  publish(observation: SharedObservation): Promise<void>;
  close(): void;
}

/** What observations are shared under. */
export interface SharedName {
  readonly holder: string;
  readonly list: string;
  /** What they are sealed with: only who has the credential can read them. */
  readonly credential: string;
}

/** Where the processes share what they observe. */
export interface ObservationExchange {
  /** `onNews` is called when another process has published one, or may have. */
  open(name: SharedName, onNews: () => void): SharedObservations;
}

/** For one process by itself: there is nobody to share with. */
export function createObservationExchange(): ObservationExchange {
  return {
    open: () => ({
      latest: () => Promise.resolve(null),
      publish: () => Promise.resolve(),
      close: () => undefined,
    }),
  };
}
