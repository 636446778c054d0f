import { openRows, type Plan, type PlannedRow } from './plan.ts';
import { textOf, timesOf } from './rows.ts';
import type { TableProblem } from './table.ts';
import { countOf, cutText, inOneLine, textTable, type TextColumn } from './text.ts';

/** A row of a report, as it would be sent. */
export type ReportedRow = ReturnType<typeof reportedRow>;
/** The result of checking a whole file. */
export type CheckReport = ReturnType<typeof reportOf>;

/** Reports all rows of a table, with the findings about those to be sent. */
export function reportOf({ rows, problems, warnings, directory }: Plan) {
  return { rows: rows.map((row) => reportedRow(row, directory)), problems, warnings };
}

function reportedRow({ post, status, isInvalid }: PlannedRow, directory: Plan['directory']) {
  const { row, line, input } = post;
  return {
    row,
    line,
    /** `DONE` and `UNKNOWN` were sent before; `INVALID` would not be sent. */
    state: isInvalid ? ('INVALID' as const) : status.state,
    /** The wall-clock times or instants, or the placement. */
    times: timesOf(input),
    accounts: input.accountIds.map((id) => directory.labelOf(id)),
    accountIds: input.accountIds,
    text: textOf(input),
  };
}

const STATE_WORDS = { PENDING: 'to send', DONE: 'sent', UNKNOWN: 'unknown', INVALID: 'invalid' } as const;

const COLUMNS: readonly TextColumn<ReportedRow>[] = [
  { title: 'Line', most: 8, cell: ({ line }) => String(line) },
  { title: 'State', most: 8, cell: ({ state }) => STATE_WORDS[state] },
  { title: 'Time', most: 36, cell: ({ times }) => times.join(', ').replaceAll('T', ' ') },
  { title: 'Accounts', most: 36, cell: ({ accounts }) => accounts.join(', ') },
  { title: 'Text', most: 60, cell: ({ text }) => text },
];

const MAX_LISTED = 200;

/** Formats a report as text: the rows, then the problems, then the warnings. */
export function linesOfReport({ rows, problems, warnings }: CheckReport): string[] {
  const table = rows.length === 0 ? [] : [...textTable(COLUMNS, rows), ''];
  return [...table, ...listed('Problems', problems), ...listed('Warnings', warnings)];
}

/** Formats problems or warnings as text, up to 200 of them. */
export function listed(title: string, problems: readonly TableProblem[]): string[] {
  if (problems.length === 0) return [];
  const lines = problems
    .slice(0, MAX_LISTED)
    .map(({ line, column, message }) => `  line ${line}${column === null ? '' : `, ${column}`}: ${message}`);
  const more = problems.length > MAX_LISTED ? [`  and ${problems.length - MAX_LISTED} more`] : [];
  return [`${title} (${problems.length}):`, ...lines, ...more, ''];
}

/** Whether a problem concerns the whole table, so that no row of it is sent. */
export function isTableWrong({ problems }: Pick<Plan, 'problems'>): boolean {
  return problems.some(({ row }) => row === null);
}

/** Says in a sentence what sending a plan would do. */
export function verdictOn(plan: Plan): string {
  const open = openRows(plan);
  if (isTableWrong(plan)) return 'Because of these problems, --send would send nothing.';
  if (plan.problems.length > 0)
    return 'Because of these problems, --send would send nothing (--skip-invalid sends the other rows).';
  if (open.length === 0) return nothingToSend(plan);
  const pending = open.filter(({ status }) => status.state === 'PENDING').length;
  const lost = open.length > pending ? `, and looks up ${open.length - pending} without a response` : '';
  return `Nothing was sent. --send will send ${countOf(pending, 'row')}${lost}.`;
}

/** Says why there is nothing to send. */
export function nothingToSend({ rows }: Plan): string {
  const sent = sentIn(rows);
  if (sent === rows.length)
    return `Nothing to send: ${sent === 1 ? 'the only row was' : `all ${sent} rows were`} already sent.`;
  const others = rows.some(({ isInvalid }) => isInvalid) ? 'invalid' : 'unknown';
  return `Nothing to send: ${sent} of ${countOf(rows.length, 'row')} already sent; the others are ${others}.`;
}

/** Counts the rows whose posts were created. */
export const sentIn = (rows: readonly PlannedRow[]): number =>
  rows.filter(({ status }) => status.state === 'DONE').length;

/** The state of the rows of a file after a run. */
export type ScheduleSummary = ReturnType<typeof summaryOf>;

/**
 * Summarises a file after a run, or if there was nothing to send.
 *
 * @param stopped Why the run ended before the last row; null if it did not.
 */
export function summaryOf({ rows, directory }: Plan, stopped: string | null) {
  const rowsOf = (isOne: (status: PlannedRow['status']) => boolean) =>
    rows
      .filter(({ status }) => isOne(status))
      .map((one) => {
        const { row, line, times, accounts, text } = reportedRow(one, directory);
        return { row, line, times, accounts, text, reason: one.status.reason };
      });
  return {
    /** Rows whose posts were created, in this run or an earlier one. */
    sentRows: sentIn(rows),
    refusedRows: rowsOf(({ outcome, state }) => outcome === 'REJECTED' && state === 'PENDING'),
    unknownRows: rowsOf(({ state }) => state === 'UNKNOWN'),
    /** Rows of which only some posts were created. */
    partialRows: rowsOf(({ outcome }) => outcome === 'PARTIAL'),
    /** Rows that were not sent: they are invalid, or the run ended before them. */
    unsentRows: rows.filter(({ status }) => status.state === 'PENDING' && status.outcome === null).length,
    stopped,
  };
}

/** Whether the posts of all rows were created. */
export function isWhollySent(summary: ScheduleSummary): boolean {
  const { refusedRows, unknownRows, partialRows, unsentRows } = summary;
  return refusedRows.length + unknownRows.length + partialRows.length + unsentRows === 0;
}

const WHAT_TO_DO =
  'Run the same command again later: it looks for these posts again and resends only those that were definitely not created. If the outcome of a post is still unknown, check the queue and the account at this time. If the post is not there, change its row, for example its time by a minute: a row with other content is another post.';

/** Formats a summary as text. */
export function linesOfSummary(summary: ScheduleSummary): string[] {
  const { sentRows, refusedRows, unknownRows, partialRows, unsentRows, stopped } = summary;
  return [
    ...(stopped === null ? [] : [inOneLine(`Stopped before the last row: ${stopped}`)]),
    `${sentRows} sent, ${refusedRows.length} rejected, ${unknownRows.length} unknown, ${unsentRows} not sent`,
    ...linesOf('Rejected', refusedRows),
    ...linesOf('Partly sent', partialRows),
    ...linesOf('Unknown', unknownRows),
    ...(unknownRows.length > 0 ? [WHAT_TO_DO] : []),
  ];
}

const MAX_TEXT = 40;

function linesOf(title: string, rows: ScheduleSummary['unknownRows']): string[] {
  const lines = rows.map(({ line, accounts, times, text, reason }) => {
    const where = `${accounts.join(', ')}, ${times.join(', ').replaceAll('T', ' ')}, “${cutText(text, MAX_TEXT)}”`;
    return `  ${inOneLine(`line ${line}: ${reason}`)}\n    ${inOneLine(where)}`;
  });
  return lines.length > 0 ? [`${title}:`, ...lines] : [];
}
