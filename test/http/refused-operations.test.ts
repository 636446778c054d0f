import { once } from 'node:events';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts';
import { startBuiltServer } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { INSPECTED, inspectHeap } from '../support/inspected-heap.ts';
import { leftIn, repeat, type Inspected } from '../support/leftovers.ts';

const TIMES = cases(25, 1_000);
/** Up to 11,000 messages and 6,000 sockets, on a machine that is busy with others. */
const PATIENCE_MS = 600_000;
const WARM_UP = cases(25, 100);
const REQUESTS_AT_ONCE = 50;
/** Each has one operation at most, so that none is turned away for the others'. */
const SOCKETS_AT_ONCE = 5;
/** As for requests over HTTP: caches of documents and compiled code. */
const MOST_MIB = cases(1, 6);
const NOTHING = { graphql_sockets_open: 0, graphql_subscriptions_open: 0, live_channels_open: 0 };

const LIST = '{ accounts(surface: CURRENT) { totalCount } }';
const LOCAL = '{ surfaces { surface } }';

/** Operations that an open socket is refused, with the code of the error. */
const REFUSED: Readonly<Record<string, readonly [payload: object, code: string]>> = {
  'no GraphQL': [{ query: '{' }, 'GRAPHQL_PARSE_FAILED'],
  'no field of the graph': [{ query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
  'too many selections': [{ query: `{ ${'__typename '.repeat(700)} }` }, 'LIMIT_EXCEEDED'],
  'no such operation': [{ query: LOCAL, operationName: 'Other' }, 'BAD_USER_INPUT'],
  'no such document': [{ query: '', extensions: { documentId: 'x' } }, 'PERSISTED_QUERY_NOT_SUPPORTED'],
  'a variable missing': [{ query: 'query ($id: ID!) { node(id: $id) { id } }' }, 'BAD_USER_INPUT'],
  'an id of nothing': [{ query: 'subscription { aiGenerationUpdated(id: "x") { id } }' }, 'BAD_USER_INPUT'],
};

const INIT = JSON.stringify({ type: 'connection_init' });
const subscribe = (id: string, payload: object): string => JSON.stringify({ type: 'subscribe', id, payload });
const FOLLOW = subscribe('1', { query: 'subscription { aiGenerationFinished { id } }' });

/** What a client sends that ends its socket, and the close code. */
const CLOSING: Readonly<Record<string, readonly [messages: readonly string[], code: number]>> = {
  'no JSON': [['{'], 4400],
  'an unknown message': [['{"type":"unknown"}'], 4400],
  'an operation before the greeting': [[subscribe('1', { query: LOCAL })], 4401],
  'two greetings': [[INIT, INIT], 4429],
  'an id that is in use': [[INIT, FOLLOW, FOLLOW], 4409],
  'a message too large': [['x'.repeat(129 * 1024)], 1009],
};

/** A server with few places for operations, in front of a sandbox that takes its time for lists. */
async function startSmall() {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  sandbox.faults.add({ kind: 'delay', ms: 100, endpoint: 'GET /accounts/list' });
  const server = await startBuiltServer({
    ...INSPECTED,
    CURRENT_API_URL: sandbox.url,
    MAX_OPERATIONS: String(SOCKETS_AT_ONCE),
    MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000',
    WS_MESSAGES_PER_SECOND: '100000',
    WS_MESSAGE_BURST: '100000',
    OVERLOAD_DELAY: '1h',
    LOG_LEVEL: 'error',
    KEEP_ALIVE: '1s',
  });
  return { url: server.url, key: sandbox.owners[0].apiKey, heap: await inspectHeap(server) };
}

type Small = Inspected & { readonly key: string };

/** Sends many more requests at once than are taken on, until so many were turned away. */
async function overload({ url, key }: Small, times: number): Promise<void> {
  const dispatcher = new Agent({ connections: REQUESTS_AT_ONCE });
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const counts = { refused: 0 };
  const ask = async (accept: string): Promise<void> => {
    const call = { method: 'POST', headers: { ...headers, accept }, body: JSON.stringify({ query: LIST }) };
    const answer = await request(`${url}/graphql`, { ...call, dispatcher });
    const text = await answer.body.text();
    if (answer.statusCode === 200) return;
    counts.refused += 1;
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      503,
      'application/json; charset=utf-8',
    ]);
    expect(text).toContain('OVERLOADED');
  };
  // On a busy machine the requests come one by one rather than at once, and find a place.
  while (counts.refused <= times)
    for (const accept of ['application/json', 'text/event-stream'])
      await repeat(times, REQUESTS_AT_ONCE, () => ask(accept));
  await dispatcher.close();
}

async function openSocket({ url, key }: Small): Promise<WebSocket> {
  const headers = { 'x-api-key': key };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
  await once(socket, 'open');
  return socket;
}

/** Asks one socket for everything that it is refused, so many times; it stays open. */
async function refuseOnSocket(small: Small, times: number): Promise<void> {
  const socket = await openSocket(small);
  const answerTo = async (message: string): Promise<string> => {
    const ended = new Promise<string>((resolve) => {
      let answer = '';
      const take = (data: Buffer): void => {
        answer += data.toString();
        if (!/"type":"(?:connection_ack|error|complete)"/.test(answer)) return;
        socket.off('message', take);
        resolve(answer);
      };
      socket.on('message', take);
    });
    socket.send(message);
    return await ended;
  };
  expect(await answerTo(INIT)).toContain('connection_ack');
  for (const [name, [payload, code]] of Object.entries(REFUSED))
    for (let time = 0; time < times; time += 1)
      expect(await answerTo(subscribe(`${name} ${time}`, payload)), name).toContain(code);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.close();
  await once(socket, 'close');
}

/** Has sockets closed for everything that they are closed for, so many times. */
async function closeSockets(small: Small, times: number): Promise<void> {
  for (const [name, [messages, code]] of Object.entries(CLOSING))
    await repeat(times, SOCKETS_AT_ONCE, async () => {
      const socket = await openSocket(small);
      const closed = once(socket, 'close') as Promise<[number]>;
      for (const message of messages) {
        socket.send(message);
        if (message === INIT && messages.includes(FOLLOW)) await once(socket, 'message');
      }
      expect((await closed)[0], name).toBe(code);
    });
}

async function refuseAll(small: Small, times: number): Promise<void> {
  await overload(small, times);
  await refuseOnSocket(small, times);
  await closeSockets(small, times);
}

const leavesNothing = async (): Promise<void> => {
  const small = await startSmall();
  await refuseAll(small, WARM_UP);
  const first = await leftIn(small, NOTHING);
  await refuseAll(small, TIMES);
  await expect.poll(async () => (await leftIn(small, NOTHING)).timers).toBeLessThanOrEqual(first.timers + 2);
  expect((await leftIn(small, NOTHING)).usedMiB - first.usedMiB).toBeLessThan(MOST_MIB);
};

test(
  'refusals of overload, on open sockets and of sockets leave gauges, sockets, timers and the heap where they were',
  leavesNothing,
  PATIENCE_MS,
);
