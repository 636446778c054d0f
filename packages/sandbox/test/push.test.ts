import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../src/sandbox.ts';
import { openSocketIo, openWebSocket } from './push-client.ts';
import type { PushOptions } from './push-client.ts';
import { call, clientOf, readInto, sandboxForTest } from './running-sandbox.ts';

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

  test('sockets can be counted, killed and turned away', async () => {
    const sandbox = await sandboxForTest();
    const socket = await open(sandbox, byHeader);
    await sandbox.push.waitForOpen(1);
    expect([sandbox.push.open('harbour'), sandbox.push.open('fernlight')]).toEqual([1, 0]);
    expect(sandbox.push.kill()).toBe(1);
    await socket.closed();
    await sandbox.push.waitForOpen(0);
    sandbox.push.refuse(true);
    await expect(open(sandbox, byHeader)).rejects.toThrow();
    sandbox.push.refuse(false);
    await open(sandbox, byHeader);
    await sandbox.push.waitForOpen(1);
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

  test('handshakes are logged', async () => {
    const sandbox = await sandboxForTest();
    await open(sandbox, byHeader);
    expect(sandbox.requests.all).toMatchObject([{ endpoint: null, method: 'GET', owner: 'harbour' }]);
  });

  test('a wrong key is turned away', async () => {
    const sandbox = await sandboxForTest();
    await expect(open(sandbox, { headers: { 'x-api-key': 'nobody' } })).rejects.toThrow();
    expect(sandbox.push.open()).toBe(0);
  });
});

describe('the API key', () => {
  test.each([
    { auth: { apiKey: 'demo-key-harbour' } },
    { auth: { 'x-api-key': 'demo-key-harbour' } },
    { query: '&apiKey=demo-key-harbour' },
    { query: '&x-api-key=demo-key-harbour' },
  ])('opens socket.io with %j', async (options) => {
    const sandbox = await sandboxForTest();
    await openSocketIo(sandbox.pushUrls.socketIo, options);
    await sandbox.push.waitForOpen(1, { owner: 'harbour' });
  });

  test.each(['?apiKey=demo-key-harbour', '?x-api-key=demo-key-harbour'])(
    'opens a plain WebSocket with the query %s',
    async (query) => {
      const sandbox = await sandboxForTest();
      await openWebSocket(sandbox.pushUrls.webSocket, { query });
      await sandbox.push.waitForOpen(1, { owner: 'harbour' });
    },
  );

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
