import type { Config } from '../config.ts';
import type { McpOptions } from '../http/mcp.ts';
import { ownVersion } from './version.ts';

/**
 * The tools that the configuration asks for; undefined where none are to be served. They are loaded only then.
 *
 * @throws ConfigError that names every operation file that can't be a tool
 */
export async function readMcpOptions(config: Pick<Config, 'mcp'>): Promise<McpOptions | undefined> {
  if (!config.mcp.isOn) return undefined;
  const { openToolbox } = await import('./tool-files.ts');
  return { toolbox: await openToolbox(config), version: ownVersion() };
}
