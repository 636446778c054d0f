/**
 * The server as a library for other programs; the command line uses the same parts.
 *
 * Set NODE_ENV to `production` before loading any of this: graphql checks it once, and is twice as slow without it.
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
export { startSandbox, type Sandbox, type SandboxOptions } from '../packages/sandbox/src/sandbox.ts';
export { printedSchema, schema } from './schema/index.ts';
export type { PersistedDocuments } from './http/persisted-documents.ts';
export { readPersistedDocuments } from './http/persisted-documents.ts';
export { findDesk, findExplorer } from './cli/built-pages.ts';
export { readMcpOptions } from './cli/tools.ts';
export { createServer, type GraphqlServer, type ServerOptions } from './server.ts';
