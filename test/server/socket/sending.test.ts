import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { createSending, MAX_BUFFERED_BYTES } from '../../../src/server/socket/sending.ts';
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

test('many large answers at once all reach a client that reads', async () => {
  const { socket, client } = await openPair();
  const sending = createSending(socket, 2_000);
  await Promise.all(Array.from({ length: 40 }, () => sending.send(LARGE)));
  for (let index = 0; index < 40; index += 1) expect((await client.next())?.payload).toHaveLength(600_000);
  expect(socket.readyState).toBe(socket.OPEN);
});

test('a single answer may be larger than what may wait', async () => {
  const { socket, client } = await openPair();
  await createSending(socket, 2_000).send('x'.repeat(5 * MAX_BUFFERED_BYTES));
  expect((await client.next())?.payload).toHaveLength(5 * MAX_BUFFERED_BYTES);
});

test('a client that pauses for a moment misses nothing', async () => {
  const { socket, client } = await openPair();
  const sending = createSending(socket, 5_000);
  client.connection.pause();
  const sent = Promise.all(Array.from({ length: 30 }, () => sending.send(LARGE)));
  await expect.poll(() => socket.bufferedAmount).toBeGreaterThan(MAX_BUFFERED_BYTES);
  client.connection.resume();
  await sent;
  for (let index = 0; index < 30; index += 1) expect((await client.next())?.payload).toHaveLength(600_000);
});

test('a client that takes nothing is hung up on, and what waits for it waits no longer', async () => {
  const { socket, client } = await openPair();
  const sending = createSending(socket, 100);
  client.connection.pause();
  let most = 0;
  const watching = setInterval(() => (most = Math.max(most, socket.bufferedAmount)), 1);
  onTestFinished(() => clearInterval(watching));
  const closed = once(socket, 'close');
  await Promise.all(Array.from({ length: 200 }, () => sending.send(LARGE)));
  await closed;
  expect(most).toBeGreaterThan(MAX_BUFFERED_BYTES / 2);
  expect(most).toBeLessThan(MAX_BUFFERED_BYTES + LARGE.length + 1_000);
});

test('a client that asks for small things and takes nothing is hung up on at once', async () => {
  const { socket, client } = await openPair();
  const sending = createSending(socket, 60_000);
  client.connection.pause();
  for (let index = 0; index < 30 && socket.readyState === socket.OPEN; index += 1) {
    sending.sendInPassing(LARGE).catch(() => undefined);
  }
  expect(socket.readyState).toBe(socket.CLOSING);
  await once(socket, 'close');
});

test('the close code tells a client that it may come back', async () => {
  const { socket, client } = await openPair();
  createSending(socket).hangUp();
  expect((await client.next())?.payload.readUInt16BE()).toBe(1013);
});

test('what is sent to nobody does not keep the process from anything else', async () => {
  const { socket } = await openPair();
  const sending = createSending(socket);
  socket.terminate();
  let sent = 0;
  const isOver = after(50).then(() => true);
  const endless = async (): Promise<void> => {
    for (; sent < 1_000_000 && socket.readyState !== socket.CLOSED; sent += 1) await sending.send('x');
  };
  await Promise.all([endless(), isOver]);
  expect(sent).toBeLessThan(1_000);
});
