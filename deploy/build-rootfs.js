#!/usr/bin/env node
// Builds what the Dockerfile adds to its base image, without a container engine: node deploy/build-rootfs.js FOLDER
// The programs (Node, npm) are this machine's, and RUN is not confined to the folder: steps use relative paths only.
import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const CONTEXT = resolve(import.meta.dirname, '..');

/**
 * @typedef {{ readonly instruction: string, readonly flags: Readonly<Record<string, string>>, readonly text: string }} Step
 * @typedef {{ readonly name: string, readonly steps: readonly Step[] }} Stage
 */

/**
 * Reads a container file; lines that end in a backslash go on in the next one.
 * @param {string} text
 * @returns {Stage[]}
 */
export function stagesOf(text) {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  /** @type {{ name: string, steps: Step[] }[]} */
  const stages = [];
  for (const line of lines) {
    const step = stepOf(line);
    if (step.instruction === 'FROM') {
      const [, , name = String(stages.length)] = step.text.split(/\s+/);
      stages.push({ name, steps: [step] });
    } else {
      const stage = stages.at(-1);
      if (!stage) throw new Error(`The container file must begin with FROM, not with: ${line}`);
      stage.steps.push(step);
    }
  }
  return stages;
}

/**
 * @param {string} line
 * @returns {Step}
 */
function stepOf(line) {
  const [, instruction = '', options = '', text = ''] =
    /^(\w+)((?:\s+--[\w-]+=\S+)*)\s+(.*)$/.exec(line) ?? [];
  if (instruction === '') throw new Error(`This is not a step of a container file: ${line}`);
  const flags = [...options.matchAll(/--([\w-]+)=(\S+)/g)].map(([, name, value]) => [name, value]);
  return { instruction: instruction.toUpperCase(), flags: Object.fromEntries(flags), text };
}

/**
 * Runs the steps of all stages, each stage in a folder of its name.
 * @param {readonly Stage[]} stages
 * @param {string} folder
 * @returns {string} The root of the last stage's file system.
 */
export function buildRootfs(stages, folder) {
  for (const stage of stages) {
    const root = join(folder, stage.name);
    let directory = root;
    for (const step of stage.steps) {
      if (step.instruction === 'WORKDIR') {
        directory = join(root, step.text);
        mkdirSync(directory, { recursive: true });
      } else if (step.instruction === 'COPY') copy(step, { folder, directory });
      else if (step.instruction === 'RUN') runStep(step, directory);
    }
  }
  return join(folder, stages.at(-1)?.name ?? '');
}

/**
 * @param {Step} step
 * @param {{ readonly folder: string, readonly directory: string }} place
 */
function copy({ flags, text }, { folder, directory }) {
  const sources = text.split(/\s+/);
  const target = sources.pop() ?? '';
  const from = flags['from'] === undefined ? CONTEXT : join(folder, flags['from']);
  for (const source of sources) {
    const path = join(from, source);
    if (!existsSync(path)) throw new Error(`There is no ${source} to copy.`);
    const into = target.endsWith('/') ? join(directory, target, basename(source)) : join(directory, target);
    cpSync(path, into, { recursive: true, verbatimSymlinks: true });
    // Only root may give files away; for anybody else they stay their own.
    if (flags['chown'] !== undefined && process.getuid?.() === 0) {
      const [user, group] = flags['chown'].split(':').map(Number);
      if (user === undefined || group === undefined || !statSync(into).isDirectory())
        throw new Error('--chown needs a folder, a user and a group by number.');
      chownSync(into, user, group);
    }
  }
}

/**
 * @param {Step} step
 * @param {string} directory
 */
function runStep({ text }, directory) {
  if (/(?:^|[\s=])\//.test(text)) throw new Error(`A step must not name a path of this machine: ${text}`);
  // As in a fresh image: NODE_ENV of this shell, for one, would have npm leave out what the build needs.
  const kept = Object.entries(process.env).filter(([name]) => /^(?:PATH|HOME|npm_config_\w+)$/i.test(name));
  const options = { cwd: directory, env: Object.fromEntries(kept) };
  const { status } = spawnSync('sh', ['-c', text], { ...options, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`The step failed: ${text}`);
}

const [, script = '', folder] = process.argv;
if (import.meta.url === pathToFileURL(script).href) {
  if (folder === undefined) throw new Error('Say where to: node deploy/build-rootfs.js FOLDER');
  const stages = stagesOf(readFileSync(join(import.meta.dirname, 'Dockerfile'), 'utf8'));
  process.stdout.write(`${buildRootfs(stages, resolve(folder))}\n`);
}
