import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { startGraph } from '../../support/graph.ts';
import { closePayload, frame, OPCODE, openRawWebSocket } from '../../support/raw-web-socket.ts';
import { LOCAL_QUERY, startServer } from '../../support/server.ts';
import { watchBuffered, watchServerSockets } from '../../support/server-sockets.ts';
import { startStockSockets } from '../../support/stock-sockets.ts';
import { openBareSocket, type BareSocket } from '../../support/web-sockets.ts';

const INIT = { type: 'connection_init' };
const FAST_ENOUGH = { WS_MESSAGE_BURST: '100000', WS_MESSAGES_PER_SECOND: '100000' };
/** A burst as by default, after which a busy machine doesn't allow many more. */
const SLOW_RATE = { WS_MESSAGES_PER_SECOND: '1' };
const MIB = 1024 * 1024;

const subscribe = (id: string, query = LOCAL_QUERY) => ({ id, type: 'subscribe', payload: { query } });

async function open(url: string, headers: object = {}): Promise<BareSocket> {
  const socket = await openBareSocket(url, { headers });
  socket.send(INIT);
  expect(await socket.next()).toEqual({ type: 'connection_ack' });
  return socket;
}

test('the fifty-first operation gets an error of its own, and no other suffers', async () => {
  const graph = await startGraph({ environment: FAST_ENOUGH });
  graph.sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list', times: Infinity });
  const socket = await open(graph.url, graph.caller.key);
  const waiting = '{ accounts(first: 1, surface: CURRENT) { totalCount } }';
  for (let index = 1; index <= 51; index += 1) socket.send(subscribe(String(index), waiting));
  expect(await socket.next()).toMatchObject({
    id: '51',
    type: 'error',
    payload: [{ extensions: { code: 'LIMIT_EXCEEDED', retryable: false } }],
  });
  socket.send({ type: 'ping' });
  expect(await socket.next()).toEqual({ type: 'pong' });

  socket.send({ id: '7', type: 'complete' });
  await expect
    .poll(async () => {
      socket.send(subscribe('next'));
      const answer = (await socket.next()) as { type: string };
      if (answer.type === 'next') await socket.next();
      return answer.type;
    })
    .toBe('next');
});

test('the library alone takes any number of operations', async () => {
  const { url } = await startStockSockets();
  const socket = await open(url);
  for (let index = 1; index <= 100; index += 1) socket.send(subscribe(String(index), '{ slow }'));
  socket.send(subscribe('last', '{ fast }'));
  expect(await socket.next()).toMatchObject({ id: 'last', type: 'next' });
});

test('a client that comes back may send its init and fifty operations at once', async () => {
  const { url } = await startServer();
  const socket = await openBareSocket(url);
  socket.send(INIT);
  await socket.next();
  for (let index = 1; index <= 50; index += 1) socket.send(subscribe(String(index)));
  const ids = new Set<string>();
  while (ids.size < 50) {
    const message = (await socket.next()) as { id: string; type: string };
    if (message.type === 'complete') ids.add(message.id);
  }
});

/** Frames of every kind that a client can send in a flood. */
const FLOODS = {
  'pings of the protocol': frame({ opcode: OPCODE.text, payload: '{"type":"ping"}' }),
  'pongs of the protocol': frame({ opcode: OPCODE.text, payload: '{"type":"pong"}' }),
  'pings below the protocol': frame({ opcode: OPCODE.ping, payload: 'x' }),
  'pongs below the protocol': frame({ opcode: OPCODE.pong, payload: 'x' }),
  'ends of nothing': frame({ opcode: OPCODE.text, payload: '{"type":"complete","id":"x"}' }),
} as const;

test('a flood of any kind of message closes the socket with 1008', async () => {
  const { url } = await startServer(SLOW_RATE);
  for (const [name, one] of Object.entries(FLOODS)) {
    const socket = await openRawWebSocket(url);
    socket.write(...Array<Buffer>(200).fill(one));
    while ((await socket.next())?.opcode !== OPCODE.close);
    // The client agrees, as clients do.
    socket.write(frame({ opcode: OPCODE.close, payload: closePayload(1008) }));
    expect(await socket.ended, name).toBe(1008);
  }
});

test('messages at the rate that is allowed are no flood, and forty at once neither', async () => {
  const { url } = await startServer();
  const socket = await open(url);
  for (let index = 0; index < 40; index += 1) socket.send({ type: 'ping' });
  for (let index = 0; index < 40; index += 1) expect(await socket.next()).toEqual({ type: 'pong' });
});

test('of a flood of operations only a burst is ever executed', async () => {
  const { url } = await startServer(SLOW_RATE);
  const flooded = await open(url);
  for (let index = 0; index < 1_000; index += 1) flooded.send(subscribe(String(index)));
  expect(await flooded.closed).toEqual({ code: 1008, reason: 'Too many messages' });
  // Each operation that is executed is answered with two messages.
  expect(flooded.waiting).toBeLessThan(2 * 200);
  const other = await open(url);
  other.send(subscribe('1'));
  expect(await other.next()).toMatchObject({ id: '1', type: 'next' });
});

test('what comes after the message that was too many has no effect any more', async () => {
  const graph = await startGraph({ environment: { WS_MESSAGE_BURST: '5', WS_MESSAGES_PER_SECOND: '1' } });
  const socket = await open(graph.url, graph.caller.key);
  const input = '{ accountIds: ["MWFjOjQxMDIwMQ"], variants: [{ text: "Hello" }] }';
  const draft = `mutation { createDraft(input: ${input}) { outcome } }`;
  for (let index = 0; index < 40; index += 1) socket.send(subscribe(String(index), draft));
  expect((await socket.closed).code).toBe(1008);
  await graph.sandbox.requests.waitFor('POST /draft/create', 5);
  await expect.poll(() => graph.sandbox.requests.open).toBe(0);
  // One more is allowed for each second that the messages take.
  expect(graph.sandbox.requests.count('POST /draft/create')).toBeLessThan(30);
});

test('the library alone executes all of a flood', async () => {
  const { url } = await startStockSockets();
  const socket = await open(url);
  for (let index = 0; index < 250; index += 1) socket.send(subscribe(String(index), '{ fast }'));
  await expect.poll(() => socket.waiting).toBe(500);
});

/** Floods a server with pings of 50 KB each from a client that reads nothing; gives the server's end of the socket. */
async function floodWithoutReading(url: string, sockets: () => Iterable<WebSocket>) {
  const client = await openRawWebSocket(url);
  client.write(frame({ opcode: OPCODE.text, payload: JSON.stringify(INIT) }));
  await client.next();
  client.connection.pause();
  const [socket] = sockets();
  if (!socket) throw new Error('the server has no socket');
  const most = watchBuffered(socket);
  const ping = JSON.stringify({ type: 'ping', payload: { x: 'x'.repeat(50 * 1024) } });
  client.write(...Array<Buffer>(500).fill(frame({ opcode: OPCODE.text, payload: ping })));
  return { client, socket, most };
}

test('a client that does not read is disconnected before more than a mebibyte is buffered for it', async () => {
  const sockets = watchServerSockets();
  const { url } = await startServer(FAST_ENOUGH);
  const { socket, most } = await floodWithoutReading(url, () => sockets);
  await expect.poll(() => socket.readyState).toBe(socket.CLOSED);
  expect(most()).toBeGreaterThan(MIB / 2);
  expect(most()).toBeLessThan(MIB + 60 * 1024);
});

test('the library alone buffers whatever is asked for', async () => {
  const { url, sockets } = await startStockSockets();
  const { client, socket, most } = await floodWithoutReading(url, () => sockets);
  await expect.poll(most).toBeGreaterThan(5 * MIB);
  client.connection.resume();
  await expect.poll(() => socket.bufferedAmount).toBe(0);
});

test('a message in more pieces than it needs is refused before it is whole', async () => {
  const { url } = await startServer();
  const socket = await openRawWebSocket(url);
  const piece = frame({ opcode: OPCODE.continuation, payload: 'x', isLast: false });
  socket.write(
    frame({ opcode: OPCODE.text, payload: 'x', isLast: false }),
    ...Array<Buffer>(1_000).fill(piece),
  );
  expect(await socket.ended).toBe(1008);
});

test('a message of 100,000 empty pieces is refused', async () => {
  const { url } = await startServer();
  const socket = await openRawWebSocket(url);
  const piece = frame({ opcode: OPCODE.continuation, isLast: false });
  socket.write(frame({ opcode: OPCODE.text, isLast: false }), Buffer.alloc(piece.length * 100_000, piece));
  expect([1008, null]).toContain(await socket.ended);
});

test('an init of 60 MB is refused by its first bytes', async () => {
  const sockets = watchServerSockets();
  const { url } = await startServer();
  const socket = await openRawWebSocket(url);
  const head = frame({ opcode: OPCODE.text, payload: '{"type":', statedLength: 60_000_000n });
  socket.write(head);
  expect(await socket.ended).toBe(1009);
  expect(sockets).toHaveLength(1);
});
