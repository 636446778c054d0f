import { ConfigError } from '../../../src/config.ts';
import { schema } from '../../../src/schema/index.ts';
import { OperationFileError, toolOf, type OperationFile, type Tool } from './tool.ts';

/** The tools that assistants may call here, by name. */
export type Toolbox = ReadonlyMap<string, Tool>;

/**
 * Creates tools from operation files; mutations become tools only with `writes`.
 *
 * @throws ConfigError that names every file that can't be a tool, and why
 */
export function createToolbox(
  files: readonly OperationFile[],
  { writes }: { readonly writes: boolean },
): Toolbox {
  const problems: string[] = [];
  const madeOf = new Map<string, string>();
  const toolbox = new Map<string, Tool>();
  for (const file of files) {
    const tool = toolOrProblem(file);
    const other = typeof tool === 'string' ? undefined : madeOf.get(tool.name);
    if (typeof tool === 'string') problems.push(`${file.name}: ${tool}`);
    else if (other !== undefined)
      problems.push(`${file.name}: the tool ${tool.name} is already defined by ${other}`);
    else {
      madeOf.set(tool.name, file.name);
      if (writes || tool.kind !== 'write') toolbox.set(tool.name, tool);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `MCP_OPERATIONS: ${problem}`));
  return toolbox;
}

function toolOrProblem(file: OperationFile): Tool | string {
  try {
    return toolOf(file, schema);
  } catch (error) {
    if (error instanceof OperationFileError) return error.message;
    throw error;
  }
}
