// What the benches share: the built server and the sandbox, each in a process of its own, and a look at them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { MAIN, START_FLAGS } from './built-server.mjs';

export const isQuick = process.argv.includes('--quick');
export const isBehindProxy = process.argv.includes('--behind-proxy');

const started = [];
process.on('exit', () => started.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** What docs/deploying.md sets behind a proxy. */
const BEHIND_PROXY = {
  KEEP_ALIVE: '65s',
  MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '7500',
};

/**
 * Starts the server in front of an address of the service, or of a sandbox of its own where none is given. With
 * `--behind-proxy`, its `url` is that of HAProxy before it.
 */
export async function startServer(environment = {}) {
  const server = await start([], /GraphQL +(http:\S+)\/graphql/, {
    PORT: '0',
    SANDBOX_PORT: '0',
    LOG_LEVEL: 'error',
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
    ...(isBehindProxy && BEHIND_PROXY),
    ...environment,
  });
  return isBehindProxy ? { ...server, url: await startProxy(server.url) } : server;
}

/** Starts HAProxy as the project configures it, with one instance in all three places. */
async function startProxy(url) {
  const port = await freePort();
  const { host } = new URL(url);
  const file = new URL('../docs/several-processes/haproxy.cfg', import.meta.url).pathname;
  const child = spawn('haproxy', ['-db', '-f', file], {
    env: { PATH: process.env.PATH, LISTEN: `127.0.0.1:${port}`, GRAPH_A: host, GRAPH_B: host, GRAPH_C: host },
    stdio: 'ignore',
  });
  started.push(child);
  const proxied = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${proxied}/health`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error('HAProxy has not started');
    await after(50);
  }
  return proxied;
}

/** Starts the sandbox alone. */
export async function startSandbox(environment = {}) {
  return await start(['sandbox'], /Sandbox +(http:\S+)/, { SANDBOX_PORT: '0', ...environment });
}

async function start(args, pattern, environment) {
  const child = spawn(process.execPath, [...START_FLAGS, MAIN, ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const exited = once(child, 'exit').then(([code]) => code);
  while (child.exitCode === null && !pattern.test(output)) await after(20);
  const url = pattern.exec(output)?.slice(1).find(Boolean);
  if (url === undefined) throw new Error(`not started: ${output}`);
  return { url, pid: child.pid, exited, signal: (name) => child.kill(name), output: () => output };
}

/** A port that nobody listens on at the moment, for what has to be told its port beforehand. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Resident memory of a process, in MiB. */
export function residentMiB({ pid }) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;
}

/** How many files and sockets a process has open. */
export function openFiles({ pid }) {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Attaches to a process's inspector; gives what is in use when all garbage has been collected, in MiB. */
export async function inspectHeap({ output }) {
  const socket = new WebSocket(/ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(output())[0]);
  await once(socket, 'open');
  let calls = 0;
  const call = (method) =>
    new Promise((resolve) => {
      const id = (calls += 1);
      const onMessage = (data) => {
        const message = JSON.parse(data);
        if (message.id !== id) return;
        socket.off('message', onMessage);
        resolve(message.result);
      };
      socket.on('message', onMessage);
      socket.send(JSON.stringify({ id, method }));
    });
  await call('HeapProfiler.enable');
  return {
    async usedMiB() {
      await call('HeapProfiler.collectGarbage');
      return (await call('Runtime.getHeapUsage')).usedSize / 2 ** 20;
    },
    close: () => socket.terminate(),
  };
}

/** Posts operations over so many connections; each answer with its status and time, status 0 where none came. */
export function openClient(url, connections, headers = {}) {
  // Less than the server keeps a connection for: one that it closes as a request sets out would look like a failure.
  const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: 4_000 });
  return {
    get: (path) => ask(path, 'GET', ''),
    post: (body) => ask('/graphql', 'POST', JSON.stringify(body)),
    close: () => agent.destroy(),
  };

  function ask(path, method, text) {
    return new Promise((resolve) => {
      const startedAt = performance.now();
      const end = (status, received, retryAfter) =>
        resolve({
          status,
          text: received,
          retryAfter,
          isKept: sent.reusedSocket,
          ms: performance.now() - startedAt,
        });
      const type =
        text === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const sent = request(`${url}${path}`, { agent, method, headers: { ...type, ...headers } }, (answer) => {
        let received = '';
        answer.setEncoding('utf8').on('data', (data) => (received += data));
        answer.on('end', () => end(answer.statusCode, received, answer.headers['retry-after']));
        answer.on('error', () => end(0, ''));
      });
      sent.on('error', () => end(0, ''));
      sent.end(text);
    });
  }
}

/** The value below which so many of a hundred lie. */
export function percentile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Prints the figures, and ends with 1 where one of the conditions does not hold. */
export function report(figures, conditions) {
  const failed = Object.entries(conditions).flatMap(([what, holds]) => (holds ? [] : [what]));
  process.stdout.write(`${JSON.stringify({ isFine: failed.length === 0, failed, ...figures }, null, 2)}\n`);
  process.exit(failed.length === 0 ? 0 : 1);
}
