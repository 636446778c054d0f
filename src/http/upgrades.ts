import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Whether a request asks for a WebSocket; any other upgrade is ignored (RFC 9110, section 7.8). */
export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Returns the bytes of a request without its upgrade, followed by what came after its head. With an `upgrade` listener,
 * Node.js stops parsing a connection at the first request with an upgrade, and requests in the same packet would be
 * lost. Parsed again, it is an ordinary request with its body, and so are those after it.
 */
export function withoutUpgrade(request: IncomingMessage, rest: Buffer): Buffer {
  const { method = '', url = '', httpVersion, rawHeaders } = request;
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'upgrade') head += `${name}: ${rawHeaders[at + 1] ?? ''}\r\n`;
  }
  // Node.js reads one character per byte.
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), rest]);
}

/**
 * Answers a request on a connection that Node.js no longer parses, and closes the connection.
 *
 * @param message - The reason, for readers of the body; a browser does not show it to its page.
 */
export function turnAway(stream: Duplex, status: number, message = ''): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    `content-length: ${Buffer.byteLength(message)}`,
  ];
  if (message !== '') lines.push('content-type: text/plain; charset=utf-8');
  if (status === 503) lines.push('retry-after: 5');
  // A peer that does not close its own side would otherwise keep the connection, and the server, open forever.
  stream.end(`${lines.join('\r\n')}\r\n\r\n${message}`, () => stream.destroy());
}
