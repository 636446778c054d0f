// Plain JavaScript: it runs before anything is compiled, on a Node that takes no TypeScript.
import { spawn } from 'node:child_process';
import { cp, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DESK, EXPLORER, SERVER, isUpToDate } from './up-to-date.js';

const ROOT = import.meta.dirname;

const parts = [
  { name: 'the server', isDone: await isUpToDate(SERVER), build: compile },
  { name: 'GraphiQL', isDone: await isUpToDate(EXPLORER), build: () => buildPageOf('explorer') },
  { name: 'Desk', isDone: await isUpToDate(DESK), build: () => buildPageOf('desk') },
];
const open = parts.filter(({ isDone }) => !isDone);
if (open.length > 0) {
  const names = new Intl.ListFormat('en').format(open.map(({ name }) => name));
  // Standard output belongs to the command that was asked for.
  process.stderr.write(`Building ${names}, which takes some seconds after an installation or a change ...\n`);
  const statuses = await Promise.all(open.map(({ build }) => build()));
  process.exitCode = Math.max(...statuses);
}
if (process.argv.includes('--watch')) {
  const { bundleOnChange, ENTRIES } = await import('./bundle.js');
  bundleOnChange(ENTRIES, join(ROOT, 'dist'));
}

/**
 * Compiles the server, without checking types: `npm run check` does that. What was compiled counts as of the beginning,
 * since a source may change meanwhile; after a failure it counts as never compiled.
 */
async function compile() {
  const startedAt = new Date();
  const made = join(ROOT, SERVER.made);
  await copyTools();
  await rm(join(ROOT, '.compile-cache'), { recursive: true, force: true });
  try {
    const { bundle, ENTRIES } = await import('./bundle.js');
    await bundle(ENTRIES, join(ROOT, 'dist'));
    await writeFile(made, '');
    await utimes(made, startedAt, startedAt);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    await rm(made, { force: true });
    return 1;
  }
}

// Nothing imports them.
async function copyTools() {
  const tools = join(ROOT, 'dist/mcp/tools');
  await rm(tools, { recursive: true, force: true });
  await cp(join(ROOT, 'packages/mcp/tools'), tools, { recursive: true });
}

/** @param {'explorer' | 'desk'} name */
async function buildPageOf(name) {
  return await run([join(ROOT, 'packages', name, 'build.js')]);
}

/**
 * Runs a program of Node; gives its exit status.
 *
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
