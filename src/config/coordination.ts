import { z } from 'zod';
import { duration, redisUrl } from './setting.ts';

/** The Redis through which several processes coordinate. */
export interface RedisSettings {
  /** Its URL, with user and password if it requires them; never logged. */
  readonly url: string;
  /** The key from which callers' names are derived; the same for all processes, and never sent to Redis. */
  readonly secret: string;
  /** How long a command may take before Redis counts as unavailable, in milliseconds. */
  readonly commandTimeoutMs: number;
}

/** What processes share, and where it is stored. */
export interface CoordinationConfig {
  /** Null if the process shares nothing with others. */
  readonly redis: RedisSettings | null;
  /** Folder in which writes with a key are recorded; null if they are recorded in memory or in Redis. */
  readonly dataDirectory: string | null;
  /** Folder in which `watch` records what to deliver, even with Redis; null if there is none. */
  readonly outboxDirectory: string | null;
  /** How long a write with a key is remembered, in milliseconds. */
  readonly writeRetentionMs: number;
}

/** A secret with fewer characters could be guessed. */
const SHORTEST_SECRET = 32;

/** The placeholder used in the example in docs/several-processes. */
const PLACEHOLDER = /^replace-me/i;
const MAKE_SECRET = '"openssl rand -hex 32" generates one; use the same for all processes';

/** Where writes are recorded by default, relative to the working directory. */
const DATA_DIRECTORY = 'data';

/** The environment variables for coordination. */
export const coordinationSettings = {
  DATA_DIR: z
    .string()
    .optional()
    .meta({ unset: `${DATA_DIRECTORY}, or off on the sandbox` })
    .describe(
      'folder that records writes with an idempotency key, so that none is resent after a restart; off: in memory only. With REDIS_URL, only the command watch uses it',
    ),
  WRITE_RETENTION: duration('24h', { least: '1h', most: '720h' }).describe(
    'how long writes with an idempotency key are remembered, such as 24h or 168h (7 days)',
  ),
  REDIS_URL: redisUrl().describe(
    'Redis shared by several processes (redis: or rediss:); requires REDIS_SECRET',
  ),
  REDIS_SECRET: z
    .string()
    .min(SHORTEST_SECRET, `has fewer than ${SHORTEST_SECRET} characters and could be guessed`)
    .refine((secret) => !PLACEHOLDER.test(secret), `is the placeholder of the example; ${MAKE_SECRET}`)
    .optional()
    .describe(
      'at least 32 random characters, the same for all processes; keys the hashes by which Redis identifies callers',
    ),
  REDIS_COMMAND_TIMEOUT: duration('120ms', { least: '10ms', most: '1m' }).describe(
    'timeout of a Redis command, after which Redis counts as unavailable; a write or lookup waits for at most two',
  ),
};

type Values = z.output<z.ZodObject<typeof coordinationSettings>>;

/** Lists problems with them: each requires the other. */
export function coordinationProblems({ REDIS_URL: url, REDIS_SECRET: secret }: Values): string[] {
  if (url !== null && secret === undefined)
    return [`REDIS_SECRET: is required with REDIS_URL; ${MAKE_SECRET}`];
  if (url === null && secret !== undefined) return ['REDIS_URL: is required with REDIS_SECRET'];
  return [];
}

/** Builds the coordination configuration from the variables. */
export function coordinationConfigOf(
  values: Values,
  { usesSandbox }: { readonly usesSandbox: boolean },
): CoordinationConfig {
  const { REDIS_URL: url, REDIS_SECRET: secret, REDIS_COMMAND_TIMEOUT: commandTimeoutMs } = values;
  const { WRITE_RETENTION: writeRetentionMs } = values;
  const { DATA_DIR: directory = usesSandbox ? 'off' : DATA_DIRECTORY } = values;
  const folder = directory === 'off' ? null : directory;
  if (url !== null && secret !== undefined)
    return {
      redis: { url, secret, commandTimeoutMs },
      dataDirectory: null,
      outboxDirectory: folder,
      writeRetentionMs,
    };
  return { redis: null, dataDirectory: folder, outboxDirectory: folder, writeRetentionMs };
}
