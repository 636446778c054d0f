import { onTestFinished } from 'vitest';
import { readConfig, type Environment } from '../../src/config.ts';
import { openLog } from '../../src/log.ts';
import { createServer, type ServerOptions } from '../../src/server.ts';
import { BUILT_EXPLORER } from './explorer.ts';

/** A running server without a service behind it, for what the server decides alone. */
export interface RunningServer {
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
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'debug', DRAIN_DELAY: '0s', ...environment });
  const server = createServer(config, {
    explorer: BUILT_EXPLORER,
    ...options,
    log: openLog(config.logLevel, (line) => log.push(line)),
  });
  const url = await server.listen();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= server.close());
  onTestFinished(close);
  return { url, endpoint: `${url}/graphql`, log, close };
}
