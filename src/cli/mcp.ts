import { randomUUID } from 'node:crypto';
import { ConfigError, type Config } from '../config.ts';
import { serveOverStdio, type GraphFor } from '../../packages/mcp/src/server.ts';
import { createGraph } from '../graph.ts';
import { openLocalGraph } from '../local-graph.ts';
import { openLog } from '../observability/log.ts';
import type { Credential, Credentials } from '../operation/credentials.ts';
import { openServices } from '../services.ts';
import { JournalInUse } from '../journal/journal.ts';
import { configFromEnvironment, SERVES_NOBODY } from './environment.ts';
import { onSandbox, openOwnSandbox, type OpenSandbox } from './sandbox-in-place.ts';
import { endInOrder } from './signals.ts';
import { openToolbox } from './tool-files.ts';
import { ownVersion } from '../own-files.ts';

/** How long writes in progress may take to finish, in milliseconds. */
const END_MS = 75_000;
/** How long a call waits for a slow text, in milliseconds; clients time out after a minute. */
const TEXT_WITHIN_MS = 25_000;

/**
 * Serves tools for one assistant on standard input and output, until it closes them or the process is stopped. Standard
 * output carries the protocol only; the log goes to standard error. Assistants often start it twice: while another
 * process holds the data directory, writes with a key are refused, and everything else works.
 */
export async function mcp(): Promise<void> {
  const config = configFromEnvironment(SERVES_NOBODY);
  const toolbox = await openToolbox(config);
  const log = openLog(config.logLevel, (line) => void process.stderr.write(line));
  const sandbox = config.usesSandbox ? await openOwnSandbox(config) : null;
  const credentials = credentialsOf(config, sandbox);
  const services = openServices(remembering(sandbox ? onSandbox(config, sandbox) : config), log);
  await services.tried.catch((error: unknown) => {
    if (!(error instanceof JournalInUse)) throw error;
    log.warn({ reason: error.problems[0] }, 'writes with an idempotency key are refused until this is fixed');
  });
  const parts = { services, graph: createGraph(services) };
  const graphFor: GraphFor = (tool) => {
    const requestId = randomUUID();
    log.debug({ requestId, transport: 'mcp', tool }, 'an assistant called a tool');
    return openLocalGraph(parts, { credentials, requestId: () => requestId });
  };
  const served = {
    toolbox,
    version: ownVersion(),
    isSandbox: sandbox !== null,
    textWithinMs: TEXT_WITHIN_MS,
    onError: (err: Error) => log.warn({ err }, 'an MCP message failed'),
  };
  const serving = serveOverStdio(served, graphFor);
  const end = endInOrder(log, {
    withinMs: END_MS,
    endsWithReader: true,
    close: async () => {
      await serving.close();
      services.endReadings();
      await services.writes.settled();
      await services.close();
      await sandbox?.close();
    },
  });
  void serving.ended.then(() => end(0));
  if (sandbox) process.stderr.write(`No service is configured; the tools use a SANDBOX at ${sandbox.url}\n`);
}

function credentialsOf({ operator }: Config, sandbox: OpenSandbox | null): Credentials {
  const current = operator.apiKey ?? sandbox?.credentials.apiKey ?? null;
  const legacy = operator.accessToken ?? sandbox?.credentials.accessToken ?? null;
  if (current === null && legacy === null)
    throw new ConfigError(['API_KEY: is missing; the tools use it to call the service']);
  return { current: given(current), legacy: given(legacy) };
}

function given(value: string | null): Credential {
  return value === null ? { state: 'missing' } : { state: 'given', value };
}

// Without writes there is nothing to record, so don't open a folder that another process may have locked.
function remembering(config: Config): Config {
  return config.mcp.writes ? config : { ...config, dataDirectory: null };
}
