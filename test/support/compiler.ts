import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const TSC = resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
const NO_EMIT = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];
const run = promisify(execFile);

/** Runs TypeScript's compiler; what it says of errors is the `stdout` of the error that it throws. */
export async function runCompiler(args: readonly string[], cwd?: string): Promise<void> {
  // It ends before its garbage matters, and collecting that is a third of its work.
  await run(process.execPath, [TSC, ...args], { cwd, env: { GOGC: 'off' } });
}

/** Checks programs of a folder in one run; gives what is said of each, by its name. */
export async function checkPrograms(
  cwd: string,
  files: readonly string[],
  options: readonly string[] = [],
): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await runCompiler([...NO_EMIT, ...options, ...files], cwd).then(
    () => ({ stdout: '' }),
    (error: unknown) => error as { readonly stdout: string },
  );
  // What is said of a file begins with its name; lines that go on with it are indented.
  const said = stdout.split(/^(?=\S)/m);
  return Object.fromEntries(
    files.map((file) => [file, said.filter((text) => text.startsWith(`${file}(`)).join('')]),
  );
}
