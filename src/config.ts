import { spellingOf } from './config/misspelt.ts';
import { InvalidValue, isDecodable, isLoopback, type Setting } from './config/setting.ts';
import { SETTINGS } from './config/settings.ts';

type Groups = typeof SETTINGS;

type Complete<T> = { readonly [Key in keyof T]: NonNullable<T[Key]> };

type ValuesOf<Group> = { readonly [Key in keyof Group]: Group[Key] extends Setting<infer T> ? T : never };

/** The values of all settings, as the table groups them. */
type Values = { readonly [Key in keyof Groups]: ValuesOf<Groups[Key]> };

/** The values of a group; an interface can extend nothing but a named type. */
type ValuesIn<Key extends keyof Groups> = Values[Key];

/** The operator's settings for the server, as `config/settings.ts` describes them: read-only, complete and validated. */
export interface Config
  extends
    ValuesIn<'service'>,
    ValuesIn<'live'>,
    ValuesIn<'access'>,
    ValuesIn<'process'>,
    ValuesIn<'webhooks'>,
    Pick<Values, 'calls' | 'operator' | 'sockets' | 'limits' | 'mcp'> {
  /** True if neither surface is configured: the embedded sandbox takes their place. */
  readonly usesSandbox: boolean;
  /** Whether the sandbox may do so, rather than that the start stops. */
  readonly allowsSandbox: boolean;
  readonly sandboxPort: number;
  readonly sandboxData: 'small' | 'large';
  /** Credentials that are named to callers whose own are missing, because the sandbox accepts them; null without it. */
  readonly demoCredentials: { readonly apiKey: string; readonly accessToken: string } | null;
  /** The proxies through which the surfaces are called; null for a surface that is called directly. */
  readonly proxies: { readonly current: URL | null; readonly legacy: URL | null };
  /** The app through which owners authorise this server on the legacy surface; null if there is none. */
  readonly oauth: Complete<Values['oauth']> | null;
  /** Where the service pushes AI results; null if they are only read from the history. */
  readonly aiSocket: Complete<Values['aiSocket']> | null;
  /** Whether Desk is served. */
  readonly desk: boolean;
  /** Whether GraphiQL is served. */
  readonly graphiql: boolean;
  /** Whether the schema may be read, and errors for misspelt names include suggestions. */
  readonly introspection: boolean;
  /** Whether /metrics is served. */
  readonly metrics: boolean;
  /** The Redis through which several processes coordinate; null if the process shares nothing with others. */
  readonly redis: Complete<Values['redis']> | null;
  /** Folder in which writes with a key are recorded; null if they are recorded in memory or in Redis. */
  readonly dataDirectory: string | null;
  /** How long a write with a key is remembered, in milliseconds. */
  readonly writeRetentionMs: number;
  /** Folder in which `watch` records what to deliver, even with Redis; null if there is none. */
  readonly outboxDirectory: string | null;
}

/** How the service is called: fewer than `minCalls` within ten seconds are too few to judge a surface. */
export type CallLimits = Config['calls'];
/** How many sockets may be open, for how long, and how fast they may send. */
export type SocketLimits = Config['sockets'];
/** How much one operation may request, and how much it may return. */
export type DocumentLimits = Config['limits'];
/** The URL of the push socket (`ws:` means JSON messages over a WebSocket, `http:` socket.io), and how the key is sent. */
export type PushSettings = NonNullable<Config['aiSocket']>;
/** The Redis through which several processes coordinate. Its URL and its secret are never logged. */
export type RedisSettings = NonNullable<Config['redis']>;

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration is not valid; `problems` names each variable and what is wrong with it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings are not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** A variable that the server reads, as shown in its help. */
export type SettingHelp = Pick<Setting<unknown>, 'name' | 'default' | 'description'>;

const GROUPS: readonly (readonly [string, Readonly<Record<string, Setting<unknown>>>])[] =
  Object.entries(SETTINGS);
const NAMES: readonly string[] = settingsHelp().map(({ name }) => name);

const meantBy = spellingOf(NAMES);

/** Lists every variable that the server reads. */
export function settingsHelp(): readonly SettingHelp[] {
  return GROUPS.flatMap(([, group]) => Object.values(group));
}

/**
 * Reads the configuration; an empty variable counts as unset.
 *
 * @throws ConfigError that names every problem at once
 */
export function readConfig(given: Environment): Config {
  // Without white space around the values.
  const environment = Object.fromEntries(
    Object.entries(given).map(([name, value = '']) => [name, value.trim()]),
  );
  const problems = misspeltNames(environment);
  const values = readValues(usedIn(environment), problems);
  const { service, sandbox, process, exposed } = values;
  const current = proxyFor(service.currentApiUrl, environment);
  const legacy = proxyFor(service.legacyApiUrl, environment);
  problems.push(...conflictsIn(values));
  if (current === 'unusable' || legacy === 'unusable') {
    // The value may hold a password.
    throw new ConfigError([...problems, 'HTTPS_PROXY: is not a URL that begins with http:// or https://']);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const isPrivate = isLoopback(process.host);
  const usesSandbox = service.currentApiUrl === null && service.legacyApiUrl === null;
  return {
    ...service,
    ...values.live,
    ...values.access,
    ...process,
    ...values.webhooks,
    calls: values.calls,
    operator: values.operator,
    sockets: values.sockets,
    limits: values.limits,
    mcp: values.mcp,
    usesSandbox,
    allowsSandbox: sandbox.use ?? (isPrivate && sandbox.nodeEnv !== 'production'),
    sandboxPort: sandbox.port,
    sandboxData: sandbox.data,
    demoCredentials: null,
    proxies: { current, legacy },
    oauth: together(values.oauth),
    aiSocket: together(values.aiSocket),
    desk: exposed.desk ?? isPrivate,
    graphiql: exposed.graphiql ?? isPrivate,
    introspection: exposed.introspection ?? isPrivate,
    metrics: exposed.metrics ?? isPrivate,
    ...recordsOf(values, usesSandbox),
  };
}

/** Returns settings that are of use together only; null if one of them is missing. */
function together<T extends object>(values: T): Complete<T> | null {
  return Object.values(values).includes(null) ? null : (values as Complete<T>);
}

/** Decides where writes are recorded: in Redis, in a folder or in memory. */
function recordsOf({ records, redis: shared }: Values, usesSandbox: boolean) {
  const redis = together(shared);
  const directory = records.directory ?? (usesSandbox ? 'off' : 'data');
  const folder = directory === 'off' ? null : directory;
  const { writeRetentionMs } = records;
  return { redis, dataDirectory: redis ? null : folder, outboxDirectory: folder, writeRetentionMs };
}

/** Finds settings that do not go together. */
function* conflictsIn({ service, sandbox, oauth, access, operator, process, redis }: Values) {
  // Whoever asks for the sandbox must not reach the service.
  const surfaces = { CURRENT_API_URL: service.currentApiUrl, LEGACY_API_URL: service.legacyApiUrl };
  if (sandbox.use === true)
    for (const name of setIn(surfaces)) yield `SANDBOX: cannot be on while ${name} is set; unset one of them`;
  const app = {
    OAUTH_CLIENT_ID: oauth.clientId,
    OAUTH_CLIENT_SECRET: oauth.clientSecret,
    OAUTH_REDIRECT_URIS: oauth.redirectUris,
  };
  for (const group of [app, { REDIS_URL: redis.url, REDIS_SECRET: redis.secret }]) {
    const set = setIn(group);
    const missing = Object.keys(group).filter((name) => !set.includes(name));
    if (set.length > 0) for (const name of missing) yield `${name}: is required with ${set.join(' and ')}`;
  }
  if (access.clientTokens.length === 0 && !isLoopback(process.host))
    for (const name of setIn({ API_KEY: operator.apiKey, ACCESS_TOKEN: operator.accessToken }))
      yield `${name}: could be used by anyone who can reach this server; set CLIENT_TOKENS as well`;
  if (process.persistedOnly && process.persistedDocuments === null)
    yield 'PERSISTED_ONLY: requires PERSISTED_DOCUMENTS, because nothing could be executed without it';
}

function setIn(values: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(values).filter((name) => values[name] !== null);
}

/** `docker run --env-file` leaves quotation marks in the value. No setting needs any. */
const QUOTED = /^(["'`]).*\1$/s;

/**
 * Reads all values.
 *
 * @throws ConfigError that also names the problems found before
 */
function readValues(given: Environment, before: readonly string[]): Values {
  const problems: string[] = [];
  const valueOf = ({ name, read }: Setting<unknown>): unknown => {
    const value = given[name] ?? '';
    try {
      if (QUOTED.test(value))
        throw new InvalidValue('is in quotation marks, which are part of the value; remove them');
      return read(value);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      return void problems.push(`${name}: ${error.message}`);
    }
  };
  const values = GROUPS.map(([key, group]) => [
    key,
    Object.fromEntries(Object.entries(group).map(([property, setting]) => [property, valueOf(setting)])),
  ]);
  if (problems.length > 0) throw new ConfigError([...before, ...problems]);
  return Object.fromEntries(values) as Values;
}

/** Kubernetes sets `SANDBOX_PORT` to such an address in every container if a service is named `sandbox`. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;

/** Returns the values of the settings that are used. */
function usedIn(environment: Environment): Environment {
  const valueOf = (name: string): string => environment[name] ?? '';
  const hasService = valueOf('CURRENT_API_URL') !== '' || valueOf('LEGACY_API_URL') !== '';
  const isUsed = (name: string): boolean =>
    !(hasService && name.startsWith('SANDBOX_')) &&
    !(name.endsWith('_PORT') && SERVICE_LINK.test(valueOf(name)));
  return Object.fromEntries(NAMES.filter(isUsed).map((name) => [name, valueOf(name)]));
}

// An ignored setting is worse than an invalid one. Next to the setting itself, a similar name is another program's.
function misspeltNames(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    const meant = value && !SERVICE_LINK.test(value) ? meantBy(name) : null;
    return meant === null || environment[meant] ? [] : [`${name}: is not a setting; did you mean ${meant}?`];
  });
}

/** True for the name of a variable for proxies, which are shared with other programs and may be in lower case. */
export function isProxyVariable(name: string): boolean {
  return /^(?:https|no)_proxy$/i.test(name);
}

/** Finds the proxy for calls to an address; null if there is none, `unusable` if its address cannot be used. */
function proxyFor(url: URL | null, environment: Environment): URL | 'unusable' | null {
  const value = sharedValue('HTTPS_PROXY', environment);
  const exempted = sharedValue('NO_PROXY', environment)
    .toLowerCase()
    .split(/[\s,]+/);
  // Only an address on this machine may be without TLS, and no proxy leads there.
  if (url === null || value === '' || isLoopback(url.hostname)) return null;
  if (exempted.some((entry) => isExempted(url, entry))) return null;
  const text = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(text)) return 'unusable';
  const proxy = new URL(text);
  const isUsable = /^https?:$/.test(proxy.protocol) && [proxy.username, proxy.password].every(isDecodable);
  return isUsable ? proxy : 'unusable';
}

function sharedValue(name: string, environment: Environment): string {
  return environment[name.toLowerCase()] || environment[name] || '';
}

/** Whether an entry of NO_PROXY covers an address: everything, or a host and its subdomains, perhaps with a port. */
function isExempted({ hostname, port }: URL, entry: string): boolean {
  if (entry === '*') return true;
  const [, name, itsPort] = /^(?:\*?\.)?([^:]+|\[.+\])(?::(\d+))?$/.exec(entry) ?? [];
  if (name === undefined || (itsPort !== undefined && itsPort !== (port || '443'))) return false;
  return hostname === name || hostname.endsWith(`.${name}`);
}
