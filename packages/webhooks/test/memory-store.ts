import type { OutboxStore } from '../src/outbox.ts';

/** A store in memory, whose texts the next process finds. */
export function memoryStore(): OutboxStore {
  const texts = new Map<string, string>();
  return {
    texts,
    write(changes) {
      for (const { id, text } of changes) {
        if (text === null) texts.delete(id);
        else texts.set(id, text);
      }
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
