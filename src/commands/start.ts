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
  const server = createServer(sandbox ? onSandbox(config, sandbox) : config, {
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

// The sandbox stands in for both surfaces, and knows an app that may lead back here.
function onSandbox(config: Config, { url, oauthApp }: OpenSandbox): Config {
  const address = new URL(url);
  const redirectUris = [`http://${config.host}:${config.port}/connect/callback`];
  const oauth = config.oauth ?? { ...oauthApp, redirectUris, state: 'strict' };
  return { ...config, currentApiUrl: address, legacyApiUrl: address, oauth };
}

interface OpenSandbox {
  readonly url: string;
  readonly oauthApp: { readonly clientId: string; readonly clientSecret: string };
  readonly credentials: { readonly apiKey: string; readonly accessToken: string };
  close(): Promise<void>;
}

async function openSandbox({ sandboxPort, sandboxData }: Config): Promise<OpenSandbox> {
  const { startSandbox } = await import('../sandbox/sandbox.ts');
  const sandbox = await startSandbox({ port: sandboxPort, data: sandboxData });
  return {
    url: sandbox.url,
    oauthApp: sandbox.oauthApp,
    credentials: sandbox.owners[0],
    close: () => sandbox.close(),
  };
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
