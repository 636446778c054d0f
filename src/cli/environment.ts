import { ConfigError, readConfig, settingsHelp, type Config, type Environment } from '../config.ts';
import { isProxyVariable } from '../config/proxy.ts';
import { readDotEnv } from './dot-env.ts';

/**
 * For commands that serve nobody: whatever address HOST contains, nobody can use API_KEY and ACCESS_TOKEN through
 * them.
 */
export const SERVES_NOBODY: Environment = { CLIENT_TOKENS: 'this-command-has-no-callers' };

/** For commands that use the sandbox whatever is configured, and never a real credential on it. */
export const ON_SANDBOX: Environment = {
  SANDBOX: 'on',
  CURRENT_API_URL: '',
  LEGACY_API_URL: '',
  API_KEY: '',
  ACCESS_TOKEN: '',
};

/** True if NODE_ENV was set by this program, so that it says nothing about what the operator wants. */
let isNodeEnvOurs = false;

/**
 * Sets NODE_ENV unless the operator did. Called before any command is loaded: graphql checks it once, and is twice as
 * slow without it.
 */
export function setNodeEnv(): void {
  isNodeEnvOurs = !process.env['NODE_ENV'];
  if (isNodeEnvOurs) process.env['NODE_ENV'] = 'production';
}

/**
 * Reads the configuration from the environment, then from a file named `.env` for unset variables. Throws a ConfigError
 * that names every problem, and one if neither a service nor the sandbox is to be used. Names in the file that are not
 * settings are reported on standard error, except those of proxies and of OpenTelemetry, the latter of which are copied to
 * the environment of the process for its SDK.
 *
 * @param fixed - Settings fixed by the command, which override the environment.
 */
export function configFromEnvironment(fixed: Environment = {}): Config {
  const file = readDotEnv();
  const nodeEnv = isNodeEnvOurs ? { NODE_ENV: file['NODE_ENV'] } : {};
  const config = readConfig({ ...file, ...process.env, ...nodeEnv, ...fixed });
  const known = new Set(settingsHelp().map(({ name }) => name));
  for (const [name, value] of Object.entries(file)) if (isOpenTelemetry(name)) process.env[name] ??= value;
  const unknown = Object.keys(file).filter(
    (name) => !known.has(name) && !isOpenTelemetry(name) && !isProxyVariable(name),
  );
  if (unknown.length > 0)
    process.stderr.write(`.env contains names that are not settings of this server: ${unknown.join(', ')}\n`);
  if (config.usesSandbox && !config.allowsSandbox) throw new ConfigError([NO_SERVICE]);
  return config;
}

const NO_SERVICE =
  'CURRENT_API_URL, LEGACY_API_URL: neither is set. Set one of them, or SANDBOX=on to use the sandbox with sample data; without SANDBOX=on, the sandbox is used only if HOST is a loopback address and NODE_ENV is not production';

function isOpenTelemetry(name: string): boolean {
  return name.startsWith('OTEL_');
}
