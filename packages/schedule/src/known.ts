import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Graph } from './graph.ts';
import type { PostInput } from './rows.ts';

// A row is known by its content. The server's journal tells what happened to it: each attempt to send it has a key of its
// own, and there is another attempt only if the one before certainly created nothing.

/** Few enough for any server; more would save no calls to the service. */
const KEYS_PER_REQUEST = 25;
/** Maximum number of attempts whose keys are looked up. */
export const MAX_ATTEMPTS = 5;

/** The result of `createPost`. */
export const PAYLOAD = z.object({
  outcome: z.enum(['COMPLETED', 'PARTIAL', 'REJECTED', 'UNKNOWN']),
  postIds: z.array(z.string()).nullable(),
  userErrors: z.array(
    z.object({
      code: z.string(),
      message: z.string(),
      retryable: z.boolean(),
      retryAfterMs: z.number().nullable(),
    }),
  ),
});
/** The fields that it needs. */
export const PAYLOAD_FIELDS = 'outcome postIds userErrors { code message retryable retryAfterMs }';

/** What is known of a row. */
export interface RowStatus {
  readonly state: 'PENDING' | 'DONE' | 'UNKNOWN';
  /** The attempt to send, or to ask about; null if the server has forgotten the row. */
  readonly attempt: number | null;
  /** Null if it was not sent. */
  readonly outcome: z.output<typeof PAYLOAD>['outcome'] | null;
  readonly postIds: readonly string[];
  /** What the service or the server says about it; empty if nothing. */
  readonly reason: string;
}

export const NEVER_SENT: RowStatus = {
  state: 'PENDING',
  attempt: 1,
  outcome: null,
  postIds: [],
  reason: '',
};

/** Returns the input in the form that is sent: accounts and times in order, since another order is the same post. */
export function normalized({ accountIds, timing, variants }: PostInput): PostInput {
  const { placement, scheduledAtLocal, scheduledAt } = timing;
  return {
    accountIds: accountIds.toSorted(),
    timing: {
      ...(placement === undefined ? {} : { placement }),
      ...(scheduledAtLocal === undefined ? {} : { scheduledAtLocal: scheduledAtLocal.toSorted() }),
      ...(scheduledAt === undefined ? {} : { scheduledAt: scheduledAt.toSorted() }),
    },
    variants,
  };
}

/** Returns the name of a row: the same for the same content and the same place among equal rows. */
export function nameOfRow(input: PostInput, place: number): string {
  const content = JSON.stringify([normalized(input), place]);
  return `row-${createHash('sha256').update(content).digest('base64url')}`;
}

/** Returns the idempotency key of an attempt to send a row. */
export function keyOf(name: string, attempt: number): string {
  return attempt === 1 ? name : `${name}-${attempt}`;
}

const WRITE = z.object({ isUnderWay: z.boolean(), payload: PAYLOAD.nullable() }).nullable();

/**
 * Reads what the server knows about rows, by their names.
 *
 * @throws GraphFailure
 */
export async function readStatuses(graph: Graph, names: readonly string[]): Promise<RowStatus[]> {
  const attempts = Array.from({ length: MAX_ATTEMPTS }, (_, index) => index + 1);
  const field = {
    data: WRITE,
    type: 'String!',
    select: `writeOutcome(idempotencyKey: $v) { isUnderWay payload { ... on CreatePostPayload { ${PAYLOAD_FIELDS} } } }`,
  };
  // The record of an early attempt may be forgotten before that of a later one, so each is looked up.
  const keys = names.flatMap((name) => attempts.map((attempt) => keyOf(name, attempt)));
  const writes = await graph.readEach(field, keys, KEYS_PER_REQUEST);
  return names.map((_, index) => statusIn(writes.slice(index * MAX_ATTEMPTS, (index + 1) * MAX_ATTEMPTS)));
}

function statusIn(writes: readonly z.output<typeof WRITE>[]): RowStatus {
  const statuses = writes.flatMap((write, index) => {
    if (write === null) return [];
    return write.payload === null
      ? { ...NEVER_SENT, state: 'UNKNOWN' as const, attempt: index + 1, reason: 'it is being sent' }
      : statusOf(write.payload, index + 1);
  });
  return statuses.find(({ state }) => state === 'DONE') ?? statuses.at(-1) ?? NEVER_SENT;
}

/** Returns what the result of an attempt says about a row. */
export function statusOf(
  { outcome, postIds, userErrors }: z.output<typeof PAYLOAD>,
  attempt: number,
): RowStatus {
  const reason = userErrors.map(({ message }) => message).join(' ');
  const told = { outcome, postIds: postIds ?? [], reason };
  if (outcome === 'UNKNOWN') return { ...told, state: 'UNKNOWN', attempt };
  // The server would answer the same key with the same rejection.
  return outcome === 'REJECTED'
    ? { ...told, state: 'PENDING', attempt: attempt + 1 }
    : { ...told, state: 'DONE', attempt };
}
