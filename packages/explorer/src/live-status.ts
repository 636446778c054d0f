import { useSyncExternalStore } from 'react';

/** What the page says about the subscription that is running. */
export interface LiveStatus {
  /** The current words; null while no subscription is running. */
  readonly words: () => string | null;
  readonly say: (words: string | null) => void;
  /** Calls a listener on every change, until the returned function is called. */
  readonly watch: (listener: () => void) => () => void;
}

/** Creates the status; nothing is running yet. */
export function createLiveStatus(): LiveStatus {
  let current: string | null = null;
  const listeners = new Set<() => void>();
  return {
    words: () => current,
    say(words) {
      current = words;
      for (const listener of listeners) listener();
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The current words of a status, in a component that is rendered again when they change. */
export function useLiveStatus({ watch, words }: LiveStatus): string | null {
  return useSyncExternalStore(watch, words);
}
