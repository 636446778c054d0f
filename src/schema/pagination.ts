import type { PageInfoShape } from '@pothos/plugin-relay';
import { isObjectType, type GraphQLSchema } from 'graphql';
import { encodeCursor } from '../lists/cursor.ts';
import { readWindow, type WindowRows } from '../lists/reader.ts';
import type { PagedList } from '../lists/reading.ts';
import { windowOf, type WindowArguments } from '../lists/window.ts';
import { builder } from './builder.ts';

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    nullable: false,
    description: 'Total number of records on all pages.',
    resolve: (connection) => connection.totalCount,
  }),
);

builder.objectField(builder.pageInfoRef(), 'drifted', (t) =>
  t.boolean({
    nullable: false,
    description:
      'Whether the cursor’s exact position was lost because the list changed; records may be repeated or skipped.',
    resolve: (pageInfo) => (pageInfo as Connection<unknown, unknown>).drifted,
  }),
);

/** Reads the window that a connection's arguments select; `nodeOf` converts a row to a record. */
export function connect<T, N>(
  args: WindowArguments,
  list: PagedList<T>,
  nodeOf: (row: T) => N,
): Promise<Connection<T, N> | EmptyConnection<T, N>> {
  const window = windowOf(args, list);
  const read = () => readWindow(list, window).then((rows) => new Connection(rows, nodeOf));
  return window.count === 0 ? Promise.resolve(new EmptyConnection(read)) : read();
}

/** Makes connections resolve `nodes` directly; Pothos would create all edges to take the nodes from them. */
export function readNodesDirectly(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    const nodes = isObjectType(type) && type.name.endsWith('Connection') ? type.getFields()['nodes'] : null;
    if (nodes) nodes.resolve = (connection: Connection<unknown, unknown>) => connection.nodes;
  }
  return schema;
}

/** Returns a cursor for a record just added, as the first of its list; its actual position is unknown. */
export function frontCursor({ fingerprint }: { readonly fingerprint: string }, key: string): string {
  return encodeCursor({ position: 0, key, total: 1 }, fingerprint);
}

/** A window as a connection and its own page info. Records and cursors are made only when selected. */
class Connection<T, N> implements PageInfoShape {
  readonly totalCount: number;
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
  readonly drifted: boolean;
  readonly #window: WindowRows<T>;
  readonly #nodeOf: (row: T) => N;

  constructor(window: WindowRows<T>, nodeOf: (row: T) => N) {
    this.totalCount = window.total;
    this.hasPreviousPage = window.hasPrevious;
    this.hasNextPage = window.hasNext;
    this.drifted = window.drifted;
    this.#window = window;
    this.#nodeOf = nodeOf;
  }

  get nodes(): N[] {
    return this.#window.rows.map((row) => nodeOrError(row, this.#nodeOf));
  }

  get edges() {
    return this.nodes.map((node, row) => new Edge(node, row, this.#window));
  }

  get pageInfo(): this {
    return this;
  }

  get startCursor(): string | null {
    return this.#cursorOf(0);
  }

  get endCursor(): string | null {
    return this.#cursorOf(this.#window.rows.length - 1);
  }

  #cursorOf(row: number): string | null {
    return this.#window.rows.length === 0 ? null : this.#window.cursorOf(row);
  }
}

/** A page of no records, whose list is read only for the facts about it. */
class EmptyConnection<T, N> {
  readonly nodes = [];
  readonly edges = [];
  readonly #read: () => Promise<Connection<T, N>>;
  #reading: Promise<Connection<T, N>> | undefined;

  constructor(read: () => Promise<Connection<T, N>>) {
    this.#read = read;
  }

  get totalCount(): Promise<number> {
    return this.pageInfo.then(({ totalCount }) => totalCount);
  }

  get pageInfo(): Promise<Connection<T, N>> {
    return (this.#reading ??= this.#read());
  }
}

class Edge<N> {
  readonly node: N;
  readonly #row: number;
  readonly #window: WindowRows<unknown>;

  constructor(node: N, row: number, window: WindowRows<unknown>) {
    this.node = node;
    this.#row = row;
    this.#window = window;
  }

  get cursor(): string {
    return this.#window.cursorOf(this.#row);
  }
}

// An error in place of a record affects only that record: the executor raises it where the record is selected.
function nodeOrError<T, N>(row: T, nodeOf: (row: T) => N): N {
  try {
    return nodeOf(row);
  } catch (error) {
    return error as N;
  }
}
