import { IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A request that only asks for an upgrade if it asks for a WebSocket; others are answered as ordinary ones (RFC 9110,
 * section 7.8). Java's HttpClient and `curl --http2` offer HTTP/2 with their requests, and Node would stop parsing their
 * connections, because it has a listener for upgrades. Node 24.9 has the option `shouldUpgradeCallback` for this.
 */
export class HttpRequest extends IncomingMessage {
  get upgrade(): boolean {
    const { method, headers } = this;
    return method === 'CONNECT' || (headers.upgrade?.toLowerCase() === 'websocket' && hasUpgrade(headers));
  }

  // Node sets it for every request.
  set upgrade(_: boolean) {}
}

function hasUpgrade({ connection }: IncomingMessage['headers']): boolean {
  return connection !== undefined && /\bupgrade\b/i.test(connection);
}

/**
 * The connections of a server, except WebSockets. Node does not consider connections idle that have sent nothing, or
 * half a request. Browsers, load balancers and clients open some in advance, and shutdown would wait for them.
 */
export class Connections {
  /** The number of requests being answered on each. */
  readonly #answering = new Map<Socket, number>();
  #isClosing = false;

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#answering.set(socket, 0);
      socket.once('close', () => this.#answering.delete(socket));
    });
    server.on('upgrade', ({ socket }: IncomingMessage) => this.#answering.delete(socket));
    server.on('request', ({ socket }, response) => {
      this.#change(socket, 1);
      response.once('close', () => this.#change(socket, -1));
    });
  }

  /** Closes idle connections, and from now on each other one as soon as its responses have been sent. */
  closeIdle(): void {
    this.#isClosing = true;
    for (const [socket, answering] of this.#answering) if (answering === 0) socket.destroySoon();
  }

  #change(socket: Socket, by: number): void {
    const answering = this.#answering.get(socket);
    if (answering === undefined) return;
    this.#answering.set(socket, answering + by);
    if (this.#isClosing && answering + by === 0) socket.destroySoon();
  }
}
