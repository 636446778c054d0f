import { expect, onTestFinished, vi } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { adviceOn } from '../../src/cli/failure.ts';
import { runProgram } from '../../src/cli/program.ts';
import { BUILT_SERVER, type SpawnOptions } from './built-server.ts';

export type CommandRun = Awaited<ReturnType<typeof runInPlace>>;

export type RunningCommand = ReturnType<typeof startInPlace>;

/** The settings of a command that calls the current surface of a sandbox, with the key of its first owner. */
export const currentOf = ({ url, owners: [{ apiKey }] }: Sandbox) => ({
  CURRENT_API_URL: url,
  API_KEY: apiKey,
});

type Environment = Readonly<Record<string, string>>;
type Place = Pick<SpawnOptions, 'cwd'>;

class Exited extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`ended with ${status}`);
    this.status = status;
  }
}

/** Runs a command line in this process, as `main.ts` does. */
export function runProgramInPlace(args: readonly string[], environment: Environment = {}, place: Place = {}) {
  return runInPlace(() => runProgram(args), environment, place);
}

/** The same for the command line of a command that goes on. */
export function startProgramInPlace(args: readonly string[], environment: Environment = {}) {
  return startInPlace(() => runProgram(args), environment);
}

/**
 * Runs the function of a command in this process, with an environment of its own, and fails as the program does: a process
 * takes half a second to load what is loaded here already. Signals don't reach it.
 */
export async function runInPlace(command: () => Promise<void>, environment: Environment, place: Place = {}) {
  const { said, say, giveBack } = takeProcess(environment, place);
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Exited(Number(code));
  });
  try {
    await command();
    return { ...said, status: Number(process.exitCode) };
  } catch (error) {
    if (error instanceof Exited) return { ...said, status: error.status };
    const advice = adviceOn(error);
    if (advice === null) throw error;
    say(`${advice}\n`);
    return { ...said, status: 1 };
  } finally {
    exit.mockRestore();
    giveBack();
  }
}

/** Waits for a command that fails with status 1, and says why; gives what it wrote. */
export async function failed(run: Promise<CommandRun>, ...words: readonly string[]): Promise<CommandRun> {
  const told = await run;
  expect(told.status, told.output).toBe(1);
  for (const one of words) expect(told.output).toContain(one);
  return told;
}

/** The same for a command that goes on: it ends with the test, or before. */
export function startInPlace(command: () => Promise<void>, environment: Environment, place: Place = {}) {
  const { said, handlers, giveBack } = takeProcess(environment, place);
  const exit = vi.spyOn(process, 'exit');
  const exited = new Promise<number>((resolve) => {
    exit.mockImplementation((code) => {
      resolve(Number(code));
      return undefined as never;
    });
  });
  const running = command();
  const finish = async (signal: NodeJS.Signals): Promise<number> => {
    const handler = handlers.get(signal);
    try {
      handler?.(signal);
      // Without a handler it has failed before it could go on.
      const [code] = await Promise.all([handler ? exited : 1, running]);
      return code;
    } finally {
      exit.mockRestore();
      giveBack();
    }
  };
  let ended: Promise<number> | undefined;
  const end = (signal: NodeJS.Signals): Promise<number> => (ended ??= finish(signal));
  onTestFinished(async () => void (await end('SIGTERM')));
  return {
    end,
    /** Gives the exit code once it ends by itself. */
    exited,
    get output() {
      return said.output;
    },
    /** What of that it wrote to standard output. */
    get standardOutput() {
      return said.standardOutput;
    },
  };
}

/** Takes what belongs to a process alone from this one, and gives it back. */
function takeProcess(environment: Environment, { cwd = BUILT_SERVER }: Place) {
  const said = { output: '', standardOutput: '' };
  const say = (text: string | Uint8Array): true => {
    said.output += String(text);
    return true;
  };
  const handlers = new Map<string | symbol, (...args: unknown[]) => void>();
  const before = { environment: process.env, folder: process.cwd(), exitCode: process.exitCode };
  const listeners = new Set(process.stdout.listeners('error'));
  const spies = [
    vi.spyOn(process.stderr, 'write').mockImplementation(say),
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      said.standardOutput += String(text);
      return say(text);
    }),
    vi.spyOn(process, 'on').mockImplementation((event, handler) => {
      handlers.set(event, handler);
      return process;
    }),
  ];
  process.env = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: 'off', ...environment };
  process.chdir(cwd);
  process.exitCode = 0;
  const giveBack = (): void => {
    for (const spy of spies.splice(0)) {
      spy.mockRestore();
      process.env = before.environment;
      process.chdir(before.folder);
      process.exitCode = before.exitCode;
    }
    for (const listener of process.stdout.listeners('error'))
      if (!listeners.has(listener)) process.stdout.off('error', listener as () => void);
  };
  return { said, say, handlers, giveBack };
}
