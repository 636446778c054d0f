import { ConnectionError, GraphError, type ErrorOfGraph } from './errors.ts';

/** A response whose body was read to its end. */
export interface ReceivedResponse {
  readonly status: number;
  /** The header `retry-after`. */
  readonly retryAfter: string | null;
  readonly body: string;
}

/**
 * The data of a GraphQL response.
 *
 * @throws {GraphError} if it has errors.
 * @throws {ConnectionError} if it is not a GraphQL response.
 */
export function dataOf({ status, retryAfter, body }: ReceivedResponse): unknown {
  const { data, errors } = parse(body);
  const retryAfterMs = retryAfter === null ? null : millisecondsOf(retryAfter);
  if (Array.isArray(errors) && errors.length > 0)
    throw new GraphError(errors as ErrorOfGraph[], { data, status, retryAfterMs });
  if (typeof data === 'object' && data !== null) return data;
  const retryable = status >= 500 || status === 429 || status === 408;
  const message = `The response with status ${status} is not a GraphQL response.`;
  throw new ConnectionError(message, { retryable, status, retryAfterMs });
}

function parse(body: string): { readonly data?: unknown; readonly errors?: unknown } {
  try {
    return (JSON.parse(body) ?? {}) as object;
  } catch {
    return {};
  }
}

/** The header is a number of seconds or a date. */
function millisecondsOf(retryAfter: string): number | null {
  // `Date.parse` would read 1.5 as a day in 2001.
  const ms = /^[\d.]+$/.test(retryAfter)
    ? Math.ceil(Number(retryAfter) * 1_000)
    : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
