import { openLog } from '../observability/log.ts';
import { startSandbox } from '../sandbox/sandbox.ts';
import { configFromEnvironment } from './environment.ts';
import { listening } from './failure.ts';
import { endInOrder } from './signals.ts';

/** How long the shutdown may take, in milliseconds. */
const END_MS = 5_000;

/** Serves only the sandbox until the process is stopped. */
export async function sandbox(): Promise<void> {
  const config = configFromEnvironment();
  const service = await listening('SANDBOX_PORT', () =>
    startSandbox({ host: config.host, port: config.sandboxPort, data: config.sandboxData }),
  );
  endInOrder(openLog(config.logLevel), { close: () => service.close(), withinMs: END_MS });
  const owners = service.owners.map(
    ({ name, apiKey, accessToken }) =>
      `${name}\n  x-api-key: ${apiKey}\n  authorization: Bearer ${accessToken}\n`,
  );
  process.stdout.write(`
Sandbox  ${service.url} (in a browser: its credentials, calls and faults)

${owners.join('\n')}
To put the graph in front of it:
  CURRENT_API_URL=${service.url} LEGACY_API_URL=${service.url} npm start

`);
}
