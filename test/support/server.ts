import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { readConfig, type Environment } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { createServer, type ServerOptions } from '../../src/server.ts';
import { resolve } from 'node:path';
import { pageIn } from '../../src/cli/built-pages.ts';

/** A running server without a service behind it, for what the server decides alone. */
interface RunningServer {
  /** Address of the server, without a trailing slash. */
  readonly url: string;
  /** Address of its GraphQL endpoint. */
  readonly endpoint: string;
  /** Every line that the server logged, at level debug. */
  readonly log: readonly string[];
  /** Ends the server; once, however often it is called. */
  readonly close: () => Promise<void>;
}

/** An operation that the server answers without asking the service. */
export const LOCAL_QUERY = '{ surfaces { surface isConfigured hasCredential } }';

/** Starts a server on a free port; it is closed when the test ends. */
export async function startServer(
  environment: Environment = {},
  options: Omit<ServerOptions, 'log'> = {},
): Promise<RunningServer> {
  const log: string[] = [];
  const server = await openServer(environment, options, log);
  onTestFinished(server.close);
  return server;
}

/**
 * A running server for all tests of a file that leave nothing behind on it; its log is emptied before each test. Read
 * `url` and `endpoint` within a test: the server starts before the first one.
 */
export function shareServer(
  environment: Environment = {},
  options: Omit<ServerOptions, 'log'> = {},
): Omit<RunningServer, 'close'> {
  const log: string[] = [];
  let started: RunningServer | undefined;
  const running = (): RunningServer => {
    if (!started) throw new Error('the server has not been started yet');
    return started;
  };
  beforeAll(async () => {
    started = await openServer(environment, options, log);
  });
  afterAll(() => started?.close());
  beforeEach(() => {
    log.length = 0;
  });
  return {
    log,
    get url() {
      return running().url;
    },
    get endpoint() {
      return running().endpoint;
    },
  };
}

async function openServer(
  environment: Environment,
  options: Omit<ServerOptions, 'log'>,
  log: string[],
): Promise<RunningServer> {
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'debug',
    DRAIN_DELAY: '0s',
    DATA_DIR: 'off',
    // A process that shares a busy machine would turn requests away; overload has tests of its own.
    OVERLOAD_DELAY: '1h',
    ...CHOSEN_EXECUTOR,
    ...environment,
  });
  const server = createServer(config, {
    explorer: BUILT_EXPLORER,
    ...options,
    log: openLog(config.logLevel, (line) => log.push(line)),
  });
  const url = await server.listen();
  let closing: Promise<void> | undefined;
  return { url, endpoint: `${url}/graphql`, log, close: () => (closing ??= server.close()) };
}

const { EXECUTOR } = process.env;

/** With EXECUTOR in the environment of a run, the servers within the tests' own process use it too, as all others do. */
export const CHOSEN_EXECUTOR: Environment = EXECUTOR === undefined ? {} : { EXECUTOR };

/** GraphiQL as it was built before the tests; read by whom it is asked of. */
export const BUILT_EXPLORER = pageIn(resolve(import.meta.dirname, '../../dist/explorer'));

/** Desk as it was built before the tests. */
export const BUILT_DESK = pageIn(resolve(import.meta.dirname, '../../dist/desk'));
