// What sockets cost: 1,000 idle ones, then 20,000 operations begun and ended over ten.
//
//   npm run build && node bench/sockets.mjs [--quick]
//
// Prints one JSON object; exits with 1 where an idle socket costs more than 40 KB or the operations leave memory behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { MAIN, START_FLAGS } from './built-server.mjs';

const isQuick = process.argv.includes('--quick');
const IDLE = isQuick ? 200 : 1_000;
const CYCLES = isQuick ? 2_000 : 20_000;
const BUSY = 10;
const MAX_IDLE_KB = 40;
const MAX_LEFT_KB = 16 * 1_024;
const QUERY = '{ surfaces { surface } }';

const server = spawn(process.execPath, [...START_FLAGS, '--expose-gc', MAIN], {
  env: {
    PATH: process.env.PATH,
    PORT: '0',
    SANDBOX_PORT: '0',
    LOG_LEVEL: 'silent',
    MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '5000',
    WS_MESSAGE_BURST: '100000',
    WS_MESSAGES_PER_SECOND: '100000',
  },
  stdio: ['ignore', 'ignore', 'pipe'],
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.kill('SIGKILL');
    process.exit(1);
  });
}

try {
  const url = await addressOf(server);
  // What the process needs for its first socket and operation is not what a socket costs.
  await cycle(await open(url), 500);
  const before = await settledKb();

  const idle = await Promise.all(Array.from({ length: IDLE }, () => open(url)));
  const withIdle = await settledKb();
  for (const socket of idle) socket.terminate();

  const busy = await Promise.all(Array.from({ length: BUSY }, () => open(url)));
  await Promise.all(busy.map((socket) => cycle(socket, CYCLES / 10)));
  const warm = await settledKb();
  const startedAt = performance.now();
  await Promise.all(busy.map((socket) => cycle(socket, CYCLES / BUSY)));
  const seconds = (performance.now() - startedAt) / 1_000;
  const left = (await settledKb()) - warm;

  const kbPerIdleSocket = (withIdle - before) / IDLE;
  const isFine = kbPerIdleSocket < MAX_IDLE_KB && left < MAX_LEFT_KB;
  const figures = {
    idleSockets: IDLE,
    kbPerIdleSocket,
    cycles: CYCLES,
    cyclesPerSecond: CYCLES / seconds,
    leftKb: left,
  };
  process.stdout.write(`${JSON.stringify({ isFine, ...figures }, null, 2)}\n`);
  process.exitCode = isFine ? 0 : 1;
} finally {
  server.kill('SIGKILL');
}
process.exit();

async function addressOf(child) {
  let text = '';
  for await (const chunk of child.stderr) {
    text += chunk;
    const [, address] = /GraphQL +http:\/\/(\S+)\/graphql/.exec(text) ?? [];
    if (address) return `ws://${address}/graphql`;
  }
  throw new Error(`not started: ${text}`);
}

async function open(url) {
  const socket = new WebSocket(url, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  return socket;
}

async function cycle(socket, count) {
  // Several messages can come at the same moment, so they are listened to throughout.
  let ended = null;
  const onMessage = (data) => JSON.parse(data).type === 'complete' && ended?.();
  socket.on('message', onMessage);
  for (let id = 1; id <= count; id += 1) {
    const end = new Promise((resolve) => (ended = resolve));
    socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query: QUERY } }));
    await end;
  }
  socket.off('message', onMessage);
}

/** Resident memory of the server in KB, once it no longer falls. */
async function settledKb() {
  let least = Infinity;
  for (let still = 0; still < 5; still += 1) {
    await after(300);
    const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
    if (Number(kb) < least) [least, still] = [Number(kb), 0];
  }
  return least;
}
