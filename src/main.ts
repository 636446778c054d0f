#!/usr/bin/env node
import module from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { reasonOf } from './config/file-problem.ts';

// Keeps the compiled code beside the package for the next start, if the folder is writable; from Node 22.8 on.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
  module.enableCompileCache(join(import.meta.dirname, '../.compile-cache'));

// V8 creates objects among the old ones if earlier ones from the same place in the code lasted. A busy moment makes requests
// last, and parts of all later ones would then keep the rest of their request until the next full collection.
setFlagsFromString('--no-allocation-site-pretenuring');

// The kernel drops signals for process 1, as in a container, unless it has a handler. A command that needs time to end
// adds its own.
if (process.pid === 1)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });

// Every later write may fail as well.
process.stdout.on('error', () => undefined);
process.stdout.once('error', (error: NodeJS.ErrnoException) => {
  // The reader closed the pipe, as `| head` does. Commands end with their own status all the same.
  if (error.code === 'EPIPE') return;
  process.stderr.write(`Standard output cannot be written: ${reasonOf(error)}.\n`);
  process.exitCode = 1;
});
// There is nowhere left to report that standard error can't be written, as on a full disk.
process.stderr.on('error', () => undefined);

// Loaded only now: a signal may arrive meanwhile.
const [{ runProgram }, { setNodeEnv }] = await Promise.all([
  import('./cli/program.ts'),
  import('./cli/environment.ts'),
]);
setNodeEnv();
await runProgram(process.argv.slice(2));
