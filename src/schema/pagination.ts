import type { PageInfoShape } from '@pothos/plugin-relay';
import { encodeCursor } from '../paging/cursor.ts';
import { readWindow, type PagedList, type PlacedRow } from '../paging/read.ts';
import { windowOf, type WindowArguments } from '../paging/window.ts';
import { builder } from './builder.ts';

interface DriftingPageInfo extends PageInfoShape {
  readonly drifted: boolean;
}

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    nullable: false,
    description: 'Length of the whole list, with the filter applied.',
    resolve: (connection) => connection.totalCount,
  }),
);

builder.objectField(builder.pageInfoRef(), 'drifted', (t) =>
  t.boolean({
    nullable: false,
    description:
      'True when the list moved so far that the exact place of the cursor could not be found again: records may be repeated, and some may have been missed.',
    resolve: (pageInfo) => (pageInfo as DriftingPageInfo).drifted,
  }),
);

/** Reads the window that a connection's arguments name; `nodeOf` makes a record of a row. */
export async function connect<T, N>(args: WindowArguments, list: PagedList<T>, nodeOf: (row: T) => N) {
  const { rows, total, hasPrevious, hasNext, drifted } = await readWindow(list, windowOf(args, list));
  const edges = rows.map((placed) => new Edge(placed, nodeOf));
  const pageInfo: DriftingPageInfo = {
    hasPreviousPage: hasPrevious,
    hasNextPage: hasNext,
    // Few ask for them, and each takes a digest.
    get startCursor() {
      return edges[0]?.cursor ?? null;
    },
    get endCursor() {
      return edges.at(-1)?.cursor ?? null;
    },
    drifted,
  };
  return { edges, pageInfo, totalCount: total };
}

/** The cursor of a record that was just added, as the first of its list; where it really stands, nobody can tell. */
export function frontCursor({ fingerprint }: { readonly fingerprint: string }, key: string): string {
  return encodeCursor({ position: 0, key, total: 1 }, fingerprint);
}

class Edge<T, N> {
  readonly node: N;
  readonly #placed: PlacedRow<T>;

  constructor(placed: PlacedRow<T>, nodeOf: (row: T) => N) {
    this.node = settled(() => nodeOf(placed.row));
    this.#placed = placed;
  }

  get cursor(): string {
    return this.#placed.cursor();
  }
}

// An error in the place of a record spoils that record only: the executor raises it where the record is selected.
function settled<N>(make: () => N): N {
  try {
    return make();
  } catch (error) {
    return error as N;
  }
}
