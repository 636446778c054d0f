import { createServer, IncomingMessage, type RequestListener, type Server } from 'node:http';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_INTERVAL_MS = 1_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * A request that only asks for an upgrade if it asks for a WebSocket; others are answered as ordinary ones (RFC 9110,
 * section 7.8). Java's HttpClient and `curl --http2` offer HTTP/2 with their requests, and Node would stop parsing their
 * connections, because it has a listener for upgrades. Node 24.9 has the option `shouldUpgradeCallback` for this.
 */
class HttpRequest extends IncomingMessage {
  get upgrade(): boolean {
    const { connection = '', upgrade } = this.headers;
    if (upgrade?.toLowerCase() !== 'websocket') return this.method === 'CONNECT';
    return connection.split(',').some((name) => name.trim().toLowerCase() === 'upgrade');
  }

  // Node sets it for every request.
  set upgrade(_: boolean) {}
}

/** Creates an HTTP server within this server's limits; `listener` answers its requests. */
export function createHttpServer(keepAliveMs: number, listener: RequestListener): Server {
  const server = createServer(
    {
      IncomingMessage: HttpRequest,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    listener,
  );
  // Node silently drops headers beyond its own limit or, from 24 on, rejects the request itself; their size is limited.
  server.maxHeadersCount = 0;
  return server;
}
