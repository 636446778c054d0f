import type { WriteContext } from './context.ts';
import { assertSourceError, type Surface } from '../sources/errors.ts';
import { withKey, type Attempt, type KeyedResult, type LookBefore } from './keyed-write.ts';
import { resultOfFailure, type UserError, type WriteResult } from './outcome.ts';
import { retryIfNotConnected } from './retry-if-not-connected.ts';

/** A write that creates or spends something, and so may have a key. */
export interface CreatingWrite<D> {
  readonly mutation: string;
  readonly surface: Surface;
  /** The mutation's input as given. */
  readonly input: { readonly idempotencyKey?: string | null | undefined };
  /** A sentence that says where the caller can see its outcome. */
  readonly whereToLook: string;
  /** The problems of the input; if there are any, nothing is sent. */
  readonly problems: readonly UserError[];
  /** Sends the write and returns its result. */
  readonly send: (attempt: Attempt) => Promise<WriteResult<D>>;
  /** What other writes of its kind are compared by, if its result is searched for. */
  readonly subject?: unknown;
  /** Reads the state to compare with afterwards; null if it cannot be determined. Throws if it cannot connect. */
  readonly lookBefore?: () => Promise<unknown>;
  /** Searches once for the result of a write of unknown outcome; null if the outcome stays unknown. */
  readonly lookAgain?: (attempt: Attempt) => Promise<WriteResult<D> | null>;
}

const ASK_AGAIN =
  'Asking again with the same idempotencyKey and input sends nothing: it looks again, where that can tell.';
const DO_NOT_ASK_AGAIN =
  'Without an idempotencyKey the same call is another write, so look before you send it again.';

/** Performs a validated write: at most once for its key, and sent at most once in any case. */
export async function performWrite<D>(
  context: WriteContext,
  write: CreatingWrite<D>,
): Promise<KeyedResult<D>> {
  const { idempotencyKey: key, ...input } = write.input;
  const { journal, claims, callerId, now, track } = context.writes;
  const howToFindOut = `${write.whereToLook} ${key == null ? DO_NOT_ASK_AGAIN : ASK_AGAIN}`;
  const { mutation, lookBefore, lookAgain, subject } = write;
  const unbound = unboundSurface(context, write.surface);
  if (unbound !== null && write.problems.length === 0) return { result: unbound, replayed: false };
  const perform = (attempt: Attempt) => performOnce(write, attempt, howToFindOut);
  const keyed = withKey(
    journal,
    {
      key,
      scope: callerId(write.surface),
      mutation,
      input,
      howToFindOut,
      problems: write.problems,
      ...(lookBefore ? { lookBefore: () => lookFirst(lookBefore, howToFindOut) } : {}),
      perform: (attempt) => {
        const performed = lookAgain
          ? claims.during(attempt, { kind: mutation, subject }, () => perform(attempt))
          : perform(attempt);
        return performed.finally(() => context.loaders.forget());
      },
      ...(lookAgain ? { lookAgain: (attempt) => unlessItFails(() => lookAgain(attempt)) } : {}),
    },
    now,
  );
  // Tracked until the result is stored, too.
  return await track(keyed);
}

// A caller without access to the surface has nothing to store.
function unboundSurface({ writes: { sources } }: WriteContext, surface: Surface): WriteResult<never> | null {
  try {
    sources[surface]();
    return null;
  } catch (error) {
    assertSourceError(error);
    return resultOfFailure(error, '');
  }
}

async function performOnce<D>(
  { send, lookAgain }: CreatingWrite<D>,
  attempt: Attempt,
  howToFindOut: string,
): Promise<WriteResult<D>> {
  try {
    return await retryIfNotConnected(() => send(attempt));
  } catch (error) {
    assertSourceError(error);
    const result = resultOfFailure(error, howToFindOut);
    if (result.outcome !== 'UNKNOWN' || !lookAgain) return result;
    return (await unlessItFails(() => lookAgain(attempt))) ?? result;
  }
}

async function lookFirst(look: () => Promise<unknown>, howToFindOut: string): Promise<LookBefore> {
  try {
    return { before: await look() };
  } catch (error) {
    assertSourceError(error);
    return { refused: resultOfFailure(error, howToFindOut) };
  }
}

// A failed search leaves the outcome unknown.
async function unlessItFails<D>(look: () => Promise<WriteResult<D> | null>): Promise<WriteResult<D> | null> {
  try {
    return await look();
  } catch (error) {
    assertSourceError(error);
    return null;
  }
}
