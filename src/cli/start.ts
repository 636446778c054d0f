import { openLog, type Log } from '../observability/log.ts';
import type { Config } from '../config.ts';
import { findDesk, findExplorer } from './built-pages.ts';
import { configFromEnvironment } from './environment.ts';
import { readNamedFiles } from './named-files.ts';
import { onSandbox, openSandbox, withPort } from './sandbox.ts';
import { endInOrder } from './signals.ts';
import { FLUSH_MS, startTracing } from './tracing.ts';

/** How long the shutdown may take after the drain delay, in milliseconds: 20 s of it for reads, 70 s for writes. */
const END_MS = 75_000;

/** Serves the graph until the process is stopped; on the sandbox if no address of the service is configured. */
export async function start(): Promise<void> {
  const config = configFromEnvironment();
  const log = openLog(config.logLevel);
  const tracing = await startTracing(process.env, log);
  const files = await readNamedFiles(config);
  // Loading the graph takes most of the startup time, so problems with the settings are reported first.
  const { createServer } = await import('../server.ts');
  const sandbox = config.usesSandbox ? await openSandbox(config) : null;
  const served = sandbox ? onSandbox(await withPort(config), sandbox) : config;
  const server = createServer(served, {
    log,
    ...files,
    explorer: findExplorer(),
    desk: findDesk(),
    sandbox,
  });
  const close = async (): Promise<void> => {
    await server.close();
    await sandbox?.close();
    await tracing?.close();
  };
  endInOrder(log, { close, withinMs: config.drainDelayMs + END_MS + (tracing ? FLUSH_MS : 0) });
  const address = await server.listen();
  const sandboxUrl = sandbox?.url ?? null;
  greet(log, address, bannerOf({ address, config: served, sandboxUrl }));
}

// A log read by programs is JSON, one object per line.
function greet(log: Log, address: string, banner: string): void {
  if (process.stdout.isTTY) return void process.stdout.write(banner);
  log.info({ address }, 'listening');
  process.stderr.write(banner);
}

/** The facts about a started server that the banner shows. */
interface Started {
  /** The address it listens on, without a trailing slash. */
  readonly address: string;
  /** With the sandbox in the place of the service, if it uses it. */
  readonly config: Config;
  readonly sandboxUrl: string | null;
}

/** Builds the text printed after startup: where everything is, which service is used, and a command to try. */
export function bannerOf(started: Started): string {
  const { address, config } = started;
  const lines: readonly (readonly [name: string, text: string])[] = [
    ['GraphQL', `${address}/graphql`],
    ['Desk', config.desk ? inBrowser(`${address}/`) : offBy('DESK')],
    ['GraphiQL', config.graphiql ? inBrowser(`${address}/graphql`) : offBy('GRAPHIQL')],
    ...(config.mcp.isOn ? [['MCP', `${address}/mcp${config.mcp.writes ? '' : READS_ONLY}`] as const] : []),
    ...serviceOf(started),
    ...(config.introspection ? [] : [['Schema', `introspection is ${offBy('INTROSPECTION')}`] as const]),
    ...(remembersInMemory(config) ? [['Keys', MEMORY_ONLY] as const] : []),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  const where = lines.map(([name, text]) => `${name.padEnd(width)}  ${text}`);
  return `\n${where.join('\n')}\n\n${toSend(started)}\n`;
}

const READS_ONLY = ' (read-only; MCP_WRITES=on adds writes)';
const offBy = (setting: string): string =>
  `off; ${setting}=on enables it (auto: only if HOST is a loopback address)`;
const inBrowser = (address: string): string => `${address} (in a browser)`;

function serviceOf({ config, sandboxUrl }: Started): (readonly [string, string])[] {
  if (sandboxUrl !== null)
    return [['Service', `SANDBOX at ${sandboxUrl}: simulates the service with sample data`]];
  const { currentApiUrl, legacyApiUrl } = config;
  return [
    ['Service', `current surface: ${currentApiUrl?.href ?? 'not configured (CURRENT_API_URL)'}`],
    ['Service', `legacy surface: ${legacyApiUrl?.href ?? 'not configured (LEGACY_API_URL)'}`],
  ];
}

const MEMORY_ONLY =
  'DATA_DIR is off: idempotency keys are lost on restart, so a repeated write would be sent again';

// On the sandbox that is fine: its posts are lost on restart as well.
function remembersInMemory({ dataDirectory, redis, usesSandbox }: Config): boolean {
  return dataDirectory === null && redis === null && !usesSandbox;
}

const QUERY = '{"query":"{ accounts(first: 3) { totalCount nodes { displayName network } } }"}';

/** Lists the headers that callers must send, and a query to try them with. */
function toSend({ address, config }: Started): string {
  const headers = headersOf(config);
  const [first] = headers;
  const shown = first ? ` -H '${first}'` : '';
  const token = config.clientTokens.length > 0 ? " -H 'x-client-token: ONE-OF-CLIENT_TOKENS'" : '';
  const asked = [
    ...(token ? ['x-client-token: one of the CLIENT_TOKENS'] : []),
    ...(headers.length > 1 ? [`one or both of:\n  ${headers.join('\n  ')}`] : headers),
  ];
  return `${asked.length > 0 ? `Send ${asked.join('; and ')}\n\n` : ''}Try:
  curl -s ${address}/graphql -H 'content-type: application/json'${shown}${token} -d '${QUERY}'
`;
}

const PLACEHOLDERS = { apiKey: 'YOUR-API-KEY', accessToken: 'YOUR-ACCESS-TOKEN' };

/** Lists the headers of configured surfaces for which the operator has set no credential. */
function headersOf({ currentApiUrl, legacyApiUrl, operator, demoCredentials }: Config): string[] {
  const { apiKey, accessToken } = demoCredentials ?? PLACEHOLDERS;
  return [
    ...(currentApiUrl !== null && operator.apiKey === null ? [`x-api-key: ${apiKey}`] : []),
    ...(legacyApiUrl !== null && operator.accessToken === null
      ? [`authorization: Bearer ${accessToken}`]
      : []),
  ];
}
