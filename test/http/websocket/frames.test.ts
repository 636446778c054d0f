import { expect, test } from 'vitest';
import {
  closePayload,
  frame,
  OPCODE,
  openRawWebSocket,
  type FrameOptions,
  INIT,
  openGreeted,
  subscribe,
} from '../../support/web-sockets.ts';
import { LOCAL_QUERY, shareServer } from '../../support/server.ts';

const server = shareServer({ MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1000' });

const GREETING = JSON.stringify(INIT);
const text = (payload: string | Buffer, options: Partial<FrameOptions> = {}) =>
  frame({ opcode: OPCODE.text, payload, ...options });
const close = (payload: Buffer) => frame({ opcode: OPCODE.close, payload });
const ping = (options: Partial<FrameOptions>) => frame({ opcode: OPCODE.ping, ...options });

/** Violations of RFC 6455, and closes that it allows. */
const VIOLATIONS: readonly (readonly [name: string, code: number, bytes: readonly Buffer[]])[] = [
  ['an unmasked text', 1002, [text(GREETING, { isMasked: false })]],
  ['a text with a reserved bit', 1002, [text(GREETING, { reserved: 0x40 })]],
  ['a continuation of nothing', 1002, [frame({ opcode: OPCODE.continuation, payload: 'x' })]],
  ['a text that is not UTF-8', 1007, [text(Buffer.from([0xed, 0xa0, 0x80]))]],
  ['a length of 2^63', 1009, [text('', { statedLength: 2n ** 63n })]],
  ['a length of 128 KiB and a byte', 1009, [text('', { statedLength: 131_073n })]],
  // A close that is allowed is answered with its own code.
  ['a close with the code 4000', 4000, [close(closePayload(4000))]],
  ['a close without a code', 1005, [close(Buffer.alloc(0))]],
  ['a close after a text that never ends', 1000, [text('{', { isLast: false }), close(closePayload(1000))]],
];

test.each(VIOLATIONS)('%s ends its socket with %i, and no other socket', async (_name, code, bytes) => {
  const { url, log } = server;
  const other = await openGreeted(url);
  const operating = await openRawWebSocket(url);
  operating.write(text(GREETING));
  await operating.next();
  operating.write(text(JSON.stringify(subscribe('1', LOCAL_QUERY))), ...bytes);
  const idle = await openRawWebSocket(url);
  idle.write(...bytes);
  expect([await operating.ended, await idle.ended]).toEqual([code, code]);
  other.send(subscribe('1', LOCAL_QUERY));
  expect(await other.next()).toMatchObject({ type: 'next' });
  expect(log.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
});

test('a message may come byte by byte, or in pieces with a ping between them', async () => {
  const socket = await openRawWebSocket(server.url);
  for (const byte of text(GREETING))
    await new Promise((written) => socket.connection.write(Buffer.from([byte]), written));
  expect((await socket.next())?.payload.toString()).toBe('{"type":"connection_ack"}');
  socket.write(
    text('{"type":', { isLast: false }),
    ping({ payload: 'between' }),
    frame({ opcode: OPCODE.continuation, payload: '"ping"}' }),
  );
  expect(await socket.next()).toMatchObject({ opcode: OPCODE.pong, payload: Buffer.from('between') });
  expect((await socket.next())?.payload.toString()).toBe('{"type":"pong"}');
});

test('a frame that is left half done ends with its connection', async () => {
  const socket = await openRawWebSocket(server.url);
  socket.write(text(GREETING).subarray(0, 9));
  socket.connection.end();
  expect(await socket.ended).toBe(null);
  await openGreeted(server.url);
});
