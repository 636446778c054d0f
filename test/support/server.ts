import { beforeEach, onTestFinished } from 'vitest';
import { readConfig, type Environment } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { createServer, type ServerOptions } from '../../src/server.ts';
import { findDesk, findExplorer } from '../../src/cli/built-pages.ts';
import { shared } from './shared.ts';

/** An operation that the server answers without asking the service. */
export const LOCAL_QUERY = '{ surfaces { surface isConfigured hasCredential } }';

/** Starts a server on a free port; it is closed when the test ends. */
export async function startServer(environment: Environment = {}, options: Options = {}) {
  const server = await openServer(environment, { explorer: BUILT_EXPLORER, ...options });
  onTestFinished(server.close);
  return server;
}

/**
 * A running server for all tests of a file that leave nothing behind on it; its log is emptied before each test. Read
 * `url` and `endpoint` within a test: the server starts before the first one.
 */
export function shareServer(environment: Environment = {}, options: Options = {}) {
  const log: string[] = [];
  const open = () => openServer(environment, { explorer: BUILT_EXPLORER, ...options }, log);
  const running = shared(open, ({ close }) => close());
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

type Options = Omit<ServerOptions, 'log'>;

/** A server for whoever closes it; `onLine` is told each line that it logs, too. */
export async function openServer(
  environment: Environment,
  options: Options,
  log: string[] = [],
  onLine: (line: string) => void = () => undefined,
) {
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'debug',
    DRAIN_DELAY: '0s',
    DATA_DIR: 'off',
    // A process that shares a busy machine would turn requests away; overload has tests of its own.
    OVERLOAD_DELAY: '1h',
    // With EXECUTOR in the environment of a run, the servers within the tests' own process use it too, as all others do.
    ...(EXECUTOR === undefined ? {} : { EXECUTOR }),
    ...environment,
  });
  const write = (line: string): void => {
    log.push(line);
    onLine(line);
  };
  const server = createServer(config, { ...options, log: openLog(config.logLevel, write) });
  const url = await server.listen();
  let closing: Promise<void> | undefined;
  return {
    url,
    endpoint: `${url}/graphql`,
    /** Every line that the server logged, at level debug. */
    log: log as readonly string[],
    /** Ends the server; once, however often it is called. */
    close: () => (closing ??= server.close()),
  };
}

const { EXECUTOR } = process.env;

/** GraphiQL as it was built before the tests; read by whom it is asked of. */
export const BUILT_EXPLORER = findExplorer();

export const BUILT_DESK = findDesk();
