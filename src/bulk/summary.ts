import { stateOf, type RowHistory } from './results.ts';
import type { PreparedFile } from './schedule.ts';
import type { SendSummary } from './send.ts';
import { inOneLine } from './text-table.ts';

/** The state of the rows of a file after a run. */
export interface ScheduleSummary {
  /** Rows whose posts were created, in this run or an earlier one. */
  readonly sentRows: number;
  readonly refusedRows: readonly SummarisedRow[];
  readonly unknownRows: readonly SummarisedRow[];
  /** Rows of which only some posts were created. */
  readonly partialRows: readonly SummarisedRow[];
  /** Rows that were not sent: they are invalid, or the run ended before them. */
  readonly unsentRows: number;
  /** Why the run ended before the last row; null if it did not. */
  readonly stopped: string | null;
}

interface SummarisedRow {
  readonly row: number;
  readonly line: number;
  readonly reason: string;
}

const isDone = (history: RowHistory): boolean => stateOf(history) === 'DONE';

/** Summarises a file; the run is null if nothing was left to send. */
export function summaryOf(
  { table, results }: Pick<PreparedFile, 'table' | 'results'>,
  sending: SendSummary | null,
): ScheduleSummary {
  const histories = sending?.histories ?? results.histories;
  const rowsOf = (isOne: (history: RowHistory) => boolean): SummarisedRow[] =>
    [...histories]
      .filter(([, history]) => isOne(history))
      .map(([row, { attempt, outcome }]) => {
        const told = outcome?.userErrors.map(({ message }) => message).join(' ') ?? '';
        return { row, line: attempt.line, reason: sending?.unknownReasons.get(row) ?? told };
      })
      .toSorted((one, other) => one.row - other.row);
  return {
    sentRows: rowsOf(isDone).length,
    refusedRows: rowsOf(({ outcome }) => outcome?.outcome === 'REJECTED'),
    unknownRows: rowsOf((history) => stateOf(history) === 'UNKNOWN'),
    partialRows: rowsOf(({ outcome }) => outcome?.outcome === 'PARTIAL'),
    unsentRows: table.rows.length - histories.size,
    stopped: sending?.stopped ?? null,
  };
}

/** Whether the posts of all rows were created. */
export function isWhollySent({
  refusedRows,
  unknownRows,
  partialRows,
  unsentRows,
}: ScheduleSummary): boolean {
  return refusedRows.length + unknownRows.length + partialRows.length + unsentRows === 0;
}

const WHAT_TO_DO =
  'Run the same command again later: it looks for these posts again and resends only those that were definitely not created. If the outcome of a post is still unknown, check the queue and the account; if the post is not there, put its row in a new file.';

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

function linesOf(title: string, rows: readonly SummarisedRow[]): string[] {
  if (rows.length === 0) return [];
  return [
    `${title}:`,
    ...rows.map(({ line, reason }) => inOneLine(`  line ${line}: ${reason}`)).map((one) => `  ${one}`),
  ];
}
