import { expect, test } from 'vitest';
import { eachCase } from '../../support/each-case.ts';
import {
  closePayload,
  frame,
  OPCODE,
  openRawWebSocket,
  type RawWebSocket,
} from '../../support/raw-web-socket.ts';
import { LOCAL_QUERY, shareServer } from '../../support/server.ts';
import { openBareSocket } from '../../support/web-sockets.ts';

const server = shareServer({ MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000' });

const INIT = '{"type":"connection_init"}';
const text = (payload: string | Buffer, options = {}) => frame({ opcode: OPCODE.text, payload, ...options });
const close = (payload: Buffer) => frame({ opcode: OPCODE.close, payload });
const control = (opcode: number, options = {}) => frame({ opcode, ...options });

const NOT_UTF8 = {
  'a byte alone': [0xff],
  'a continuation alone': [0x80],
  'a sequence cut short': [0xe2, 0x82],
  'an overlong slash': [0xc0, 0xaf],
  'a surrogate': [0xed, 0xa0, 0x80],
  'a point beyond Unicode': [0xf4, 0x90, 0x80, 0x80],
} as const;

type Case = readonly [name: string, bytes: readonly Buffer[], code: number];

const violations: readonly Case[] = [
  ['an unmasked text', [text(INIT, { isMasked: false })], 1002],
  ['an unmasked binary', [frame({ opcode: OPCODE.binary, payload: 'x', isMasked: false })], 1002],
  ['an unmasked ping', [control(OPCODE.ping, { isMasked: false })], 1002],
  ['an unmasked pong', [control(OPCODE.pong, { isMasked: false })], 1002],
  ['an unmasked close', [control(OPCODE.close, { isMasked: false, payload: closePayload(1000) })], 1002],
  ...[0x40, 0x20, 0x10, 0x70].flatMap((reserved): Case[] => [
    [`a text with the reserved bits ${reserved.toString(16)}`, [text(INIT, { reserved })], 1002],
    [
      `a ping with the reserved bits ${reserved.toString(16)}`,
      [control(OPCODE.ping, { reserved, payload: 'x' })],
      1002,
    ],
  ]),
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode): Case => [
    `the opcode ${opcode}`,
    [frame({ opcode, payload: 'x' })],
    1002,
  ]),
  ['a ping in pieces', [control(OPCODE.ping, { isLast: false })], 1002],
  ['a pong in pieces', [control(OPCODE.pong, { isLast: false })], 1002],
  ['a close in pieces', [control(OPCODE.close, { isLast: false, payload: closePayload(1000) })], 1002],
  ['a ping of 126 bytes', [control(OPCODE.ping, { payload: 'x'.repeat(126) })], 1002],
  ['a pong of 126 bytes', [control(OPCODE.pong, { payload: 'x'.repeat(126) })], 1002],
  ['a close of 126 bytes', [close(closePayload(1000, 'x'.repeat(124)))], 1002],
  ['a continuation of nothing', [frame({ opcode: OPCODE.continuation, payload: 'x' })], 1002],
  ['the end of nothing', [frame({ opcode: OPCODE.continuation, payload: 'x', isLast: true })], 1002],
  ['a text within a text', [text('{', { isLast: false }), text('}')], 1002],
  [
    'a binary within a text',
    [text('{', { isLast: false }), frame({ opcode: OPCODE.binary, payload: 'x' })],
    1002,
  ],
  ['a close of one byte', [close(Buffer.from([3]))], 1002],
  ...[0, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000, 65_535].map((code): Case => [
    `a close with the code ${code}`,
    [close(closePayload(code))],
    1002,
  ]),
  ...Object.entries(NOT_UTF8).map(([name, bytes]): Case => [
    `a text that holds ${name}`,
    [text(Buffer.from(bytes))],
    1007,
  ]),
  [
    'a close whose reason is no UTF-8',
    [close(closePayload(1000, Buffer.from(NOT_UTF8['a byte alone'])))],
    1007,
  ],
  [
    'a character cut between pieces that never ends',
    [
      text(Buffer.from([0xe2]), { isLast: false }),
      frame({ opcode: OPCODE.continuation, payload: Buffer.from([0x28]) }),
    ],
    1007,
  ],
  ['a length of 2^63', [text('', { statedLength: 2n ** 63n })], 1009],
  ['a length of 2^53', [text('', { statedLength: 2n ** 53n })], 1009],
  ['a length of 60 MB', [text('', { statedLength: 60_000_000n })], 1009],
  ['a length of 128 KiB and a byte', [text('', { statedLength: 131_073n })], 1009],
];

const honoured: readonly Case[] = [
  ...[1000, 1001, 1003, 1007, 1011, 3000, 4000, 4999].map((code): Case => [
    `a close with the code ${code}`,
    [close(closePayload(code))],
    code,
  ]),
  ['a close without a code', [close(Buffer.alloc(0))], 1005],
  ['a close with a reason', [close(closePayload(1000, 'bye 🙂'))], 1000],
  ['a close after a text that never ends', [text('{', { isLast: false }), close(closePayload(1000))], 1000],
];

async function codeFor(socket: RawWebSocket, bytes: readonly Buffer[]): Promise<number | null> {
  socket.write(...bytes);
  return await socket.ended;
}

/** That the server still speaks to others, in full. */
async function expectAlive(url: string): Promise<void> {
  const socket = await openBareSocket(url);
  socket.send({ type: 'connection_init' });
  expect(await socket.next()).toEqual({ type: 'connection_ack' });
  socket.send({ id: '1', type: 'subscribe', payload: { query: LOCAL_QUERY } });
  expect(await socket.next()).toMatchObject({ type: 'next' });
}

test('there are at least sixty cases', () => {
  expect(violations.length + honoured.length).toBeGreaterThanOrEqual(60);
});

test('a frame that violates RFC 6455 closes the socket with the right code, and no other socket', () =>
  eachCase(violations, async ([, bytes, code]) => {
    const { url } = server;
    expect(await codeFor(await openRawWebSocket(url), bytes)).toBe(code);
    await expectAlive(url);
  }));

test('a close is answered with its own code', () =>
  eachCase(honoured, async ([, bytes, code]) => {
    const { url } = server;
    expect(await codeFor(await openRawWebSocket(url), bytes)).toBe(code);
    await expectAlive(url);
  }));

test('a violation during an operation closes the socket with its code and logs no error', () =>
  eachCase(violations.slice(0, 12), async ([, bytes, code]) => {
    const { url, log } = server;
    const socket = await openRawWebSocket(url);
    const subscribe = JSON.stringify({ id: '1', type: 'subscribe', payload: { query: LOCAL_QUERY } });
    socket.write(text(INIT));
    await socket.next();
    expect(await codeFor(socket, [text(subscribe), ...bytes])).toBe(code);
    await expectAlive(url);
    expect(log.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
  }));

test('the cases fail for what they are about: the same socket without a violation works', async () => {
  const { url } = server;
  const socket = await openRawWebSocket(url);
  socket.write(text(INIT));
  expect((await socket.next())?.payload.toString()).toBe('{"type":"connection_ack"}');
  socket.write(
    text('{"type":', { isLast: false }),
    control(OPCODE.ping, { payload: 'between' }),
    frame({ opcode: OPCODE.continuation, payload: '"ping"}' }),
  );
  expect(await socket.next()).toMatchObject({ opcode: OPCODE.pong, payload: Buffer.from('between') });
  expect((await socket.next())?.payload.toString()).toBe('{"type":"pong"}');
});

test('bytes that come one by one are a message like any other', async () => {
  const { url } = server;
  const socket = await openRawWebSocket(url);
  socket.connection.setNoDelay(true);
  for (const byte of text(INIT)) {
    await new Promise((written) => {
      socket.connection.write(Buffer.from([byte]), written);
    });
  }
  expect((await socket.next())?.payload.toString()).toBe('{"type":"connection_ack"}');
});

test('a frame that is left half done ends with its connection, and harms nobody', async () => {
  const { url } = server;
  const socket = await openRawWebSocket(url);
  socket.write(text(INIT).subarray(0, 9));
  socket.connection.end();
  expect(await socket.ended).toBe(null);
  await expectAlive(url);
});
