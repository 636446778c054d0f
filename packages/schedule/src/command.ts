import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Graph } from './graph.ts';
import {
  isTableWrong,
  isWhollySent,
  linesOfReport,
  linesOfSummary,
  listed,
  nothingToSend,
  reportOf,
  sentIn,
  summaryOf,
  verdictOn,
  type ScheduleSummary,
} from './output.ts';
import { openRows, prepare, type Plan } from './plan.ts';
import { Progress } from './progress.ts';
import { ResultsFile, UnusableFile } from './results.ts';
import { sendRows } from './send.ts';

/** The exit status when something is wrong. */
export const EXIT_WRONG = 1;
/** The exit status when it is unknown whether some row was sent. */
const EXIT_UNKNOWN = 3;

/** What to do with the rows of a file. */
export interface ScheduleOptions {
  /** Sends the rows; otherwise they are only checked. */
  readonly send?: boolean;
  /** Prints JSON instead of text for people. */
  readonly json?: boolean;
  readonly skipInvalid?: boolean;
  /** Sends rows that changed after they were sent. */
  readonly sendChanged?: boolean;
}

/** A file of posts, and where they go. */
export interface ScheduleCommand {
  readonly graph: Graph;
  /** Path of the CSV file. */
  readonly path: string;
  readonly resultsPath: string;
  /** Where the posts are: the URL of the service, or that of a server. */
  readonly address: string;
  readonly usesSandbox: boolean;
  readonly perMinute: number;
  readonly options: ScheduleOptions;
  /** Stops after the row in progress. */
  readonly signal: AbortSignal;
}

/**
 * Checks a file of posts or sends it, tells about it on standard output, and returns the exit status: 0 if all is well,
 * 3 if it is unknown for some row whether it was sent, and 1 if anything else is wrong.
 */
export async function runSchedule(command: ScheduleCommand): Promise<number> {
  const { graph, path, resultsPath, address, options, signal } = command;
  const results = new ResultsFile(resultsPath, address);
  const { send = false, sendChanged } = options;
  const checked = prepare(contentOf(path), { graph, results, sends: send, sendsChanged: sendChanged });
  // Before anything is sent, there is nothing to finish.
  const plan = await Promise.race([checked, abortOf(signal)]);
  if (plan === null) return EXIT_WRONG;
  return send ? await sendPlan(command, plan, results) : tellPlan(plan, options);
}

async function abortOf(signal: AbortSignal): Promise<null> {
  if (!signal.aborted) await once(signal, 'abort');
  return null;
}

function contentOf(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new UnusableFile(`${path}: cannot be read`, { cause });
  }
}

function tellPlan(plan: Plan, { json }: ScheduleOptions): number {
  const report = reportOf(plan);
  const lines = [...linesOfReport(report), verdictOn(plan)];
  process.stdout.write(
    json === true
      ? `${JSON.stringify({ isSent: false, ...report }, null, 2)}\n`
      : lines.map((line) => `${line}\n`).join(''),
  );
  if (plan.problems.length > 0) return EXIT_WRONG;
  return plan.rows.some(({ status }) => status.state === 'UNKNOWN') ? EXIT_UNKNOWN : 0;
}

async function sendPlan(command: ScheduleCommand, plan: Plan, results: ResultsFile): Promise<number> {
  const { graph, options, usesSandbox, perMinute, signal } = command;
  const { problems, warnings, rows } = plan;
  tell(options, { type: 'check', problems, warnings }, [
    ...listed('Problems', problems),
    ...listed('Warnings', warnings),
  ]);
  const isWrong = isTableWrong(plan);
  if (isWrong || (problems.length > 0 && options.skipInvalid !== true)) {
    const advice = isWrong ? '' : ' --skip-invalid sends the valid rows.';
    tell(options, { type: 'summary', isSent: false }, [`Nothing was sent.${advice}`]);
    return EXIT_WRONG;
  }
  const open = openRows(plan);
  const total = open.length;
  const sent = sentIn(rows);
  const before = sent === 0 ? '' : ` (${sent} already sent)`;
  const where = usesSandbox ? ' to the sandbox' : '';
  tell(options, null, [
    total === 0
      ? nothingToSend(plan)
      : `Sending ${total} ${total === 1 ? 'row' : 'rows'}${before}${where}, at most ${perMinute} per minute; results in ${results.path}`,
  ]);
  const json = options.json === true;
  const output = json ? process.stdout : process.stderr;
  const write = (text: string): void => void output.write(text);
  const progress = new Progress({ total, perMinute, json, isTerminal: output.isTTY, write });
  const { onRow, onPause } = progress;
  signal.addEventListener('abort', tellFinishing);
  const stopped =
    total === 0
      ? null
      : await sendRows(plan, { graph, results, perMinute, signal, onRow, onPause }).finally(() =>
          progress.end(),
        );
  signal.removeEventListener('abort', tellFinishing);
  const summary = summaryOf(plan, stopped);
  // That all rows were sent before needs no repetition.
  const lines = total === 0 && isWhollySent(summary) ? [] : linesOfSummary(summary);
  tell(options, { type: 'summary', isSent: true, isSandbox: usesSandbox, ...summary }, lines);
  return statusOf(summary);
}

function tellFinishing(): void {
  process.stderr.write('\nFinishing the current row. Press Ctrl-C again to stop now.\n');
}

function tell({ json }: ScheduleOptions, value: object | null, lines: readonly string[]): void {
  if (json !== true) process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  else if (value !== null) process.stdout.write(`${JSON.stringify(value)}\n`);
}

function statusOf(summary: ScheduleSummary): number {
  if (summary.unknownRows.length > 0) return EXIT_UNKNOWN;
  return isWhollySent(summary) ? 0 : EXIT_WRONG;
}
