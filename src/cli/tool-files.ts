import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, type Config } from '../config.ts';
import { fileProblem } from '../config/file-problem.ts';
import { createToolbox, type OperationFile, type Toolbox } from '../../packages/mcp/src/tool.ts';
import { OWN_TOOLS } from '../own-files.ts';
import { schema } from '../schema/index.ts';

const ENDING = '.graphql';

/**
 * Loads the tools that assistants may call: those of this package, and those in the operator's folder.
 *
 * @throws ConfigError that names every file that can't be a tool
 */
export async function openToolbox({ mcp }: Pick<Config, 'mcp'>): Promise<Toolbox> {
  const own = await filesIn(OWN_TOOLS);
  const operators = mcp.operations === null ? [] : await operatorsFiles(mcp.operations);
  const { toolbox, problems } = createToolbox([...own, ...operators], schema, mcp);
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `MCP_OPERATIONS: ${problem}`));
  return toolbox;
}

async function operatorsFiles(folder: string): Promise<OperationFile[]> {
  let files: OperationFile[];
  try {
    files = await filesIn(folder);
  } catch (error) {
    const reason = `${JSON.stringify(folder)} cannot be read: ${fileProblem(error) ?? String(error)}`;
    throw new ConfigError([`MCP_OPERATIONS: ${reason}`]);
  }
  if (files.length === 0) throw new ConfigError([`MCP_OPERATIONS: "${folder}" contains no ${ENDING} files`]);
  return files;
}

async function filesIn(folder: string): Promise<OperationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING)).toSorted();
  return await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })),
  );
}
