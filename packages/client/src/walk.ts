import type { Client, RequestOptions } from './client.ts';
import { GraphError } from './errors.ts';
import { repeat } from './repeat.ts';
import type { TypedDocument } from './typed-document.ts';

const ATTEMPTS = 4;
const MAX_PAGES = 10_000;

/** One page of a list, as far as a walk needs it. */
export interface Page<Node> {
  readonly nodes: readonly (Node | null)[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly endCursor: string | null;
    /** Select it, so that a list that moved too far is noticed. */
    readonly drifted?: boolean;
  };
}

/** How a list is walked. */
export interface WalkOptions extends RequestOptions {
  /** The largest number of pages that are read, 10,000 by default. */
  readonly maxPages?: number | undefined;
  /**
   * Called when the list moved so far that records may be missing or repeated; the walk then goes on. Without it, the walk
   * ends with a `WalkError`.
   */
  readonly onDrift?: (() => void) | undefined;
  /**
   * Called for a page of which a part could not be read; the walk then goes on with the rest. Without it, the walk ends
   * with the error.
   */
  readonly onError?: ((error: GraphError) => void) | undefined;
}

/** Why a walk ended early. */
export type WalkErrorCode = 'DRIFTED' | 'NO_LIST' | 'STUCK' | 'TOO_LONG';

const MESSAGES: Readonly<Record<WalkErrorCode, string>> = {
  DRIFTED: 'The list moved while it was read, so that records may be missing. Start again.',
  NO_LIST: 'The result has no list.',
  STUCK: 'There is a next page, but no cursor that leads to it.',
  TOO_LONG: 'The list has more pages than `maxPages`.',
};

/** A list can't be walked to its end. */
export class WalkError extends Error {
  override readonly name = 'WalkError';
  readonly code: WalkErrorCode;

  constructor(code: WalkErrorCode) {
    super(MESSAGES[code]);
    this.code = code;
  }
}

/** What a document needs for a walk: a variable `$after`, which is the `after` of the list. */
interface Paged {
  readonly after?: string | null | undefined;
}

/**
 * Walks a list to its end, and yields its records one by one. A page is requested when the records of the last one have
 * been taken; one that failed with an error that may pass is requested again, up to three times.
 *
 * @param variables All variables of the document; with `after`, the walk starts there.
 * @param select Finds the list in the result, such as `(result) => result.queuedPosts`.
 * @throws {WalkError} if the list can't be walked to its end.
 */
export async function* walk<Result, Variables extends Paged, Node>(
  client: Client,
  document: TypedDocument<Result, Variables>,
  variables: NoInfer<Variables>,
  select: (result: Result) => Page<Node> | null,
  options: WalkOptions = {},
): AsyncGenerator<Node, void, undefined> {
  const { maxPages = MAX_PAGES, onDrift = fail('DRIFTED') } = options;
  let after = variables.after ?? null;
  for (let count = 1; ; count += 1) {
    if (count > maxPages) throw new WalkError('TOO_LONG');
    const send = () => client.request(document, { ...variables, after }, { signal: options.signal });
    const { nodes, pageInfo } = await readPage(send, select, options);
    if (pageInfo.drifted) onDrift();
    for (const node of nodes) if (node !== null) yield node;
    if (!pageInfo.hasNextPage) return;
    if (pageInfo.endCursor === null || pageInfo.endCursor === after) throw new WalkError('STUCK');
    after = pageInfo.endCursor;
  }
}

async function readPage<Result, Node>(
  send: () => Promise<Result>,
  select: (result: Result) => Page<Node> | null,
  { onError, signal }: WalkOptions,
): Promise<Page<Node>> {
  try {
    return select(await repeat(send, { attempts: ATTEMPTS, signal })) ?? fail('NO_LIST')();
  } catch (error) {
    const page = onError && error instanceof GraphError && error.data ? select(error.data as Result) : null;
    if (!page) throw error;
    onError?.(error as GraphError);
    return page;
  }
}

function fail(code: WalkErrorCode): () => never {
  return () => {
    throw new WalkError(code);
  };
}
