import { parse, join } from 'node:path';
import { takeLock } from '../bulk/lock.ts';
import { createProgress } from '../bulk/progress.ts';
import { SETTLE_MS } from '../bulk/recovery.ts';
import { linesOfReport, listed, type CheckReport } from '../bulk/report.ts';
import { prepare, send, type PreparedFile, type ScheduleFiles } from '../bulk/schedule.ts';
import { isWhollySent, linesOfSummary, summaryOf, type ScheduleSummary } from '../bulk/summary.ts';
import { ConfigError } from '../config.ts';
import { problemOfReading, readingLog } from './reading.ts';
import { configFromEnvironment, ON_SANDBOX, SERVES_NOBODY } from './environment.ts';
import { openOperatorSession, type OperatorSession } from './operator-session.ts';
import { endInOrder } from './signals.ts';

/** The options of the command. */
export interface ScheduleOptions {
  readonly send?: boolean;
  readonly json?: boolean;
  readonly skipInvalid?: boolean;
  /** Uses the sandbox, even if a service is configured. */
  readonly sandbox?: boolean;
  readonly perMinute: string;
  readonly results?: string;
}

const EXIT_WRONG = 1;
const EXIT_UNKNOWN = 3;
const MOST_PER_MINUTE = 6_000;
/** How long the row in progress may take to finish, including a check of its outcome, in milliseconds. */
const END_MS = 80_000;
/** Timeout of the check: one operation checks a whole file. */
const CHECK_MS = 10 * 60_000;

/**
 * Checks a file of posts and, with `--send`, sends it. The exit status is 0 if all is well, 3 if it is unknown for some
 * row whether it was sent, and 1 if anything else is wrong.
 */
export async function schedule(path: string, options: ScheduleOptions): Promise<void> {
  const perMinute = perMinuteIn(options.perMinute);
  const config = configFromEnvironment({ ...SERVES_NOBODY, ...(options.sandbox === true ? ON_SANDBOX : {}) });
  if (options.send === true && config.usesSandbox && options.sandbox !== true)
    throw new ConfigError([NO_SERVICE]);
  const session = await openOperatorSession(
    {
      ...config,
      // Coordination between processes is not needed: the results file records everything.
      redis: null,
      // The command looks for lost rows itself.
      readsBeforeWrites: false,
      sandboxPort: 0,
      operationTimeoutMs: Math.max(config.operationTimeoutMs, CHECK_MS),
    },
    readingLog(config),
  );
  const service = session.usesSandbox ? 'a sandbox in the process' : session.url;
  const files = { path, service, resultsPath: options.results ?? resultsBeside(path, session.usesSandbox) };
  const stop = new AbortController();
  const command = { session, files, options, perMinute, signal: stop.signal };
  let isRunning = true;
  const run = runCommand(command).finally(() => (isRunning = false));
  let status = EXIT_WRONG;
  endInOrder(session.services.log, {
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

const NO_SERVICE =
  'CURRENT_API_URL: is not set, so there is no service to send to; set it, or use --sandbox to send to a temporary sandbox';

function perMinuteIn(text: string): number {
  const perMinute = Number(text);
  if (Number.isInteger(perMinute) && perMinute >= 1 && perMinute <= MOST_PER_MINUTE) return perMinute;
  throw new ConfigError([`--per-minute: must be a whole number from 1 to ${MOST_PER_MINUTE}`]);
}

// A rehearsal on the sandbox must not get in the way of sending the same file to the service.
function resultsBeside(path: string, usesSandbox: boolean): string {
  const { dir, name } = parse(path);
  return join(dir, `${name}${usesSandbox ? '.sandbox' : ''}.results.jsonl`);
}

interface Command {
  readonly session: OperatorSession;
  readonly files: ScheduleFiles;
  readonly options: ScheduleOptions;
  readonly perMinute: number;
  readonly signal: AbortSignal;
}

/** Runs the command and returns the exit status. */
async function runCommand(command: Command): Promise<number> {
  const { session, files, options } = command;
  try {
    if (options.send !== true) return await dryRun(command);
    return await underLock(files.resultsPath, () => checkAndSend(command));
  } catch (error) {
    process.stderr.write(`${problemOfReading(error)}\n`);
    return EXIT_WRONG;
  } finally {
    await session.close();
  }
}

async function underLock<T>(resultsPath: string, task: () => Promise<T>): Promise<T> {
  const lock = await takeLock(resultsPath);
  try {
    return await task();
  } finally {
    await lock.release();
  }
}

async function dryRun({ session, files, options }: Command): Promise<number> {
  const prepared = await prepare(files, session.makeContext());
  const { report, unknown } = prepared;
  const isWrong = report.problems.length > 0;
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify({ isSent: false, ...report }, null, 2)}\n`);
  } else {
    process.stdout.write(`${[...linesOfReport(report), verdictOn(prepared)].join('\n')}\n`);
  }
  if (isWrong) return EXIT_WRONG;
  return unknown.length > 0 ? EXIT_UNKNOWN : 0;
}

function verdictOn(prepared: PreparedFile): string {
  const { report, pending, unknown } = prepared;
  if (report.problems.length > 0)
    return 'Because of these problems, --send would send nothing (--skip-invalid sends the other rows).';
  if (pending.length + unknown.length === 0) return nothingToSend(prepared);
  const lost = unknown.length > 0 ? `, and looks up ${unknown.length} without a response` : '';
  return `Nothing was sent. --send will send ${countOf(pending.length, 'row')}${lost}.`;
}

function nothingToSend({ table: { rows }, report }: PreparedFile): string {
  const sent = sentBefore(report);
  if (sent === rows.length)
    return `Nothing to send: ${sent === 1 ? 'the only row was' : `all ${sent} rows were`} already sent.`;
  return `Nothing to send: ${sent} of ${countOf(rows.length, 'row')} already sent; the others are invalid.`;
}

function sentBefore({ rows }: CheckReport): number {
  return rows.filter(({ state }) => state === 'DONE').length;
}

async function checkAndSend(command: Command): Promise<number> {
  const { session, files, options } = command;
  const prepared = await prepare(files, session.makeContext());
  const { report, pending, unknown } = prepared;
  const isWrong = report.problems.length > 0;
  const isRefused =
    isWrong && (options.skipInvalid !== true || report.problems.some(({ row }) => row === null));
  tellProblems(prepared, options);
  if (isRefused) {
    tell(options, { type: 'summary', isSent: false }, [
      'Nothing was sent. --skip-invalid sends the valid rows.',
    ]);
    return EXIT_WRONG;
  }
  if (command.signal.aborted) return EXIT_WRONG;
  const total = pending.length + unknown.length;
  const before = sentBefore(report);
  const others = before === 0 ? '' : ` (${before} already sent)`;
  tell(options, null, [
    total === 0
      ? nothingToSend(prepared)
      : `Sending ${countOf(total, 'row')}${others}${session.usesSandbox ? ' to the sandbox' : ''}, at most ${command.perMinute} per minute; results in ${files.resultsPath}`,
  ]);
  const summary =
    total === 0 ? summaryOf(prepared, null) : summaryOf(prepared, await sendNow(command, prepared));
  // That all rows were sent before needs no repetition.
  const lines = total === 0 && isWhollySent(summary) ? [] : linesOfSummary(summary);
  tell(options, { type: 'summary', isSent: true, isSandbox: session.usesSandbox, ...summary }, lines);
  return statusOf(summary);
}

async function sendNow({ session, files, options, perMinute, signal }: Command, prepared: PreparedFile) {
  const json = options.json === true;
  const output = json ? process.stdout : process.stderr;
  const progress = createProgress({
    total: prepared.pending.length + prepared.unknown.length,
    perMinute,
    json,
    isTerminal: output.isTTY,
    write: (text) => void output.write(text),
  });
  const makeContext = () => session.makeContext();
  const how = { ...progress, makeContext, perMinute, settleMs: SETTLE_MS, signal };
  return await send(prepared, files, how).finally(() => progress.end());
}

function tellProblems({ report: { problems, warnings } }: PreparedFile, options: ScheduleOptions): void {
  tell(options, { type: 'check', problems, warnings }, [
    ...listed('Problems', problems),
    ...listed('Warnings', warnings),
  ]);
}

function tell({ json }: ScheduleOptions, value: object | null, lines: readonly string[]): void {
  if (json !== true) process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  else if (value !== null) process.stdout.write(`${JSON.stringify(value)}\n`);
}

function statusOf(summary: ScheduleSummary): number {
  if (summary.unknownRows.length > 0) return EXIT_UNKNOWN;
  return isWhollySent(summary) ? 0 : EXIT_WRONG;
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
