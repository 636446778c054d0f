import { z } from 'zod';
import { LOG_LEVELS, type LogLevel } from '../observability/log.ts';
import { choice, duration, isLoopback, onOff, port, whole, whilePrivate } from './setting.ts';

/** How the process listens, what it shows of itself, and how it ends. */
export interface OperationConfig {
  /** Address to listen on. */
  readonly host: string;
  /** Port to listen on; 0 takes a free one. */
  readonly port: number;
  /** Whether GraphiQL is served. */
  readonly graphiql: boolean;
  /** Whether the schema may be read, and misspelt names are answered with suggestions. */
  readonly introspection: boolean;
  /** Whether queries by GET are answered, to callers that send `graphql-require-preflight` or the like. */
  readonly getQueries: boolean;
  /** Whether an answer says in `extensions.cost` what it cost. */
  readonly costInExtensions: boolean;
  /** What executes queries and mutations. */
  readonly executor: 'compiled' | 'graphql-js';
  /** Whether /metrics is served. */
  readonly metrics: boolean;
  /** Path of a file of persisted documents; null for none. */
  readonly persistedDocuments: string | null;
  /** Whether nothing but persisted documents is executed. */
  readonly persistedOnly: boolean;
  /** Operations over HTTP and WebSocket that are executed at once; more are refused. */
  readonly maxOperations: number;
  /** For how long the process's own work may hold up its timers before requests are turned away, in milliseconds. */
  readonly overloadDelayMs: number;
  /** How long readiness is down before connections are no longer taken, where somebody asks for it, in milliseconds. */
  readonly drainDelayMs: number;
  /** How long a connection that nothing happens on is kept, in milliseconds. */
  readonly keepAliveMs: number;
  readonly logLevel: LogLevel;
  /** Port of the sandbox; 0 takes a free one. */
  readonly sandboxPort: number;
  readonly sandboxData: 'small' | 'large';
}

/** The variables of the environment about the process. */
export const operationSettings = {
  HOST: z.string().default('127.0.0.1').describe('address to listen on'),
  PORT: port().default(4000).describe('port to listen on; 0 takes a free one'),
  GRAPHIQL: whilePrivate().describe('serve GraphiQL; auto: while listening on loopback only'),
  INTROSPECTION: whilePrivate().describe('let the schema be read; auto: while listening on loopback only'),
  METRICS: whilePrivate().describe('serve /metrics; auto: while listening on loopback only'),
  GET_QUERIES: onOff('off').describe(
    'answer queries by GET to callers that send graphql-require-preflight, or the like of Apollo’s',
  ),
  EXECUTOR: choice(['compiled', 'graphql-js'])
    .default('compiled')
    .describe('what executes queries and mutations: compiled (fast), or graphql-js (the reference)'),
  COST_IN_EXTENSIONS: onOff('on').describe('tell with each answer what it cost, in extensions.cost'),
  PERSISTED_DOCUMENTS: z
    .string()
    .optional()
    .describe('JSON file of documents by their ids, to be called by id: Relay’s, codegen’s or Apollo’s'),
  PERSISTED_ONLY: onOff('off').describe('execute nothing but persisted documents'),
  MAX_OPERATIONS: whole(1, 1_000_000).default(1_000).describe('operations executed at once'),
  OVERLOAD_DELAY: duration('200ms', { least: '10ms', most: '1h' }).describe(
    'for how long its own work may hold up the process before requests are turned away',
  ),
  DRAIN_DELAY: duration('5s', { least: '0s', most: '10m' }).describe(
    'how long /ready says no before the end begins, if anybody asks it',
  ),
  KEEP_ALIVE: duration('5s', { least: '1s', most: '10m' }).describe(
    'how long an unused connection is kept; longer than a balancer in front keeps its own',
  ),
  LOG_LEVEL: choice(LOG_LEVELS)
    .default('info')
    .describe('how much to log on standard output: as JSON lines, in a terminal as lines for people'),
  SANDBOX_PORT: port().default(4001).describe('port of the sandbox; 0 takes a free one'),
  SANDBOX_DATA: choice(['small', 'large']).default('small').describe('how much the sandbox holds'),
};

type Values = z.output<z.ZodObject<typeof operationSettings>>;

/** What is wrong with them. */
export function operationProblems(values: Values): string[] {
  const leavesNothing = values.PERSISTED_ONLY === 'on' && values.PERSISTED_DOCUMENTS === undefined;
  return leavesNothing ? ['PERSISTED_ONLY: leaves nothing to execute without PERSISTED_DOCUMENTS'] : [];
}

/** What the variables say of the process. */
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
