import {
  IncomingMessage,
  ServerResponse,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type Server as NodeServer,
} from 'node:http';
import type { Socket } from 'node:net';

/**
 * A request that only asks for an upgrade if it asks for a WebSocket; others are answered as ordinary ones (RFC 9110,
 * section 7.8). Java's HttpClient and `curl --http2` offer HTTP/2 with their requests, and Node would stop parsing their
 * connections, because it has a listener for upgrades. Node 24.9 has the option `shouldUpgradeCallback` for this.
 */
export class HttpRequest extends IncomingMessage {
  get upgrade(): boolean {
    const { connection = '', upgrade } = this.headers;
    if (upgrade?.toLowerCase() !== 'websocket') return this.method === 'CONNECT';
    return connection.split(',').some((name) => name.trim().toLowerCase() === 'upgrade');
  }

  // Node sets it for every request.
  set upgrade(_: boolean) {}
}

/** A response with default headers. */
export class HttpResponse extends ServerResponse<HttpRequest> {
  /** Headers by lower-case names, sent unless others replace them. Setting each of them individually costs more. */
  readonly defaults: Record<string, string> = {};

  override writeHead(status: number, headers?: string | Headers, others?: Headers): this {
    if (typeof headers === 'object' && !Array.isArray(headers) && this.getHeaderNames().length === 0)
      return super.writeHead(status, Object.assign(this.defaults, headers));
    for (const [name, value] of Object.entries(this.defaults))
      if (!this.hasHeader(name)) this.setHeader(name, value);
    return typeof headers === 'string'
      ? super.writeHead(status, headers, others)
      : super.writeHead(status, headers);
  }
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** The HTTP server of Node with this server's requests and responses. */
export type HttpServer = NodeServer<typeof HttpRequest, typeof HttpResponse>;

/**
 * The connections of a server, except WebSockets. Node does not consider connections idle that have sent nothing, or
 * half a request. Browsers, load balancers and clients open some in advance, and shutdown would wait for them.
 */
export class Connections {
  /** The number of requests being answered on each. */
  readonly #answering = new Map<Socket, number>();
  #isClosing = false;

  constructor(server: HttpServer) {
    server.on('connection', (socket) => {
      this.#answering.set(socket, 0);
      socket.once('close', () => this.#answering.delete(socket));
    });
    server.on('upgrade', ({ socket }: IncomingMessage) => this.#answering.delete(socket));
  }

  /** Counts a request on a connection as being answered, by 1, or as answered, by -1. */
  count(socket: Socket, by: 1 | -1): void {
    const answering = this.#answering.get(socket);
    if (answering === undefined) return;
    this.#answering.set(socket, answering + by);
    if (this.#isClosing && answering + by === 0) socket.destroySoon();
  }

  /** Closes idle connections, and from now on each other one as soon as its responses have been sent. */
  closeIdle(): void {
    this.#isClosing = true;
    for (const [socket, answering] of this.#answering) if (answering === 0) socket.destroySoon();
  }
}
