import { Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { filesUnder, ROOT } from './source-files.ts';

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
    open: process
      .getActiveResourcesInfo()
      .filter((kind) => /Server|TCP|Pipe|Timeout|Immediate|FSEvent/.test(kind))
      .toSorted(),
  };
}

afterEach(() => vi.restoreAllMocks());

// What packages do when they are loaded for the first time is theirs to answer for; ours are loaded again, one by one.
test('every file can be imported without side effects', async () => {
  const files = [
    'src',
    'packages/executor/src',
    'packages/sandbox/src',
    'packages/mcp/src',
    'packages/webhooks/src',
  ]
    .flatMap((folder) => filesUnder(folder, '.ts').map((file) => join(ROOT, folder, file)))
    .filter((file) => !file.endsWith('/main.ts'));
  for (const file of files) await import(file);
  vi.resetModules();
  const listen = vi.spyOn(Server.prototype, 'listen');
  const written = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));
  const before = stateOfProcess();
  for (const file of files) await import(file);
  expect(stateOfProcess()).toEqual(before);
  expect(listen).not.toHaveBeenCalled();
  for (const spy of written) expect(spy).not.toHaveBeenCalled();
});
