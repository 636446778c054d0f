// The tests of the service's guard with their full numbers: 10,000 operations for the headers, 10,000 refusals, 2,000
// slow reads of one caller, 5,000 callers at once, 1,000 who leave. About two minutes.
//
//   node bench/full-numbers.mjs
//
// Exits as vitest does.
import { spawnSync } from 'node:child_process';

const FILES = ['headers', 'tenants', 'crowd', 'partial-failure'].map(
  (name) => `test/service/${name}.test.ts`,
);
const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', ...FILES, '--testTimeout=120000', '--no-file-parallelism'],
  { stdio: 'inherit', env: { ...process.env, FULL_NUMBERS: '1' } },
);
process.exitCode = status ?? 1;
