/** One error of the graph, as it stands in `errors` of the response. */
export interface ErrorOfGraph {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions?: {
    /** A code of the list in the server's docs/errors.md. Later versions may add codes. */
    readonly code?: string;
    /** Whether the same request may succeed later. */
    readonly retryable?: boolean;
    readonly surface?: 'CURRENT' | 'LEGACY';
    readonly requestId?: string;
    readonly retryAfterMs?: number;
    readonly [name: string]: unknown;
  };
}

/** What came with the errors. */
export interface GraphErrorContext {
  readonly data?: unknown;
  readonly status?: number | null;
  readonly retryAfterMs?: number | null;
}

/** The graph answered with errors. `code`, `path` and `requestId` are those of the first one. */
export class GraphError extends Error {
  override readonly name = 'GraphError';
  readonly errors: readonly ErrorOfGraph[];
  /**
   * The fields that were answered nevertheless, of the type that the document has as its result. Undefined if the
   * operation was not executed at all.
   */
  readonly data: unknown;
  readonly code: string | null;
  readonly path: readonly (string | number)[] | null;
  readonly requestId: string | null;
  /** Whether the same request may succeed later: true if that holds for one of the errors. */
  readonly retryable: boolean;
  /** How long to wait before the next attempt; null if the server does not say. */
  readonly retryAfterMs: number | null;
  /** The HTTP status; null over WebSocket. */
  readonly status: number | null;

  constructor(errors: readonly ErrorOfGraph[], context: GraphErrorContext = {}) {
    const [first] = errors;
    const others = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    super(`${first?.message ?? 'The graph answered with an error.'}${others}`);
    this.errors = errors;
    this.data = context.data;
    this.code = first?.extensions?.code ?? null;
    this.path = first?.path ?? null;
    this.requestId = first?.extensions?.requestId ?? null;
    this.retryable = errors.some(({ extensions }) => extensions?.retryable === true);
    this.retryAfterMs =
      longest(errors.flatMap(({ extensions }) => extensions?.retryAfterMs ?? [])) ??
      context.retryAfterMs ??
      null;
    this.status = context.status ?? null;
  }
}

/** What is known of a failed connection. */
export interface ConnectionErrorContext extends Pick<GraphErrorContext, 'status' | 'retryAfterMs'> {
  readonly retryable: boolean;
  readonly cause?: unknown;
}

/**
 * There is no answer of the graph: the connection failed, the time ran out, or something in between answered. Whether the
 * graph received the operation is not known.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** How long to wait before the next attempt; null if nobody says. */
  readonly retryAfterMs: number | null;
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;

  constructor(message: string, { cause, retryable, status, retryAfterMs }: ConnectionErrorContext) {
    super(message, { cause });
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs ?? null;
    this.status = status ?? null;
  }
}

/** Returns the longest of some pauses; null if there are none. */
export function longest(pauses: readonly number[]): number | null {
  return pauses.length > 0 ? Math.max(...pauses) : null;
}
