import { createServer as createHttpServer, type IncomingMessage, type Server as NodeServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import type { Config } from './config.ts';
import type { Log } from './observability/log.ts';
import { createAccess } from './http/access.ts';
import { ClosingResponse } from './http/closing-response.ts';
import { createConnect } from './http/connect/connect.ts';
import { watchConnections, type Connections } from './http/connections.ts';
import { createEventStreams } from './http/event-streams.ts';
import type { McpOptions, McpParts, ServeMcp } from './http/mcp.ts';
import type { ReadExplorer } from './http/explorer/files.ts';
import { createGraphiql, type ExplorerCredentials } from './http/explorer/page.ts';
import { createGraph } from './graph.ts';
import { createYogaHandler, GRAPHQL_PATH, type YogaHandler } from './http/yoga.ts';
import { createOverload, type Overload } from './http/overload.ts';
import { createDocumentResolver, type PersistedDocuments } from './http/persisted-documents.ts';
import { paced } from './http/paced.ts';
import { createReadiness } from './http/readiness.ts';
import { createRefusedOrigins } from './http/refused-origins.ts';
import { answer, type RouteParts } from './http/listener.ts';
import { createSeats } from './http/websocket/seats.ts';
import { serveWebSocket } from './http/websocket/server.ts';
import { openServices, type Services } from './services.ts';
import type { WriteCoordinator } from './writes/coordinator.ts';

/** The inputs of a server besides its configuration. */
export interface ServerOptions {
  readonly log: Log;
  /** Reads the built GraphiQL; without it, none is served. */
  readonly explorer?: ReadExplorer;
  /** Credentials that the explorer fills in; always those of the sandbox. */
  readonly explorerCredentials?: ExplorerCredentials;
  /** Tools for assistants, if the configuration enables them; without them, none are served. */
  readonly mcp?: McpOptions | undefined;
  /** Documents that may be requested by id; none by default. */
  readonly documents?: PersistedDocuments;
  /** How often clients of sockets are pinged, in milliseconds; 12 seconds by default. */
  readonly pingIntervalMs?: number;
  /** How long a caller may take to read its response, in milliseconds; a minute by default. */
  readonly readWithinMs?: number;
  /** If false, Yoga also answers plain POSTs, with the same results but more slowly; true by default. */
  readonly shortPath?: boolean;
}

/** A GraphQL server for the service. */
export interface GraphqlServer {
  /** Starts listening. Returns the URL of the server, without a trailing slash. */
  listen(): Promise<string>;
  /**
   * Shuts down in order. If readiness is being polled, it reports not ready for a while before connections are refused;
   * sockets and streams are then closed one after another, and running requests have 20 seconds to finish, writes 70.
   */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_INTERVAL_MS = 1_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Length of the connection queue: many clients reconnect at once, and one beyond the limit retries seconds later. */
const BACKLOG = 4_096;
/** How long a caller may take to read its response, in milliseconds. */
const READ_WITHIN_MS = 60_000;
/** How long shutdown waits for running requests, in milliseconds; requests that wait for a write may take longer. */
const DRAIN_MS = 20_000;
/** How long the response to a write may take to reach its caller, in milliseconds. */
const TELLING_MS = 500;

/** Creates a server; nothing is opened to the outside before `listen`. */
export function createServer(config: Config, options: ServerOptions): GraphqlServer {
  const {
    log,
    explorer,
    explorerCredentials = null,
    documents = new Map(),
    mcp,
    pingIntervalMs,
    readWithinMs = READ_WITHIN_MS,
    shortPath = true,
  } = options;
  const services = openServices(config, log);
  const overload = watchOverload(services);
  // Every caller waiting for events takes a seat, over a socket or server-sent events.
  const seats = createSeats({
    limits: config.sockets,
    hashCredential: services.hashCredential,
    accepted: services.acceptedCredentials,
  });
  const graph = createGraph(services);
  let yoga: YogaHandler | undefined;
  const access = createAccess(config);
  const refusedOrigins = createRefusedOrigins(log);
  const forMcp = { services, graph, access, overload, refusedOrigins };
  const parts: RouteParts = {
    services,
    overload,
    graph,
    yoga: () => (yoga ??= createYogaHandler(services, graph)),
    access,
    documents: createDocumentResolver(documents, config.persistedOnly),
    graphiql: config.graphiql && explorer ? createGraphiql(explorer, config, explorerCredentials) : null,
    mcp: config.mcp.isOn && mcp ? loadedOnce({ ...forMcp, ...mcp }) : null,
    connect: createConnect(services),
    readiness: createReadiness(services, overload),
    refusedOrigins,
    streams: createEventStreams(seats),
    readWithinMs,
    shortPath,
  };
  const server = openHttp(parts, config);
  const connections = watchConnections(server);
  const sockets = serveWebSocket(server, { path: GRAPHQL_PATH, ...parts, seats, pingIntervalMs });
  return {
    listen: async () => {
      await services.tried;
      await parts.mcp?.();
      return await listen(server, config);
    },
    close: () => closeInOrder(parts, { server, connections, sockets }),
  };
}

interface Opened {
  readonly server: Server;
  readonly connections: Connections;
  readonly sockets: { close(): Promise<void> };
}

async function closeInOrder(parts: RouteParts, { server, connections, sockets }: Opened): Promise<void> {
  const { services, readiness, overload } = parts;
  readiness.stop();
  if (readiness.isWatched()) await after(services.config.drainDelayMs);
  const httpClosed = closeHttp(server, connections, services.writes);
  await Promise.all([sockets.close(), closeStreams(parts)]);
  services.endReadings();
  await httpClosed;
  overload.close();
  await services.close();
}

function watchOverload({ config, doorway, metrics }: Services): Overload {
  const { maxOperations: operations, overloadDelayMs: lateMs } = config;
  return createOverload({ operations, lateMs, backlogMs: doorway.backlogMs }, () => metrics.shed());
}

// Its packages are loaded only if tools are served.
function loadedOnce(parts: McpParts): () => Promise<ServeMcp> {
  let served: Promise<ServeMcp> | undefined;
  return () => (served ??= import('./http/mcp.ts').then(({ createMcp }) => createMcp(parts)));
}

type Server = NodeServer<typeof IncomingMessage, typeof ClosingResponse>;

function openHttp(parts: RouteParts, { keepAliveMs }: Config): Server {
  const server = createHttpServer(
    {
      ServerResponse: ClosingResponse,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => {
      // The caller's next request should go to another server. Idle connections stay open until the load balancer
      // knows: a request may be under way on them.
      if (parts.readiness.isStopped) response.setHeader('connection', 'close');
      response.whenClosed(() => {
        if (response.headersSent) parts.services.metrics.response(response.statusCode);
      });
      void answer(parts, request, response);
    },
  );
  // Node silently drops headers beyond its own limit or, from 24 on, rejects the request itself; their size is limited.
  server.maxHeadersCount = 0;
  server.on('connection', parts.services.doorway.note);
  return server;
}

function listen(server: Server, { host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject);
      const { address, port: taken, family } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`);
    });
  });
}

// Callers waiting for a write are sent its result.
function closeHttp(server: Server, connections: Connections, writes: WriteCoordinator): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = async (): Promise<void> => {
      if (!writes.isIdle()) await writes.settled().then(() => after(TELLING_MS));
      server.closeAllConnections();
    };
    const timer = setTimeout(() => void giveUp(), DRAIN_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    connections.closeIdle();
  });
}

// A stream of events has no end of its own: its reader reconnects to the next server.
async function closeStreams({ streams }: RouteParts): Promise<void> {
  await paced(streams.open(), (stream) => void stream.destroy());
}
