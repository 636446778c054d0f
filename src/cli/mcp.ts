import { serveOverStdio } from '../../packages/mcp/src/server.ts';
import { JournalInUse } from '../journal/journal.ts';
import { openLog } from '../observability/log.ts';
import { ownVersion } from '../own-files.ts';
import { configFromEnvironment, SERVES_NOBODY } from './environment.ts';
import { openOwnGraph } from './own-graph.ts';
import { endInOrder } from './signals.ts';
import { openToolbox } from './tools.ts';

/** How long writes in progress may take to finish, in milliseconds. */
const END_MS = 75_000;

/**
 * Serves tools for one assistant on standard input and output, until it closes them or the process is stopped. Standard
 * output carries the protocol only; the log goes to standard error. Assistants often start it twice: while another
 * process holds the data directory, writes with a key are refused, and everything else works.
 */
export async function mcp(): Promise<void> {
  const config = configFromEnvironment(SERVES_NOBODY);
  const toolbox = await openToolbox(config);
  const log = openLog(config.logLevel, (line) => void process.stderr.write(line));
  // Without writes there is nothing to record, so don't open a folder that another process may have locked.
  const dataDirectory = config.mcp.writes ? config.dataDirectory : null;
  const own = await openOwnGraph({ ...config, dataDirectory }, log);
  await own.services.tried.catch((error: unknown) => {
    if (!(error instanceof JournalInUse)) throw error;
    log.warn({ reason: error.problems[0] }, 'writes with an idempotency key are refused until this is fixed');
  });
  const served = {
    toolbox,
    version: ownVersion(),
    isSandbox: config.usesSandbox,
    onError: (err: Error) => log.warn({ err }, 'an MCP message failed'),
  };
  const serving = serveOverStdio(served, own.graph);
  const end = endInOrder(log, {
    withinMs: END_MS,
    endsWithReader: true,
    close: async () => {
      await serving.close();
      await own.close();
    },
  });
  void serving.ended.then(() => end(0));
}
