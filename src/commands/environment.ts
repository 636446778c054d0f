import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError, readConfig, type Config, type Environment } from '../config.ts';

/** The process's configuration: its environment, and what that leaves open from a file named `.env`. */
export function configFromEnvironment(): Config | null {
  try {
    return readConfig({ ...dotEnv(), ...process.env });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
    return null;
  }
}

function dotEnv(): Environment {
  try {
    return { ...parseEnv(readFileSync('.env', 'utf8')) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}
