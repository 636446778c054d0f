#!/usr/bin/env node
import { runProgram } from './cli/program.ts';

// Set before any command is loaded: graphql checks this once, and is twice as slow without it.
process.env['NODE_ENV'] ??= 'production';

// Ignore EPIPE: the reader closed the pipe, as `| head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

await runProgram(process.argv.slice(2));
