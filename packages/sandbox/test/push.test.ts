import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { io, type ManagerOptions, type SocketOptions } from 'socket.io-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startSandbox, type Sandbox } from '../src/sandbox.ts';
import { call, clientOf } from './running-sandbox.ts';
import { sandboxForTest, valueAt } from '../../../test/support/sandbox.ts';

interface PushOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly auth?: Readonly<Record<string, string>>;
}

/** Opens a plain WebSocket. */
async function openWebSocket(url: string, { headers = {}, query = {} }: PushOptions = {}) {
  const socket = new WebSocket(`${url}?${new URLSearchParams(query).toString()}`, { headers });
  onTestFinished(() => socket.terminate());
  const messages: unknown[] = [];
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await once(socket, 'open');
  return { messages, closed, send: (text: string) => socket.send(text) };
}

/** Opens a socket.io connection. */
async function openSocketIo(url: string, { headers = {}, query = {}, auth = {} }: PushOptions = {}) {
  const options: Partial<ManagerOptions & SocketOptions> = {
    extraHeaders: { ...headers },
    query: { ...query },
    auth: { ...auth },
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
  };
  const socket = io(url, options);
  onTestFinished(() => void socket.close());
  const messages: unknown[] = [];
  socket.onAny((_event: string, message: unknown) => messages.push(message));
  await new Promise<void>((resolve, reject) => {
    socket.on('connect', resolve).on('connect_error', reject);
  });
  return { messages };
}

const TRANSPORTS = {
  'socket.io': ({ pushUrls }: Sandbox, options?: PushOptions) => openSocketIo(pushUrls.socketIo, options),
  'plain WebSocket': ({ pushUrls }: Sandbox, options?: PushOptions) =>
    openWebSocket(pushUrls.webSocket, options),
};

const KEY = 'demo-key-harbour';
const MINE = { headers: { 'x-api-key': KEY } };
const THEIRS = { headers: { 'x-api-key': 'demo-key-fernlight' } };

async function startSlowly(sandbox: Sandbox, words = 'slowly, please'): Promise<string> {
  const reply = await clientOf(sandbox).post('/openai/response', { content: words, tone: 'Warm' });
  return String(reply.at('response.contentId'));
}

describe.each(Object.entries(TRANSPORTS))('over %s', (_name, open) => {
  test('a slow result reaches its owner, and nobody else', async () => {
    const sandbox = await sandboxForTest({ slowAiDelayMs: 10 });
    const [mine, other] = [await open(sandbox, MINE), await open(sandbox, THEIRS)];
    await sandbox.push.waitForOpen(2);
    const contentId = await startSlowly(sandbox);
    await expect.poll(() => mine.messages).toMatchObject([{ contentId, timeConsuming: true, tone: 'Warm' }]);
    expect(valueAt(mine.messages[0], 'aiResponse')).toContain('no model was asked');
    const history = await clientOf(sandbox).get('/openai/historyList');
    expect(history.at('response.list.0.contentId')).toBe(contentId);
    expect(other.messages).toEqual([]);
  });

  test('a wrong key is turned away', async () => {
    const sandbox = await sandboxForTest();
    await expect(open(sandbox, { headers: { 'x-api-key': 'nobody' } })).rejects.toThrow();
    expect(sandbox.push.open()).toBe(0);
  });

  test('the key may be in the query', async () => {
    const sandbox = await sandboxForTest();
    for (const name of ['apiKey', 'x-api-key']) await open(sandbox, { query: { [name]: KEY } });
    await sandbox.push.waitForOpen(2, { owner: 'harbour' });
  });
});

test.each([{ auth: { apiKey: KEY } }, { auth: { 'x-api-key': KEY } }])(
  'socket.io also takes the key as %j',
  async (options) => {
    const sandbox = await sandboxForTest();
    await TRANSPORTS['socket.io'](sandbox, options);
    await sandbox.push.waitForOpen(1, { owner: 'harbour' });
  },
);

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
    const socket = await TRANSPORTS['plain WebSocket'](sandbox);
    socket.send(text);
    expect(await socket.closed, text).toBe(4401);
  }
  const socket = await TRANSPORTS['plain WebSocket'](sandbox);
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
  await TRANSPORTS['socket.io'](sandbox, MINE);
  const plain = await TRANSPORTS['plain WebSocket'](sandbox, MINE);
  await TRANSPORTS['plain WebSocket'](sandbox);
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
