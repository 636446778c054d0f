import { vi } from 'vitest';
import { adviceOn } from '../../src/cli/failure.ts';
import { BUILT_SERVER, type SpawnOptions } from './built-server.ts';

/** What a command did. */
export interface CommandRun {
  readonly status: number;
  /** Everything that it wrote. */
  readonly output: string;
  /** What of that it wrote to standard output. */
  readonly standardOutput: string;
}

/**
 * Runs the function of a command in this process, with an environment of its own, and fails as `main.ts` does: a process
 * takes half a second to load what is loaded here already. Signals don't reach it.
 */
export async function runInPlace(
  command: () => Promise<void>,
  environment: Readonly<Record<string, string>>,
  { cwd = BUILT_SERVER }: Pick<SpawnOptions, 'cwd'> = {},
): Promise<CommandRun> {
  const run = { status: 0, output: '', standardOutput: '' };
  const say = (text: string | Uint8Array): true => {
    run.output += String(text);
    return true;
  };
  const before = { environment: process.env, folder: process.cwd(), exitCode: process.exitCode };
  const spies = [
    vi.spyOn(process.stderr, 'write').mockImplementation(say),
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      run.standardOutput += String(text);
      return say(text);
    }),
    vi.spyOn(process, 'on').mockReturnThis(),
  ];
  process.env = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: 'off', ...environment };
  process.chdir(cwd);
  process.exitCode = 0;
  try {
    await command();
    run.status = process.exitCode;
  } catch (error) {
    const advice = adviceOn(error);
    if (advice === null) throw error;
    say(`${advice}\n`);
    run.status = 1;
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.env = before.environment;
    process.chdir(before.folder);
    process.exitCode = before.exitCode;
  }
  return run;
}
