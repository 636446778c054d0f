import { z } from 'zod';
import { LOG_LEVELS, type LogLevel } from '../observability/log.ts';
import { choice, duration, isLoopback, onOff, port, whole, whilePrivate } from './setting.ts';

/** How the process listens, what it exposes about itself, and how it shuts down. */
export interface OperationConfig {
  /** Address to listen on. */
  readonly host: string;
  /** Port to listen on; 0 takes a free one. */
  readonly port: number;
  /** Whether GraphiQL is served. */
  readonly graphiql: boolean;
  /** Whether the schema may be read, and errors for misspelt names include suggestions. */
  readonly introspection: boolean;
  /** Whether queries by GET are accepted, from callers that send `graphql-require-preflight` or an equivalent. */
  readonly getQueries: boolean;
  /** Whether responses include their cost in `extensions.cost`. */
  readonly costInExtensions: boolean;
  /** The executor of queries and mutations. */
  readonly executor: 'compiled' | 'graphql-js';
  /** Whether /metrics is served. */
  readonly metrics: boolean;
  /** Path of a file of persisted documents; null for none. */
  readonly persistedDocuments: string | null;
  /** Whether only persisted documents are executed. */
  readonly persistedOnly: boolean;
  /** Maximum number of concurrent operations over HTTP and WebSocket; more are rejected. */
  readonly maxOperations: number;
  /** How long the process's own work may delay its timers before requests are rejected, in milliseconds. */
  readonly overloadDelayMs: number;
  /** How long to report not ready, if readiness is polled, before connections are refused, in milliseconds. */
  readonly drainDelayMs: number;
  /** How long an idle connection is kept open, in milliseconds. */
  readonly keepAliveMs: number;
  readonly logLevel: LogLevel;
  /** Port of the sandbox; 0 takes a free one. */
  readonly sandboxPort: number;
  readonly sandboxData: 'small' | 'large';
}

/** The environment variables for the process. */
export const operationSettings = {
  HOST: z
    .string()
    .default('127.0.0.1')
    // Node takes an IPv6 address without the brackets that it has in a URL.
    .transform((host) => host.replace(/^\[(.*)\]$/, '$1'))
    .describe('address to listen on'),
  PORT: port().default(4000).describe('port to listen on; 0 for any free port'),
  GRAPHIQL: whilePrivate().describe('serve GraphiQL; auto: only if HOST is a loopback address'),
  INTROSPECTION: whilePrivate().describe(
    'allow introspection of the schema; auto: only if HOST is a loopback address',
  ),
  METRICS: whilePrivate().describe('serve /metrics; auto: only if HOST is a loopback address'),
  GET_QUERIES: onOff('off').describe(
    'accept GET queries with the header graphql-require-preflight or one of Apollo’s equivalents',
  ),
  EXECUTOR: choice(['compiled', 'graphql-js'])
    .default('compiled')
    .describe(
      'executor of queries and mutations: compiled (fast) or graphql-js (the reference implementation)',
    ),
  COST_IN_EXTENSIONS: onOff('on').describe(
    'include the cost of an operation in extensions.cost of its response',
  ),
  PERSISTED_DOCUMENTS: z
    .string()
    .optional()
    .describe('JSON file of persisted documents by id, in the format of Relay, codegen or Apollo'),
  PERSISTED_ONLY: onOff('off').describe('execute persisted documents only'),
  MAX_OPERATIONS: whole(1, 1_000_000).default(1_000).describe('maximum number of concurrent operations'),
  OVERLOAD_DELAY: duration('200ms', { least: '10ms', most: '1h' }).describe(
    'event loop delay above which requests are rejected',
  ),
  DRAIN_DELAY: duration('5s', { least: '0s', most: '10m' }).describe(
    'how long /ready returns 503 before a shutdown begins, if anything polls it',
  ),
  KEEP_ALIVE: duration('5s', { least: '1s', most: '10m' }).describe(
    'how long an idle connection is kept open; must be longer than the load balancer’s own idle timeout',
  ),
  LOG_LEVEL: choice(LOG_LEVELS)
    .default('info')
    .describe('log level; the log is JSON lines, or readable lines in a terminal'),
  SANDBOX_PORT: port().default(4001).describe('port of the sandbox; 0 for any free port'),
  SANDBOX_DATA: choice(['small', 'large']).default('small').describe('amount of data in the sandbox'),
};

type Values = z.output<z.ZodObject<typeof operationSettings>>;

/** Lists problems with them. */
export function operationProblems(values: Values): string[] {
  const leavesNothing = values.PERSISTED_ONLY === 'on' && values.PERSISTED_DOCUMENTS === undefined;
  return leavesNothing
    ? ['PERSISTED_ONLY: requires PERSISTED_DOCUMENTS, because nothing could be executed without it']
    : [];
}

/** Builds the process configuration from the variables. */
export function operationConfigOf(values: Values): OperationConfig {
  const isOn = (set: 'auto' | 'on' | 'off'): boolean =>
    set === 'auto' ? isLoopback(values.HOST) : set === 'on';
  return {
    host: values.HOST,
    port: values.PORT,
    graphiql: isOn(values.GRAPHIQL),
    introspection: isOn(values.INTROSPECTION),
    metrics: isOn(values.METRICS),
    getQueries: isOn(values.GET_QUERIES),
    costInExtensions: isOn(values.COST_IN_EXTENSIONS),
    executor: values.EXECUTOR,
    persistedDocuments: values.PERSISTED_DOCUMENTS ?? null,
    persistedOnly: isOn(values.PERSISTED_ONLY),
    maxOperations: values.MAX_OPERATIONS,
    overloadDelayMs: values.OVERLOAD_DELAY,
    drainDelayMs: values.DRAIN_DELAY,
    keepAliveMs: values.KEEP_ALIVE,
    logLevel: values.LOG_LEVEL,
    sandboxPort: values.SANDBOX_PORT,
    sandboxData: values.SANDBOX_DATA,
  };
}
