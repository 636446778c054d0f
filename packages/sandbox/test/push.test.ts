import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { io } from 'socket.io-client';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startSandbox } from '../src/sandbox.ts';
import { call, clientOf } from './running-sandbox.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

const KEY = 'demo-key-harbour';

async function openWebSocket(url: string, apiKey?: string) {
  const socket = new WebSocket(url, { headers: apiKey === undefined ? {} : { 'x-api-key': apiKey } });
  onTestFinished(() => socket.terminate());
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await once(socket, 'open');
  return { closed, send: (text: string) => socket.send(text) };
}

async function openSocketIo(url: string, apiKey: string): Promise<void> {
  const auth = { 'x-api-key': apiKey };
  const socket = io(url, { auth, transports: ['websocket'], forceNew: true, reconnection: false });
  onTestFinished(() => void socket.close());
  await new Promise<void>((resolve, reject) => {
    socket.on('connect', resolve).on('connect_error', reject);
  });
}

test('a wrong key is turned away', async () => {
  const { pushUrls, push } = await sandboxForTest();
  await expect(openSocketIo(pushUrls.socketIo, 'nobody')).rejects.toThrow();
  await expect(openWebSocket(pushUrls.webSocket, 'nobody')).rejects.toThrow();
  expect(push.open()).toBe(0);
});

test('socket.io takes the key over long polling as well', async () => {
  const sandbox = await sandboxForTest();
  const address = `${sandbox.pushUrls.socketIo}/socket.io/?EIO=4&transport=polling`;
  const { sid } = JSON.parse((await call(address)).text.slice(1)) as { sid: string };
  await call(`${address}&sid=${sid}`, { method: 'POST', body: `40{"apiKey":"${KEY}"}` });
  await sandbox.push.waitForOpen(1, { owner: 'harbour' });
});

test('a plain WebSocket also takes the key in its first message, and closes with 4401 without one', async () => {
  const sandbox = await sandboxForTest();
  for (const text of ['{"apiKey":"nobody"}', 'no json', '7']) {
    const socket = await openWebSocket(sandbox.pushUrls.webSocket);
    socket.send(text);
    expect(await socket.closed, text).toBe(4401);
  }
  const socket = await openWebSocket(sandbox.pushUrls.webSocket);
  expect(sandbox.push.open()).toBe(0);
  socket.send(JSON.stringify({ apiKey: KEY }));
  await sandbox.push.waitForOpen(1, { owner: 'harbour' });
});

test('an upgrade to any other path is turned away', async () => {
  const sandbox = await sandboxForTest();
  await expect(openWebSocket(`${sandbox.pushUrls.webSocket}/elsewhere`)).rejects.toThrow('404');
});

const UPGRADE = 'host: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n';
const ACCEPTED = `${UPGRADE}sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n`;

test.each([
  ['a frame that is not masked', `GET /push HTTP/1.1\r\n${ACCEPTED}\r\n`, [0x81, 0x02, 0x68, 0x69]],
  ['a URL that is none', `GET http://[ HTTP/1.1\r\n${UPGRADE}\r\n`, []],
  ['an asterisk', `OPTIONS * HTTP/1.1\r\n${UPGRADE}\r\n`, []],
])('a client of sockets that sends %s is disconnected, and harms nobody else', async (_what, head, frame) => {
  const sandbox = await sandboxForTest();
  const socket = connectTcp(Number(new URL(sandbox.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).once('data', () => socket.write(Buffer.from(frame)));
  socket.write(head);
  await once(socket, 'close');
  expect((await clientOf(sandbox).get('/group/list')).status).toBe(200);
});

const AN_HOUR = 3_600_000;

test('close ends open answers, push sockets and waiting generations without waiting for them', async () => {
  const sandbox = await startSandbox({ slowAiDelayMs: AN_HOUR });
  const { pushUrls } = sandbox;
  await openSocketIo(pushUrls.socketIo, KEY);
  const plain = await openWebSocket(pushUrls.webSocket, KEY);
  await openWebSocket(pushUrls.webSocket);
  await clientOf(sandbox).post('/openai/response', { content: 'slowly', tone: 'Warm' });
  sandbox.faults.add({ endpoint: 'GET /group/list', kind: 'never-answer' });
  sandbox.faults.add({ endpoint: 'GET /library/list', kind: 'dribble', intervalMs: 10 });
  sandbox.faults.add({ endpoint: 'GET /accounts/list', kind: 'delay', ms: AN_HOUR });
  const open = ['/group/list', '/library/list', '/accounts/list'].map((path) => clientOf(sandbox).get(path));
  const failed = Promise.allSettled(open);
  await expect.poll(() => sandbox.requests.open).toBe(3);
  expect(sandbox.openConnections).toBeGreaterThanOrEqual(6);

  await sandbox.close();

  expect((await failed).map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected']);
  await plain.closed;
  expect(sandbox.openConnections).toBe(0);
  await expect(call(`${sandbox.url}/group/list`)).rejects.toThrow('ECONNREFUSED');
  await sandbox.close();
});

test('a port can be asked for, and a taken one is refused', async () => {
  const sandbox = await sandboxForTest();
  const port = Number(new URL(sandbox.url).port);
  await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await sandbox.close();
  const again = await sandboxForTest({ port });
  expect(again.url).toBe(`http://127.0.0.1:${port}`);
});

test('a caller that leaves in the middle of its body does no harm', async () => {
  const sandbox = await sandboxForTest();
  const socket = connectTcp(Number(new URL(sandbox.url).port), '127.0.0.1');
  socket.write('POST /posts/create HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{"share');
  await expect.poll(() => sandbox.requests.open).toBe(1);
  socket.destroy();
  await once(socket, 'close');
  await expect.poll(() => sandbox.requests.open).toBe(0);
  expect((await clientOf(sandbox).get('/group/list')).status).toBe(200);
});
