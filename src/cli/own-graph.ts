import { ConfigError, type Config } from '../config.ts';
import { createGraph } from '../graph.ts';
import { openLocalGraph, type LocalGraph } from '../local-graph.ts';
import type { Log } from '../observability/log.ts';
import type { Credential, Credentials } from '../operation/credentials.ts';
import { openServices, type Services } from '../services.ts';
import { onSandbox, openSandbox, type OpenSandbox } from './sandbox.ts';

/** The graph in this process, for a command that uses the operator's credentials. */
interface OwnGraph {
  readonly graph: LocalGraph;
  readonly services: Services;
  /** Ends what is being read, waits for writes that were sent, and closes everything. */
  close(): Promise<void>;
}

/**
 * Opens the graph with the operator's credentials, in front of the service or of a sandbox in its place.
 *
 * @throws ConfigError if there are none
 */
export async function openOwnGraph(config: Config, log: Log): Promise<OwnGraph> {
  const place = await placeOf(config);
  const { apiKey, accessToken } = place.config.operator;
  if (apiKey === null && accessToken === null)
    throw new ConfigError(['API_KEY: is missing; the tools use it to call the service']);
  return open(place, { current: credentialOf(apiKey), legacy: credentialOf(accessToken) }, log);
}

/**
 * Opens the graph with the operator's key alone, in front of the current surface.
 *
 * @throws ConfigError if one of them is missing
 */
export async function openCurrentGraph(
  config: Config,
  log: Log,
): Promise<OwnGraph & { readonly currentApiUrl: URL }> {
  const place = await placeOf(config);
  const { currentApiUrl, operator } = place.config;
  if (operator.apiKey === null || currentApiUrl === null)
    throw new ConfigError([
      ...(operator.apiKey === null ? ['API_KEY: is missing; this command uses it to call the service'] : []),
      ...(currentApiUrl === null
        ? ['CURRENT_API_URL: is missing; this command needs the current surface']
        : []),
    ]);
  const credentials = { current: credentialOf(operator.apiKey), legacy: credentialOf(null) };
  return { ...open(place, credentials, log), currentApiUrl };
}

/** A configuration, with the sandbox and its credentials in place of what is not configured. */
interface Place {
  readonly config: Config;
  readonly sandbox: OpenSandbox | null;
}

/** Opens a sandbox if no service is configured, on a free port: a server may be using that of the settings. */
export async function placeOf(config: Config): Promise<Place> {
  if (!config.usesSandbox) return { config, sandbox: null };
  const sandbox = await openSandbox({ ...config, sandboxPort: 0 });
  process.stderr.write(
    `No service is configured; using a SANDBOX at ${sandbox.url} that ends with this command.\n`,
  );
  const { apiKey, accessToken } = config.operator;
  const operator = {
    apiKey: apiKey ?? sandbox.credentials.apiKey,
    accessToken: accessToken ?? sandbox.credentials.accessToken,
  };
  return { config: { ...onSandbox(config, sandbox), operator }, sandbox };
}

function open({ config, sandbox }: Place, credentials: Credentials, log: Log): OwnGraph {
  const services = openServices(config, log);
  return {
    graph: openLocalGraph({ services, graph: createGraph(services) }, { credentials }),
    services,
    async close() {
      services.endReadings();
      await services.close();
      await sandbox?.close();
    },
  };
}

/** Returns a credential of the operator's, if it is set. */
export function credentialOf(value: string | null): Credential {
  return value === null ? { state: 'missing' } : { state: 'given', value };
}
