import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import { writeHead } from '../answer.ts';
import type { Answer } from '../answer.ts';

const HUGE_CHUNK = Buffer.alloc(65_536, 'x');

/** Sends half of the body, then resets the connection. */
export function sendReset(res: ServerResponse, answer: Answer): void {
  writeHead(res, answer, { 'content-length': String(answer.body.length) });
  res.write(answer.body.subarray(0, Math.ceil(answer.body.length / 2)), () => {
    // A reset discards bytes that the peer has not read yet, so it must follow them after a moment.
    later(res, 20, () => res.socket?.resetAndDestroy());
  });
}

/** Sends the first `keep` bytes of the body (half of it by default) and closes the connection cleanly. */
export function sendCut(
  res: ServerResponse,
  answer: Answer,
  { framing, keep }: { readonly framing: 'content-length' | 'chunked' | 'close'; readonly keep?: number },
): void {
  const part = answer.body.subarray(0, keep ?? Math.ceil(answer.body.length / 2));
  const end = () => res.socket?.end();
  if (framing === 'close') {
    res.socket?.end(Buffer.concat([rawHead(answer, 'connection: close'), part]));
    return;
  }
  const length = String(answer.body.length);
  writeHead(
    res,
    answer,
    framing === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': length },
  );
  if (part.length === 0) res.flushHeaders();
  res.write(part, end);
}

/** Sends one byte per interval, of the body or from the very first byte. */
export function dribble(
  res: ServerResponse,
  answer: Answer,
  { intervalMs, from = 'body' }: { readonly intervalMs: number; readonly from?: 'headers' | 'body' },
): void {
  const length = `content-length: ${answer.body.length}`;
  const head = rawHead(answer, length);
  const text = Buffer.concat([head, answer.body]);
  let sent = from === 'headers' ? 0 : head.length;
  res.socket?.write(text.subarray(0, sent));
  const timer = setInterval(() => {
    res.socket?.write(text.subarray(sent, sent + 1));
    sent += 1;
    // The connection cannot be reused: node's server cannot tell that this response is complete.
    if (sent >= text.length) res.socket?.end();
  }, intervalMs);
  res.once('close', () => clearInterval(timer));
}

/** Streams a JSON text of about `bytes` bytes, as fast as the peer reads it. */
export function streamHuge(
  res: ServerResponse,
  { bytes, claim }: { readonly bytes: number; readonly claim?: number },
): void {
  res.setHeader('content-type', 'application/json; charset=utf-8');
  if (claim !== undefined) res.setHeader('content-length', String(claim));
  let left = bytes;
  const pump = () => {
    while (left > 0 && !res.destroyed) {
      const chunk = HUGE_CHUNK.subarray(0, Math.min(left, HUGE_CHUNK.length));
      left -= chunk.length;
      if (!res.write(chunk)) return res.once('drain', pump);
    }
    if (claim === undefined) res.end('"}');
    return res;
  };
  res.write('{"message":"');
  pump();
}

function rawHead(answer: Answer, extra: string): Buffer {
  const lines = answer.headers
    .filter(([name]) => name !== 'content-length')
    .map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Unknown'}`;
  return Buffer.from([status, ...lines, extra, '', ''].join('\r\n'));
}

function later(res: ServerResponse, ms: number, run: () => void): void {
  const timer = setTimeout(run, ms);
  res.once('close', () => clearTimeout(timer));
}
