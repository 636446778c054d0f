// What sockets cost: 1,000 idle ones, then 20,000 operations begun and ended over ten.
//
//   npm run build && node bench/sockets.mjs [--quick] [--behind-proxy]
//
// Prints one JSON object; exits with 1 where an idle socket costs more than 40 KB or the operations leave memory behind.
import { once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { isQuick, report, residentMiB, startServer } from './running.mjs';

const IDLE = isQuick ? 200 : 1_000;
const CYCLES = isQuick ? 2_000 : 20_000;
const BUSY = 10;
const MAX_IDLE_KB = 40;
const MAX_LEFT_KB = 16 * 1_024;
const QUERY = '{ surfaces { surface } }';

const server = await startServer({
  LOG_LEVEL: 'silent',
  NODE_OPTIONS: '',
  MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '5000',
  WS_MESSAGE_BURST: '100000',
  WS_MESSAGES_PER_SECOND: '100000',
});
const endpoint = `${server.url.replace('http', 'ws')}/graphql`;
// What the process needs for its first socket and operation is not what a socket costs.
await cycle(await open(), 500);
const before = await settledKb();

const idle = await Promise.all(Array.from({ length: IDLE }, () => open()));
const withIdle = await settledKb();
for (const socket of idle) socket.terminate();

const busy = await Promise.all(Array.from({ length: BUSY }, () => open()));
await Promise.all(busy.map((socket) => cycle(socket, CYCLES / 10)));
const warm = await settledKb();
const startedAt = performance.now();
await Promise.all(busy.map((socket) => cycle(socket, CYCLES / BUSY)));
const seconds = (performance.now() - startedAt) / 1_000;
const leftKb = (await settledKb()) - warm;

const kbPerIdleSocket = (withIdle - before) / IDLE;
report(
  { idleSockets: IDLE, kbPerIdleSocket, cycles: CYCLES, cyclesPerSecond: CYCLES / seconds, leftKb },
  {
    'an idle socket takes less than 40 KB': kbPerIdleSocket < MAX_IDLE_KB,
    'operations leave nothing behind': leftKb < MAX_LEFT_KB,
  },
);

async function open() {
  const socket = new WebSocket(endpoint, 'graphql-transport-ws');
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
    const kb = residentMiB(server) * 1_024;
    if (kb < least) [least, still] = [kb, 0];
  }
  return least;
}
