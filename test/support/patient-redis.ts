import type * as Connection from '../../src/redis/connection.ts';

/** How long Redis may take to answer before it counts as away, in milliseconds. */
interface Patience {
  readonly ms: number;
}

/**
 * Redis counts as away once a command has taken 120 ms, and no setting changes that. A busy machine takes longer now and
 * then, so tests in this process replace the module by one with more patience; `ms` is small where a test waits for
 * Redis to count as away.
 */
export function withPatience<M extends typeof Connection>(connection: M, { ms }: Patience): M {
  function within<T>(answer: Promise<T>, over = ms): Promise<T> {
    return connection.within(answer, over);
  }
  return { ...connection, within };
}
