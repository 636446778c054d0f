import { readFile } from 'node:fs/promises';
import { ConfigError, type Config } from '../config.ts';
import { fileProblem } from '../config/file-problem.ts';
import type { PersistedDocuments } from '../http/persisted-documents.ts';
import { decodeText, NOT_TEXT } from './decode-text.ts';
import { readMcpOptions } from './tools.ts';

/**
 * Reads the files that settings of the server name.
 *
 * @throws ConfigError if one cannot be used
 */
export async function readNamedFiles(config: Config) {
  return { documents: await persistedDocuments(config), mcp: await readMcpOptions(config) };
}

async function persistedDocuments({ persistedDocuments: path }: Config): Promise<PersistedDocuments> {
  if (path === null) return new Map();
  try {
    const json = decodeText(await readFile(path));
    if (json === null) throw new Error(`the file ${NOT_TEXT}`);
    const { readPersistedDocuments } = await import('../http/persisted-documents.ts');
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
