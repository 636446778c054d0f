import { readConfig, settingsHelp, type Config, type Environment } from '../config.ts';
import { readDotEnv } from './dot-env.ts';

/**
 * For commands that serve nobody: whatever address HOST contains, nobody can use API_KEY and ACCESS_TOKEN through
 * them.
 */
export const SERVES_NOBODY: Environment = { HOST: '127.0.0.1' };

/**
 * Reads the configuration from the environment, then from a file named `.env` for unset variables. Throws a ConfigError
 * that names every problem. Names in the file that are not settings are reported on standard error, except those of
 * OpenTelemetry, which are copied to the environment of the process for its SDK.
 *
 * @param fixed - Settings fixed by the command, which override the environment.
 */
export function configFromEnvironment(fixed: Environment = {}): Config {
  const file = readDotEnv();
  const config = readConfig({ ...file, ...process.env, ...fixed });
  const known = new Set(settingsHelp().map(({ name }) => name));
  for (const [name, value] of Object.entries(file)) if (isOpenTelemetry(name)) process.env[name] ??= value;
  const unknown = Object.keys(file).filter((name) => !known.has(name) && !isOpenTelemetry(name));
  if (unknown.length > 0)
    process.stderr.write(`.env contains names that are not settings of this server: ${unknown.join(', ')}\n`);
  return config;
}

function isOpenTelemetry(name: string): boolean {
  return name.startsWith('OTEL_');
}
