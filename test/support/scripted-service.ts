import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request as it arrived on a connection. */
export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  /** Its number among all requests, from 1. */
  readonly count: number;
  /** Its number on its connection, from 1. */
  readonly onConnection: number;
  readonly socket: Socket;
}

/** A TCP server that answers byte by byte what a test says. */
export interface ScriptedService {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ScriptedRequest[];
  readonly openConnections: number;
}

/** Starts a server on a free port, or on the one given; it ends with the test. */
export async function startScripted(
  respond: (request: ScriptedRequest) => void,
  port = 0,
): Promise<ScriptedService> {
  const requests: ScriptedRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    let onConnection = 0;
    forEachRequest(socket, (method, path) => {
      onConnection += 1;
      const request = { method, path, onConnection, socket, count: requests.length + 1 };
      requests.push(request);
      respond(request);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    get openConnections() {
      return sockets.size;
    },
  };
}

function forEachRequest(socket: Socket, found: (method: string, path: string) => void): void {
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
    for (;;) {
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(received.slice(0, end))?.[1] ?? 0);
      if (received.length < end + 4 + length) return;
      const [method = '', path = ''] = received.split(' ', 2);
      received = received.slice(end + 4 + length);
      found(method, path);
    }
  });
}

/** An answer as it goes over the wire; the connection stays open. */
export function wireAnswer(body: string, status = '200 OK'): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
