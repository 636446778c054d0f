import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { MISSING } from './sandbox.ts';

// Answers that no HTTP library would send, byte by byte.

const BODY = '{"error":0,"data":{},"message":"made up","response":{"note":"made up"}}';
const HEAD = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n`;
const HINT = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n';

/** Sends text as it is, and ends the connection. */
export function bytes(text: string): FaultKind {
  return { kind: 'raw', write: (_request, response) => void response.socket?.end(text) };
}

/** Sends the same text again and again until the other side has had enough. */
function endless(text: string): FaultKind {
  return { kind: 'raw', write: (_request, response) => pour(response, text.repeat(50)) };
}

function pour(response: ServerResponse, text: string): void {
  const { socket } = response;
  const timer = setInterval(() => socket?.write(text), 5);
  socket?.on('error', () => undefined);
  socket?.once('close', () => clearInterval(timer));
}

/** Answers that are no HTTP, or odd HTTP, by what a person would call them. */
export const BROKEN_HTTP: Readonly<Record<string, FaultKind>> = {
  'no HTTP at all': bytes('SSH-2.0-OpenSSH_9.2\r\n\r\n'),
  'two lengths': bytes(`${HEAD}content-length: ${BODY.length}\r\ncontent-length: 2\r\n\r\n${BODY}`),
  'a length and chunks': bytes(
    `${HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{"a":1}`,
  ),
  'a negative length': bytes(`${HEAD}content-length: -1\r\n\r\n${BODY}`),
  'a chunk of no size': bytes(`${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n${BODY}\r\n0\r\n\r\n`),
  'a head of seventy kilobytes': bytes(`${HEAD}x-long: ${'x'.repeat(70_000)}\r\n\r\n${BODY}`),
  'ten thousand headers': bytes(`${HEAD}${'x-many: 1\r\n'.repeat(10_000)}\r\n${BODY}`),
};

/** A change of protocol that nobody asked for: not the answer, and none follows. */
export const SWITCHED = bytes(
  `HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\nconnection: upgrade\r\n\r\n${BODY}`,
);

// Slow enough that no answer is complete before a test lets the deadline pass.
const BYTE_INTERVAL_MS = 1_000;
/** Ways in which a service stays silent until the deadline of a call, by what a person would call them. */
export const SILENT: Readonly<Record<string, FaultKind>> = {
  'no answer at all': { kind: 'never-answer' },
  'a head that comes a byte at a time': { kind: 'dribble', intervalMs: BYTE_INTERVAL_MS, from: 'headers' },
  'a body that comes a byte at a time': { kind: 'dribble', intervalMs: BYTE_INTERVAL_MS },
  'hints without end': endless(HINT),
  'an answer after an hour': { kind: 'delay', ms: 3_600_000 },
};

/** Bytes that are no UTF-8, whatever JSON they hold. */
export const NO_UTF8: Readonly<Record<string, FaultKind>> = {
  'UTF-16': body(Buffer.from(`\ufeff${BODY}`, 'utf16le')),
  'invalid UTF-8': body(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  'half a character': body(Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3]), Buffer.from('"}')])),
};

/** Objects within objects, deeper than a stack reaches, where a message or a token may be. */
export const NESTED = `{"message":${nested('message')},"data":${nested('data')}}`;

function nested(name: string): string {
  return `${`{"${name}":`.repeat(20_000)}1${'}'.repeat(20_000)}`;
}

/** A compressed answer whose end is missing. */
export const CUT_GZIP = body(gzipSync(BODY).subarray(0, -12), { 'content-encoding': 'gzip' });

function body(content: Buffer, headers: OutgoingHttpHeaders = {}): FaultKind {
  return {
    kind: 'raw',
    write: (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', ...headers });
      response.end(content);
    },
  };
}

/** What can go wrong with a call after it was sent, by what a person would call it. */
export const WRITE_FAULTS: Readonly<Record<string, FaultKind>> = {
  'a 500': { kind: 'status', status: 500 },
  'a 503': { kind: 'status', status: 503, headers: { 'retry-after': '0' } },
  'a 429': { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
  'a reset before the headers': { kind: 'reset-before-headers' },
  'a reset in the body': { kind: 'reset-in-body' },
  'a body that ends early': { kind: 'cut-body', framing: 'close' },
  'a body shorter than announced': { kind: 'cut-body', framing: 'content-length' },
  'a body without its last chunk': { kind: 'cut-body', framing: 'chunked' },
  'a malformed body': { kind: 'malformed-json' },
  'a body nested 20,000 deep': { kind: 'malformed-json', text: NESTED },
  'an empty body': { kind: 'empty-body' },
  'a compressed body cut short': CUT_GZIP,
  'a body of two megabytes': { kind: 'huge-body', bytes: 2 * 1024 * 1024 },
};

/** What a field may hold instead of what the interface documents. */
export const WRONG_VALUES: readonly unknown[] = [
  MISSING,
  null,
  '',
  0,
  'Y',
  [],
  {},
  'long '.repeat(2_000),
  1e21,
  true,
  -1,
  { a: { b: [1] } },
];

/** What the graph makes of a value: a value (null without an error included), or an error. */
export type Outcome = { readonly value: unknown } | 'malformed';
