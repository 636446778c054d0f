// What following needs of the graph. In the server's process, its local graph fits; over HTTP, two functions around
// `fetch` and a WebSocket client do.

/** One operation: its document, and the values of its variables. */
export interface GraphRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The result of an operation. */
export interface GraphResult {
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  readonly errors?: readonly GraphError[] | undefined;
}

interface GraphError {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Executes operations with the credentials of one caller. */
export interface Graph {
  /** Executes a query. Rejects if the signal is aborted before the end, or without a result. */
  execute(request: GraphRequest, options: { readonly signal: AbortSignal }): Promise<GraphResult>;
  /** Starts a subscription, which ends with the signal; a single result says why there is none. */
  subscribe(
    request: GraphRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<GraphResult | AsyncIterable<GraphResult>>;
}

/** Thrown for a result without the data that was requested. */
export class GraphFailure extends Error {
  override readonly name = 'GraphFailure';
  /** The code of its first error; null if there is none. */
  readonly code: string | null;

  constructor({ errors = [] }: GraphResult) {
    super(errors[0]?.message ?? 'The graph returned no data.');
    const code = errors[0]?.extensions?.['code'];
    this.code = typeof code === 'string' ? code : null;
  }
}

/** An object in a result. */
export type Data = Readonly<Record<string, unknown>>;

/** Whether a value in a result is an object. */
export function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the root field `name` of a result as plain data, without the fields that could not be read; in a list, null
 * takes their place.
 *
 * @throws GraphFailure if the field itself could not be read
 */
export function rootField(result: GraphResult, name: string): Data {
  const data: unknown = JSON.parse(JSON.stringify(result.data ?? {}));
  for (const { path = [] } of result.errors ?? []) removeNull(data, path);
  const field = isData(data) ? data[name] : undefined;
  if (!isData(field)) throw new GraphFailure(result);
  return field;
}

/** Removes the null at a path, or the one above it that an error in a non-null field has caused. */
function removeNull(holder: unknown, [step, ...rest]: readonly (string | number)[]): void {
  if (typeof holder !== 'object' || holder === null || step === undefined) return;
  const value: unknown = Reflect.get(holder, step);
  if (value !== null) removeNull(value, rest);
  else if (!Array.isArray(holder)) Reflect.deleteProperty(holder, step);
}
