import { existsSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import {
  EXIT_WRONG,
  runSchedule,
  type ScheduleOptions as RowOptions,
} from '../../packages/schedule/src/command.ts';
import { ConfigError } from '../config.ts';
import { FolderUnusable } from '../journal/data-directory.ts';
import { JournalInUse } from '../journal/journal.ts';
import {
  configHere,
  openGraphHere,
  openServerGraph,
  problemOfCommand,
  type CommandGraph,
} from './command-graph.ts';
import { endInOrder } from './signals.ts';

/** The options of the command. */
export interface ScheduleOptions extends RowOptions {
  /** Uses the sandbox, even if a service is configured. */
  readonly sandbox?: boolean;
  /** URL of a running server's graph. */
  readonly server?: string;
  readonly perMinute: string;
  readonly results?: string;
}

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
  const run = runCommand(command, perMinute, stop.signal);
  let status = EXIT_WRONG;
  endInOrder(command.log, {
    withinMs: END_MS,
    status: () => status,
    endsWithReader: true,
    close: async () => {
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
  const { server, sandbox = false } = options;
  if (server === undefined) return await openHere(path, options);
  if (sandbox) throw new ConfigError(['--server and --sandbox cannot be combined']);
  return { ...openServerGraph(server), path, options, resultsPath: resultsPathFor(path, options, false) };
}

async function openHere(path: string, options: ScheduleOptions): Promise<Command> {
  const { sandbox = false, send = false } = options;
  const config = configHere(sandbox);
  const { usesSandbox } = config;
  const resultsPath = resultsPathFor(path, options, usesSandbox);
  if (send && usesSandbox && !sandbox) throw new ConfigError([NO_SERVICE]);
  // In this folder, the command records what it sends. A temporary sandbox needs no record.
  const journal = `${resultsPath}.journal`;
  const isRecorded = !usesSandbox && (send || existsSync(journal));
  try {
    const opened = await openGraphHere(config, isRecorded ? journal : null);
    return { ...opened, path, options, resultsPath };
  } catch (error) {
    if (error instanceof JournalInUse) throw new ConfigError([`${resultsPath}: ${IN_USE}`]);
    // The command chooses the folder itself, whatever DATA_DIR says.
    if (error instanceof FolderUnusable) throw new ConfigError([`${journal}: ${error.reason}. ${ELSEWHERE}`]);
    throw error;
  }
}

const ELSEWHERE =
  'It records what was sent; it is created beside the file that --results names. Without its records, rows whose posts exist may be sent again';
const IN_USE = 'another process is sending this file; wait until it has finished';
const NO_SERVICE =
  'CURRENT_API_URL: is not set, so there is no service to send to; set it, name a running server with --server, or use --sandbox to send to a temporary sandbox';

function resultsPathFor(path: string, { results }: ScheduleOptions, usesSandbox: boolean): string {
  const { dir, name } = parse(path);
  // A rehearsal on the sandbox must not get in the way of sending the same file to the service.
  const resultsPath = results ?? join(dir, `${name}${usesSandbox ? '.sandbox' : ''}.results.jsonl`);
  if (existsSync(dirname(resultsPath))) return resultsPath;
  throw new ConfigError([`${resultsPath}: its folder does not exist`]);
}

/** Runs the command and returns the exit status. */
async function runCommand(command: Command, perMinute: number, signal: AbortSignal): Promise<number> {
  try {
    return await runSchedule({ ...command, perMinute, signal });
  } catch (error) {
    process.stderr.write(`${problemOfCommand(error, command.address)}\n`);
    return EXIT_WRONG;
  } finally {
    await command.close();
  }
}
