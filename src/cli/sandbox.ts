import { openLog } from '../observability/log.ts';
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts';
import { configFromEnvironment, ON_SANDBOX } from './environment.ts';
import { listening } from './failure.ts';
import { endInOrder } from './signals.ts';

/** How long the shutdown may take, in milliseconds. */
const END_MS = 5_000;

/** Serves only the sandbox until the process is stopped. */
export async function sandbox(): Promise<void> {
  const config = configFromEnvironment(ON_SANDBOX);
  const service = await listening('SANDBOX_PORT', () =>
    startSandbox({ host: config.host, port: config.sandboxPort, data: config.sandboxData }),
  );
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
