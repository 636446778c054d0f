// What it costs our server when a thousand subscribers wait, each over a socket of its own, and when they are told.
import { once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { inspectHeap, residentMiB } from '../running.mjs';
import { openConnection } from './connection.mjs';
import { startContestant } from './contestants.mjs';
import { cpuMs } from './processes.mjs';

const SUBSCRIBERS = 1_000;
const CREDENTIALS = 20;
/** What the process needs for its first sockets is not what a socket costs. */
const WARM_UP = 100;
const ROUNDS = 5;
const LONGEST_WAIT_MS = 30_000;
const SETTINGS = {
  // All the sockets come from one address.
  MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '2000',
  NODE_OPTIONS: '--inspect=127.0.0.1:0',
};

const GENERATE = {
  document: `mutation ($prompt: String!) {
    generateAiText(input: { prompt: $prompt, tone: "warm" }) { outcome aiGeneration { status } }
  }`,
};

export async function measureSubscribers(service) {
  const ours = await startContestant('ours', service.url, { settings: SETTINGS });
  const heap = await inspectHeap(ours);
  const warm = await subscribe(ours, WARM_UP);
  await generate(ours, 0);
  await told(warm, 1);
  for (const { socket } of warm) socket.terminate();

  const before = await settledMemory(ours, heap);
  const subscribers = await subscribe(ours, SUBSCRIBERS);
  const waiting = await settledMemory(ours, heap);

  const cpuBefore = cpuMs(ours);
  for (let round = 1; round <= ROUNDS; round += 1) {
    await generate(ours, round);
    await told(subscribers, round);
  }
  const cpu = cpuMs(ours) - cpuBefore;
  for (const { socket } of subscribers) socket.terminate();
  heap.close();
  await ours.end();
  return {
    subscribers: SUBSCRIBERS,
    addedResidentMiB: waiting.residentMiB - before.residentMiB,
    addedHeapMiB: waiting.heapMiB - before.heapMiB,
    cpuUsPerEvent: (cpu * 1_000) / (ROUNDS * SUBSCRIBERS),
  };
}

const keyOf = (index) => `bench-subscriber-${index % CREDENTIALS}`;

async function subscribe({ port }, count) {
  const subscribers = [];
  for (let index = 0; index < count; index += 1) subscribers.push(await subscriber(port, keyOf(index)));
  return subscribers;
}

async function subscriber(port, apiKey) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  const acknowledged = once(socket, 'message');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': apiKey } }));
  await acknowledged;
  const payload = { query: 'subscription { aiGenerationFinished { id } }' };
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
  const subscribed = { socket, events: 0, problem: null };
  socket.on('message', (data) => {
    const { type, payload: result } = JSON.parse(data);
    if (type === 'next' && result.errors === undefined) subscribed.events += 1;
    else if (type !== 'ping') subscribed.problem = `${type}: ${JSON.stringify(result)}`;
  });
  socket.on('close', (code) => (subscribed.problem = `closed with ${code}`));
  return subscribed;
}

/** Lets every credential have a text generated that comes later; each round another one. */
async function generate(ours, round) {
  const connection = await openConnection(ours.port);
  for (let index = 0; index < CREDENTIALS; index += 1) {
    const request = ours.requestOf(GENERATE, { prompt: String(round) }, keyOf(index));
    const { body } = await connection.ask(request);
    if (!body.includes('"COMPLETED"')) throw new Error(`nothing was generated: ${body}`);
  }
  connection.close();
}

async function told(subscribers, events) {
  const endsAt = performance.now() + LONGEST_WAIT_MS;
  while (subscribers.some((one) => one.events < events)) {
    const failed = subscribers.find(({ problem }) => problem !== null);
    if (failed) throw new Error(`a subscriber failed: ${failed.problem}`);
    if (performance.now() > endsAt) throw new Error('the subscribers were not told');
    await after(50);
  }
}

/** What is in use when all garbage has been collected, and what the process has then, once it no longer falls. */
async function settledMemory(ours, heap) {
  let least = { residentMiB: Infinity };
  for (let still = 0; still < 3; still += 1) {
    await after(500);
    const heapMiB = await heap.usedMiB();
    const now = { heapMiB, residentMiB: residentMiB(ours) };
    if (now.residentMiB < least.residentMiB) [least, still] = [now, 0];
  }
  return least;
}
