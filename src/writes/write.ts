import type { WriteContext } from './context.ts';
import { SourceError, type Surface } from '../sources/errors.ts';
import { withKey, type KeyedResult } from './journal.ts';
import { resultOfFailure, type UserError, type WriteResult } from './outcome.ts';
import { retryIfNotConnected } from './retry-if-not-connected.ts';

/** A write that makes or spends something, and so may carry a key. */
export interface CreatingWrite<D> {
  readonly mutation: string;
  readonly surface: Surface;
  /** The mutation's input as it was given. */
  readonly input: { readonly idempotencyKey?: string | null | undefined };
  /** Ends the sentence of an unknown outcome: how the caller can find out. */
  readonly howToFindOut: string;
  /** What is wrong with the input; with anything, nothing is sent. */
  readonly problems: readonly UserError[];
  /** Sends the write and says what came of it. */
  readonly send: () => Promise<WriteResult<D>>;
  /** Looks, once, whether a write of unknown outcome happened; null when that stays open. */
  readonly confirm?: () => Promise<WriteResult<D> | null>;
}

/** Performs a checked write: at most once for its key, and sent at most once in any case. */
export async function performWrite<D>(
  context: WriteContext,
  write: CreatingWrite<D>,
): Promise<KeyedResult<D>> {
  const { idempotencyKey, ...input } = write.input;
  const { journal, callerId, now, track } = context.writes;
  const keyed = withKey(
    journal,
    {
      key: idempotencyKey,
      scope: callerId(write.surface),
      mutation: write.mutation,
      input,
      howToFindOut: write.howToFindOut,
      problems: write.problems,
      perform: () => performOnce(write).finally(() => context.loaders.forget()),
    },
    now,
  );
  // Until it is remembered, too.
  return await track(keyed);
}

async function performOnce<D>(write: CreatingWrite<D>): Promise<WriteResult<D>> {
  try {
    return await retryIfNotConnected(write.send);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const result = resultOfFailure(error, write.howToFindOut);
    if (result.outcome !== 'UNKNOWN' || !write.confirm) return result;
    return (await confirmed(write.confirm)) ?? result;
  }
}

// A look that fails leaves the outcome as unknown as it was.
async function confirmed<D>(confirm: () => Promise<WriteResult<D> | null>): Promise<WriteResult<D> | null> {
  try {
    return await confirm();
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}
