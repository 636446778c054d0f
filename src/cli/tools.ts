import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, type Config } from '../config.ts';
import { reasonOf } from '../config/file-problem.ts';
import type { OperationFile, Toolbox } from '../../packages/mcp/src/tool.ts';
import type { McpOptions } from '../http/mcp.ts';
import { OWN_TOOLS, ownVersion } from '../own-files.ts';
import { decodeText } from './decode-text.ts';

const ENDING = '.graphql';

/**
 * Loads the configured tools; returns undefined, without loading anything, if none are to be served.
 *
 * @throws ConfigError that names every operation file that can't be a tool
 */
export async function readMcpOptions(config: Pick<Config, 'mcp'>): Promise<McpOptions | undefined> {
  if (!config.mcp.isOn) return undefined;
  return { toolbox: await openToolbox(config), version: ownVersion() };
}

/**
 * Loads the tools that assistants may call: those of this package, and those in the operator's folder.
 *
 * @throws ConfigError that names every file that can't be a tool
 */
export async function openToolbox({ mcp }: Pick<Config, 'mcp'>): Promise<Toolbox> {
  const own = await filesIn(OWN_TOOLS);
  const operators = mcp.operations === null ? [] : await operatorsFiles(mcp.operations);
  const [{ createToolbox }, { schema }] = await Promise.all([
    import('../../packages/mcp/src/tool.ts'),
    import('../schema/index.ts'),
  ]);
  const { toolbox, problems } = createToolbox([...own, ...operators], schema, mcp);
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `MCP_OPERATIONS: ${problem}`));
  return toolbox;
}

async function operatorsFiles(folder: string): Promise<OperationFile[]> {
  const files = await filesIn(folder).catch((error: unknown) => {
    throw new ConfigError([`MCP_OPERATIONS: ${JSON.stringify(folder)} cannot be read: ${reasonOf(error)}`]);
  });
  if (files.length === 0) throw new ConfigError([`MCP_OPERATIONS: "${folder}" contains no ${ENDING} files`]);
  return files;
}

async function filesIn(folder: string): Promise<OperationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING)).toSorted();
  return await Promise.all(
    names.map(async (name) => ({ name, text: decodeText(await readFile(join(folder, name)), name) })),
  );
}
