import {
  ConnectionError,
  GraphError,
  repeat,
  walk,
  type Client,
  type Page,
  type TypedDocument,
} from '../../client/src/index.ts';

/** The graph, and how much to ask of it at once. */
export interface Graph {
  readonly client: Client;
  /**
   * Maximum number of fields that one request asks for; 25 fit within a server's default limits. A request that exceeds a
   * limit is divided.
   */
  readonly fieldsPerRequest: number;
}

/** Whether an error is one of the graph, or of the connection to it. */
export function isGraphFailure(error: unknown): error is GraphError | ConnectionError {
  return error instanceof GraphError || error instanceof ConnectionError;
}

const READ_ATTEMPTS = 4;
const MAX_PAGES = 100;

/**
 * Sends a query, again after errors that may pass.
 *
 * @throws GraphError, ConnectionError
 */
export async function read<Result>(
  { client }: Graph,
  document: TypedDocument<Result, Readonly<Record<string, unknown>>>,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<Result> {
  return await repeat(() => client.request(document, variables), { attempts: READ_ATTEMPTS });
}

/** A field that is read for many arguments. */
export interface EachField<Value> {
  /** The type of the variable `$v`. */
  readonly type: string;
  /** How the field is selected, with `$v` as its argument. */
  readonly select: string;
  /** Returns a value for an argument that the graph refuses by itself; such an argument fails everything otherwise. */
  readonly refused?: (error: GraphError) => Value;
}

/** Codes of requests that were refused because of one of their arguments, or of all of them together. */
const REFUSALS: readonly (string | null)[] = ['LIMIT_EXCEEDED', 'BAD_USER_INPUT'];

/**
 * Reads a field once for each of many arguments, as many as possible in one request.
 *
 * @throws GraphError, ConnectionError
 */
export async function readEach<Value>(
  graph: Graph,
  field: EachField<Value>,
  values: readonly unknown[],
  most = graph.fieldsPerRequest,
): Promise<Value[]> {
  const results: Value[] = [];
  for (let start = 0; start < values.length; start += most) {
    const some = values.slice(start, start + most);
    const declared = some.map((_, index) => `$v${index}: ${field.type}`).join(', ');
    const selected = some.map((_, index) => `f${index}: ${field.select.replace('$v', `$v${index}`)}`);
    const document = `query (${declared}) { ${selected.join('\n')} }` as TypedDocument<
      Readonly<Record<string, Value>>,
      Readonly<Record<string, unknown>>
    >;
    const variables = Object.fromEntries(some.map((value, index) => [`v${index}`, value]));
    try {
      const data = await read(graph, document, variables);
      results.push(...some.flatMap((_, index) => data[`f${index}`] as Value));
    } catch (error) {
      if (!(error instanceof GraphError && REFUSALS.includes(error.code))) throw error;
      if (some.length > 1) results.push(...(await readEach(graph, field, some, Math.ceil(some.length / 2))));
      else if (field.refused) results.push(field.refused(error));
      else throw error;
    }
  }
  return results;
}

/** The query of a list, with the root field `list` and the variable `$after` for its `after`. */
export type ListDocument<Node> = TypedDocument<
  { readonly list: Page<Node> | null },
  { readonly after?: string | null }
>;
export const PAGE_INFO = 'pageInfo { hasNextPage endCursor drifted }';

/**
 * Reads a list to its end, and counts the records that could not be read. A field that could not be read is null.
 *
 * @throws GraphError, ConnectionError, or WalkError if the list is too long or changes too much
 */
export async function readList<Node>(
  { client }: Graph,
  document: ListDocument<Node>,
): Promise<{ readonly nodes: readonly Node[]; readonly unreadable: number }> {
  const nodes: Node[] = [];
  let unreadable = 0;
  const select = ({ list }: { readonly list: Page<Node> | null }): Page<Node> | null => {
    unreadable += list?.nodes.filter((node) => node === null).length ?? 0;
    return list;
  };
  const options = { maxPages: MAX_PAGES, onError: () => undefined };
  for await (const node of walk(client, document, {}, select, options)) nodes.push(node);
  return { nodes, unreadable };
}
