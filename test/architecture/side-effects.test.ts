import { Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { filesUnder, importsOf, ROOT } from './source-files.ts';

/** What an import could change, beside declaring things. */
function stateOfProcess(): Record<string, unknown> {
  return {
    listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    environment: { ...process.env },
    directory: process.cwd(),
    exitCode: process.exitCode,
    globals: Object.getOwnPropertyNames(globalThis).toSorted(),
    prototypes: [Object, Array, String, Number, Promise, Error].map(({ prototype }) =>
      Object.getOwnPropertyNames(prototype).toSorted(),
    ),
  };
}

/** What is open that was not open before. Timers of earlier tests of this worker may end at any time. */
function openedSince(before: readonly string[]): string[] {
  const left = [...before];
  return openNow().filter((kind) => {
    const at = left.indexOf(kind);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function openNow(): string[] {
  const kinds = /Server|TCP|Pipe|Timeout|Immediate|FSEvent/;
  return process.getActiveResourcesInfo().filter((kind) => kinds.test(kind));
}

afterEach(() => vi.restoreAllMocks());

const FOLDERS = ['src', ...['executor', 'sandbox', 'mcp', 'webhooks'].map((name) => `packages/${name}/src`)];

// What packages do when they are loaded for the first time is theirs to answer for, so they are loaded before.
test('every file can be imported without side effects', async () => {
  vi.resetModules();
  const files = FOLDERS.flatMap((folder) =>
    filesUnder(folder, '.ts').map((file) => [folder, file] as const),
  ).filter(([, file]) => file !== 'main.ts');
  const packages = files.flatMap(([folder, file]) =>
    importsOf(file, folder).flatMap(({ to, isPackage, isTypeOnly }) =>
      isPackage && !isTypeOnly ? [to] : [],
    ),
  );
  for (const name of new Set(packages)) await import(name);
  const listen = vi.spyOn(Server.prototype, 'listen');
  const written = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));
  const before = stateOfProcess();
  const open = openNow();
  for (const [folder, file] of files) await import(join(ROOT, folder, file));
  expect(stateOfProcess()).toEqual(before);
  expect(openedSince(open)).toEqual([]);
  expect(listen).not.toHaveBeenCalled();
  for (const spy of written) expect(spy).not.toHaveBeenCalled();
});
