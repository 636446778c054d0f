import type { AccountDirectory } from './accounts.ts';
import type { CheckedRow, RowWarning } from './check.ts';
import type { PostRow } from './inputs.ts';
import type { RowState } from './results.ts';
import type { TableProblem } from './table.ts';
import { textTable, type TextColumn } from './text-table.ts';

/** The result of checking a whole file. */
export interface CheckReport {
  readonly rows: readonly ReportedRow[];
  readonly problems: readonly TableProblem[];
  readonly warnings: readonly RowWarning[];
}

/** A row, as it would be sent. */
export interface ReportedRow {
  readonly row: number;
  readonly line: number;
  /** Its state according to the results file; `INVALID` if it would not be sent. */
  readonly state: RowState | 'INVALID';
  /** The wall-clock times or instants, or the placement. */
  readonly times: readonly string[];
  readonly accounts: readonly string[];
  readonly accountIds: readonly string[];
  readonly text: string;
}

/** Creates the report of a row. */
export function reportedRow(
  { row, line, input }: PostRow,
  state: ReportedRow['state'],
  directory: AccountDirectory,
): ReportedRow {
  const { scheduledAtLocal, scheduledAt, placement } = input.timing;
  const instants = scheduledAt?.map((instant) => instant.toISOString().replace(/:00\.000Z$/, 'Z'));
  return {
    row,
    line,
    state,
    times: scheduledAtLocal ?? instants ?? [placement ?? ''],
    accounts: input.accountIds.map((id) => directory.labelOf(id)),
    accountIds: input.accountIds,
    text: input.variants.map(({ text }) => text ?? '').find((text) => text !== '') ?? '',
  };
}

/** Reports all readable rows of a file, with the findings about those to be sent. */
export function reportOf(
  posts: readonly PostRow[],
  checked: readonly CheckedRow[],
  {
    stateOf,
    directory,
  }: { readonly stateOf: (row: number) => RowState; readonly directory: AccountDirectory },
): Omit<CheckReport, 'problems'> & { readonly problems: TableProblem[] } {
  const invalid = new Set(checked.filter(({ problems }) => problems.length > 0).map(({ post }) => post.row));
  return {
    rows: posts.map((post) =>
      reportedRow(post, invalid.has(post.row) ? 'INVALID' : stateOf(post.row), directory),
    ),
    problems: checked.flatMap(({ problems }) => problems),
    warnings: checked.flatMap(({ warnings }) => warnings),
  };
}

const STATE_WORDS: Readonly<Record<ReportedRow['state'], string>> = {
  PENDING: 'to send',
  DONE: 'sent',
  UNKNOWN: 'unknown',
  INVALID: 'invalid',
};

const COLUMNS: readonly TextColumn<ReportedRow>[] = [
  { title: 'Line', most: 8, cell: ({ line }) => String(line) },
  { title: 'State', most: 8, cell: ({ state }) => STATE_WORDS[state] },
  { title: 'Time', most: 36, cell: ({ times }) => times.join(', ').replaceAll('T', ' ') },
  { title: 'Accounts', most: 36, cell: ({ accounts }) => accounts.join(', ') },
  { title: 'Text', most: 60, cell: ({ text }) => text },
];

const MOST_LISTED = 200;

/** Formats a report as text: the rows, then the problems, then the warnings. */
export function linesOfReport({ rows, problems, warnings }: CheckReport): string[] {
  return [
    ...(rows.length === 0 ? [] : [...textTable(COLUMNS, rows), '']),
    ...listed('Problems', problems),
    ...listed('Warnings', warnings),
  ];
}

/** Formats problems or warnings as text, up to 200 of them. */
export function listed(title: string, problems: readonly TableProblem[]): string[] {
  if (problems.length === 0) return [];
  const lines = problems
    .slice(0, MOST_LISTED)
    .map(({ line, column, message }) => `  line ${line}${column === null ? '' : `, ${column}`}: ${message}`);
  const more = problems.length > MOST_LISTED ? [`  and ${problems.length - MOST_LISTED} more`] : [];
  return [`${title} (${problems.length}):`, ...lines, ...more, ''];
}
