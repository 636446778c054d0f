import { ConnectionError, createClient, GraphError, WalkError } from '../../packages/client/src/index.ts';
import type { Graph } from '../../packages/schedule/src/graph.ts';
import { UnsafeServer } from '../../packages/schedule/src/plan.ts';
import { UnusableFile } from '../../packages/schedule/src/results.ts';
import { ConfigError, type Config, type Environment } from '../config.ts';
import { reasonOf } from '../config/file-problem.ts';
import { openLog, type Log } from '../observability/log.ts';
import { configFromEnvironment, ON_SANDBOX, SERVES_NOBODY, WITHOUT_SERVICE } from './environment.ts';
import { reasonOfConnection } from './failure.ts';
import type { GraphRequest } from '../local-graph.ts';
import { openCurrentGraph } from './own-graph.ts';

/** The graph for a command: in this process, or of a running server. */
export interface CommandGraph {
  readonly graph: Graph;
  readonly log: Log;
  /** Where the posts are: the URL of the service, or that of the server. */
  readonly address: string;
  /** Whether a sandbox in this process is in the place of the service. */
  readonly usesSandbox: boolean;
  /** The zone of the service's clock, if this process knows it. */
  readonly timeZone: string | null;
  readonly close: () => Promise<void>;
}

/** How long writes are remembered: longer than people take to correct a table and send the rest. */
const IN_PROCESS: Environment = { ...SERVES_NOBODY, WRITE_RETENTION: '168h' };
/** A server's own settings say where its service is. This process listens nowhere, whatever HOST contains. */
const OF_SERVER: Environment = { ...WITHOUT_SERVICE, HOST: '127.0.0.1' };
/** Timeout of one operation's reads: it may check a whole file. */
const OPERATION_MS = 10 * 60_000;
/** In this process, one operation may be large. */
const LARGER = 100;
const FIELDS_IN_PROCESS = 1_000;
/** What fits within a server's default limits. */
const FIELDS_OF_SERVER = 25;

/**
 * Reads the configuration of a command that opens the graph in this process.
 *
 * @param sandbox - Whether to use a sandbox even if a service is configured.
 * @throws ConfigError
 */
export function configHere(sandbox = false): Config {
  return configFromEnvironment({ ...IN_PROCESS, ...(sandbox ? ON_SANDBOX : {}) });
}

/**
 * Opens the graph in this process, for the key in `API_KEY`.
 *
 * @param dataDirectory - The folder in which writes are recorded; null for a command that sends none.
 * @throws ConfigError
 */
export async function openGraphHere(
  config: Config,
  dataDirectory: string | null,
  log = logOf(config),
): Promise<CommandGraph> {
  const { usesSandbox, operationTimeoutMs } = config;
  const limits = Object.entries(config.limits).map(([name, limit]) => [name, limit * LARGER]);
  const own = await openCurrentGraph(
    {
      ...config,
      redis: null,
      dataDirectory,
      // So that a row whose response is lost can be found.
      readsBeforeWrites: true,
      limits: { ...config.limits, ...Object.fromEntries(limits) },
      operationTimeoutMs: Math.max(operationTimeoutMs, OPERATION_MS),
    },
    log,
  );
  await own.services.tried.catch(async (error: unknown) => {
    await own.close();
    throw error;
  });
  // The client of a server, without one: nothing connects to its address.
  const client = createClient({
    url: 'http://localhost/graphql',
    timeoutMs: OPERATION_MS,
    fetch: async (url, init) => {
      const request = (await new Request(url, init).json()) as GraphRequest;
      return Response.json(await own.graph.execute(request));
    },
  });
  return {
    graph: { client, fieldsPerRequest: FIELDS_IN_PROCESS },
    log,
    address: usesSandbox ? 'a sandbox in the process' : own.currentApiUrl.href,
    usesSandbox,
    timeZone: config.serviceTimeZone,
    close: () => own.close(),
  };
}

// What is logged about requests is for operators of servers: only errors, and more if the operator configures it.
function logOf({ logLevel }: Config): Log {
  return openLog(logLevel === 'info' ? 'error' : logLevel, (line) => void process.stderr.write(line));
}

/**
 * Opens the graph of a running server, for the key in `API_KEY`.
 *
 * @throws ConfigError
 */
export function openServerGraph(server: string): CommandGraph {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new ConfigError([`--server: ${JSON.stringify(server)} is not an http(s) URL`]);
  // fetch rejects such a URL, and messages would show the password.
  if (url.username !== '' || url.password !== '')
    throw new ConfigError(['--server: contains a user name or password, which is not allowed']);
  // The address that a server prints is that of its start page.
  if (url.pathname === '/') url.pathname = '/graphql';
  const config = configFromEnvironment(OF_SERVER);
  const { apiKey } = config.operator;
  const [clientToken] = config.clientTokens;
  const client = createClient({
    url: url.href,
    ...(apiKey === null ? {} : { credentials: { apiKey } }),
    ...(clientToken === undefined ? {} : { headers: { 'x-client-token': clientToken } }),
  });
  return {
    graph: { client, fieldsPerRequest: FIELDS_OF_SERVER },
    log: logOf(config),
    address: url.href,
    usesSandbox: false,
    timeZone: null,
    close: () => Promise.resolve(),
  };
}

/** Explains to the operator why the graph at an address or a file could not be used; rethrows any other error. */
export function problemOfCommand(error: unknown, address: string): string {
  if (error instanceof UnusableFile) {
    const { cause } = error;
    if (cause === undefined) return error.message;
    return `${error.message}: ${reasonOf(cause)}.`;
  }
  if (error instanceof UnsafeServer) return error.message;
  if (error instanceof ConnectionError) {
    const reason = reasonOfConnection(error);
    return `${address}: ${error.message}${reason === null ? '' : ` Reason: ${reason}.`}`;
  }
  if (error instanceof WalkError)
    return 'SCAN_LIMIT_REACHED: The list is too long, or changed while it was read.';
  if (!(error instanceof GraphError)) throw error;
  // A server that refuses the caller itself, perhaps because of the client token, names no surface.
  if (error.code === 'CREDENTIAL_REJECTED' && error.errors[0]?.extensions?.surface !== undefined)
    return `API_KEY: was rejected by the current surface. ${error.message}`;
  return error.code === null ? error.message : `${error.code}: ${error.message}`;
}
