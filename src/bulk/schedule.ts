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

/** A file of posts, and its results file. */
export interface ScheduleFiles {
  readonly path: string;
  readonly resultsPath: string;
  /** Where the posts go, for the results file. */
  readonly service: string;
}

/** A file that was read and checked, and its results so far. */
export interface PreparedFile {
  readonly table: Table;
  readonly results: Results;
  readonly report: CheckReport;
  /** The rows to send: neither invalid, nor done, nor unknown. */
  readonly pending: readonly PostRow[];
  /** The rows whose response was lost. */
  readonly unknown: readonly PostRow[];
}

/**
 * Reads a file of posts and checks the rows still to be sent; sends no writes.
 *
 * @throws UnusableFile if a file can't be used, SourceError or PagingError if the service can't be read
 */
export async function prepare(files: ScheduleFiles, context: WriteContext): Promise<PreparedFile> {
  const table = readTable(using(files.path, 'read', () => readFileSync(files.path)));
  const results = readResults(files.resultsPath);
  assertSameFile(files.resultsPath, results, { ...table, ...files });
  if (table.problems.length > 0) return unread(table, results);
  const directory = await readAccountDirectory(context);
  return await check({ table, results, directory }, context);
}

function unread(table: Table, results: Results): PreparedFile {
  const problems = [...table.problems, ...table.rows.flatMap((row) => row.problems)];
  const report = { rows: [], problems, warnings: [] };
  return { table, results, report, pending: [], unknown: [] };
}

interface ReadFile {
  readonly table: Table;
  readonly results: Results;
  readonly directory: AccountDirectory;
}

async function check({ table, results, directory }: ReadFile, context: WriteContext): Promise<PreparedFile> {
  const state = (row: number): RowState => stateOf(results.histories.get(row));
  const posts = table.rows.map((row) => readRow(row, directory));
  // Rows that are done are not checked again: their time may have passed, or an account may have another name.
  const pending = posts.filter(({ row }) => state(row) === 'PENDING');
  const checked = await checkRows(context, pending);
  const unknown = posts.filter(({ row }) => state(row) === 'UNKNOWN');
  const report = reportOf(posts, checked, { stateOf: state, directory });
  const problems = [...report.problems, ...unknown.flatMap((post) => post.problems)];
  return {
    table,
    results,
    report: { ...report, problems: problems.toSorted((one, other) => one.line - other.line) },
    pending: checked.filter(isValid).map(({ post }) => post),
    unknown: unknown.filter((post) => post.problems.length === 0),
  };
}

const isValid = ({ problems }: CheckedRow): boolean => problems.length === 0;

/** How a prepared file is sent. */
export interface SendOptions extends SendListener {
  readonly makeContext: () => WriteContext;
  readonly perMinute: number;
  /** How long after its start an attempt may still be in flight, in milliseconds. */
  readonly settleMs: number;
  readonly signal: AbortSignal;
}

/**
 * Sends the pending rows of a prepared file. The caller must hold the lock of the results file.
 *
 * @throws SourceError if the queue can't be read before the first attempt
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
