import type { WriteContext } from './context.ts';
import { assertSourceError, type Surface } from '../sources/errors.ts';
import type { Search } from './find-created.ts';
import { withKey, type Attempt, type KeyedResult, type LookBefore } from './keyed-write.ts';
import { completed, resultOfFailure, type UserError, type WriteResult } from './outcome.ts';
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
  readonly send: () => Promise<WriteResult<D>>;
  /** The search for its result if the outcome is unknown; none if the service does not show it. */
  readonly search?: Search<D> | null;
  /** Whether the list is read before the write. Without that, a search finds nothing. */
  readonly readsBefore?: boolean;
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
  const { mutation, search, readsBefore = false } = write;
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
      ...(search && readsBefore ? { lookBefore: () => lookFirst(search, howToFindOut) } : {}),
      perform: (attempt) => {
        const performed = search
          ? claims.during(attempt, { kind: mutation, subject: search.subject }, () => perform(attempt))
          : perform(attempt);
        return performed.finally(() => context.loaders.forget());
      },
      ...(search ? { lookAgain: (attempt) => resultOf(search, attempt) } : {}),
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
  { send, search }: CreatingWrite<D>,
  attempt: Attempt,
  howToFindOut: string,
): Promise<WriteResult<D>> {
  try {
    const result = await retryIfNotConnected(send);
    if (result.data !== null) search?.claim(result.data, attempt);
    return result;
  } catch (error) {
    assertSourceError(error);
    const result = resultOfFailure(error, howToFindOut);
    if (result.outcome !== 'UNKNOWN' || !search) return result;
    return (await resultOf(search, attempt)) ?? result;
  }
}

async function lookFirst(search: Search<unknown>, howToFindOut: string): Promise<LookBefore> {
  try {
    return { before: await search.idsBefore() };
  } catch (error) {
    assertSourceError(error);
    return { refused: resultOfFailure(error, howToFindOut) };
  }
}

// A failed search leaves the outcome unknown.
async function resultOf<D>(search: Search<D>, attempt: Attempt): Promise<WriteResult<D> | null> {
  try {
    const found = await search.find(attempt);
    return found && completed(found);
  } catch (error) {
    assertSourceError(error);
    return null;
  }
}
