import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { eachCase } from '../../support/each-case.ts';
import { LOCAL_QUERY, shareServer } from '../../support/server.ts';
import { exchange, statusesIn } from '../../support/raw-http.ts';
import { openBareSocket, type BareSocket } from '../../support/web-sockets.ts';

const server = shareServer({ MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000' });

afterEach(() => vi.restoreAllMocks());

async function openAndInit(url: string): Promise<BareSocket> {
  const socket = await openBareSocket(url);
  socket.send({ type: 'connection_init' });
  expect(await socket.next()).toEqual({ type: 'connection_ack' });
  return socket;
}

const subscribe = (id: string, query = LOCAL_QUERY): object => ({
  id,
  type: 'subscribe',
  payload: { query },
});

test('a socket on another path is 404', async () => {
  const { url } = server;
  const upgrade =
    'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const received = await exchange(url, `GET /other HTTP/1.1\r\nhost: x\r\n${upgrade}\r\n`);
  expect(statusesIn(received)).toEqual([404]);
});

test('a subprotocol other than graphql-transport-ws is refused', () =>
  eachCase(['graphql-ws', 'anything', ''], async (protocol) => {
    const { url } = server;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, protocol === '' ? [] : protocol);
    const ended = await new Promise((resolve) => {
      socket.on('error', (error) => resolve(error.message));
      socket.on('close', (code) => resolve(code));
    });
    expect([4406, 'Server sent no subprotocol']).toContain(ended);
  }));

test('a socket that never sends connection_init is closed with 4408', async () => {
  const { url } = server;
  const socket = await openBareSocket(url);
  expect(await socket.closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' });
});

test('a second init is 4429, an operation before the acknowledgement 4401', async () => {
  const { url } = server;
  const twice = await openAndInit(url);
  twice.send({ type: 'connection_init' });
  expect((await twice.closed).code).toBe(4429);
  const early = await openBareSocket(url);
  early.send(subscribe('1'));
  expect((await early.closed).code).toBe(4401);
});

test('a message that the protocol does not know closes the socket with 4400', () =>
  eachCase(
    [
      'no JSON',
      '[]',
      '{}',
      '{"type":"unknown"}',
      '{"type":"subscribe"}',
      '{"id":"1","type":"subscribe"}',
      '{"id":"1","type":"subscribe","payload":{}}',
      '{"id":"1","type":"subscribe","payload":{"query":7}}',
      '{"id":7,"type":"subscribe","payload":{"query":"{ x }"}}',
      '{"id":"1","type":"subscribe","payload":{"query":"{ x }","variables":"x"}}',
      '{"id":"1","type":"subscribe","payload":{"query":"{ x }","variables":[]}}',
      '{"id":"1","type":"subscribe","payload":{"query":"{ x }","operationName":7}}',
      '{"id":"1","type":"subscribe","payload":{"query":"{ x }","extensions":"x"}}',
      '{"id":"1","type":"subscribe","payload":{"query":["{ x }"]}}',
      '{"id":"1","type":"subscribe","payload":"{ x }"}',
      '{"id":"","type":"subscribe","payload":{"query":"{ x }"}}',
      '{"id":null,"type":"subscribe","payload":{"query":"{ x }"}}',
      '{"type":"subscribe","payload":{"query":"{ x }"}}',
      '{"type":"complete"}',
      '{"id":"","type":"complete"}',
      '{"id":7,"type":"complete"}',
      '{"type":"ping","payload":7}',
      '{"type":"pong","payload":[]}',
      '{"type":7}',
      '{"type":""}',
      '{"type":"SUBSCRIBE"}',
      '{"type":"start","id":"1","payload":{"query":"{ x }"}}',
      '{"type":"connection_ack"}',
      '{"id":"1","type":"next","payload":{"data":{}}}',
      '{"id":"1","type":"error","payload":[{"message":"x"}]}',
      'null',
      '"text"',
      '7',
      '',
      '{"type":"ping"',
    ],
    async (message) => {
      const { url } = server;
      const socket = await openAndInit(url);
      socket.send(message);
      expect((await socket.closed).code).toBe(4400);
    },
  ));

test('an id that is in use is 4409', async () => {
  const { url } = server;
  const socket = await openAndInit(url);
  socket.send(subscribe('same'));
  socket.send(subscribe('same'));
  expect((await socket.closed).code).toBe(4409);
});

test('an operation ends with its result and a complete, and its id can be used again', async () => {
  const { url } = server;
  const socket = await openAndInit(url);
  for (const _ of [1, 2]) {
    socket.send(subscribe('again'));
    expect(await socket.next()).toMatchObject({ id: 'again', type: 'next', payload: { data: {} } });
    expect(await socket.next()).toEqual({ id: 'again', type: 'complete' });
  }
});

test('the id of an operation may be any text of up to 10,240 characters', () =>
  eachCase([10_240, 1], async (length) => {
    const { url } = server;
    const socket = await openAndInit(url);
    for (const id of ['x', '🙂', ' ', '\u0000', '"'].map((text) => text.repeat(length))) {
      socket.send(subscribe(id));
      expect(await socket.next()).toMatchObject({ id, type: 'next' });
      expect(await socket.next()).toEqual({ id, type: 'complete' });
    }
  }));

test('an operation id that names a property of objects does no harm', () =>
  eachCase(['__proto__', 'constructor', 'toString', ''], async (id) => {
    const { url } = server;
    const socket = await openAndInit(url);
    socket.send(subscribe(id));
    const outcome = await Promise.race([socket.next(), socket.closed]);
    expect(outcome).toMatchObject(
      'code' in (outcome as object) ? { code: expect.any(Number) as number } : { id, type: 'next' },
    );
    expect(
      (await openAndInit(url).then((other) => (other.send(subscribe('1')), other.next()))) as object,
    ).toMatchObject({
      type: 'next',
    });
  }));

test('a ping is answered with its payload', async () => {
  const { url } = server;
  const socket = await openAndInit(url);
  socket.send({ type: 'ping', payload: { at: 1 } });
  expect(await socket.next()).toEqual({ type: 'pong', payload: { at: 1 } });
});

const LIMIT = 128 * 1024;
const padded = (bytes: number): string => {
  const message = JSON.stringify(subscribe('1'));
  return message + ' '.repeat(bytes - message.length);
};

test('a message of 128 KiB is read, one byte more closes the socket with 1009', async () => {
  const { url } = server;
  const socket = await openAndInit(url);
  socket.send(padded(LIMIT));
  expect(await socket.next()).toMatchObject({ type: 'next' });
  const other = await openAndInit(url);
  other.send(padded(LIMIT + 1));
  expect((await other.closed).code).toBe(1009);
});

test('a message beyond the bound that comes in fragments, or as the init, is refused likewise', async () => {
  const { url } = server;
  const socket = await openBareSocket(url);
  socket.send(JSON.stringify({ type: 'connection_init', payload: { x: 'x'.repeat(LIMIT) } }));
  expect((await socket.closed).code).toBe(1009);
  const other = await openBareSocket(url);
  for (let index = 0; index < 3; index += 1) other.sendFragment('x'.repeat(60 * 1024), false);
  expect((await other.closed).code).toBe(1009);
});

test('what a socket does wrong is written nowhere but in the log', async () => {
  const written = ['error', 'warn', 'log'].map((name) =>
    vi.spyOn(console, name as 'error').mockReturnValue(),
  );
  const { url } = server;
  const socket = await openAndInit(url);
  socket.send(padded(LIMIT + 1));
  await socket.closed;
  for (const spy of written) expect(spy).not.toHaveBeenCalled();
});

test('compression is not agreed on', async () => {
  const { url } = server;
  const socket = await openBareSocket(url);
  expect(socket.extensions).toBe('');
});
