import type { Answer, RunningGraph } from './graph.ts';

/** A connection to be walked: its field, further arguments, and which field of a node names the record. */
export interface Walkable {
  readonly field: string;
  readonly args?: string;
  readonly name: string;
}

export type Way = 'forwards' | 'backwards';

/** One window of a walk. */
export interface Window {
  readonly names: readonly string[];
  readonly totalCount: number;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly drifted: boolean;
  };
}

interface Connection {
  readonly totalCount: number;
  readonly edges: readonly { readonly cursor: string; readonly node: Readonly<Record<string, string>> }[];
  readonly pageInfo: Window['pageInfo'];
}

/** One window of a connection; throws what the answer says is wrong. */
export async function readWindow(
  graph: RunningGraph,
  { field, args = '', name }: Walkable,
  window: string,
): Promise<Window> {
  const answer: Answer = await graph.query(
    `{ ${field}(${window} ${args}) { totalCount edges { cursor node { ${name} } }
       pageInfo { hasNextPage hasPreviousPage startCursor endCursor drifted } } }`,
  );
  if (answer.errors.length > 0) throw new Error(JSON.stringify(answer.errors));
  const { edges, totalCount, pageInfo } = answer.data[field] as Connection;
  return { names: edges.map(({ node }) => node[name] ?? ''), totalCount, pageInfo };
}

/** Walks a connection from one end to the other by windows of a size; `between` runs after each of them. */
export async function walk(
  graph: RunningGraph,
  list: Walkable,
  {
    way,
    size,
    between,
  }: { readonly way: Way; readonly size: number; readonly between?: (step: number) => unknown },
): Promise<Window[]> {
  const [count, place] = way === 'forwards' ? ['first', 'after'] : ['last', 'before'];
  const windows: Window[] = [];
  let cursor: string | null = null;
  do {
    const from: string = cursor === null ? '' : `${place}: "${cursor}"`;
    const window: Window = await readWindow(graph, list, `${count}: ${size} ${from}`);
    windows.push(window);
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = window.pageInfo;
    const goesOn = way === 'forwards' ? hasNextPage : hasPreviousPage;
    cursor = way === 'forwards' ? endCursor : startCursor;
    if (goesOn && cursor === null) throw new Error('there is more, but no cursor to it');
    if (!goesOn) return windows;
    await between?.(windows.length);
  } while (windows.length < 2_000);
  throw new Error('the walk has no end');
}

/** The names of a walk in the list's own order. */
export function namesOf(windows: readonly Window[], way: Way): string[] {
  const inOrder = way === 'forwards' ? windows : windows.toReversed();
  return inOrder.flatMap(({ names }) => names);
}
