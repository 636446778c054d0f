import { readFileSync } from 'node:fs';
import type { WriteContext } from '../writes/context.ts';
import { readAccountDirectory, type AccountDirectory } from './accounts.ts';
import { checkRows, type CheckedRow } from './check.ts';
import { readRow, type PostRow } from './inputs.ts';
import { readQueue } from './recovery.ts';
import { reportOf, type CheckReport } from './report.ts';
import { assertSameFile, openResults, readResults, stateOf, type Results, type RowState } from './results.ts';
import { sendRows, type SendListener, type SendSummary } from './send.ts';
import { readTable, type Table } from './table.ts';
import { using } from './unusable-file.ts';

/** A file of posts, and where the results of sending it are. */
export interface ScheduleFiles {
  readonly path: string;
  readonly resultsPath: string;
  /** Where the posts go, for the results file. */
  readonly service: string;
}

/** A file that was read and checked, and what was sent of it before. */
export interface PreparedFile {
  readonly table: Table;
  readonly results: Results;
  readonly report: CheckReport;
  /** The rows that are to be sent: neither wrong, nor done, nor unknown. */
  readonly pending: readonly PostRow[];
  /** The rows whose answer was lost. */
  readonly unknown: readonly PostRow[];
}

/**
 * Reads a file of posts and checks what is still to be sent of it; sends nothing with an effect.
 *
 * @throws UnusableFile where a file can't be used, SourceError or PagingError where the service can't be asked
 */
export async function prepare(files: ScheduleFiles, context: WriteContext): Promise<PreparedFile> {
  const table = readTable(using(files.path, 'read', () => readFileSync(files.path)));
  const results = readResults(files.resultsPath);
  assertSameFile(files.resultsPath, results, { ...table, ...files });
  // Where the header is wrong, every row would be.
  if (table.problems.some(({ row }) => row === null)) return unread(table, results);
  const directory = await readAccountDirectory(context);
  return await check({ table, results, directory }, context);
}

function unread(table: Table, results: Results): PreparedFile {
  const report = { rows: [], problems: table.problems, warnings: [] };
  return { table, results, report, pending: [], unknown: [] };
}

interface ReadFile {
  readonly table: Table;
  readonly results: Results;
  readonly directory: AccountDirectory;
}

async function check({ table, results, directory }: ReadFile, context: WriteContext): Promise<PreparedFile> {
  const state = (row: number): RowState => stateOf(results.histories.get(row));
  const read = table.rows.map((row) => readRow(row, directory));
  const posts = read.flatMap((one) => ('post' in one ? [one.post] : []));
  const unreadable = read.flatMap((one) => ('problems' in one ? one.problems : []));
  const cut = new Set(table.problems.map(({ row }) => row));
  // What was done is no longer to be checked: its time may have passed.
  const isPending = ({ row }: PostRow): boolean => state(row) === 'PENDING' && !cut.has(row);
  const checked = await checkRows(context, posts.filter(isPending));
  const report = reportOf(posts, checked, { stateOf: state, directory });
  const problems = [...table.problems, ...unreadable, ...report.problems];
  return {
    table,
    results,
    report: { ...report, problems: problems.toSorted((one, other) => one.line - other.line) },
    pending: checked.filter(isValid).map(({ post }) => post),
    unknown: posts.filter(({ row }) => state(row) === 'UNKNOWN'),
  };
}

const isValid = ({ problems }: CheckedRow): boolean => problems.length === 0;

/** How a prepared file is sent. */
export interface SendOptions extends SendListener {
  readonly makeContext: () => WriteContext;
  readonly perMinute: number;
  /** How long after its beginning a sending may still be under way, in milliseconds. */
  readonly settleMs: number;
  readonly signal: AbortSignal;
}

/**
 * Sends what is to be sent of a prepared file. The caller has the lock of the results file.
 *
 * @throws SourceError where the queue can't be read before the first sending
 */
export async function send(
  { table, results, pending, unknown }: PreparedFile,
  { resultsPath, service }: ScheduleFiles,
  options: SendOptions,
): Promise<SendSummary> {
  const { header, histories } = results;
  const queueBefore = header === null ? await idsInQueue(options.makeContext()) : header.queueBefore;
  const { contentHash, rows } = table;
  const first = () => ({ contentHash, service, rows: rows.length, queueBefore });
  const writer = openResults(resultsPath, results, first);
  const posts = [...pending, ...unknown].toSorted((one, other) => one.row - other.row);
  try {
    return await sendRows({ ...options, posts, contentHash, histories, queueBefore, writer });
  } finally {
    writer.close();
  }
}

async function idsInQueue(context: WriteContext): Promise<string[] | null> {
  const posts = await readQueue(context);
  const ids = posts?.map((post) => post.postId) ?? null;
  return ids === null || ids.some((id) => id === null) ? null : ids.filter((id) => id !== null);
}
