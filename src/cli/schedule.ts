import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import {
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
} from '../../packages/schedule/src/output.ts';
import { openRows, prepare, type Plan } from '../../packages/schedule/src/plan.ts';
import { Progress } from '../../packages/schedule/src/progress.ts';
import { ResultsFile, UnusableFile } from '../../packages/schedule/src/results.ts';
import { sendRows } from '../../packages/schedule/src/send.ts';
import { ConfigError } from '../config.ts';
import { JournalInUse } from '../journal/journal.ts';
import { openCommandGraph, problemOfCommand, type CommandGraph } from './command-graph.ts';
import { endInOrder } from './signals.ts';

/** The options of the command. */
export interface ScheduleOptions {
  readonly send?: boolean;
  readonly json?: boolean;
  readonly skipInvalid?: boolean;
  /** Sends rows that changed after they were sent. */
  readonly sendChanged?: boolean;
  /** Uses the sandbox, even if a service is configured. */
  readonly sandbox?: boolean;
  /** URL of a running server's graph. */
  readonly server?: string;
  readonly perMinute: string;
  readonly results?: string;
}

const EXIT_WRONG = 1;
const EXIT_UNKNOWN = 3;
const MAX_PER_MINUTE = 6_000;
/** How long the row in progress may take to finish, including a check of its outcome, in milliseconds. */
const END_MS = 80_000;

/**
 * Checks a file of posts and, with `--send`, sends it. The exit status is 0 if all is well, 3 if it is unknown for some
 * row whether it was sent, and 1 if anything else is wrong.
 */
export async function schedule(path: string, options: ScheduleOptions): Promise<void> {
  const perMinute = perMinuteIn(options.perMinute);
  const command = await openCommand(path, options);
  const stop = new AbortController();
  let isRunning = true;
  const run = runCommand(command, perMinute, stop.signal).finally(() => (isRunning = false));
  let status = EXIT_WRONG;
  endInOrder(command.log, {
    withinMs: END_MS,
    status: () => status,
    endsWithReader: true,
    close: async () => {
      if (options.send === true && isRunning)
        process.stderr.write('\nFinishing the current row. Press Ctrl-C again to stop now.\n');
      stop.abort();
      status = await run;
    },
  });
  process.exitCode = status = await run;
}

function perMinuteIn(text: string): number {
  const perMinute = Number(text);
  if (Number.isInteger(perMinute) && perMinute >= 1 && perMinute <= MAX_PER_MINUTE) return perMinute;
  throw new ConfigError([`--per-minute: must be a whole number from 1 to ${MAX_PER_MINUTE}`]);
}

interface Command extends CommandGraph {
  readonly path: string;
  readonly resultsPath: string;
  readonly options: ScheduleOptions;
}

async function openCommand(path: string, options: ScheduleOptions): Promise<Command> {
  const { server, sandbox, send = false } = options;
  const resultsPathFor = (usesSandbox: boolean): string =>
    options.results ?? resultsBeside(path, usesSandbox);
  if (!existsSync(dirname(resultsPathFor(false))))
    throw new ConfigError([`${resultsPathFor(false)}: its folder does not exist`]);
  try {
    const opened = await openCommandGraph({
      server,
      sandbox,
      dataDirectoryFor({ usesSandbox }) {
        if (send && usesSandbox && sandbox !== true) throw new ConfigError([NO_SERVICE]);
        const folder = `${resultsPathFor(usesSandbox)}.journal`;
        return !usesSandbox && (send || existsSync(folder)) ? folder : null;
      },
    });
    return { ...opened, path, options, resultsPath: resultsPathFor(opened.usesSandbox) };
  } catch (error) {
    throw error instanceof JournalInUse ? new ConfigError([`${resultsPathFor(false)}: ${IN_USE}`]) : error;
  }
}

const IN_USE = 'another process is sending this file; wait until it has finished';
const NO_SERVICE =
  'CURRENT_API_URL: is not set, so there is no service to send to; set it, name a running server with --server, or use --sandbox to send to a temporary sandbox';

// A rehearsal on the sandbox must not get in the way of sending the same file to the service.
function resultsBeside(path: string, usesSandbox: boolean): string {
  const { dir, name } = parse(path);
  return join(dir, `${name}${usesSandbox ? '.sandbox' : ''}.results.jsonl`);
}

/** Runs the command and returns the exit status. */
async function runCommand(command: Command, perMinute: number, signal: AbortSignal): Promise<number> {
  const { graph, path, resultsPath, address, options, close } = command;
  try {
    const results = new ResultsFile(resultsPath, address);
    const { send = false, sendChanged } = options;
    const plan = await prepare(contentOf(path), { graph, results, sends: send, sendsChanged: sendChanged });
    return send ? await sendPlan(command, plan, { results, perMinute, signal }) : tellPlan(plan, options);
  } catch (error) {
    process.stderr.write(`${problemOfCommand(error, address)}\n`);
    return EXIT_WRONG;
  } finally {
    await close();
  }
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

interface Sending {
  readonly results: ResultsFile;
  readonly perMinute: number;
  readonly signal: AbortSignal;
}

async function sendPlan(
  command: Command,
  plan: Plan,
  { results, perMinute, signal }: Sending,
): Promise<number> {
  const { graph, options, usesSandbox } = command;
  const { problems, warnings, rows } = plan;
  tell(options, { type: 'check', problems, warnings }, [
    ...listed('Problems', problems),
    ...listed('Warnings', warnings),
  ]);
  const isRefused =
    options.skipInvalid === true ? problems.some(({ row }) => row === null) : problems.length > 0;
  if (isRefused) {
    tell(options, { type: 'summary', isSent: false }, [
      'Nothing was sent. --skip-invalid sends the valid rows.',
    ]);
    return EXIT_WRONG;
  }
  if (signal.aborted) return EXIT_WRONG;
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
  const stopped =
    total === 0
      ? null
      : await sendRows(open, { graph, results, perMinute, signal, onRow, onPause }).finally(() =>
          progress.end(),
        );
  const summary = summaryOf(plan, stopped);
  // That all rows were sent before needs no repetition.
  const lines = total === 0 && isWhollySent(summary) ? [] : linesOfSummary(summary);
  tell(options, { type: 'summary', isSent: true, isSandbox: usesSandbox, ...summary }, lines);
  return statusOf(summary);
}

function tell({ json }: ScheduleOptions, value: object | null, lines: readonly string[]): void {
  if (json !== true) process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  else if (value !== null) process.stdout.write(`${JSON.stringify(value)}\n`);
}

function statusOf(summary: ScheduleSummary): number {
  if (summary.unknownRows.length > 0) return EXIT_UNKNOWN;
  return isWhollySent(summary) ? 0 : EXIT_WRONG;
}
