import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError, readConfig, type Config, type Environment } from '../config.ts';

/**
 * The process's configuration: its environment, and what that leaves open from a file named `.env`. Throws a ConfigError
 * that names every problem.
 */
export function configFromEnvironment(): Config {
  return readConfig({ ...dotEnv(), ...process.env });
}

function dotEnv(): Environment {
  try {
    return { ...parseEnv(readFileSync('.env', 'utf8')) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`.env: ${reason}`]);
  }
}
