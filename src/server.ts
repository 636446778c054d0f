import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import type { Config } from './config.ts';
import { createGraph } from './graph.ts';
import { createAccess } from './http/access.ts';
import { createConnect } from './http/connect/connect.ts';
import { createHttpServer } from './http/connections.ts';
import { Exchange } from './http/exchange.ts';
import type { ReadPage } from './http/built-page.ts';
import { Desk, type PagesSandbox } from './http/desk.ts';
import { createGraphiql } from './http/graphiql.ts';
import { answer, type RouteParts } from './http/listener.ts';
import type { McpOptions } from './http/mcp.ts';
import { RefusedOrigins } from './http/origins.ts';
import { createDocumentResolver, type PersistedDocuments } from './http/persisted-documents.ts';
import { Readiness } from './http/readiness.ts';
import { EventStreams, Seats } from './http/seats.ts';
import { serveWebSocket, type Sockets } from './http/websocket/server.ts';
import type { Log } from './observability/log.ts';
import { Overload } from '../packages/overload/src/overload.ts';
import { openServices } from './services.ts';

/** The inputs of a server besides its configuration. */
export interface ServerOptions {
  readonly log: Log;
  /** Reads the built GraphiQL; without it, none is served. */
  readonly explorer?: ReadPage | null;
  /** Reads the built Desk; without it, none is served. */
  readonly desk?: ReadPage | null;
  /** The sandbox whose credentials both pages fill in and whose events Desk requests; none if the service is a real one. */
  readonly sandbox?: PagesSandbox | null;
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
   * sockets and streams are then closed, and running operations have 20 seconds to finish, writes 70.
   */
  close(): Promise<void>;
}

/** Length of the connection queue: many clients reconnect at once, and one beyond the limit retries seconds later. */
const BACKLOG = 4_096;
/** How long a caller may take to read its response, in milliseconds. */
const READ_WITHIN_MS = 60_000;
/** How long shutdown waits for running operations, in milliseconds; those that wait for a write may take longer. */
const DRAIN_MS = 20_000;
/** How long the response to a write may take to reach its caller, in milliseconds. */
const TELLING_MS = 500;

/** Creates a server; nothing is opened to the outside before `listen`. */
export function createServer(config: Config, options: ServerOptions): GraphqlServer {
  const {
    log,
    explorer,
    desk = null,
    sandbox = null,
    documents = new Map(),
    mcp,
    pingIntervalMs,
    readWithinMs = READ_WITHIN_MS,
    shortPath = true,
  } = options;
  const services = openServices(config, log);
  const { doorway, metrics } = services;
  const { maxOperations, overloadDelayMs } = config;
  const limits = { operations: maxOperations, lateMs: overloadDelayMs, backlogMs: doorway.backlogMs };
  const overload = new Overload(limits, () => metrics.shed());
  const seats = new Seats(config.sockets, services);
  const graph = createGraph(services);
  const access = createAccess(config);
  const refusedOrigins = new RefusedOrigins(log);
  const hasDesk = config.desk && desk !== null;
  const forGraphiql = { config, credentials: sandbox?.credentials ?? null, hasDesk };
  const forMcp = { services, graph, access, overload, refusedOrigins };
  const parts: RouteParts = {
    services,
    overload,
    graph,
    yoga: loadedOnce(async () => (await import('./http/yoga.ts')).createYogaHandler(graph, log)),
    access,
    documents: createDocumentResolver(documents, config.persistedOnly),
    desk: hasDesk ? new Desk(desk, { config, sandbox, refusedOrigins }) : null,
    graphiql: config.graphiql && explorer ? createGraphiql(explorer, forGraphiql) : null,
    mcp:
      config.mcp.isOn && mcp
        ? loadedOnce(async () => (await import('./http/mcp.ts')).createMcp({ ...forMcp, ...mcp }))
        : null,
    connect: createConnect(services),
    readiness: new Readiness(services, overload),
    refusedOrigins,
    streams: new EventStreams(seats),
    readWithinMs,
    shortPath,
  };
  const { server, closeUnused } = openHttp(parts, config);
  const sockets = serveWebSocket(server, { ...parts, seats, pingIntervalMs });
  return {
    listen: async () => {
      await services.tried;
      await parts.mcp?.();
      return await listen(server, config);
    },
    close: () => closeInOrder(parts, { server, closeUnused, sockets }),
  };
}

/** Returns a function that loads what is not always needed when it is first called. */
function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => (loading ??= load());
}

function openHttp(parts: RouteParts, { keepAliveMs }: Config): Omit<Opened, 'sockets'> {
  const { doorway, metrics, log } = parts.services;
  let answering = 0;
  const closeUnused = (): void => {
    if (!server.listening && answering === 0) server.closeAllConnections();
  };
  const server = createHttpServer(keepAliveMs, (request, response) => {
    const exchange = new Exchange(request, response, log);
    // The caller's next request should go to another server. Idle connections stay open until the load balancer knows:
    // a request may be under way on them.
    if (parts.readiness.isStopped) exchange.headers['connection'] = 'close';
    answering += 1;
    response.on('close', () => {
      answering -= 1;
      if (response.headersSent) metrics.response(response.statusCode);
      exchange.closed();
      closeUnused();
    });
    answer(parts, exchange);
  });
  server.on('connection', doorway.note);
  return { server, closeUnused };
}

async function listen(server: Server, { host, port }: Config): Promise<string> {
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, 'listening');
  const { address, port: taken, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
}

interface Opened {
  readonly server: Server;
  /**
   * Closes all connections but WebSockets once no request is being answered, of a server that accepts no more. Node would
   * wait for those that have sent nothing, or half a request; browsers and load balancers open some in advance.
   */
  readonly closeUnused: () => void;
  readonly sockets: Sockets;
}

async function closeInOrder(parts: RouteParts, { server, closeUnused, sockets }: Opened): Promise<void> {
  const { services, readiness, overload, streams } = parts;
  readiness.isStopped = true;
  if (readiness.isWatched) await after(services.config.drainDelayMs);
  const httpClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  closeUnused();
  streams.close();
  const closeAll = async (): Promise<void> => {
    // Callers waiting for a write are sent its result.
    if (!services.writes.isIdle) await services.writes.settled().then(() => after(TELLING_MS));
    sockets.closeNow();
    server.closeAllConnections();
  };
  const timer = setTimeout(() => void closeAll(), DRAIN_MS);
  await sockets.close();
  services.endReadings();
  await httpClosed;
  clearTimeout(timer);
  overload.close();
  await services.close();
}
