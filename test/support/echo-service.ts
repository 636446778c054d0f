import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { readConfig, type Environment } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { createServer as createGraph } from '../../src/server.ts';
import { postJson, type HttpReply } from './raw-http.ts';

// A service for any credential, whose every answer is the name of the credential that it was asked with.

/** A graph in front of it. */
export interface EchoGraph {
  readonly url: string;
  /** How many requests have reached the service. */
  readonly requests: number;
  query(query: string, headers: Readonly<Record<string, string>>): Promise<HttpReply>;
  /** Ends the graph, and starts another in front of the same service. */
  restart(): Promise<void>;
}

/** Starts the service and the graph; both end with the test. Answers take `delayMs`. */
export async function startEchoGraph(delayMs: number, environment: Environment = {}): Promise<EchoGraph> {
  let requests = 0;
  const service = createServer((request, response) => {
    requests += 1;
    setTimeout(() => response.setHeader('content-type', 'application/json').end(echoOf(request)), delayMs);
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const config = readConfig({
    PORT: '0',
    DATA_DIR: 'off',
    CURRENT_API_URL: address,
    LEGACY_API_URL: address,
    OVERLOAD_DELAY: '1h',
    MAX_OPERATIONS: '100000',
    ...environment,
  });
  let graph = createGraph(config, { log: openLog('silent') });
  let url = await graph.listen();
  onTestFinished(async () => {
    await graph.close();
    service.closeAllConnections();
    service.close();
  });
  return {
    get url() {
      return url;
    },
    get requests() {
      return requests;
    },
    query: async (query, headers) => await postJson(`${url}/graphql`, { query }, headers),
    async restart() {
      await graph.close();
      graph = createGraph(config, { log: openLog('silent') });
      url = await graph.listen();
    },
  };
}

/** What is asked for: the name of an account on each side, which is the credential. */
export const WHO_AM_I = `{
  current: accounts(surface: CURRENT, first: 1) { nodes { displayName } }
  legacy: accounts(surface: LEGACY, first: 1) { nodes { displayName } }
}`;

/** The answer that a holder of the two credentials is to get. */
export function answerFor(key: string, token: string): unknown {
  return { current: { nodes: [{ displayName: key }] }, legacy: { nodes: [{ displayName: token }] } };
}

function echoOf({ url = '', headers }: IncomingMessage): string {
  if (url.startsWith('/oauth/')) {
    const token = headers.authorization?.replace('Bearer ', '');
    return JSON.stringify([{ id: 1, nickname: token, status: 'Running' }]);
  }
  // The token, too, where it is sent along.
  const name = [headers['x-api-key'], headers.authorization?.replace('Bearer ', '')]
    .filter(Boolean)
    .join(' ');
  const list = [{ loginId: 1, accountUsername: name }];
  return JSON.stringify({
    message: 'Success',
    response: { currentPage: 1, pageLimit: 1, totalRecords: 1, list },
  });
}
