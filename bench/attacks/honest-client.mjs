// One client who reads, writes and follows, from an address of its own, and keeps what each answer took. Begins at once, and
// prints its figures as JSON when its standard input ends.
import { Agent, request } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { percentile } from '../running.mjs';

const [url] = process.argv.slice(2);
const ADDRESS = '127.0.0.2';
const THINK_MS = 50;
const HEADERS = { 'x-api-key': 'demo-key-harbour', authorization: 'Bearer demo-token-harbour' };
const agent = new Agent({ keepAlive: true, localAddress: ADDRESS, timeout: 4_000 });
const READS = [
  '{ accounts(first: 20) { totalCount nodes { displayName network settingId } } }',
  '{ accounts(first: 5, surface: LEGACY) { nodes { displayName counterpart { id } } } }',
  '{ queuedPosts(first: 10) { nodes { text account { displayName } } } }',
  '{ accountGroups { nodes { name accounts(first: 3) { nodes { displayName } } } } }',
];
const WRITE = 'mutation ($input: CreateDraftInput!) { createDraft(input: $input) { outcome } }';
const ASK = 'mutation ($input: GenerateAiTextInput!) { generateAiText(input: $input) { outcome } }';
const FOLLOW = 'subscription { aiGenerationFinished { status } }';

const times = { read: [], write: [], result: [] };
const errors = [];
const end = new AbortController();
process.stdin.resume().once('end', () => end.abort());
await Promise.all([reads(), writes(), results()]);
agent.destroy();
const figures = Object.entries(times).map(([what, ms]) => [
  what,
  {
    count: ms.length,
    medianMs: Math.round(percentile(ms, 0.5)),
    p99Ms: Math.round(percentile(ms, 0.99)),
    longestMs: Math.round(Math.max(0, ...ms)),
  },
]);
process.stdout.write(JSON.stringify({ ...Object.fromEntries(figures), errors }));

async function reads() {
  for (let turn = 0; !end.signal.aborted; turn += 1) {
    await ask('read', { query: READS[turn % READS.length] }, /^\{"data":\{/);
    await after(THINK_MS);
  }
}

async function writes() {
  for (let turn = 0; !end.signal.aborted; turn += 1) {
    const input = {
      idempotencyKey: `honest-${process.pid}-${turn}`,
      accountIds: ['MWFjOjQxMDIwMQ'],
      variants: [{ variant: 'ORIGINAL', text: `A line about rain, number ${turn}.` }],
    };
    await ask('write', { query: WRITE, variables: { input } }, /"outcome":"COMPLETED"/);
    await after(5 * THINK_MS);
  }
}

/** Asks for texts, one after the other, and waits for each over a socket that stays open. */
async function results() {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: HEADERS,
    localAddress: ADDRESS,
  });
  let onResult = null;
  socket.on('error', (error) => errors.push(`socket: ${error.message}`));
  socket.on('close', (code) => end.signal.aborted || errors.push(`socket closed with ${code}`));
  socket.on('message', (data) => {
    const message = JSON.parse(data);
    if (message.type === 'connection_ack')
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: FOLLOW } }));
    if (message.type === 'next') onResult?.();
    if (message.type === 'error') errors.push(`subscription: ${JSON.stringify(message.payload)}`);
  });
  socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init' })));
  for (let turn = 0; !end.signal.aborted; turn += 1) {
    const result = new Promise((resolve) => (onResult = resolve));
    const startedAt = performance.now();
    const input = {
      idempotencyKey: `text-${process.pid}-${turn}`,
      prompt: `A line about rain, slowly, ${turn}`,
      tone: 'warm',
    };
    await ask('write', { query: ASK, variables: { input } }, /"outcome":"(?:COMPLETED|PENDING|ACCEPTED)"/);
    if ((await Promise.race([result, after(20_000, 'none', { ref: false })])) === 'none')
      errors.push('no result');
    times.result.push(performance.now() - startedAt);
    await after(10 * THINK_MS);
  }
  socket.terminate();
}

function ask(what, body, expected) {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const text = JSON.stringify(body);
    const settle = (status, received) => {
      times[what].push(performance.now() - startedAt);
      if (status !== 200 || !expected.test(received) || received.includes('"errors"'))
        errors.push(`${what}: ${status} ${received.slice(0, 300)}`);
      resolve();
    };
    const sent = request(
      `${url}/graphql`,
      {
        agent,
        method: 'POST',
        localAddress: ADDRESS,
        headers: {
          ...HEADERS,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        },
      },
      (answer) => {
        let received = '';
        answer.setEncoding('utf8').on('data', (data) => (received += data));
        answer.on('end', () => settle(answer.statusCode, received));
        answer.on('error', () => settle(0, 'cut off'));
      },
    );
    sent.on('error', (error) => settle(0, error.message));
    sent.end(text);
  });
}
