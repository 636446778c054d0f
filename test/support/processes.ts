import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts a program and gathers what it writes; without `timeoutMs` it goes on until somebody ends it. */
export function startProcess(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  timeoutMs?: number,
) {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output += text;
      written[name] += text;
    });
  // Only then has everything been read that it wrote.
  const exited = once(child, 'close').then(() => child.exitCode);
  return {
    pid: child.pid ?? 0,
    /** The exit code once it has ended, or null after a kill. */
    exited,
    /** Sends a signal and waits for the end; gives the exit code, or null after a kill. */
    end: async (signal: NodeJS.Signals): Promise<number | null> => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return await exited;
    },
    signal: (name: NodeJS.Signals) => void child.kill(name),
    /** Closes the pipe of its standard output, as a reader does that has seen enough. */
    stopReading: () => void child.stdout.destroy(),
    get output() {
      return output;
    },
    /** What of that it wrote to standard output. */
    get standardOutput() {
      return written.stdout;
    },
    get standardError() {
      return written.stderr;
    },
  };
}
