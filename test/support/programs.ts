import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that some tests need, and that a machine may lack. */
interface Program {
  readonly program: string;
  /** What the tests are called that need it, after "the tests". */
  readonly tests: string;
  readonly path: () => string | null;
}

const program = (name: string, tests: string, path: Program['path'] = () => pathOf(name)): Program => ({
  program: name,
  tests,
  path,
});

/** The programs that tests are left out without. */
const PROGRAMS = {
  chromium: program('Chromium', 'in a browser', () => {
    return process.env['CHROMIUM'] || pathOf('chromium', 'chromium-browser');
  }),
  redis: program('redis-server', 'with Redis'),
  haproxy: program('haproxy', 'behind a load balancer'),
  python: program('Python 3 with httpx and websockets', 'of clients in Python', () => pythonPath()),
  openssl: program('openssl', 'of certificates'),
  systemdAnalyze: program('systemd-analyze', 'of the systemd unit'),
};

export function programPath(name: keyof typeof PROGRAMS): string | null {
  return PROGRAMS[name].path();
}

/** Whether tests that need a program run: where it is installed, and with `CI=true` in any case, so that they fail. */
export function isInstalled(name: keyof typeof PROGRAMS): boolean {
  return process.env['CI'] === 'true' || programPath(name) !== null;
}

export function missingPrograms(): readonly Program[] {
  return Object.values(PROGRAMS).filter(({ path }) => path() === null);
}

function pathOf(...names: readonly string[]): string | null {
  return pathsOf(...names)[0] ?? null;
}

function pathsOf(...names: readonly string[]): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return candidates.filter((path) => existsSync(path));
}

let python: string | null | undefined;

const hasModules = (path: string) => spawnSync(path, ['-c', 'import httpx, websockets']).status === 0;

/** The first Python on the PATH that has the modules: a machine may have several. */
function pythonPath(): string | null {
  if (python === undefined) python = pathsOf('python3').find(hasModules) ?? null;
  return python;
}
