import { z } from 'zod';
import { baseUrl, choice, duration, isLoopback, onOff, timeZone, whilePrivate, whole } from './setting.ts';

/** Limits on calls to the service. */
export interface CallLimits {
  /** Concurrent calls to one surface, for all callers. */
  readonly calls: number;
  /** Concurrent calls to one surface for one caller, so that no caller can use all of them. */
  readonly callsPerCaller: number;
  /** Maximum number of attempts of one read, including the first. */
  readonly attempts: number;
  /** Fewer calls than this within ten seconds are too few to judge a surface. */
  readonly minCalls: number;
  /** How long calls to a failing surface are paused at first, in milliseconds. */
  readonly pauseMs: number;
}

/** The addresses of the service, and how it is called. */
export interface ServiceConfig {
  /** Base URL of the current surface; null if it is not configured. */
  readonly currentApiUrl: URL | null;
  /** Base URL of the legacy surface, without `/oauth`; null if it is not configured. */
  readonly legacyApiUrl: URL | null;
  /** True if neither surface is configured: the embedded sandbox takes their place. */
  readonly usesSandbox: boolean;
  /** Whether the sandbox may do so, rather than that the start stops. */
  readonly allowsSandbox: boolean;
  /** Credentials that are named to callers whose own are missing, because the sandbox accepts them; null without it. */
  readonly demoCredentials: { readonly apiKey: string; readonly accessToken: string } | null;
  readonly legacyTokenPlacement: 'header' | 'body' | 'query';
  /** Whether calls to the current surface carry the caller's access token as well as the key. */
  readonly currentSendsAccessToken: boolean;
  /** Largest page requested from the current surface, in records. */
  readonly currentMaxPageSize: number;
  /** IANA name of the time zone of the service's wall-clock times; null if not configured. */
  readonly serviceTimeZone: string | null;
  /** How the legacy surface expects `true` in a form. */
  readonly legacyTrue: '1' | 'true';
  readonly calls: CallLimits;
  /** Whether the queue or the AI history is read before a post or a text with a key. */
  readonly readsBeforeWrites: boolean;
  /** How long a reading of the queue serves the caller's next validations of posts, in milliseconds; 0 for not at all. */
  readonly validationReuseMs: number;
  /** How long the reads of one operation may take in total, in milliseconds. */
  readonly operationTimeoutMs: number;
  /** Whether calls carry `traceparent` and `tracestate`, so that the service can see their trace. */
  readonly propagatesTrace: boolean;
}

/** The environment variables for the service. */
export const serviceSettings = {
  CURRENT_API_URL: baseUrl().describe('base URL of the current surface (API key)'),
  LEGACY_API_URL: baseUrl().describe('base URL of the legacy surface (access token), without /oauth'),
  SANDBOX: whilePrivate().describe(
    'use the sandbox, with sample data, if no service is configured; auto: only if HOST is a loopback address and NODE_ENV is not production',
  ),
  NODE_ENV: z.string().optional().describe('production: use the sandbox only with SANDBOX=on'),
  LEGACY_TOKEN_PLACEMENT: choice(['header', 'body', 'query'])
    .default('header')
    .describe('where to send the access token; body falls back to header for GET requests'),
  LEGACY_TRUE: choice(['1', 'true']).default('1').describe('how the legacy surface spells "true" in a form'),
  CURRENT_SENDS_ACCESS_TOKEN: onOff('off').describe(
    'also send the access token to the current surface, for callers that send both credentials',
  ),
  CURRENT_MAX_PAGE_SIZE: whole(1, 1_000)
    .default(100)
    .describe('maximum page size to request from the current surface'),
  SERVICE_TIME_ZONE: timeZone().describe(
    'time zone of the service’s wall-clock times, such as Europe/Paris; undocumented by the service',
  ),
  READ_BEFORE_WRITES: onOff('off').describe(
    'before a write with an idempotency key, read the queue (posts) or the AI history (texts), so that a write whose response is lost can be found',
  ),
  VALIDATION_REUSE: duration('10s', { least: '0s', most: '1m' }).describe(
    'how long a reading of the queue and the plan also serves later calls of validatePost with the same credential, unless it is used to write; 0s: read them each time',
  ),
  OPERATION_TIMEOUT: duration('30s', { least: '1s', most: '1h' }).describe(
    'timeout of an operation’s reads in total',
  ),
  PROPAGATE_TRACE: onOff('off').describe(
    'send traceparent and tracestate to the service while traces are recorded',
  ),
  MAX_CALLS: whole(1, 1_000).default(64).describe('maximum number of concurrent calls to one surface'),
  MAX_CALLS_PER_CALLER: whole(1, 1_000)
    .default(16)
    .describe('maximum number of concurrent calls to one surface per credential'),
  READ_ATTEMPTS: whole(1, 5)
    .default(3)
    .describe('maximum number of attempts for a read that fails temporarily'),
  BREAKER_MIN_CALLS: whole(1, 1_000_000)
    .default(20)
    .describe(
      'minimum number of calls within ten seconds, half of them failed, before the circuit breaker of a surface opens; a single credential counts for less than half',
    ),
  BREAKER_PAUSE: duration('5s', { least: '10ms', most: '10m' }).describe(
    'how long the circuit breaker first stays open',
  ),
};

type Values = z.output<z.ZodObject<typeof serviceSettings>>;

/** Lists problems with them: whoever asks for the sandbox must not reach the service. */
export function serviceProblems(values: Values): string[] {
  if (values.SANDBOX !== 'on') return [];
  return (['CURRENT_API_URL', 'LEGACY_API_URL'] as const)
    .filter((name) => values[name] !== null)
    .map((name) => `SANDBOX: cannot be on while ${name} is set; unset one of them`);
}

/** Builds the service configuration from the variables. */
export function serviceConfigOf(values: Values & { readonly HOST: string }): ServiceConfig {
  const isPrivate = isLoopback(values.HOST) && values.NODE_ENV !== 'production';
  return {
    currentApiUrl: values.CURRENT_API_URL,
    legacyApiUrl: values.LEGACY_API_URL,
    usesSandbox: values.CURRENT_API_URL === null && values.LEGACY_API_URL === null,
    allowsSandbox: values.SANDBOX === 'auto' ? isPrivate : values.SANDBOX === 'on',
    demoCredentials: null,
    legacyTokenPlacement: values.LEGACY_TOKEN_PLACEMENT,
    currentSendsAccessToken: values.CURRENT_SENDS_ACCESS_TOKEN === 'on',
    currentMaxPageSize: values.CURRENT_MAX_PAGE_SIZE,
    serviceTimeZone: values.SERVICE_TIME_ZONE,
    legacyTrue: values.LEGACY_TRUE,
    calls: {
      calls: values.MAX_CALLS,
      callsPerCaller: values.MAX_CALLS_PER_CALLER,
      attempts: values.READ_ATTEMPTS,
      minCalls: values.BREAKER_MIN_CALLS,
      pauseMs: values.BREAKER_PAUSE,
    },
    readsBeforeWrites: values.READ_BEFORE_WRITES === 'on',
    validationReuseMs: values.VALIDATION_REUSE,
    operationTimeoutMs: values.OPERATION_TIMEOUT,
    propagatesTrace: values.PROPAGATE_TRACE === 'on',
  };
}
