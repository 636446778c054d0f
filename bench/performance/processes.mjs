// The processes of the performance bench, each held on a core, and what the system says of them. Linux only.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { freePort } from '../running.mjs';
import { openConnection } from './connection.mjs';

/** The contestants have one core, of which only one works at a time; load and service, one process, have the other. */
const CONTESTANT_CORE = 0;
const LOAD_CORE = 1;

const LONGEST_START_MS = 60_000;
const LONGEST_END_MS = 15_000;
const MS_PER_TICK = 1_000 / Number(execFileSync('getconf', ['CLK_TCK']));

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Holds this process on the core of the load, and keeps it awake: to wake a core costs whoever writes to it. */
export function holdOnLoadCore() {
  execFileSync('taskset', ['-acp', String(LOAD_CORE), String(process.pid)]);
  turn();
}

function turn() {
  setImmediate(turn).unref();
}

/**
 * Starts a script of Node that listens on PORT on the contestants' core, and waits until it answers `firstRequest`. Its log
 * goes nowhere; what it writes to its standard error is in `output()`.
 */
export async function startProcess(args, { environment, firstRequest }) {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn('taskset', ['-c', String(CONTESTANT_CORE), process.execPath, ...args], {
    env: { PATH: process.env.PATH, PORT: String(port), ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child);
  let output = '';
  child.stderr.on('data', (data) => (output += data));
  const exited = once(child, 'exit').then(() => running.delete(child));
  const mayWait = () => child.exitCode === null && performance.now() - startedAt < LONGEST_START_MS;
  while (!(await answers(port, firstRequest))) {
    if (!mayWait()) throw new Error(`${args.join(' ')} does not answer: ${output}`);
    await after(1);
  }
  return {
    port,
    pid: child.pid,
    readyMs: performance.now() - startedAt,
    output: () => output,
    end: async () => {
      child.kill('SIGTERM');
      await Promise.race([exited, after(LONGEST_END_MS, null, { ref: false })]);
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function answers(port, request) {
  try {
    const connection = await openConnection(port);
    const { head } = await connection.ask(request);
    connection.close();
    return head.startsWith('HTTP/1.1 200');
  } catch {
    return false;
  }
}

/** Processor time that a process has had so far, in all its threads, in milliseconds. */
export function cpuMs({ pid }) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program stands in brackets, and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks] = fields.slice(11, 13).map(Number);
  return (userTicks + systemTicks) * MS_PER_TICK;
}
