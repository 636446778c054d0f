import { readFile } from 'node:fs/promises';
import { openLog } from '../observability/log.ts';
import { readPersistedDocuments, type PersistedDocuments } from '../http/persisted-documents.ts';
import type { ReadExplorer } from '../http/explorer/files.ts';
import { createServer } from '../server.ts';
import { ConfigError, type Config } from '../config.ts';
import { configFromEnvironment } from './environment.ts';
import { findExplorer } from './explorer.ts';
import { onSandbox, openSandbox, type OpenSandbox } from './sandbox-in-place.ts';
import { endInOrder } from './signals.ts';

/** How long the end may take once readiness has said no for long enough, in milliseconds: requests have 20 seconds of it. */
const END_MS = 22_000;

const NOT_BUILT = 'not built; "npm run build" makes it';

/** Serves the graph until the process is told to end; on the sandbox when no address of the service is configured. */
export async function start(): Promise<void> {
  const config = configFromEnvironment();
  const log = openLog(config.logLevel);
  const documents = await persistedDocuments(config);
  const explorer = config.graphiql ? await findExplorer() : null;
  const sandbox = config.usesSandbox ? await openSandbox(config) : null;
  const server = createServer(sandbox ? onSandbox(config, sandbox) : config, {
    log,
    documents,
    ...(explorer ? { explorer } : {}),
    ...(sandbox ? { explorerCredentials: sandbox.credentials } : {}),
  });
  const close = async (): Promise<void> => {
    await server.close();
    await sandbox?.close();
  };
  endInOrder(log, { close, withinMs: config.drainDelayMs + END_MS });
  const address = await server.listen();
  process.stdout.write(welcome(address, { config, sandbox, explorer }));
}

async function persistedDocuments({ persistedDocuments: path }: Config): Promise<PersistedDocuments> {
  if (path === null) return new Map();
  try {
    return readPersistedDocuments(await readFile(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`PERSISTED_DOCUMENTS: ${reason}`]);
  }
}

interface Started {
  readonly config: Config;
  readonly sandbox: OpenSandbox | null;
  readonly explorer: ReadExplorer | null;
}

function welcome(address: string, { config, sandbox, explorer }: Started): string {
  const { apiKey, accessToken } = sandbox?.credentials ?? {
    apiKey: 'YOUR-API-KEY',
    accessToken: 'YOUR-ACCESS-TOKEN',
  };
  const query = '{"query":"{ accounts(first: 3) { totalCount nodes { displayName network } } }"}';
  const where = [
    `GraphQL   ${address}/graphql`,
    ...(config.graphiql ? [`GraphiQL  ${explorer ? `${address}/graphql (in a browser)` : NOT_BUILT}`] : []),
    ...(sandbox ? [`Sandbox   ${sandbox.url} (stands in for the service; its data is made up)`] : []),
  ];
  return `
${where.join('\n')}

Send ${config.clientTokens.length > 0 ? 'one of the CLIENT_TOKENS as x-client-token, and ' : ''}one or both of these headers:
  x-api-key: ${apiKey}
  authorization: Bearer ${accessToken}

Try:
  curl -s ${address}/graphql -H 'content-type: application/json' -H 'x-api-key: ${apiKey}' -d '${query}'

`;
}
