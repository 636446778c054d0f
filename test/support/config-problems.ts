import { ConfigError, readConfig, type Environment } from '../../src/config.ts';

/** The problems of an environment, and the message that holds them. */
export function problemsOf(environment: Environment): {
  readonly problems: readonly string[];
  readonly message: string;
} {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  return { problems: [], message: '' };
}
