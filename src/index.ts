/**
 * The server as a part of another program; the command line is made of the same.
 *
 * Set NODE_ENV to `production` before anything of this is loaded: graphql looks at it once, and is twice as slow without.
 */
export {
  ConfigError,
  readConfig,
  settingsHelp,
  type Config,
  type Environment,
  type SettingHelp,
} from './config.ts';
export { LOG_LEVELS, openLog, type Log, type LogLevel } from './observability/log.ts';
export { startSandbox, type Sandbox, type SandboxOptions } from './sandbox/sandbox.ts';
export { printedSchema, schema } from './schema/index.ts';
export type { PersistedDocuments } from './http/persisted-documents.ts';
export { readPersistedDocuments } from './http/persisted-files.ts';
export { findExplorer } from './cli/explorer.ts';
export { readMcpOptions } from './cli/mcp-options.ts';
export { createServer, type GraphqlServer, type ServerOptions } from './server.ts';
