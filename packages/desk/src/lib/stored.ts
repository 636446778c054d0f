import { effect, signal, type Signal } from '@preact/signals';

/**
 * Creates a signal whose value is kept in this tab until it is closed, also across a reload or a crash. It never holds a
 * credential.
 */
export function stored<T>(name: string, initial: () => T): Signal<T> {
  const key = `desk:${name}`;
  const kept = signal((read(key) as T | null) ?? initial());
  effect(() => write(key, kept.value));
  return kept;
}

/** Whether this browser has kept a value with this text in it; without that, nothing may be sent. */
export function isStored(name: string, text: string): boolean {
  try {
    return sessionStorage.getItem(`desk:${name}`)?.includes(text) === true;
  } catch {
    return false;
  }
}

function read(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as unknown;
  } catch {
    return null;
  }
}

function write(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The browser allows no storage, or it is full: `isStored` says so.
  }
}
