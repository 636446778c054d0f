// A thousand callers: a third send their headers, a third their bodies, a little at a time, and a third read nothing of
// what they are sent: are they let go, and do the others notice?
//
//   npm run build && node bench/slow-callers.mjs [--quick] [--behind-proxy]
//
// Prints one JSON object; exits with 1 where headers are waited for beyond 12 seconds or bodies beyond 32, the slow ones
// among the others take more than twice as long as without, or resident memory without garbage grows by 50 MB.
import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import {
  inspectHeap,
  isQuick,
  openClient,
  percentile,
  report,
  residentMiB,
  startServer,
} from './running.mjs';

const CALLERS = Math.ceil((isQuick ? 100 : 1_000) / 3);
const HEAD = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const QUERY = { query: '{ surfaces { surface isConfigured } }' };

const server = await startServer();
const heap = await inspectHeap(server);
const client = openClient(server.url, 4);
await measure(1_000);
const calm = await measure(5_000);
const before = await keptMiB();
const startedAt = performance.now();
const body = JSON.stringify({ query: '{ __schema { types { fields { name description } } } }' });
const attacks = {
  headers: attack(HEAD, 'x-a: 1\r\n'),
  bodies: attack(`${HEAD}content-length: 1000\r\n\r\n{`, ' '),
  readers: attack(`${HEAD}content-length: ${body.length}\r\n\r\n${body}`, ''),
};
const loaded = await measure(10_000);
const grownMiB = (await keptMiB()) - before;
heap.close();
const headersMs = Math.max(...(await attacks.headers));
const bodiesMs = Math.max(...(await attacks.bodies));
report(
  {
    callersOfEachKind: CALLERS,
    headersGoneMs: Math.round(headersMs),
    bodiesGoneMs: Math.round(bodiesMs),
    p99CalmMs: percentile(calm, 0.99),
    p99LoadedMs: percentile(loaded, 0.99),
    grownMiB,
  },
  {
    'headers let go within 12 seconds': headersMs < 12_000,
    'bodies let go within 32 seconds': bodiesMs < 32_000,
    // Below some milliseconds it is the machine that is measured.
    'others at most twice as slow': percentile(loaded, 0.99) < Math.max(20, 2 * percentile(calm, 0.99)),
    'less than 50 MB': grownMiB < 50,
  },
);

/** Opens connections that say a little from time to time and read nothing; tells when each was closed. */
function attack(first, more) {
  const { hostname, port } = new URL(server.url);
  return Promise.all(
    Array.from({ length: CALLERS }, async (_, index) => {
      await after(index);
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write(first);
      if (more !== '') socket.resume();
      const timer = more === '' ? undefined : setInterval(() => socket.write(more), 500);
      await new Promise((resolve) => socket.once('close', resolve));
      clearInterval(timer);
      return performance.now() - startedAt - index;
    }),
  );
}

/** Resident memory without garbage: V8 lets up to 64 MiB of it pile up, sooner or later. */
async function keptMiB() {
  await heap.usedMiB();
  return residentMiB(server);
}

/** The times of the others' requests, for so long. */
async function measure(ms) {
  const ends = performance.now() + ms;
  const times = [];
  while (performance.now() < ends) {
    const answer = await client.post(QUERY);
    if (answer.status !== 200) throw new Error(`the others get ${answer.status}`);
    times.push(answer.ms);
    await after(5);
  }
  return times;
}
