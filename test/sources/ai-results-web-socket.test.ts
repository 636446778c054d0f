import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import type { PushSettings } from '../../src/config.ts';
import { webSocketConnection } from '../../src/sources/ai-results/push.ts';

const PING_MS = 15_000;

/** Connects to a port, with a clock that the test holds. */
function connect(port: number) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const settings = {
    url: new URL(`ws://127.0.0.1:${port}/`),
    auth: [],
  } as Partial<PushSettings> as PushSettings;
  const listener = { onOpen: vi.fn(), onMessage: vi.fn(), onClose: vi.fn() };
  const connection = webSocketConnection(settings, 'a key')(listener);
  onTestFinished(() => connection.close());
  return listener;
}

/** A server of push sockets that answers pings, or does not. */
async function startPeer(autoPong: boolean) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong });
  const sockets: WebSocket[] = [];
  let pings = 0;
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('ping', () => {
      pings += 1;
      // Comes after the answer to the ping.
      socket.send(`ping ${pings}`);
    });
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.terminate();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const soon = { interval: 2 };

test('a peer that answers pings is kept', async () => {
  const { onOpen, onMessage, onClose } = connect(await startPeer(true));
  await expect.poll(() => onOpen, soon).toHaveBeenCalled();
  for (const count of [1, 2, 3]) {
    vi.advanceTimersByTime(PING_MS);
    await expect.poll(() => onMessage, soon).toHaveBeenLastCalledWith(`ping ${count}`);
  }
  expect(onClose).not.toHaveBeenCalled();
});

test('a peer that has vanished without a word is given up once a ping has had no answer', async () => {
  const { onOpen, onMessage, onClose } = connect(await startPeer(false));
  await expect.poll(() => onOpen, soon).toHaveBeenCalled();
  vi.advanceTimersByTime(PING_MS);
  await expect.poll(() => onMessage, soon).toHaveBeenCalledWith('ping 1');
  expect(onClose).not.toHaveBeenCalled();
  vi.advanceTimersByTime(PING_MS);
  await expect.poll(() => onClose, soon).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test('a connection that is still being made is not pinged, which would break it', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { onClose } = connect((silent.address() as AddressInfo).port);
  expect(() => vi.advanceTimersByTime(2 * PING_MS)).not.toThrow();
  expect(onClose).not.toHaveBeenCalled();
});
