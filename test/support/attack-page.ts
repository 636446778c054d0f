import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Lets a server listen on a free port, or on the one given, until the test ends; gives its address. */
export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves an empty page of another site, whose origin is none of ours; it is ended with the test. */
export async function startAttackPage() {
  const page =
    '<!doctype html><meta charset="utf-8"><title>Another site</title><link rel="icon" href="data:,">';
  const origin = await listen(
    createServer((_request, response) => response.setHeader('content-type', 'text/html').end(page)),
  );
  return { url: `${origin}/`, origin };
}
