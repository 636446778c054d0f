// A hundred callers for ten minutes, who ask, write and follow: does the server keep what it no longer needs?
//
//   npm run build && node bench/soak.mjs [MINUTES] [--quick]
//
// Prints a line for each sample and one JSON object at the end; exits with 1 where, after a fifth of the time, resident
// memory grows by more than 1 MB a minute, the heap grows with each of five samples in turn, files stay open, or an
// operation fails. `--quick` takes 20 seconds, too short to judge the growth of resident memory by.
import { setTimeout as after } from 'node:timers/promises';
import { WebSocket } from 'ws';
import {
  inspectHeap,
  isQuick,
  openClient,
  openFiles,
  report,
  residentMiB,
  startSandbox,
  startServer,
} from './running.mjs';

const minutes = Number(process.argv.find((argument) => /^\d+(?:\.\d+)?$/.test(argument)) ?? 10);
const LENGTH_MS = isQuick ? 20_000 : minutes * 60_000;
const WARM_UP_MS = LENGTH_MS / 5;
const SAMPLE_MS = isQuick ? 2_000 : 10_000;
const CALLERS = 100;
/** Each of them does something every so often: the sandbox remembers every call, and is to last ten minutes too. */
const THINK_MS = 1_000;
const MOST_MIB_A_MINUTE = 1;

const sandbox = await startSandbox();
const address = { DATA_DIR: 'off', CURRENT_API_URL: sandbox.url, LEGACY_API_URL: sandbox.url };
const server = await startServer({
  ...address,
  AI_SOCKET_URL: sandbox.url,
  MAX_SOCKETS_PER_CREDENTIAL: '1000',
  MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000',
});
const headers = { 'x-api-key': 'demo-key-harbour', authorization: 'Bearer demo-token-harbour' };
const client = openClient(server.url, CALLERS, headers);
const heap = await inspectHeap(server);

let writes = 0;
const run = `${process.pid}-${Math.random()}`;
const key = () => `${run}-${(writes += 1)}`;
const WRITE = `mutation ($input: CreateDraftInput!) { createDraft(input: $input) { outcome } }`;
const ASK = `mutation ($input: GenerateAiTextInput!) { generateAiText(input: $input) { outcome aiGeneration { id } } }`;
const FOLLOW = { query: 'subscription { aiGenerationFinished { id status text } }' };
const QUERIES = [
  '{ accounts(first: 20) { totalCount nodes { displayName network } } }',
  '{ accounts(first: 5, surface: LEGACY) { nodes { displayName counterpart { id } } } }',
  '{ accountGroups { nodes { name accounts(first: 3) { nodes { displayName } } } } }',
  '{ queuedPosts(first: 10) { nodes { text account { displayName } } } libraryItems(first: 5) { nodes { title } } }',
  '{ membership { name } surfaces { surface } bad: node(id: "x") { id } }',
  '{ nothing }',
];

const counts = {};
const count = (what) => (counts[what] = (counts[what] ?? 0) + 1);
const endsAt = performance.now() + LENGTH_MS;
const samples = [];
const filesBefore = openFiles(server);
const callers = Array.from({ length: CALLERS }, (_, index) => call(index));
while (performance.now() < endsAt) {
  await after(SAMPLE_MS);
  const sample = {
    minute: (performance.now() - endsAt + LENGTH_MS) / 60_000,
    heapMiB: await heap.usedMiB(),
    residentMiB: residentMiB(server),
    files: openFiles(server),
  };
  samples.push(sample);
  process.stderr.write(`${JSON.stringify(sample)}\n`);
}
await Promise.all(callers);
client.close();
await after(5_500);
const filesAfter = openFiles(server);

const settled = samples.filter(({ minute }) => minute * 60_000 > WARM_UP_MS);
const slope = slopeOf(settled.map(({ minute, residentMiB: mib }) => [minute, mib]));
const heapSlope = slopeOf(settled.map(({ minute, heapMiB }) => [minute, heapMiB]));
report(
  {
    minutes: LENGTH_MS / 60_000,
    operations: counts,
    residentMiBPerMinute: slope,
    heapMiBPerMinute: heapSlope,
    firstHeapMiB: settled[0]?.heapMiB,
    lastHeapMiB: settled.at(-1)?.heapMiB,
    lastResidentMiB: settled.at(-1)?.residentMiB,
    filesBefore,
    filesAfter,
  },
  {
    'resident memory grows by 1 MB a minute at most': isQuick || slope <= MOST_MIB_A_MINUTE,
    'the heap grows by 1 MB a minute at most': isQuick || heapSlope <= MOST_MIB_A_MINUTE,
    'no file stays open': filesAfter <= filesBefore + 5,
    'no operation fails': (counts.failed ?? 0) === 0,
    'one in a hundred is turned away at most': (counts.turnedAway ?? 0) <= counts.query / 100,
  },
);

/** One caller: mostly queries, a write now and then, and a following that is ended again. */
async function call(index) {
  await after((index / CALLERS) * THINK_MS);
  for (let turn = index; performance.now() < endsAt; turn += 1) {
    const startedAt = performance.now();
    if (turn % 20 === 0)
      await post('draft', { query: WRITE, variables: { input: draft() } }, '"outcome":"COMPLETED"');
    else if (turn % 20 === 7) await follow(turn);
    else await post('query', { query: QUERIES[turn % QUERIES.length] }, '"');
    await after(Math.max(0, THINK_MS - (performance.now() - startedAt)));
  }
}

async function post(what, body, expected) {
  const { status, text } = await client.post(body);
  const isFine = (status === 200 || status === 400) && text.includes(expected) && !/INTERNAL/.test(text);
  // On a machine that does other things as well, a few may be turned away.
  count(isFine ? what : status === 503 ? 'turnedAway' : 'failed');
  if (!isFine && status !== 503) process.stderr.write(`${what}: ${status} ${text.slice(0, 300)}\n`);
}

function draft() {
  return {
    idempotencyKey: key(),
    accountIds: ['MWFjOjQxMDIwMQ'],
    variants: [{ variant: 'ORIGINAL', text: 'A line about rain.' }],
  };
}

/** Follows live results over one transport or the other, asks for one, and leaves when it has come or after a while. */
async function follow(turn) {
  if (turn % 40 === 7) await followOverSocket();
  else await followOverStream();
  count('following');
}

async function followOverSocket() {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers,
  });
  socket.on('error', () => count('failed'));
  await new Promise((resolve) => {
    socket.once('open', resolve);
    socket.once('close', resolve);
  });
  if (socket.readyState !== socket.OPEN) return;
  socket.send('{"type":"connection_init"}');
  const come = new Promise((resolve) => {
    socket.on('message', (data) => {
      const { type } = JSON.parse(data);
      if (type === 'connection_ack')
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: FOLLOW }));
      if (type === 'next') resolve();
    });
  });
  const variables = { input: { idempotencyKey: key(), prompt: 'A line about rain, slowly', tone: 'warm' } };
  await post('generation', { query: ASK, variables }, '"outcome":');
  await Promise.race([come, after(4_000)]);
  socket.close();
}

async function followOverStream() {
  const leaving = new AbortController();
  const stream = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify(FOLLOW),
    signal: leaving.signal,
  });
  if (stream.status !== 200) count('failed');
  await after(500);
  leaving.abort();
}

/** The growth of the second numbers with the first, by least squares. */
function slopeOf(points) {
  const [mx, my] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const over = points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
  return over === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0) / over;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
