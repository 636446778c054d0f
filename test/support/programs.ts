import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Path of a program on this machine, by the first of its names that is found; null where there is none. */
export function pathOf(...names: readonly string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return candidates.find((path) => existsSync(path)) ?? null;
}

/** False where the tests that need something are left out, which is said; with `CI=true` they are not, and fail. */
export function mayRun(path: string | null, { program, tests }: { program: string; tests: string }): boolean {
  if (path !== null || process.env['CI'] === 'true') return true;
  process.stderr.write(`No ${program} on this machine: the tests ${tests} are left out.\n`);
  return false;
}
