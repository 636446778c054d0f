import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { createSending, MAX_BUFFERED_BYTES } from '../../../src/http/websocket/sending.ts';
import { watchBuffered } from '../../support/server-sockets.ts';
import { openRawWebSocket, type RawWebSocket } from '../../support/raw-web-socket.ts';

/** Both ends of a socket: the server's, and a client that reads only when it is told to. */
async function openPair(): Promise<{ readonly socket: WebSocket; readonly client: RawWebSocket }> {
  const options = { port: 0, host: '127.0.0.1', closeTimeout: 200 };
  const server = new WebSocketServer(options);
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of server.clients) socket.terminate();
    await new Promise((closed) => server.close(closed));
  });
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  const client = await openRawWebSocket(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [socket] = await connected;
  socket.on('error', () => undefined);
  return { socket, client };
}

const LARGE = 'x'.repeat(600_000);
/** Long enough that a client that reads never takes it, however busy the machine is. */
const PATIENT_MS = 600_000;

test('many large answers at the same time all reach a client that reads', async () => {
  const { socket, client } = await openPair();
  const sending = createSending(socket, PATIENT_MS);
  await Promise.all(Array.from({ length: 12 }, () => sending.send(LARGE)));
  for (let index = 0; index < 12; index += 1) expect((await client.next())?.payload).toHaveLength(600_000);
  expect(socket.readyState).toBe(socket.OPEN);
});

test('a single answer may be larger than the buffer limit', async () => {
  const { socket, client } = await openPair();
  await createSending(socket, PATIENT_MS).send('x'.repeat(2 * MAX_BUFFERED_BYTES));
  expect((await client.next())?.payload).toHaveLength(2 * MAX_BUFFERED_BYTES);
});

test('a client that pauses for a moment misses nothing', async () => {
  const { socket, client } = await openPair();
  const sending = createSending(socket, PATIENT_MS);
  client.connection.pause();
  const sent = Promise.all(Array.from({ length: 12 }, () => sending.send(LARGE)));
  await expect.poll(() => socket.bufferedAmount).toBeGreaterThan(MAX_BUFFERED_BYTES);
  client.connection.resume();
  await sent;
  for (let index = 0; index < 12; index += 1) expect((await client.next())?.payload).toHaveLength(600_000);
});

test('a client that reads nothing is disconnected, and no more than the limit is buffered for it', async () => {
  const { socket, client } = await openPair();
  const sending = createSending(socket, 100);
  client.connection.pause();
  const most = watchBuffered(socket);
  const closed = once(socket, 'close');
  await Promise.all(Array.from({ length: 50 }, () => sending.send(LARGE)));
  await closed;
  expect(most()).toBeGreaterThan(MAX_BUFFERED_BYTES);
  expect(most()).toBeLessThan(MAX_BUFFERED_BYTES + LARGE.length + 1_000);
});

test('a client that asks for pongs and reads nothing is disconnected at once', async () => {
  const { socket, client } = await openPair();
  const sending = createSending(socket, PATIENT_MS);
  client.connection.pause();
  for (let index = 0; index < 30 && socket.readyState === socket.OPEN; index += 1) {
    sending.sendInPassing(LARGE).catch(() => undefined);
  }
  expect(socket.readyState).toBe(socket.CLOSING);
  await once(socket, 'close');
});

test('a client that is disconnected for not reading is told to try again later', async () => {
  const { socket, client } = await openPair();
  createSending(socket).hangUp();
  expect((await client.next())?.payload.readUInt16BE()).toBe(1013);
});

test('sending to a socket that has gone leaves the event loop free to close it', async () => {
  const { socket } = await openPair();
  const sending = createSending(socket);
  socket.terminate();
  let sent = 0;
  for (; sent < 1_000_000 && socket.readyState !== socket.CLOSED; sent += 1) await sending.send('x');
  expect(socket.readyState).toBe(socket.CLOSED);
});
