import { openLog } from '../log.ts';
import { createServer } from '../server.ts';
import type { Config } from '../config.ts';
import { configFromEnvironment } from './environment.ts';
import { closeOnSignal } from './signals.ts';

/** Serves the graph until the process is told to end; on the sandbox when no address of the service is configured. */
export async function start(): Promise<void> {
  const config = configFromEnvironment();
  if (config === null) return;
  const sandbox = config.usesSandbox ? await openSandbox(config) : null;
  const url = sandbox && new URL(sandbox.url);
  const server = createServer(url ? { ...config, currentApiUrl: url, legacyApiUrl: url } : config, {
    log: openLog(config.logLevel),
    ...(sandbox ? { explorerCredentials: sandbox.credentials } : {}),
  });
  const address = await server.listen();
  closeOnSignal(async () => {
    await server.close();
    await sandbox?.close();
  });
  process.stdout.write(welcome(address, config, sandbox));
}

interface OpenSandbox {
  readonly url: string;
  readonly credentials: { readonly apiKey: string; readonly accessToken: string };
  close(): Promise<void>;
}

async function openSandbox({ sandboxPort, sandboxData }: Config): Promise<OpenSandbox> {
  const { startSandbox } = await import('../sandbox/sandbox.ts');
  const sandbox = await startSandbox({ port: sandboxPort, data: sandboxData });
  return { url: sandbox.url, credentials: sandbox.owners[0], close: () => sandbox.close() };
}

function welcome(address: string, config: Config, sandbox: OpenSandbox | null): string {
  const { apiKey, accessToken } = sandbox?.credentials ?? {
    apiKey: 'YOUR-API-KEY',
    accessToken: 'YOUR-ACCESS-TOKEN',
  };
  const query = '{"query":"{ accounts(first: 3) { totalCount nodes { displayName network } } }"}';
  const where = [
    `GraphQL   ${address}/graphql`,
    ...(config.graphiql ? [`GraphiQL  ${address}/graphql (in a browser)`] : []),
    ...(sandbox ? [`Sandbox   ${sandbox.url} (stands in for the service; its data is made up)`] : []),
  ];
  return `
${where.join('\n')}

Send one or both of these headers:
  x-api-key: ${apiKey}
  authorization: Bearer ${accessToken}

Try:
  curl -s ${address}/graphql -H 'content-type: application/json' -H 'x-api-key: ${apiKey}' -d '${query}'

`;
}
