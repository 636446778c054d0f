import { createHash } from 'node:crypto';
import { readEach, type EachField, type Graph } from './graph.ts';
import type { PostInput } from './rows.ts';

// A row is known by its content. The server's journal tells what happened to it: each attempt to send it has a key of its
// own, and there is another attempt only if the one before certainly created nothing.

/** Few enough for any server; more would save no calls to the service. */
const KEYS_PER_REQUEST = 25;
/** Maximum number of attempts whose keys are looked up. */
export const MAX_ATTEMPTS = 5;

/** The result of `createPost`. */
export interface Payload {
  readonly outcome: 'COMPLETED' | 'PARTIAL' | 'REJECTED' | 'UNKNOWN';
  readonly postIds: readonly string[] | null;
  /** Whether the server knew the result already. */
  readonly replayed: boolean;
  readonly userErrors: readonly {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
    readonly retryAfterMs: number | null;
  }[];
}
export const PAYLOAD_FIELDS = 'outcome postIds replayed userErrors { code message retryable retryAfterMs }';

/** What is known of a row. */
export interface RowStatus {
  readonly state: 'PENDING' | 'DONE' | 'UNKNOWN';
  /** The attempt to send, or to ask about; null if the server has forgotten the row. */
  readonly attempt: number | null;
  /** Null if it was not sent. */
  readonly outcome: Payload['outcome'] | null;
  readonly postIds: readonly string[];
  /** What the service or the server says about it; empty if nothing. */
  readonly reason: string;
  /** When the server began the attempt, by its clock; absent if that was not read. */
  readonly startedAt?: string | undefined;
}

export const NEVER_SENT: RowStatus = {
  state: 'PENDING',
  attempt: 1,
  outcome: null,
  postIds: [],
  reason: '',
};

/** Returns the name of a row: the same for the same content and the same place among equal rows. */
export function nameOfRow(input: PostInput, place: number): string {
  const content = JSON.stringify([input, place]);
  return `row-${createHash('sha256').update(content).digest('base64url')}`;
}

/** Returns the idempotency key of an attempt to send a row. */
export function keyOf(name: string, attempt: number): string {
  return attempt === 1 ? name : `${name}-${attempt}`;
}

type Write = { readonly startedAt: string; readonly payload: Payload | null } | null;
const WRITE: EachField<Write> = {
  type: 'String!',
  select: `writeOutcome(idempotencyKey: $v) { startedAt payload { ... on CreatePostPayload { ${PAYLOAD_FIELDS} } } }`,
};

/** Reads what the server knows about rows, by their names. */
export async function readStatuses(graph: Graph, names: readonly string[]): Promise<RowStatus[]> {
  const attempts = Array.from({ length: MAX_ATTEMPTS }, (_, index) => index + 1);
  // The record of an early attempt may be forgotten before that of a later one, so each is looked up.
  const keys = names.flatMap((name) => attempts.map((attempt) => keyOf(name, attempt)));
  const writes = await readEach(graph, WRITE, keys, KEYS_PER_REQUEST);
  return names.map((_, index) => {
    const statuses = attempts.flatMap((attempt) => {
      const write = writes[index * MAX_ATTEMPTS + attempt - 1];
      return write ? { ...statusOf(write.payload, attempt), startedAt: write.startedAt } : [];
    });
    return statuses.find(({ state }) => state === 'DONE') ?? statuses.at(-1) ?? NEVER_SENT;
  });
}

/** Returns what the result of an attempt says about a row; null if it is being sent. */
export function statusOf(payload: Payload | null, attempt: number): RowStatus {
  if (payload === null) return { ...NEVER_SENT, state: 'UNKNOWN', attempt, reason: 'it is being sent' };
  const { outcome, postIds, userErrors } = payload;
  const told = {
    outcome,
    postIds: postIds ?? [],
    reason: userErrors.map(({ message }) => message).join(' '),
  };
  if (outcome === 'UNKNOWN') return { ...told, state: 'UNKNOWN', attempt };
  // The server would answer the same key with the same rejection.
  return outcome === 'REJECTED'
    ? { ...told, state: 'PENDING', attempt: attempt + 1 }
    : { ...told, state: 'DONE', attempt };
}
