import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { ENDLESSLY_SLOW } from '../support/slow-texts.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
/** A command that takes longer than this hangs: no machine is as busy. */
export const PATIENCE_MS = 50_000;

/** Starts what `npm start` starts, with a sandbox whose slow texts are finished by the test. */
export const startLikeReadme = (): Promise<RunningGraph> =>
  startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });

/** Runs a command of a page; gives what it printed. */
export async function shell(command: string, cwd = ROOT): Promise<string> {
  const options = { cwd, timeout: PATIENCE_MS };
  return (await promisify(execFile)('bash', ['-c', command], options)).stdout;
}
