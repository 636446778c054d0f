import { afterAll, beforeAll } from 'vitest';

/** What is opened before the first test of a file or block and closed after the last one; read it within tests. */
export function shared<T>(open: () => Promise<T>, close: (opened: T) => unknown): () => T {
  let opened: { readonly it: T } | undefined;
  beforeAll(async () => {
    opened = { it: await open() };
  });
  afterAll(() => opened && close(opened.it));
  return () => {
    if (!opened) throw new Error('it has not been opened yet');
    return opened.it;
  };
}
