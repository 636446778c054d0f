import { readFile } from 'node:fs/promises';
import { openLog, type Log } from '../observability/log.ts';
import type { PersistedDocuments } from '../http/persisted-documents.ts';
import { ConfigError, type Config } from '../config.ts';
import { fileProblem } from '../config/file-problem.ts';
import { bannerOf } from './banner.ts';
import { configFromEnvironment } from './environment.ts';
import { findExplorer } from './explorer.ts';
import { readMcpOptions } from './mcp-options.ts';
import { onSandbox, openSandbox } from './sandbox-in-place.ts';
import { endInOrder } from './signals.ts';
import { FLUSH_MS, startTracing } from './tracing.ts';

/** How long the shutdown may take after the drain delay, in milliseconds: 20 s of it for reads, 70 s for writes. */
const END_MS = 75_000;

/** Serves the graph until the process is stopped; on the sandbox if no address of the service is configured. */
export async function start(): Promise<void> {
  const config = configFromEnvironment();
  const log = openLog(config.logLevel);
  const tracing = await startTracing(process.env, log);
  const documents = await persistedDocuments(config);
  // Loading the graph takes most of the startup time, so problems with the settings are reported first.
  const { createServer } = await import('../server.ts');
  const mcp = await readMcpOptions(config);
  const explorer = config.graphiql ? await findExplorer() : null;
  const sandbox = config.usesSandbox ? await openSandbox(config) : null;
  const server = createServer(sandbox ? onSandbox(config, sandbox) : config, {
    log,
    documents,
    mcp,
    ...(explorer ? { explorer } : {}),
    ...(sandbox ? { explorerCredentials: sandbox.credentials } : {}),
  });
  const close = async (): Promise<void> => {
    await server.close();
    await sandbox?.close();
    await tracing?.close();
  };
  endInOrder(log, { close, withinMs: config.drainDelayMs + END_MS + (tracing ? FLUSH_MS : 0) });
  const address = await server.listen();
  greet(log, address, bannerOf({ address, config, sandbox, hasExplorer: explorer !== null }));
}

// A log read by programs is JSON, one object per line.
function greet(log: Log, address: string, banner: string): void {
  if (process.stdout.isTTY) return void process.stdout.write(banner);
  log.info({ address }, 'listening');
  process.stderr.write(banner);
}

async function persistedDocuments({ persistedDocuments: path }: Config): Promise<PersistedDocuments> {
  if (path === null) return new Map();
  try {
    const json = await readFile(path, 'utf8');
    const { readPersistedDocuments } = await import('../http/persisted-files.ts');
    return readPersistedDocuments(json);
  } catch (error) {
    throw new ConfigError([`PERSISTED_DOCUMENTS: ${reasonOf(error, path)}`]);
  }
}

function reasonOf(error: unknown, path: string): string {
  const problem = fileProblem(error);
  if (problem !== null) return `${JSON.stringify(path)} cannot be read: ${problem}`;
  return error instanceof Error ? error.message : String(error);
}
