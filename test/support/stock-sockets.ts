import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';

/** The protocol's library as it comes, without any of our rules, for tests that have to show that they can fail. */
export interface StockServer {
  /** Address of the server, without a trailing slash. */
  readonly url: string;
  /** The server's ends of the sockets. */
  readonly sockets: ReadonlySet<WebSocket>;
  /** Lets the field `slow` be answered; the field `fast` always is. */
  readonly finish: (value: string) => unknown;
}

/** Starts the library over `{ slow fast }` on a free port; it is ended with the test. */
export async function startStockSockets(): Promise<StockServer> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, path: '/graphql' });
  const answer = new EventEmitter();
  const slow = once(answer, 'slow').then(([value]) => value as string);
  useServer(
    {
      schema: buildSchema('type Query { slow: String fast: String }'),
      roots: { query: { slow: () => slow, fast: () => 'fast' } },
    },
    sockets,
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const client of sockets.clients) client.terminate();
    await new Promise((closed) => server.close(closed));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sockets: sockets.clients,
    finish: (value) => answer.emit('slow', value),
  };
}
