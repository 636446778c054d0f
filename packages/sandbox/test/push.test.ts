import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startSandbox, type Sandbox } from '../src/sandbox.ts';
import { call, clientOf, readInto } from './running-sandbox.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

/** A push socket as a test sees it. */
interface PushSocket {
  /** Messages so far: on socket.io, event name and arguments in one array. */
  readonly messages: readonly unknown[];
  /** Waits until so many messages have come; rejects after half a minute. */
  received(count: number): Promise<readonly unknown[]>;
  /** Waits until the socket is closed, and gives the code. */
  closed(): Promise<number>;
  send(text: string): void;
}

interface PushOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** Opens a plain WebSocket. */
async function openWebSocket(
  url: string,
  { headers = {}, query = '' }: PushOptions = {},
): Promise<PushSocket> {
  const socket = connect(`${url}${query}`, headers);
  const pushed = collect(socket, (text) => [JSON.parse(text)]);
  await once(socket, 'open');
  return pushed;
}

/**
 * Opens a socket.io connection over WebSocket, speaking the protocol by hand: `0` opens, `40` enters the namespace,
 * `42` is an event, `44` a refusal, `2` and `3` are ping and pong.
 */
async function openSocketIo(
  origin: string,
  { headers = {}, auth = {}, query = '' }: PushOptions = {},
): Promise<PushSocket> {
  const url = `${origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket${query}`;
  const socket = connect(url, headers);
  const entered = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.on('message', (data: Buffer) => {
      const packet = data.toString('utf8');
      if (packet.startsWith('40')) resolve();
      if (packet.startsWith('44')) reject(new Error(packet.slice(2)));
    });
  });
  const pushed = collect(socket, (packet) => {
    if (packet.startsWith('0')) socket.send(`40${JSON.stringify(auth)}`);
    if (packet === '2') socket.send('3');
    return packet.startsWith('42') ? [JSON.parse(packet.slice(2))] : [];
  });
  await entered;
  return pushed;
}

function connect(url: string, headers: Readonly<Record<string, string>>): WebSocket {
  const socket = new WebSocket(url, { headers });
  // Ending a socket that never opened is an error event too; by then nobody waits for it.
  socket.on('error', () => undefined);
  onTestFinished(() => socket.terminate());
  return socket;
}

function collect(socket: WebSocket, read: (text: string) => unknown[]): PushSocket {
  const messages: unknown[] = [];
  const waiting = new Set<() => void>();
  const closed = once(socket, 'close').then(([code]) => Number(code));
  // A socket that fails to open rejects this too; whoever waits for it hears of it.
  closed.catch(() => undefined);
  socket.on('message', (data: Buffer) => {
    messages.push(...read(data.toString('utf8')));
    for (const check of waiting) check();
  });
  return {
    messages,
    closed: () => closed,
    send: (text) => socket.send(text),
    received: (count) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${messages.length} of ${count} messages`)), 30_000);
        const check = () => {
          if (messages.length < count) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(messages);
        };
        waiting.add(check);
        check();
      }),
  };
}

const byHeader = { headers: { 'x-api-key': 'demo-key-harbour' } };
const theirs = { headers: { 'x-api-key': 'demo-key-fernlight' } };

async function startSlowly(sandbox: Sandbox, words = 'slowly, please'): Promise<string> {
  const reply = await clientOf(sandbox).post('/openai/response', { content: words, tone: 'Warm' });
  return String(reply.at('response.contentId'));
}

const transports = {
  'socket.io': {
    open: (sandbox: Sandbox, options: PushOptions) => openSocketIo(sandbox.pushUrls.socketIo, options),
    result: (message: unknown) => readInto(message, '1'),
  },
  'plain WebSocket': {
    open: (sandbox: Sandbox, options: PushOptions) => openWebSocket(sandbox.pushUrls.webSocket, options),
    result: (message: unknown) => message,
  },
};

describe.each(Object.entries(transports))('over %s', (_name, { open, result }) => {
  test('a slow result reaches its owner, and nobody else', async () => {
    const sandbox = await sandboxForTest({ slowAiDelayMs: 10 });
    const mine = await open(sandbox, byHeader);
    const other = await open(sandbox, theirs);
    await sandbox.push.waitForOpen(2);
    const contentId = await startSlowly(sandbox);
    const [message] = await mine.received(1);
    expect(result(message)).toMatchObject({ contentId, timeConsuming: true, tone: 'Warm' });
    expect(readInto(result(message), 'aiResponse')).toContain('no model was asked');
    const history = await clientOf(sandbox).get('/openai/historyList');
    expect(history.at('response.list.0.contentId')).toBe(contentId);
    expect(other.messages).toEqual([]);
  });

  test('a generation can be ended twice on the socket, in the history only, or pushed before its time', async () => {
    const sandbox = await sandboxForTest();
    const socket = await open(sandbox, byHeader);
    await sandbox.push.waitForOpen(1, { owner: 'harbour' });
    const [twice, silent, early] = [
      await startSlowly(sandbox, 'slowly, never: one'),
      await startSlowly(sandbox, 'slowly, never: two'),
      await startSlowly(sandbox, 'slowly, never: three'),
    ];
    sandbox.generations.finish(twice, { pushes: 2 });
    sandbox.generations.finish(silent, { pushes: 0 });
    sandbox.generations.deliver(early);
    sandbox.push.send('harbour', { last: true }, 'note');
    const ids = (await socket.received(4)).map((message) => readInto(result(message), 'contentId'));
    expect(ids).toEqual([twice, twice, early, undefined]);
    const history = (await clientOf(sandbox).get('/openai/historyList')).pluck('contentId');
    expect(history).toEqual(expect.arrayContaining([twice, silent]));
    expect(history).not.toContain(early);
    expect(() => sandbox.generations.finish(silent)).toThrow('pending');
  });

  test('a message has the shape that the quirk chooses', async () => {
    const sandbox = await sandboxForTest();
    const socket = await open(sandbox, byHeader);
    await sandbox.push.waitForOpen(1);
    const shapes = ['response', 'data', 'payload', 'text', 'array'] as const;
    for (const shape of shapes) {
      sandbox.quirks.pushShape = shape;
      sandbox.generations.finish(await startSlowly(sandbox, 'slowly, never'));
    }
    const results = (await socket.received(shapes.length)).map(result);
    expect(results).toMatchObject([
      { response: { tone: 'Warm' } },
      { event: 'aiResponse', data: { tone: 'Warm' } },
      { type: 'aiResponse', payload: { tone: 'Warm' } },
      expect.stringContaining('"tone":"Warm"'),
      ['aiResponse', { tone: 'Warm' }],
    ]);
  });

  test('a wrong key is turned away', async () => {
    const sandbox = await sandboxForTest();
    await expect(open(sandbox, { headers: { 'x-api-key': 'nobody' } })).rejects.toThrow();
    expect(sandbox.push.open()).toBe(0);
  });
});

describe('the API key', () => {
  test.each<readonly ['socket.io' | 'plain WebSocket', PushOptions]>([
    ['socket.io', { auth: { apiKey: 'demo-key-harbour' } }],
    ['socket.io', { auth: { 'x-api-key': 'demo-key-harbour' } }],
    ['socket.io', { query: '&apiKey=demo-key-harbour' }],
    ['socket.io', { query: '&x-api-key=demo-key-harbour' }],
    ['plain WebSocket', { query: '?apiKey=demo-key-harbour' }],
    ['plain WebSocket', { query: '?x-api-key=demo-key-harbour' }],
  ])('opens %s with %j', async (transport, options) => {
    const sandbox = await sandboxForTest();
    await transports[transport].open(sandbox, options);
    await sandbox.push.waitForOpen(1, { owner: 'harbour' });
  });

  test('opens a plain WebSocket with the first message', async () => {
    const sandbox = await sandboxForTest();
    const socket = await openWebSocket(sandbox.pushUrls.webSocket);
    expect(sandbox.push.open()).toBe(0);
    socket.send(JSON.stringify({ apiKey: 'demo-key-harbour' }));
    await sandbox.push.waitForOpen(1, { owner: 'harbour' });
  });

  test.each(['{"apiKey":"nobody"}', 'no json', '7'])(
    'in the first message %s closes with 4401',
    async (text) => {
      const sandbox = await sandboxForTest();
      const socket = await openWebSocket(sandbox.pushUrls.webSocket);
      socket.send(text);
      expect(await socket.closed()).toBe(4401);
    },
  );

  test('is asked for by socket.io over long polling as well', async () => {
    const sandbox = await sandboxForTest();
    const opened = await call(`${sandbox.pushUrls.socketIo}/socket.io/?EIO=4&transport=polling`);
    const { sid } = JSON.parse(opened.text.slice(1)) as { sid: string };
    const session = `${sandbox.pushUrls.socketIo}/socket.io/?EIO=4&transport=polling&sid=${sid}`;
    await call(session, { method: 'POST', body: '40{"apiKey":"demo-key-harbour"}' });
    await sandbox.push.waitForOpen(1, { owner: 'harbour' });
  });
});

test('an upgrade to any other path is turned away', async () => {
  const sandbox = await sandboxForTest();
  await expect(openWebSocket(`${sandbox.pushUrls.webSocket}/elsewhere`)).rejects.toThrow('404');
});

const AN_HOUR = 3_600_000;

test('close ends open answers, push sockets and waiting generations without waiting for them', async () => {
  const sandbox = await startSandbox({ slowAiDelayMs: AN_HOUR });
  const headers = { 'x-api-key': 'demo-key-harbour' };
  await openSocketIo(sandbox.pushUrls.socketIo, { headers });
  const plain = await openWebSocket(sandbox.pushUrls.webSocket, { headers });
  await openWebSocket(sandbox.pushUrls.webSocket);
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
  await plain.closed();
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
