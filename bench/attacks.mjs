// Everything that somebody may send, and that the service may answer to somebody, at once: documents that cost most, keyed
// writes without end, sockets with made-up keys, open authorisations, slow callers, h2c, and tenants for whom the service
// fails, pages by one, or sends nothing but secrets. Beside them one client who reads, writes and follows.
//
//   npm run build && node bench/attacks.mjs [--quick] [--behind-proxy]
//
// What costs the server a tenth of a second or more, documents and monstrous answers, comes a few times a second: without
// end, it is not an attack by what is sent, but by how much of the processor anybody may have. The others come as fast as
// they are answered.
//
// Prints one JSON object; exits with 1 where that client had an error, or waited for an answer for more than a second.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { ATTACKS } from './hostile-documents/attacks.mjs';
import { cpuMs } from './hostile/probe.mjs';
import { isQuick, openClient, report, residentMiB, startSandbox, startServer } from './running.mjs';

const LENGTH_MS = isQuick ? 20_000 : 120_000;
const MOST_MS = 1_000;
/** Between two documents, and between two monstrous answers to a tenant. */
const PAUSE_MS = 500;
const children = [];
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));

const sandbox = await startSandbox();
const oddService = startScript('odd-service', sandbox.url);
const service = (await once(oddService.stdout, 'data')).toString().trim();
const server = await startServer({
  CURRENT_API_URL: service,
  LEGACY_API_URL: service,
  AI_SOCKET_URL: sandbox.url,
  DATA_DIR: 'off',
  OAUTH_CLIENT_ID: 'demo-app',
  OAUTH_CLIENT_SECRET: 'demo-secret',
  OAUTH_REDIRECT_URIS: 'http://localhost:4000/connect/callback',
  NODE_OPTIONS: '',
});
const { hostname, port } = new URL(server.url);
const counts = {};
const end = new AbortController();
const calm = await watchedFor(LENGTH_MS / 4, () => undefined);
const attacked = await watchedFor(LENGTH_MS, () => [
  documents(),
  ...repeated(4, 'keyed writes', keyedWrite()),
  madeUpSockets(),
  madeUpStreams(),
  ...repeated(2, 'open authorisations', getConnect()),
  slowCallers(),
  upgrades(),
  ...['failing', 'narrow', 'secrets', 'assignments'].map((name) => oddTenant(name)),
]);
report(
  { seconds: LENGTH_MS / 1_000, calm, attacked, sent: counts },
  {
    'no error of the honest client': attacked.errors.length === 0 && calm.errors.length === 0,
    'no answer later than a second': Math.max(attacked.read.longestMs, attacked.write.longestMs) <= MOST_MS,
  },
);

/** Lets the honest client work for a while beside something, and tells how it fared and what the server used. */
async function watchedFor(ms, begin) {
  const honest = startScript('honest-client', server.url);
  let text = '';
  honest.stdout.on('data', (data) => (text += data));
  await after(500);
  const before = cpuMs(server.pid);
  const startedAt = performance.now();
  const attacks = begin();
  await after(ms);
  const processorShare = (cpuMs(server.pid) - before) / (performance.now() - startedAt);
  const mib = Math.round(residentMiB(server));
  honest.stdin.end();
  await once(honest, 'close');
  if (attacks !== undefined) end.abort();
  return { ...JSON.parse(text), processorShare, residentMiB: mib };
}

function startScript(name, argument) {
  const script = new URL(`attacks/${name}.mjs`, import.meta.url).pathname;
  const child = spawn(process.execPath, [script, argument], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

function count(what, outcome) {
  counts[what] ??= {};
  counts[what][outcome] = (counts[what][outcome] ?? 0) + 1;
}

/** The same request over so many connections, each as soon as the last one is answered. */
function repeated(connections, what, { headers = {}, ask, pauseMs = 0 }) {
  const client = openClient(server.url, connections, headers);
  return Array.from({ length: connections }, async () => {
    while (!end.signal.aborted) {
      const { status } = await ask(client);
      count(what, status);
      if (status === 503 || status === 0) await after(20);
      if (pauseMs > 0) await after(pauseMs);
    }
    client.close();
  });
}

async function documents() {
  const credentials = {
    nobody: {},
    key: { 'x-api-key': 'demo-key-fernlight' },
    token: { authorization: 'Bearer demo-token-fernlight' },
    both: { 'x-api-key': 'demo-key-fernlight', authorization: 'Bearer demo-token-fernlight' },
  };
  const clients = Object.fromEntries(
    Object.entries(credentials).map(([name, headers]) => [name, openClient(server.url, 1, headers)]),
  );
  while (!end.signal.aborted)
    for (const { caller, query, variables = {} } of Object.values(ATTACKS)) {
      if (end.signal.aborted) break;
      count('documents', (await clients[caller].post({ query, variables })).status);
      await after(PAUSE_MS);
    }
}

function keyedWrite() {
  let writes = 0;
  const query = 'mutation ($input: CreateDraftInput!) { createDraft(input: $input) { outcome } }';
  const variables = () => ({
    input: {
      idempotencyKey: `flood-${(writes += 1)}`,
      accountIds: ['MWFjOjk5OTk5OQ'],
      variants: [{ variant: 'ORIGINAL', text: 'A line about rain.' }],
    },
  });
  return {
    headers: { 'x-api-key': 'demo-key-fernlight' },
    ask: (client) => client.post({ query, variables: variables() }),
  };
}

function getConnect() {
  return { ask: (client) => client.get('/connect') };
}

function oddTenant(name) {
  const headers =
    name === 'narrow' || name === 'failing'
      ? { 'x-api-key': `odd-${name}` }
      : { authorization: `Bearer odd-${name}` };
  const surface = 'x-api-key' in headers ? 'CURRENT' : 'LEGACY';
  const query = `{ accounts(first: 100, surface: ${surface}) { nodes { displayName } } }`;
  const pauseMs = surface === 'LEGACY' ? 4 * PAUSE_MS : 0;
  return repeated(1, `tenant: ${name}`, { headers, ask: (client) => client.post({ query }), pauseMs })[0];
}

async function madeUpSockets() {
  const open = new Set();
  for (let key = 0; !end.signal.aborted; key += 1) {
    if (open.size < 2_000) openSocket(key, open);
    await after(5);
  }
  for (const socket of open) socket.terminate();
}

function openSocket(key, open) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { 'x-api-key': `made-up-${key}` },
  });
  open.add(socket);
  socket.on('open', () => {
    count('made-up sockets', 'open');
    socket.send('{"type":"connection_init"}');
    socket.send(
      '{"id":"1","type":"subscribe","payload":{"query":"subscription { aiGenerationFinished { id } }"}}',
    );
  });
  socket.on('error', () => count('made-up sockets', 'refused'));
  socket.on('close', () => open.delete(socket));
}

async function madeUpStreams() {
  const query = JSON.stringify({ query: 'subscription { aiGenerationFinished { id } }' });
  const open = new Set();
  for (let key = 0; !end.signal.aborted; key += 1) {
    if (open.size < 1_000)
      sendRaw(
        open,
        `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\naccept: text/event-stream\r\nx-api-key: stream-${key}\r\ncontent-length: ${query.length}\r\n\r\n${query}`,
        'made-up streams',
      );
    await after(5);
  }
  for (const socket of open) socket.destroy();
}

async function slowCallers() {
  const open = new Set();
  for (let turn = 0; !end.signal.aborted; turn += 1) {
    if (open.size < 1_000)
      sendRaw(
        open,
        'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n',
        'slow callers',
      );
    if (turn % 50 === 0) for (const socket of open) socket.write('x-a: 1\r\n');
    await after(10);
  }
  for (const socket of open) socket.destroy();
}

async function upgrades() {
  const body = '{"query":"{ __typename }"}';
  while (!end.signal.aborted) {
    const open = new Set();
    sendRaw(
      open,
      `POST /graphql HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      'h2c',
    );
    await after(20);
  }
}

/** Opens a connection, sends something, and counts by which status it is answered, if at all. */
function sendRaw(open, text, what) {
  const socket = connect(Number(port), hostname);
  open.add(socket);
  socket.write(text);
  socket.on('data', (data) => {
    const status = /^HTTP\/1.1 (\d+)/.exec(data.toString('latin1'))?.[1];
    if (status !== undefined) count(what, status);
  });
  socket.on('error', () => count(what, 'cut off'));
  socket.on('close', () => open.delete(socket));
}
