import { setTimeout as after } from 'node:timers/promises';
import { z } from 'zod';

/** One operation of the graph. */
export interface GraphRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The result of an operation, as GraphQL defines it. */
export interface GraphResult {
  readonly data?: unknown;
  readonly errors?: readonly GraphResultError[] | undefined;
}

interface GraphResultError {
  readonly message: string;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Executes an operation, in this process or over HTTP. A lost connection is an error of the result. */
export type Execute = (request: GraphRequest) => Promise<GraphResult>;

/** Codes of requests that were not executed because of one of their arguments, or of all of them together. */
const REFUSALS: readonly (string | null)[] = ['LIMIT_EXCEEDED', 'BAD_USER_INPUT'];
/** Codes of requests that this graph does not understand. */
const MISUNDERSTANDINGS: readonly (string | null)[] = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'];

/** An operation failed as a whole. */
export class GraphFailure extends Error {
  override readonly name = 'GraphFailure';
  /** A code of the graph; null if the response is not one of the graph. */
  readonly code: string | null;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;

  constructor(errors: readonly GraphResultError[] = []) {
    const [first] = errors;
    super(first?.message ?? 'The response is not one of this graph.');
    const { code, retryable, retryAfterMs } = first?.extensions ?? {};
    this.code = typeof code === 'string' ? code : null;
    this.retryable = retryable === true;
    this.retryAfterMs = typeof retryAfterMs === 'number' ? retryAfterMs : null;
  }

  /** Whether the operation was refused before it was executed. */
  get wasRefused(): boolean {
    return [...REFUSALS, ...MISUNDERSTANDINGS].includes(this.code);
  }
}

/** How a client uses the graph. */
export interface GraphOptions {
  /**
   * Maximum number of fields that one request asks for: 25 by default, which fits within a server's default limits. A
   * request that exceeds a limit is divided.
   */
  readonly fieldsPerRequest?: number | undefined;
}

const FIELDS_PER_REQUEST = 25;
const READ_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const PAGE_SIZE = 100;
const MAX_PAGES = 100;

/** A field that is read for many arguments. */
interface EachField<T> {
  /** The form of its value. */
  readonly data: z.ZodType<T>;
  /** The type of the variable `$v`. */
  readonly type: string;
  /** How the field is selected, with `$v` as its argument. */
  readonly select: string;
  /** Returns a value for an argument that the graph refuses by itself; such an argument fails everything otherwise. */
  readonly refused?: (message: string) => T;
}

/** A client of the graph. */
export class Graph {
  readonly #execute: Execute;
  readonly #fieldsPerRequest: number;

  constructor(execute: Execute, { fieldsPerRequest = FIELDS_PER_REQUEST }: GraphOptions = {}) {
    this.#execute = execute;
    this.#fieldsPerRequest = fieldsPerRequest;
  }

  /**
   * Executes a mutation, once.
   *
   * @throws GraphFailure if the graph does not answer it; it may have been executed
   */
  async mutate<T>(data: z.ZodType<T>, request: GraphRequest): Promise<T> {
    return dataOf(data, await this.#execute(request));
  }

  /**
   * Executes a query, again after failures that may pass.
   *
   * @param options.isPartial Whether a field that could not be read may be null; it fails the query otherwise.
   * @throws GraphFailure
   */
  async read<T>(
    data: z.ZodType<T>,
    request: GraphRequest,
    { isPartial = false }: { readonly isPartial?: boolean } = {},
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await this.#execute(request);
        if (!isPartial && result.errors?.length) throw new GraphFailure(result.errors);
        return dataOf(data, result);
      } catch (error) {
        const isLast = !(error instanceof GraphFailure && error.retryable) || attempt === READ_ATTEMPTS;
        if (isLast) throw error;
        const growing = FIRST_PAUSE_MS * 2 ** (attempt - 1);
        await after(Math.max(growing, error.retryAfterMs ?? 0));
      }
    }
  }

  /**
   * Reads a field once for each of many arguments, as many as possible in one request.
   *
   * @throws GraphFailure
   */
  async readEach<T>(
    field: EachField<T>,
    values: readonly unknown[],
    most = this.#fieldsPerRequest,
  ): Promise<T[]> {
    const results: T[] = [];
    for (let start = 0; start < values.length; start += most) {
      const some = values.slice(start, start + most);
      const declared = some.map((_, index) => `$v${index}: ${field.type}`).join(', ');
      const selected = some.map((_, index) => `f${index}: ${field.select.replace('$v', `$v${index}`)}`);
      const request = {
        query: `query (${declared}) { ${selected.join('\n')} }`,
        variables: Object.fromEntries(some.map((value, index) => [`v${index}`, value])),
      };
      try {
        const record = await this.read(z.record(z.string(), field.data), request);
        results.push(...some.flatMap((_, index) => record[`f${index}`] as T));
      } catch (error) {
        const isRefusal = error instanceof GraphFailure && REFUSALS.includes(error.code);
        if (isRefusal && some.length > 1)
          results.push(...(await this.readEach(field, some, Math.ceil(some.length / 2))));
        else if (isRefusal && field.refused) results.push(field.refused(error.message));
        else throw error;
      }
    }
    return results;
  }

  /**
   * Reads a list to its end; a record that could not be read is null.
   *
   * @param list The name of a connection, with its arguments except those for paging, and the fields of a record.
   * @throws GraphFailure
   */
  async readList<T>(
    node: z.ZodType<T>,
    list: { readonly name: string; readonly fields: string },
  ): Promise<(T | null)[]> {
    const page = z.object({
      list: z.object({
        nodes: z.array(node.nullable()),
        pageInfo: z.object({
          hasNextPage: z.boolean(),
          endCursor: z.string().nullable(),
          drifted: z.boolean(),
        }),
      }),
    });
    const query = `query ($after: String) { list: ${list.name}(first: ${PAGE_SIZE}, after: $after) {
      nodes { ${list.fields} } pageInfo { hasNextPage endCursor drifted } } }`;
    const nodes: (T | null)[] = [];
    let cursor: string | null = null;
    for (let count = 1; count <= MAX_PAGES; count += 1) {
      const read: z.output<typeof page> = await this.read(
        page,
        { query, variables: { after: cursor } },
        { isPartial: true },
      );
      const { nodes: some, pageInfo } = read.list;
      if (pageInfo.drifted) break;
      nodes.push(...some);
      if (!pageInfo.hasNextPage) return nodes;
      cursor = pageInfo.endCursor;
    }
    const message = 'The list is too long, or changed while it was read.';
    throw new GraphFailure([{ message, extensions: { code: 'SCAN_LIMIT_REACHED' } }]);
  }
}

function dataOf<T>(form: z.ZodType<T>, { data, errors }: GraphResult): T {
  const parsed = form.safeParse(data);
  if (!parsed.success) throw new GraphFailure(errors);
  return parsed.data;
}
