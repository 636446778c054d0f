import type { WriteContext } from './context.ts';
import { assertSourceError, type Surface } from '../sources/errors.ts';
import type { Search } from './find-created.ts';
import { withKey, type Attempt, type KeyedResult, type LookBefore } from './keyed-write.ts';
import { declareOrigin, isOnlyOrigin, withdrawOrigin, type Origin } from './origins.ts';
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
  'Repeating the request with the same idempotency key sends nothing; the result is looked up again where possible.';
const DO_NOT_ASK_AGAIN =
  'Without an idempotency key, repeating the request is another write, so check before sending it again.';

/** Performs a validated write: at most once for its key, and sent at most once in any case. */
export async function performWrite<D>(
  context: WriteContext,
  write: CreatingWrite<D>,
): Promise<KeyedResult<D>> {
  const { idempotencyKey: key, ...input } = write.input;
  const { journal, callerId, now, track } = context.writes;
  const howToFindOut = `${write.whereToLook} ${key == null ? DO_NOT_ASK_AGAIN : ASK_AGAIN}`;
  const { mutation, search, readsBefore = false } = write;
  const unbound = unboundSurface(context, write.surface);
  if (unbound !== null && write.problems.length === 0) return { result: unbound, replayed: false };
  const scope = callerId(write.surface);
  const originOf = ({ name }: Pick<Attempt, 'name'>): Origin => ({ scope, name, marks: search?.marks ?? [] });
  const look = async (attempt: Attempt): Promise<WriteResult<D> | null> => {
    const isOnly = () => isOnlyOrigin(journal, originOf(attempt)).catch(() => false);
    try {
      const found = await search?.find(attempt, isOnly);
      return found ? completed(found) : null;
    } catch (error) {
      // A failed search leaves the outcome unknown.
      assertSourceError(error);
      return null;
    }
  };
  const settle = async (attempt: Attempt, result: WriteResult<D>): Promise<WriteResult<D>> => {
    if (result.outcome !== 'UNKNOWN') await withdrawOrigin(journal, originOf(attempt)).catch(() => undefined);
    return result;
  };
  const keyed = withKey(
    journal,
    {
      key,
      scope,
      mutation,
      input,
      howToFindOut,
      problems: write.problems,
      ...(search ? { declare: (name: string) => declareOrigin(journal, originOf({ name }), now()) } : {}),
      ...(search && readsBefore ? { lookBefore: () => lookFirst(search, howToFindOut) } : {}),
      perform: async (attempt) => {
        try {
          const sent = await sendOnce(write, howToFindOut);
          return await settle(attempt, sent.outcome === 'UNKNOWN' ? ((await look(attempt)) ?? sent) : sent);
        } finally {
          context.loaders.forget();
        }
      },
      lookAgain: async (attempt) => {
        const found = await look(attempt);
        return found && (await settle(attempt, found));
      },
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

async function sendOnce<D>({ send }: CreatingWrite<D>, howToFindOut: string): Promise<WriteResult<D>> {
  try {
    return await retryIfNotConnected(send);
  } catch (error) {
    assertSourceError(error);
    return resultOfFailure(error, howToFindOut);
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
