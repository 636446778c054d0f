import type { Observation } from '../../../src/watch/observation.ts';
import type { WatchedList } from '../../../src/watch/watched-list.ts';
import type { Outbox } from './outbox.ts';

/** Creates an outbox that writes each message as one line of JSON, and stores nothing beyond the process. */
export function openPrinter(output: { write(text: string): unknown }): Outbox {
  const seen = new Map<string, Observation<unknown>>();
  return {
    pending: [],
    size: 0,
    seen: <R>({ name }: WatchedList<R>) => (seen.get(name) ?? null) as Observation<R> | null,
    record({ name }, now, messages) {
      seen.set(name, now);
      for (const { message } of messages) output.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    done: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
