import { readFile } from 'node:fs/promises';
import { ConfigError, type Config } from '../config.ts';
import { reasonOf } from '../config/file-problem.ts';
import type { PersistedDocuments } from '../http/persisted-documents.ts';
import { decodeText } from './decode-text.ts';
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
    const json = decodeText(await readFile(path), 'the file');
    const { readPersistedDocuments } = await import('../http/persisted-documents.ts');
    return readPersistedDocuments(json);
  } catch (error) {
    throw new ConfigError([`PERSISTED_DOCUMENTS: ${JSON.stringify(path)}: ${reasonOf(error)}`]);
  }
}
