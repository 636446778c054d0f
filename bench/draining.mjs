// The end of a process with a thousand sockets, and of one on which everything is stuck.
//
//   npm run build && node bench/draining.mjs [--quick] [--behind-proxy]
//
// Prints one JSON object; exits with 1 where a socket is not told to come back (1012), or a process does not end with 0
// before 28 seconds (behind the proxy 33, since it is told first): with frozen sockets, endless streams, half-sent
// requests, and a service that answers neither a read nor a write.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { isBehindProxy, isQuick, openClient, report, startServer } from './running.mjs';

const SOCKETS = isQuick ? 200 : 1_000;
/** DRAIN_DELAY comes on top where /ready is polled. */
const LONGEST_MS = isBehindProxy ? 33_000 : 28_000;

const many = await endOfMany();
const stuck = await endOfStuck();
report(
  { sockets: SOCKETS, ...many, stuck },
  {
    'each socket is told to come back': many.told === SOCKETS,
    'the process with many ends with 0': many.code === 0,
    'the stuck process ends with 0 in time': stuck.code === 0 && stuck.ms < LONGEST_MS,
  },
);

async function endOfMany() {
  const server = await startServer({ MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: String(SOCKETS) });
  const closes = [];
  const gone = [];
  for (let index = 0; index < SOCKETS; index += 1) {
    const socket = await open(server.url);
    gone.push(once(socket, 'close').then(([code]) => closes.push({ code, at: performance.now() })));
  }
  const { code, ms } = await end(server);
  await Promise.all(gone);
  const times = closes.map(({ at }) => at).toSorted((one, other) => one - other);
  return {
    told: closes.filter((close) => close.code === 1012).length,
    spreadMs: Math.round(times.at(-1) - times[0]),
    code,
    ms,
  };
}

async function endOfStuck() {
  // Takes every call, and answers none.
  const service = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const url = `http://127.0.0.1:${service.address().port}`;
  const server = await startServer({
    DATA_DIR: 'off',
    CURRENT_API_URL: url,
    LEGACY_API_URL: url,
    NODE_OPTIONS: '',
  });
  const client = openClient(server.url, 10, { 'x-api-key': 'any' });
  for (let index = 0; index < 10; index += 1) {
    const frozen = await open(server.url);
    frozen.pause();
    const { hostname, port } = new URL(server.url);
    const half = connect(Number(port), hostname).on('error', () => undefined);
    half.write('POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n');
    void fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': 'any' },
      body: JSON.stringify({ query: 'subscription { aiGenerationFinished { id } }' }),
    }).catch(() => undefined);
  }
  const input = { accountIds: ['MWFjOjQxMDIwMQ'], variants: [{ variant: 'ORIGINAL', text: 'x' }] };
  const write = 'mutation ($input: CreateDraftInput!) { createDraft(input: $input) { outcome } }';
  void client.post({ query: '{ accounts(surface: CURRENT) { totalCount } }' });
  void client.post({ query: write, variables: { input } });
  await once(service, 'request');
  const ended = await end(server);
  service.closeAllConnections();
  service.close();
  return ended;
}

async function end(server) {
  const startedAt = performance.now();
  server.signal('SIGTERM');
  const code = await server.exited;
  return { code, ms: Math.round(performance.now() - startedAt) };
}

async function open(url) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => undefined);
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  return socket;
}
