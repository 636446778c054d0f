// What tools need of the graph. In the server's process, its local graph fits; over HTTP, two functions around `fetch`
// and a WebSocket client do.

/** One operation: its document, and the values of its variables. */
export interface GraphRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** An error of a result. */
export interface GraphError {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** The result of an operation; without `data`, nothing was executed. */
export interface GraphResult {
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  readonly errors?: readonly GraphError[] | undefined;
}

/** Executes operations with the credentials of one caller. */
export interface Graph {
  /** Executes a query or a mutation. Rejects if the signal is aborted before the end, or without a result. */
  execute(request: GraphRequest, options: { readonly signal: AbortSignal }): Promise<GraphResult>;
  /** Starts a subscription, which ends with the signal; a single result says why there is none. */
  subscribe(
    request: GraphRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<GraphResult | AsyncIterable<GraphResult>>;
}

/** Returns the properties of an object in a result; none for any other value. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** Returns the elements of a list in a result; none for any other value. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
