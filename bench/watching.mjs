// A thousand subscribers of ten credentials watch their queues at three processes with one Redis, while posts come and go at
// random, and two of the processes are killed one after the other.
//
//   npm run build && node bench/watching.mjs [--quick]      (needs redis-server)
//
// Prints one JSON object; exits with 1 where a subscriber is told a state that the queue never had, or states in another
// order, or misses the last one; where subscribers of one credential are told different things by the process that lives;
// where a queue is read more often than its interval allows; or where something is left when all have gone.
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { freePort, inspectHeap, isQuick, openFiles, report, startServer } from './running.mjs';

const { startSandbox } = await import(new URL('../dist/index.js', import.meta.url));

const CREDENTIALS = 10;
const EACH = isQuick ? 9 : 100;
const ON_ONE_SOCKET = 10;
const INTERVAL_MS = 1_000;
const SECONDS = isQuick ? 20 : 90;
const QUERY =
  'subscription { queueChanged { kind isFollowedByChanges observedAt queuedPostIds queuedPost { id } totalCount } }';

const sandbox = await startSandbox({ port: 0, moreOwners: CREDENTIALS - 2 });
const redis = await startRedis();
const settings = {
  REDIS_URL: `redis://127.0.0.1:${redis.port}`,
  REDIS_SECRET: 'a secret of the bench, of more than 32 characters',
  CURRENT_API_URL: sandbox.url,
  WATCH_INTERVAL: `${INTERVAL_MS}ms`,
  MAX_SOCKETS: '5000',
  MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '5000',
  OVERLOAD_DELAY: '1h',
};
const processes = await Promise.all([0, 1, 2].map(() => startServer(settings)));
const [, , lasting] = processes;
const heap = await inspectHeap(lasting);
const before = { files: openFiles(lasting), miB: await heap.usedMiB() };

const owners = sandbox.owners.map(({ name, apiKey }) => ({
  name,
  apiKey,
  state: sandbox.state.owner(name),
  history: [],
}));
for (const { state } of owners)
  if (!state.accounts.some(({ surfaces }) => surfaces.current)) state.insertAccount(0);
owners.forEach(note);
const sockets = [];
const subscribers = owners.flatMap((owner) =>
  processes.flatMap((server, place) => subscribe(owner, server, Math.ceil((EACH - place) / 3))),
);
await until(() => subscribers.every(({ events }) => events.length > 0), 'a snapshot for each');
const startedAt = Date.now();
const killings = [SECONDS / 3, (2 * SECONDS) / 3].map(async (seconds, index) => {
  await after(seconds * 1_000);
  processes[index].signal('SIGKILL');
});
while (Date.now() - startedAt < SECONDS * 1_000) {
  await change(owners[Math.floor(Math.random() * owners.length)]);
  await after(50);
}
await Promise.all(killings);
const living = subscribers.filter(({ server }) => server === lasting);
await until(() => living.every(hasLast), 'the last state for each').catch(() => undefined);
const elapsedMs = Date.now() - startedAt;

const problems = subscribers.flatMap(problemsOf);
const told = owners.map((owner) => new Set(living.filter((one) => one.owner === owner).map(sequenceOf)).size);
const readings = owners.map(({ name }) => readingsOf(name));
sockets.forEach((socket) => socket.terminate());
await until(async () => (await metric(lasting, 'watched_lists_open')) === 0, 'nothing watched');
await after(3_000);
const left = { files: openFiles(lasting), miB: await heap.usedMiB() };
heap.close();
redis.child.kill('SIGKILL');
await sandbox.close();
report(
  {
    subscribers: subscribers.length,
    changes: owners.reduce((sum, { history }) => sum + history.length - 1, 0),
    events: subscribers.reduce((sum, { events }) => sum + events.length, 0),
    problems: problems.slice(0, 5),
    different: told.filter((count) => count > 1).length,
    readings: { most: Math.max(...readings), seconds: Math.round(elapsedMs / 1_000) },
    missing: living.filter((one) => !hasLast(one)).length,
    before,
    left,
  },
  {
    'each state was one of the queue, in order': problems.length === 0,
    'all of a credential are told the same': told.every((count) => count === 1),
    'each knows the last state': living.every(hasLast),
    // A reading may begin on another process right after the one that read was killed.
    'no more readings than intervals': Math.max(...readings) <= elapsedMs / INTERVAL_MS + 3,
    'files are closed': left.files <= before.files + 5,
    'memory is given back': left.miB <= before.miB + 20,
  },
);

function subscribe(owner, server, count) {
  const added = Array.from({ length: count }, () => ({ owner, server, events: [] }));
  for (let first = 0; first < count; first += ON_ONE_SOCKET) {
    const some = added.slice(first, first + ON_ONE_SOCKET);
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': owner.apiKey } })),
    );
    socket.on('message', (data) => {
      const { type, id, payload } = JSON.parse(data);
      if (type === 'connection_ack')
        some.forEach((_one, index) =>
          socket.send(JSON.stringify({ type: 'subscribe', id: String(index), payload: { query: QUERY } })),
        );
      else if (type === 'ping') socket.send('{"type":"pong"}');
      else if (type === 'next') some[Number(id)].events.push(payload.data?.queueChanged ?? payload);
      else if (type === 'error') throw new Error(JSON.stringify(payload));
    });
  }
  return added;
}

function keysOf({ state }) {
  return state.queue.map(({ postId }) => Buffer.from(`1qc:${postId}`).toString('base64url'));
}

function note(owner) {
  owner.history.push(nameOf(keysOf(owner)));
}

function nameOf(keys) {
  return [...keys].toSorted((one, other) => one.localeCompare(other)).join(' ');
}

async function change(owner) {
  if (Math.random() < 0.5) owner.state.drainQueue(1 + Math.floor(Math.random() * 2));
  else
    await fetch(`${sandbox.url}/posts/create`, {
      method: 'POST',
      headers: { 'x-api-key': owner.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        shareType: Math.random() < 0.3 ? 2 : 0,
        loginIds: [owner.state.accounts.find(({ surfaces }) => surfaces.current).loginId],
        posts: [{ type: 'original', postDesc: 'x', instagramPostType: 'post' }],
      }),
    });
  note(owner);
}

// The events of one reading tell of one state together.
function statesOf({ events }) {
  const states = [];
  let keys = new Set();
  events.forEach((event, index) => {
    if (event.kind === 'ADDED') keys.add(event.queuedPost.id);
    else if (event.kind === 'LEFT') keys.delete(event.queuedPost.id);
    else if (event.kind !== 'CHANGED' && event.isFollowedByChanges !== true)
      keys = new Set(event.queuedPostIds);
    if (events[index + 1]?.observedAt !== event.observedAt) states.push({ keys: nameOf(keys), event });
  });
  return states;
}

function problemsOf(one) {
  let from = 0;
  const states = statesOf(one);
  // What was under way when its process was killed may have come in part.
  for (const { keys, event } of one.server === lasting ? states : states.slice(0, -1)) {
    const at = one.owner.history.indexOf(keys, from);
    if (at < 0)
      return [`${one.owner.name}: ${event.kind} at ${event.observedAt} tells what was never so, or not then`];
    from = at;
  }
  return [];
}

function sequenceOf({ events }) {
  return JSON.stringify(events.slice(1).map(({ kind, queuedPost }) => [kind, queuedPost?.id]));
}

function hasLast(one) {
  return statesOf(one).at(-1)?.keys === one.owner.history.at(-1);
}

function readingsOf(name) {
  const pages = sandbox.requests
    .of('GET /posts/queued')
    .filter(({ owner, at }) => owner === name && at >= startedAt);
  // A queue of one page is read with one call.
  return pages.filter(({ query }) => query.get('page') === '1').length;
}

async function metric({ url }, name) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  );
}

async function until(isSo, what) {
  const deadline = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`in vain: ${what}`);
    await after(50);
  }
}

async function startRedis() {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const options = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const child = spawn('redis-server', options, { stdio: 'ignore' });
  process.on('exit', () => child.kill('SIGKILL'));
  await after(1_000);
  return { child, port };
}
