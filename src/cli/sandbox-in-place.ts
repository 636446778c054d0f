import type { Config } from '../config.ts';
import { listening } from './failure.ts';

/** A sandbox that replaces the service, in this process. */
export interface OpenSandbox {
  readonly url: string;
  readonly pushUrls: { readonly socketIo: string };
  readonly oauthApp: { readonly clientId: string; readonly clientSecret: string };
  readonly credentials: { readonly apiKey: string; readonly accessToken: string };
  close(): Promise<void>;
}

type SandboxConfig = Pick<Config, 'sandboxPort' | 'sandboxData'>;

/** Opens the sandbox, which is loaded only when needed. */
export async function openSandbox({ sandboxPort, sandboxData }: SandboxConfig): Promise<OpenSandbox> {
  const { startSandbox } = await import('../../packages/sandbox/src/sandbox.ts');
  const sandbox = await listening('SANDBOX_PORT', () =>
    startSandbox({ port: sandboxPort, data: sandboxData }),
  );
  return {
    url: sandbox.url,
    pushUrls: sandbox.pushUrls,
    oauthApp: sandbox.oauthApp,
    credentials: sandbox.owners[0],
    close: () => sandbox.close(),
  };
}

/** Opens the sandbox of a command that often runs beside a server: on another port if that of the settings is in use. */
export async function openOwnSandbox(config: SandboxConfig): Promise<OpenSandbox> {
  try {
    return await openSandbox(config);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EADDRINUSE') throw error;
    return await openSandbox({ ...config, sandboxPort: 0 });
  }
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
