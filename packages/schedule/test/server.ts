import { startBuiltServer } from '../../../test/support/built-server.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { startBulkSandbox } from './tables.ts';

/** A server in front of a sandbox; it records writes on disk unless `environment` says otherwise. */
export async function startDurableServer(environment: Readonly<Record<string, string>> = {}): Promise<{
  readonly sandbox: Sandbox;
  readonly url: string;
}> {
  const sandbox = await startBulkSandbox();
  const { url } = await startBuiltServer({
    CURRENT_API_URL: sandbox.url,
    DATA_DIR: await temporaryFolder(),
    ...environment,
  });
  return { sandbox, url };
}
