import { isIP } from 'node:net';
import { z } from 'zod';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import type { TokenPlacement } from './sources/legacy/client.ts';

/** What the server is told by its operator; read-only, complete, checked. */
export interface Config {
  /** Base address of the current surface; null where it is not configured. */
  readonly currentApiUrl: URL | null;
  /** Base address of the legacy surface, without `/oauth`; null where it is not configured. */
  readonly legacyApiUrl: URL | null;
  /** True when neither surface is configured: the embedded sandbox takes their place. */
  readonly usesSandbox: boolean;
  /** Address to listen on. */
  readonly host: string;
  /** Port to listen on; 0 takes a free one. */
  readonly port: number;
  /** Whether GraphiQL is served. */
  readonly graphiql: boolean;
  /** Whether the schema may be read, and misspelt names are answered with suggestions. */
  readonly introspection: boolean;
  /** Whether queries by GET are answered, to callers that send `graphql-require-preflight`. */
  readonly getQueries: boolean;
  readonly legacyTokenPlacement: TokenPlacement;
  /** Largest page that is asked for on the current surface, in records. */
  readonly currentMaxPageSize: number;
  /** IANA name of the zone that the service's wall-clock times are in; null where the operator does not say. */
  readonly serviceTimeZone: string | null;
  /** The app by which owners authorise this server on the legacy surface; null where there is none. */
  readonly oauth: OAuthApp | null;
  /** How the legacy surface takes `true` in a form. */
  readonly legacyTrue: '1' | 'true';
  readonly logLevel: LogLevel;
  /** Port of the sandbox; 0 takes a free one. */
  readonly sandboxPort: number;
  readonly sandboxData: 'small' | 'large';
}

/** An app of the legacy surface. */
export interface OAuthApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Addresses that an authorisation may lead back to, compared to the letter. */
  readonly redirectUris: readonly string[];
  /** `strict`: the state must come back in the address; `cookie`: where it does not, the browser's cookie will do. */
  readonly state: 'strict' | 'cookie';
}

/** Variables as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A configuration with problems; `problems` names each variable and what is wrong with it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration can't be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

const SWITCH = ['auto', 'on', 'off'] as const;

const settings = z.object({
  CURRENT_API_URL: baseUrl().describe('base address of the current surface (API key)'),
  LEGACY_API_URL: baseUrl().describe('base address of the legacy surface (access token), without /oauth'),
  HOST: z.string().default('127.0.0.1').describe('address to listen on'),
  PORT: port().default(4000).describe('port to listen on; 0 takes a free one'),
  GRAPHIQL: z.enum(SWITCH).default('auto').describe('serve GraphiQL; auto: while listening on loopback only'),
  INTROSPECTION: z
    .enum(SWITCH)
    .default('auto')
    .describe('let the schema be read; auto: while listening on loopback only'),
  GET_QUERIES: z
    .enum(['on', 'off'])
    .default('off')
    .describe('answer queries by GET to callers that send the header graphql-require-preflight'),
  LEGACY_TOKEN_PLACEMENT: z
    .enum(['header', 'body', 'query'])
    .default('header')
    .describe('where the access token travels; body falls back to header for a GET'),
  CURRENT_MAX_PAGE_SIZE: whole(1, 1_000).default(100).describe('largest page to ask the current surface for'),
  SERVICE_TIME_ZONE: timeZone().describe(
    'zone of the service’s wall-clock times, such as Europe/Paris; it states none',
  ),
  OAUTH_CLIENT_ID: z.string().optional().describe('id of your app on the legacy surface'),
  OAUTH_CLIENT_SECRET: z.string().optional().describe('secret of that app'),
  OAUTH_REDIRECT_URIS: redirectUris().describe(
    'addresses it may lead back to, with commas between; …/connect/callback for /connect',
  ),
  OAUTH_STATE: z
    .enum(['strict', 'cookie'])
    .default('strict')
    .describe('cookie: accept an authorisation whose state does not come back, by the cookie alone'),
  LEGACY_TRUE: z.enum(['1', 'true']).default('1').describe('how the legacy surface takes "true" in a form'),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('how much to log, as JSON lines on standard output'),
  SANDBOX_PORT: port().default(4001).describe('port of the sandbox; 0 takes a free one'),
  SANDBOX_DATA: z.enum(['small', 'large']).default('small').describe('how much the sandbox holds'),
});

/** One variable that the server reads, for its help. */
export interface SettingHelp {
  readonly name: string;
  readonly description: string;
  /** The default, or an empty text. */
  readonly default: string;
}

/** Every variable that the server reads. */
export function settingsHelp(): SettingHelp[] {
  return Object.entries(settings.shape).map(([name, schema]) => {
    const unset = schema.safeParse(undefined).data;
    return { name, description: schema.description ?? '', default: unset == null ? '' : String(unset) };
  });
}

/**
 * Reads the configuration; an empty variable counts as unset.
 *
 * Throws a ConfigError that names every problem at once.
 */
export function readConfig(environment: Environment): Config {
  const given = Object.fromEntries(
    Object.keys(settings.shape).map((name) => [name, environment[name]?.trim() || undefined]),
  );
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  const values = parsed.data;
  const problems = oauthProblems(values);
  if (problems.length > 0) throw new ConfigError(problems);
  const isPrivate = isLoopback(values.HOST);
  return {
    currentApiUrl: values.CURRENT_API_URL,
    legacyApiUrl: values.LEGACY_API_URL,
    usesSandbox: values.CURRENT_API_URL === null && values.LEGACY_API_URL === null,
    host: values.HOST,
    port: values.PORT,
    graphiql: values.GRAPHIQL === 'auto' ? isPrivate : values.GRAPHIQL === 'on',
    introspection: values.INTROSPECTION === 'auto' ? isPrivate : values.INTROSPECTION === 'on',
    getQueries: values.GET_QUERIES === 'on',
    legacyTokenPlacement: values.LEGACY_TOKEN_PLACEMENT,
    currentMaxPageSize: values.CURRENT_MAX_PAGE_SIZE,
    serviceTimeZone: values.SERVICE_TIME_ZONE,
    oauth: oauthApp(values),
    legacyTrue: values.LEGACY_TRUE,
    logLevel: values.LOG_LEVEL,
    sandboxPort: values.SANDBOX_PORT,
    sandboxData: values.SANDBOX_DATA,
  };
}

type Values = z.output<typeof settings>;

const OAUTH_TOGETHER = ['OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET', 'OAUTH_REDIRECT_URIS'] as const;

function oauthProblems(values: Values): string[] {
  const isGiven = (name: (typeof OAUTH_TOGETHER)[number]): boolean => (values[name]?.length ?? 0) > 0;
  if (!OAUTH_TOGETHER.some(isGiven)) return [];
  return OAUTH_TOGETHER.filter((name) => !isGiven(name)).map(
    (name) => `${name}: is missing beside the other OAUTH_ settings`,
  );
}

function oauthApp({
  OAUTH_CLIENT_ID,
  OAUTH_CLIENT_SECRET,
  OAUTH_REDIRECT_URIS,
  OAUTH_STATE,
}: Values): OAuthApp | null {
  if (OAUTH_CLIENT_ID === undefined || OAUTH_CLIENT_SECRET === undefined) return null;
  return {
    clientId: OAUTH_CLIENT_ID,
    clientSecret: OAUTH_CLIENT_SECRET,
    redirectUris: OAUTH_REDIRECT_URIS,
    state: OAUTH_STATE,
  };
}

/** True for an address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

function port() {
  return whole(0, 65_535);
}

function whole(least: number, most: number) {
  return z.coerce
    .number({ error: 'is not a number' })
    .int('is not a whole number')
    .min(least, `is less than ${least}`)
    .max(most, `is more than ${most}`);
}

function redirectUris() {
  return z
    .string()
    .default('')
    .transform((value) =>
      value
        .split(',')
        .map((uri) => uri.trim())
        .filter((uri) => uri !== ''),
    )
    .refine((uris) => uris.every((uri) => URL.canParse(uri)), 'holds something that is not a URL');
}

function timeZone() {
  return z
    .string()
    .optional()
    .transform((value) => value ?? null)
    .refine((value) => value === null || isTimeZone(value), 'is not the name of a time zone');
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function baseUrl() {
  return z
    .string()
    .optional()
    .transform((value, check) => {
      if (value === undefined) return null;
      const problem = problemOfBaseUrl(value);
      if (problem === null) return new URL(value);
      check.addIssue(problem);
      return z.NEVER;
    });
}

// The messages never repeat the value: it may hold a password.
function problemOfBaseUrl(value: string): string | null {
  if (!URL.canParse(value)) return 'is not a URL';
  const url = new URL(value);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'is neither an https nor an http URL';
  if (url.username !== '' || url.password !== '')
    return 'holds a user name or password, which does not belong in it';
  if (url.search !== '' || url.hash !== '') return 'holds a query or a fragment, which does not belong in it';
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return 'uses plain http beyond this machine; use https';
  return null;
}
