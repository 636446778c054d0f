import { z } from 'zod';
import { readAccounts, type AccountDirectory } from './accounts.ts';
import { checkRows, problemBeside, repetitionOf, type RowWarning } from './check.ts';
import type { Graph } from './graph.ts';
import { MAX_ATTEMPTS, nameOfRow, NEVER_SENT, readStatuses, type RowStatus } from './known.ts';
import type { ResultsEntry, ResultsFile } from './results.ts';
import { readRow, type PostRow } from './rows.ts';
import type { SendableRow } from './send.ts';
import { readTable, type TableProblem, type TableRow } from './table.ts';

/** How a table is read and checked. */
export interface PrepareOptions {
  readonly graph: Graph;
  readonly results: ResultsFile;
  /** Whether the rows are going to be sent, so that the server must not forget them. */
  readonly sends: boolean;
  /** Whether to send rows that changed after they were sent. */
  readonly sendsChanged?: boolean | undefined;
}

/** A row of a table that was checked. */
export interface PlannedRow extends SendableRow {
  readonly isInvalid: boolean;
}

/** A table that was read and checked. */
export interface Plan {
  readonly directory: Pick<AccountDirectory, 'labelOf'>;
  /** Empty if the table as a whole could not be read. */
  readonly rows: readonly PlannedRow[];
  readonly problems: readonly TableProblem[];
  readonly warnings: readonly RowWarning[];
}

/** Returns the rows of a plan to send, and those to ask about. */
export function openRows({ rows }: Plan): PlannedRow[] {
  return rows.filter(
    ({ isInvalid, status }) => !isInvalid && status.state !== 'DONE' && status.attempt !== null,
  );
}

/** A server to which nothing should be sent; the message says why. */
export class UnsafeServer extends Error {
  override readonly name = 'UnsafeServer';
}

/**
 * Reads a table of posts and checks the rows still to be sent; sends no writes.
 *
 * @throws GraphFailure, or UnsafeServer if rows are going to be sent and the server could send them twice
 */
export async function prepare(content: Uint8Array, options: PrepareOptions): Promise<Plan> {
  const table = readTable(content);
  if (table.problems.length === 0) return await check(table.rows, options);
  const problems = [...table.problems, ...table.rows.flatMap((row) => row.problems)];
  return { directory: { labelOf: (id) => id }, rows: [], problems, warnings: [] };
}

async function check(
  tableRows: readonly TableRow[],
  { graph, results, sends, sendsChanged = false }: PrepareOptions,
): Promise<Plan> {
  const retentionMs = await retentionOf(graph, sends);
  const directory = await readAccounts(graph);
  const named = nameRows(tableRows, directory, results);
  const known = await readStatuses(
    graph,
    named.map(({ name }) => name),
  );
  const statuses = named.map(({ name }, index) =>
    withResults(known[index] ?? NEVER_SENT, results.entries.get(name), retentionMs),
  );
  // Rows that are done are not checked again: their time may have passed.
  const pending = named.filter((_, index) => statuses[index]?.state === 'PENDING');
  const checked = await checkRows(
    graph,
    pending.map(({ post }) => post),
  );
  const findings = new Map(pending.map(({ name }, index) => [name, checked[index]]));
  const gone = sendsChanged ? [] : await sentAndGone(graph, results, new Set(named.map(({ name }) => name)));
  const problems: TableProblem[] = [];
  const warnings: RowWarning[] = [];
  const rows = named.map(({ post, name, first }, index): PlannedRow => {
    const status = statuses[index] ?? NEVER_SENT;
    const found = findings.get(name);
    const own = [...(found?.problems ?? [])];
    const beside = found && problemBeside(post, gone, directory);
    if (beside) own.push(beside);
    if ((status.attempt ?? 0) > MAX_ATTEMPTS) own.push(rejectedTooOften(post, status));
    problems.push(...own);
    warnings.push(...(found?.warnings ?? []));
    // Of a row that could not be read in full, it is unknown what it requests.
    if (found && first && post.problems.length === 0) warnings.push(repetitionOf(post, first));
    return { post, name, status, isInvalid: own.length > 0 };
  });
  return { directory, rows, problems, warnings };
}

const VIEWER = z.object({
  viewer: z.object({ isSandbox: z.boolean(), writeRetentionSeconds: z.number().nullable() }),
});
const FORGETFUL =
  'The server forgets writes when it restarts, so rows could be sent twice. Set DATA_DIR or REDIS_URL on the server.';

/** Returns how long the server remembers writes, in milliseconds. */
async function retentionOf(graph: Graph, sends: boolean): Promise<number> {
  const query = '{ viewer { isSandbox writeRetentionSeconds } }';
  const { viewer } = await graph.read(VIEWER, { query });
  if (viewer.writeRetentionSeconds !== null) return viewer.writeRetentionSeconds * 1_000;
  if (sends && !viewer.isSandbox) throw new UnsafeServer(FORGETFUL);
  return Infinity;
}

interface NamedRow {
  readonly post: PostRow;
  /** Differs from the names of all other rows of the table. */
  readonly name: string;
  /** The first row with the same content, if this is another one. */
  readonly first: PostRow | null;
}

function nameRows(
  tableRows: readonly TableRow[],
  directory: AccountDirectory,
  { entries }: ResultsFile,
): NamedRow[] {
  const sentTo = new Map([...entries.values()].map(({ account, accountIds }) => [account, accountIds]));
  const equals = new Map<string, PostRow[]>();
  const nameOf = (post: PostRow): NamedRow => {
    const equal = equals.get(nameOfRow(post.input, 0)) ?? [];
    return { post, name: nameOfRow(post.input, equal.length + 1), first: equal[0] ?? null };
  };
  return tableRows.map((row) => {
    let named = nameOf(readRow(row, directory));
    const ids = sentTo.get(named.post.accountCell);
    if (named.post.problems.length > 0 && ids !== undefined) {
      // An account may have another name since the row was sent.
      const before = nameOf(readRow(row, { ...directory, find: () => ids.map((id) => ({ id })) }));
      if (isDone(entries.get(before.name))) named = before;
    }
    const content = nameOfRow(named.post.input, 0);
    equals.set(content, [...(equals.get(content) ?? []), named.post]);
    return named;
  });
}

const isDone = (entry: ResultsEntry | undefined): boolean =>
  entry?.outcome === 'COMPLETED' || entry?.outcome === 'PARTIAL';

/** Adds what the results file says about a row that the server no longer remembers. */
function withResults(status: RowStatus, entry: ResultsEntry | undefined, retentionMs: number): RowStatus {
  if (entry === undefined || status.state === 'DONE') return status;
  const { outcome, postIds } = entry;
  if (outcome !== 'SENDING' && isDone(entry)) return { ...status, state: 'DONE', outcome, postIds };
  if (status !== NEVER_SENT || outcome === 'REJECTED') return status;
  // If the server had received it, it would still remember it.
  if (outcome === 'SENDING' && Date.now() - Date.parse(entry.at) < retentionMs) return status;
  return { ...status, state: 'UNKNOWN', attempt: null, reason: `${FORGOTTEN} ${entry.at}` };
}

const FORGOTTEN = 'the server no longer remembers it, and its response was lost when it was sent at';

/** Returns what was, or may have been, sent from this table and is no longer in it. */
async function sentAndGone(
  graph: Graph,
  { entries }: ResultsFile,
  names: ReadonlySet<string>,
): Promise<ResultsEntry[]> {
  const gone = [...entries.values()].filter(({ key, outcome }) => !names.has(key) && outcome !== 'REJECTED');
  const statuses = await readStatuses(
    graph,
    gone.map(({ key }) => key),
  );
  return gone.filter((entry, index) => entry.outcome !== 'SENDING' || statuses[index]?.state !== 'PENDING');
}

function rejectedTooOften({ row, line }: PostRow, { reason }: RowStatus): TableProblem {
  const message = `The service rejected this row ${MAX_ATTEMPTS} times; change it. ${reason}`;
  return { row, line, column: null, message };
}
