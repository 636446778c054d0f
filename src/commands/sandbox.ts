import { startSandbox } from '../sandbox/sandbox.ts';
import { configFromEnvironment } from './environment.ts';
import { closeOnSignal } from './signals.ts';

/** Serves the sandbox alone until the process is told to end. */
export async function sandbox(): Promise<void> {
  const config = configFromEnvironment();
  if (config === null) return;
  const service = await startSandbox({ port: config.sandboxPort, data: config.sandboxData });
  closeOnSignal(() => service.close());
  const owners = service.owners.map(
    ({ name, apiKey, accessToken }) =>
      `${name}\n  x-api-key: ${apiKey}\n  authorization: Bearer ${accessToken}\n`,
  );
  process.stdout.write(`
Sandbox  ${service.url}

${owners.join('\n')}
To put the graph in front of it:
  CURRENT_API_URL=${service.url} LEGACY_API_URL=${service.url} npm start

`);
}
