import type { Config } from '../config.ts';
import type { McpOptions } from '../http/mcp.ts';
import { ownVersion } from '../own-files.ts';

/**
 * Loads the configured tools; returns undefined, without loading anything, if none are to be served.
 *
 * @throws ConfigError that names every operation file that can't be a tool
 */
export async function readMcpOptions(config: Pick<Config, 'mcp'>): Promise<McpOptions | undefined> {
  if (!config.mcp.isOn) return undefined;
  const { openToolbox } = await import('./tool-files.ts');
  return { toolbox: await openToolbox(config), version: ownVersion() };
}
