import { randomUUID } from 'node:crypto';
import { ConfigError, type Config } from '../config.ts';
import type { Log } from '../observability/log.ts';
import type { Credentials } from '../operation/credentials.ts';
import { createContext, type OperationContext } from '../operation/operation.ts';
import { openServices, type Services } from '../services.ts';
import { onSandbox, openOwnSandbox } from './sandbox-in-place.ts';

/** A session with the service for a command that uses the key in `API_KEY`. */
export interface OperatorSession {
  readonly services: Services;
  readonly credentials: Credentials;
  /** URL of the current surface. */
  readonly url: string;
  /** True if no service is configured, so that a sandbox in this process takes its place. */
  readonly usesSandbox: boolean;
  /** Creates a context in which nothing has been read yet. */
  makeContext(): OperationContext;
  close(): Promise<void>;
}

/**
 * Opens a session with the service, or a sandbox in its place. Does not open `DATA_DIR`: a server may be using it.
 *
 * @throws ConfigError if there is no key, or no current surface
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
  const services = openServices({ ...placed, dataDirectory: null }, log);
  const credentials: Credentials = {
    current: { state: 'given', value: apiKey },
    legacy: { state: 'missing' },
  };
  return {
    services,
    credentials,
    url: currentApiUrl.href,
    usesSandbox: sandbox !== null,
    makeContext: () => createContext(services, { requestId: randomUUID(), credentials }),
    async close() {
      await services.close();
      await sandbox?.close();
    },
  };
}
