import { randomUUID } from 'node:crypto';
import { ConfigError, type Config } from '../config.ts';
import { createGraph } from '../graph.ts';
import { openLocalGraph, type LocalGraph } from '../local-graph.ts';
import type { Log } from '../observability/log.ts';
import { openServices } from '../services.ts';
import { onSandbox, openOwnSandbox } from './sandbox-in-place.ts';

/** The graph in this process, for a command that uses the key in `API_KEY`. */
export interface OperatorSession {
  readonly graph: LocalGraph;
  readonly log: Log;
  /** URL of the current surface. */
  readonly url: string;
  /** True if no service is configured, so that a sandbox in this process takes its place. */
  readonly usesSandbox: boolean;
  close(): Promise<void>;
}

/**
 * Opens the graph in front of the service, or of a sandbox in its place.
 *
 * @param config - Its data directory must not be one that a server may be using.
 * @throws ConfigError if there is no key, no current surface, or the data directory can't be used (JournalInUse if another
 *   process uses it)
 */
export async function openOperatorSession(config: Config, log: Log): Promise<OperatorSession> {
  const sandbox = config.usesSandbox ? await openOwnSandbox(config) : null;
  const apiKey = config.operator.apiKey ?? sandbox?.credentials.apiKey;
  const placed = sandbox ? onSandbox(config, sandbox) : config;
  const { currentApiUrl } = placed;
  if (apiKey === undefined || currentApiUrl === null)
    throw new ConfigError([
      ...(apiKey === undefined ? ['API_KEY: is missing; this command uses it to call the service'] : []),
      ...(currentApiUrl === null
        ? ['CURRENT_API_URL: is missing; this command needs the current surface']
        : []),
    ]);
  if (sandbox)
    process.stderr.write('No service is configured; using a SANDBOX that ends with this command.\n');
  const services = openServices(placed, log);
  const close = async (): Promise<void> => {
    await services.close();
    await sandbox?.close();
  };
  try {
    await services.tried;
  } catch (error) {
    await close();
    throw error;
  }
  const credentials = {
    current: { state: 'given', value: apiKey },
    legacy: { state: 'missing' },
  } as const;
  return {
    graph: openLocalGraph(
      { services, graph: createGraph(services) },
      { credentials, requestId: () => randomUUID() },
    ),
    log,
    url: currentApiUrl.href,
    usesSandbox: sandbox !== null,
    close,
  };
}
