import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import type { Config } from '../config.ts';
import { openLog } from '../observability/log.ts';
import { configFromEnvironment, ON_SANDBOX } from './environment.ts';
import { endInOrder } from './signals.ts';

/** A sandbox that replaces the service, in this process, and the credentials of its first owner. */
export type OpenSandbox = Sandbox & {
  readonly credentials: Pick<Sandbox['owners'][0], 'apiKey' | 'accessToken'>;
};

/** Opens the sandbox, which is loaded only when needed, at an address of this machine. */
export async function openSandbox(
  { sandboxPort: port, sandboxData: data }: Pick<Config, 'sandboxPort' | 'sandboxData'>,
  host = '127.0.0.1',
): Promise<OpenSandbox> {
  const { startSandbox } = await import('../../packages/sandbox/src/sandbox.ts');
  const opened = await startSandbox({ host, port, data }).catch((error: unknown) => {
    throw error instanceof Error ? Object.assign(error, { setting: 'SANDBOX_PORT' }) : error;
  });
  return { ...opened, credentials: opened.owners[0] };
}

/** Chooses a free port if the configuration leaves it to the system: the demo app must know where to redirect to. */
export async function withPort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const server = createServer().listen(0, config.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return { ...config, port };
}

/** The time zone in which the sandbox reads and writes times. */
const TIME_ZONE = 'UTC';

/** Returns the configuration with the sandbox in place of both surfaces, and of the app that may redirect here. */
export function onSandbox(config: Config, { url, oauthApp, pushUrls, credentials }: OpenSandbox): Config {
  const address = new URL(url);
  // The demo app redirects to no other names than these.
  const host = ['localhost', '::1'].includes(config.host) ? 'localhost' : '127.0.0.1';
  const redirectUris = [`http://${host}:${config.port}/connect/callback`];
  const oauth = config.oauth ?? { ...oauthApp, redirectUris, state: 'strict' };
  const aiSocket = config.aiSocket ?? { url: new URL(pushUrls.socketIo), auth: ['header'] };
  return {
    ...config,
    currentApiUrl: address,
    legacyApiUrl: address,
    serviceTimeZone: config.serviceTimeZone ?? TIME_ZONE,
    demoCredentials: credentials,
    oauth,
    aiSocket,
  };
}

/** How long the shutdown may take, in milliseconds. */
const END_MS = 5_000;

/** Serves only the sandbox until the process is stopped. */
export async function sandbox(): Promise<void> {
  const config = configFromEnvironment(ON_SANDBOX);
  const service = await openSandbox(config, config.host);
  endInOrder(openLog(config.logLevel), { close: () => service.close(), withinMs: END_MS });
  const owners = service.owners.map(
    ({ name, apiKey, accessToken }) =>
      `${name}\n  x-api-key: ${apiKey}\n  authorization: Bearer ${accessToken}\n`,
  );
  // The server accepts plain http on loopback only.
  const address = service.url.replace(/(?<=\/\/)(?:0\.0\.0\.0|\[::\])(?=:)/, '127.0.0.1');
  process.stdout.write(`
Sandbox  ${service.url} (open it in a browser for its credentials, endpoints and faults)

${owners.join('\n')}
To start the server with it:
  CURRENT_API_URL=${address} LEGACY_API_URL=${address} npm start

`);
}
