// Sends one operation and measures what it costs the server: processor time, bytes, log lines, and how long the event
// loop stood still.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { openClient } from '../running.mjs';

const HEALTH_GAP_MS = 4;
/** How long the server may take to finish what it does after the response: logging, garbage collection. */
const SETTLE_MS = 30;

/** Makes a probe of a server, for callers with each set of credentials. */
export function createProbe(server, credentials) {
  const clients = Object.fromEntries(
    Object.entries(credentials).map(([name, headers]) => [name, openClient(server.url, 1, headers)]),
  );
  const watcher = openClient(server.url, 1);
  return async function probe({ caller, query, variables = {} }) {
    const sent = { query, variables };
    const logged = server.output().length;
    const before = cpuMs(server.pid);
    const watch = watchHealth(watcher, server.pid);
    const { status, text } = await clients[caller].post(sent);
    await quiet(server);
    const stall = await watch.end();
    return {
      status,
      requestBytes: Buffer.byteLength(JSON.stringify(sent)),
      responseBytes: Buffer.byteLength(text),
      cpuMs: cpuMs(server.pid) - before - stall.cpuOfLooksMs,
      stallMs: stall.wallMs,
      stallCpuMs: stall.cpuMs,
      logLines: lines(server.output().slice(logged)),
      ...resultOf(text),
    };
  };
}

// The server's log comes through a pipe, some of it after the response.
async function quiet(server) {
  for (let length = -1; length < server.output().length;) {
    length = server.output().length;
    await after(SETTLE_MS);
  }
}

/** Processor time of a process in milliseconds: of all its threads, or of its first one. */
export function cpuMs(pid, threads = readdirSync(`/proc/${pid}/task`)) {
  return threads.reduce((sum, thread) => sum + threadNs(pid, thread), 0) / 1e6;
}

function threadNs(pid, thread) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    // The thread has ended.
    return 0;
  }
}

/** Asks for `/health` again and again; the longest wait, and how much of it the server's own work took. */
function watchHealth(client, pid) {
  const stall = { wallMs: 0, cpuMs: 0, cpuOfLooksMs: 0 };
  const state = { isOver: false };
  const looking = look();
  return { end: () => ((state.isOver = true), looking) };

  async function look() {
    let least = Infinity;
    let looks = 0;
    while (!state.isOver) {
      const before = cpuMs(pid, [pid]);
      const { ms } = await client.get('/health');
      const took = cpuMs(pid, [pid]) - before;
      stall.wallMs = Math.max(stall.wallMs, ms);
      stall.cpuMs = Math.max(stall.cpuMs, took);
      least = Math.min(least, took);
      looks += 1;
      await after(HEALTH_GAP_MS);
    }
    stall.cpuOfLooksMs = looks * least;
    return stall;
  }
}

function lines(text) {
  return text.split('\n').length - 1;
}

// A response that was cut off is as much of a finding as one that came.
function resultOf(text) {
  try {
    const { errors = [], extensions } = JSON.parse(text);
    const [code = null] = errors.map((error) => error.extensions?.code);
    return {
      errors: errors.length,
      code,
      calls: extensions?.cost?.calls ?? null,
      message: errors[0]?.message,
    };
  } catch {
    return { errors: 0, code: null, calls: null };
  }
}
