import { LOG_LEVELS } from '../observability/log.ts';
import {
  address,
  choice,
  duration,
  InvalidValue,
  onOff,
  optional,
  redisUrl,
  separated,
  setting,
  text,
  timeZone,
  whilePrivate,
  whole,
  type Setting,
} from './setting.ts';

type SettingGroup = Readonly<Record<string, Setting<unknown>>>;

const MANY = 1_000_000;
const PORTS = [0, 65_535] as const;
/** A token with fewer characters could be guessed. */
const SHORTEST_TOKEN = 16;
/** A secret with fewer characters could be guessed. */
const SHORTEST_SECRET = 32;
/**
 * How the API key is sent to the push socket: in the header `x-api-key` of the handshake, in the `auth` of socket.io,
 * as the first message, in the query of the URL, or not at all.
 */
const SOCKET_AUTHS = ['header', 'auth', 'message', 'query', 'none'] as const;
type SocketAuth = (typeof SOCKET_AUTHS)[number];

/**
 * Every setting of the server, in groups, by the name of the property that it has in the configuration. Reading,
 * `--help` and docs/settings.md follow from this table; rules about several settings are in `config.ts`.
 */
export const SETTINGS = {
  service: {
    currentApiUrl: optional('CURRENT_API_URL', address('https', 'http')).describe(
      'base URL of the current surface (API key)',
    ),
    legacyApiUrl: optional('LEGACY_API_URL', address('https', 'http')).describe(
      'base URL of the legacy surface (access token), without /oauth',
    ),
    legacyTokenPlacement: choice('LEGACY_TOKEN_PLACEMENT', 'header', ['header', 'body', 'query']).describe(
      'where to send the access token; body falls back to header for GET requests',
    ),
    legacyTrue: choice('LEGACY_TRUE', '1', ['1', 'true']).describe(
      'how the legacy surface spells "true" in a form',
    ),
    currentSendsAccessToken: onOff('CURRENT_SENDS_ACCESS_TOKEN', 'off').describe(
      'also send the access token to the current surface, for callers that send both credentials',
    ),
    currentMaxPageSize: whole('CURRENT_MAX_PAGE_SIZE', 100, [1, 1_000]).describe(
      'maximum page size to request from the current surface',
    ),
    serviceTimeZone: optional('SERVICE_TIME_ZONE', timeZone).describe(
      'time zone of the service’s wall-clock times, such as Europe/Paris; undocumented by the service',
    ),
    readsBeforeWrites: onOff('READ_BEFORE_WRITES', 'off').describe(
      'before a write with an idempotency key, read the queue (posts) or the AI history (texts), so that a write whose response is lost can be found',
    ),
    validationReuseMs: duration('VALIDATION_REUSE', '10s', ['0s', '1m']).describe(
      'how long a reading of the queue and the plan also serves later calls of validatePost with the same credential, unless it is used to write; 0s: read them each time',
    ),
    operationTimeoutMs: duration('OPERATION_TIMEOUT', '30s', ['1s', '1h']).describe(
      'timeout of an operation’s reads in total',
    ),
    propagatesTrace: onOff('PROPAGATE_TRACE', 'off').describe(
      'send traceparent and tracestate to the service while traces are recorded',
    ),
  },
  sandbox: {
    use: whilePrivate('SANDBOX').describe(
      'use the sandbox, with sample data, if no service is configured; auto: only if HOST is a loopback address and NODE_ENV is not production',
    ),
    nodeEnv: text('NODE_ENV').describe('production: use the sandbox only with SANDBOX=on'),
    port: whole('SANDBOX_PORT', 4001, PORTS).describe('port of the sandbox; 0 for any free port'),
    data: choice('SANDBOX_DATA', 'small', ['small', 'large']).describe('amount of data in the sandbox'),
  },
  calls: {
    calls: whole('MAX_CALLS', 64, [1, 1_000]).describe('maximum number of concurrent calls to one surface'),
    callsPerCaller: whole('MAX_CALLS_PER_CALLER', 16, [1, 1_000]).describe(
      'maximum number of concurrent calls to one surface per credential',
    ),
    attempts: whole('READ_ATTEMPTS', 3, [1, 5]).describe(
      'maximum number of attempts for a read that fails temporarily',
    ),
    minCalls: whole('BREAKER_MIN_CALLS', 20, [1, MANY]).describe(
      'minimum number of calls within ten seconds, half of them failed, before the circuit breaker of a surface opens; while others call it, a single credential counts for less than half',
    ),
    pauseMs: duration('BREAKER_PAUSE', '5s', ['10ms', '10m']).describe(
      'how long the circuit breaker first stays open',
    ),
  },
  oauth: {
    clientId: text('OAUTH_CLIENT_ID').describe('client id of your OAuth app on the legacy surface'),
    clientSecret: text('OAUTH_CLIENT_SECRET').describe('client secret of that app'),
    redirectUris: optional('OAUTH_REDIRECT_URIS', redirectUris).describe(
      'redirect URIs of that app, separated by commas; /connect needs one with the path /connect/callback',
    ),
    state: choice('OAUTH_STATE', 'strict', ['strict', 'cookie']).describe(
      'cookie: rely on the cookie alone if the service does not return the state',
    ),
  },
  aiSocket: {
    url: optional('AI_SOCKET_URL', address('wss', 'ws', 'https', 'http')).describe(
      'where the service pushes AI results: ws: or wss: for a plain WebSocket, http: or https: for socket.io',
    ),
    auth: setting('AI_SOCKET_AUTH', 'header,auth', socketAuths).describe(
      `how the API key is sent to the push socket, separated by commas: ${SOCKET_AUTHS.join(', ')}`,
    ),
  },
  live: {
    aiResultMaxWaitMs: duration('AI_RESULT_MAX_WAIT', '10m', ['100ms', '24h']).describe(
      'timeout for an AI result, such as 90s, 10m or 1h',
    ),
    aiPollIntervalMs: duration('AI_POLL_INTERVAL', '1s', ['50ms', '1h']).describe(
      'minimum interval between reads of the AI history while waiting for a result; grows to ten times that',
    ),
    watchIntervalMs: duration('WATCH_INTERVAL', '5s', ['50ms', '1h']).describe(
      'minimum interval between reads of the watched queue or accounts; grows to twelve times that while nothing changes',
    ),
  },
  operator: {
    apiKey: optional('API_KEY', credential).describe(
      'API key for callers that send none; requires a loopback HOST or CLIENT_TOKENS',
    ),
    accessToken: optional('ACCESS_TOKEN', credential).describe(
      'access token for callers that send none; requires a loopback HOST or CLIENT_TOKENS',
    ),
  },
  access: {
    allowedOrigins: setting('ALLOWED_ORIGINS', '', origins).describe(
      'origins of other sites whose pages may use this server, such as https://app.example, separated by commas',
    ),
    clientTokens: setting('CLIENT_TOKENS', '', clientTokens).describe(
      'tokens, separated by commas, one of which every caller must send as x-client-token',
    ),
  },
  process: {
    host: setting('HOST', '127.0.0.1', (host) => host.replace(/^\[(.*)\]$/, '$1')).describe(
      'address to listen on',
    ),
    port: whole('PORT', 4000, PORTS).describe('port to listen on; 0 for any free port'),
    getQueries: onOff('GET_QUERIES', 'off').describe(
      'accept GET queries with the header graphql-require-preflight or one of Apollo’s equivalents',
    ),
    executor: choice('EXECUTOR', 'compiled', ['compiled', 'graphql-js']).describe(
      'executor of queries and mutations: compiled (fast) or graphql-js (the reference implementation)',
    ),
    costInExtensions: onOff('COST_IN_EXTENSIONS', 'on').describe(
      'include the cost of an operation in extensions.cost of its response',
    ),
    persistedDocuments: text('PERSISTED_DOCUMENTS').describe(
      'JSON file of persisted documents by id, in the format of Relay, codegen or Apollo',
    ),
    persistedOnly: onOff('PERSISTED_ONLY', 'off').describe('execute persisted documents only'),
    maxOperations: whole('MAX_OPERATIONS', 1_000, [1, MANY]).describe(
      'maximum number of concurrent operations',
    ),
    overloadDelayMs: duration('OVERLOAD_DELAY', '200ms', ['10ms', '1h']).describe(
      'event loop delay above which requests are rejected',
    ),
    drainDelayMs: duration('DRAIN_DELAY', '5s', ['0s', '10m']).describe(
      'how long /ready returns 503 before a shutdown begins, if anything polls it',
    ),
    keepAliveMs: duration('KEEP_ALIVE', '5s', ['1s', '10m']).describe(
      'how long an idle connection from a client is kept open; must be longer than the load balancer’s own idle timeout',
    ),
    logLevel: choice('LOG_LEVEL', 'info', LOG_LEVELS).describe(
      'log level; the log is JSON lines, or readable lines in a terminal',
    ),
  },
  exposed: {
    desk: whilePrivate('DESK').describe('serve Desk at /; auto: only if HOST is a loopback address'),
    graphiql: whilePrivate('GRAPHIQL').describe('serve GraphiQL; auto: only if HOST is a loopback address'),
    introspection: whilePrivate('INTROSPECTION').describe(
      'allow introspection of the schema; auto: only if HOST is a loopback address',
    ),
    metrics: whilePrivate('METRICS').describe('serve /metrics; auto: only if HOST is a loopback address'),
  },
  records: {
    directory: text('DATA_DIR').describe(
      'folder that records writes with an idempotency key, so that none is resent after a restart; off: in memory only. With REDIS_URL, only the watch command uses it',
      'data, or off on the sandbox',
    ),
    writeRetentionMs: duration('WRITE_RETENTION', '24h', ['1h', '720h']).describe(
      'how long writes with an idempotency key are remembered, such as 24h or 168h (7 days)',
    ),
  },
  redis: {
    url: optional('REDIS_URL', redisUrl).describe(
      'Redis shared by several processes (redis: or rediss:); requires REDIS_SECRET',
    ),
    secret: optional('REDIS_SECRET', redisSecret).describe(
      'at least 32 random characters, the same for all processes; keys the hashes by which Redis identifies callers',
    ),
    commandTimeoutMs: duration('REDIS_COMMAND_TIMEOUT', '120ms', ['10ms', '1m']).describe(
      'timeout of a Redis command, after which Redis counts as unavailable; a write or lookup waits for at most two',
    ),
  },
  sockets: {
    maxSockets: whole('MAX_SOCKETS', 10_000, [0, MANY]).describe(
      'maximum number of WebSockets and event streams per process; a quarter is reserved for accepted credentials',
    ),
    maxPerCredential: whole('MAX_SOCKETS_PER_CREDENTIAL', 100, [1, MANY]).describe(
      'maximum number of WebSockets and event streams per credential',
    ),
    maxAnonymousPerAddress: whole('MAX_ANONYMOUS_SOCKETS_PER_ADDRESS', 20, [0, MANY]).describe(
      'maximum number of WebSockets and event streams per client address without an accepted credential; raise it up to MAX_SOCKETS behind a proxy, where all callers share an address',
    ),
    maxAgeMs: duration('MAX_SOCKET_AGE', '1h', ['1s', '24h']).describe(
      'maximum age of a WebSocket, plus or minus a tenth',
    ),
    messagesPerSecond: whole('WS_MESSAGES_PER_SECOND', 20, [1, MANY]).describe(
      'maximum number of messages per second on a WebSocket, on average',
    ),
    messageBurst: whole('WS_MESSAGE_BURST', 50, [1, MANY]).describe(
      'maximum burst of messages on a WebSocket',
    ),
  },
  limits: {
    documentBytes: limit('MAX_DOCUMENT_BYTES', 16_384).describe('maximum size of a document, in bytes'),
    tokens: limit('MAX_TOKENS', 1_000).describe('maximum number of tokens in a document'),
    depth: limit('MAX_DEPTH', 10).describe('maximum depth of nested fields'),
    introspectionDepth: limit('MAX_INTROSPECTION_DEPTH', 30).describe(
      'maximum depth of nested fields below __schema and __type',
    ),
    aliases: limit('MAX_ALIASES', 30).describe('maximum number of aliases for one field of one parent'),
    rootFields: limit('MAX_ROOT_FIELDS', 50).describe('maximum number of root fields in a query'),
    mutationFields: limit('MAX_MUTATION_FIELDS', 5).describe('maximum number of root fields in a mutation'),
    directives: limit('MAX_DIRECTIVES', 20).describe('maximum number of directives in an operation'),
    selections: limit('MAX_SELECTIONS', 600).describe(
      'maximum number of selections in a document, with fragments expanded',
    ),
    variableDepth: limit('MAX_VARIABLE_DEPTH', 20).describe('maximum depth of nested values in variables'),
    variableValues: limit('MAX_VARIABLE_VALUES', 10_000).describe('maximum number of values in variables'),
    documentErrors: limit('MAX_DOCUMENT_ERRORS', 10).describe(
      'maximum number of errors reported for a document',
    ),
    cost: limit('MAX_COST', 1_000).describe('maximum number of calls to the service for an operation'),
    resultFields: limit('MAX_RESULT_FIELDS', 25_000).describe('maximum number of fields in a result'),
    resultErrors: limit('MAX_RESULT_ERRORS', 500).describe('maximum number of errors in a result'),
    resultBytes: whole('MAX_RESULT_BYTES', 4_000_000, [1, 100_000_000]).describe(
      'maximum size of a result, in bytes of JSON',
    ),
  },
  webhooks: {
    webhookSecret: optional('WEBHOOK_SECRET', webhookSecret).describe(
      'secret with which the watch command signs webhooks: whsec_ followed by 24 to 64 random bytes in Base64',
    ),
  },
  mcp: {
    isOn: onOff('MCP', 'off').describe('serve tools for assistants at /mcp (Model Context Protocol)'),
    writes: onOff('MCP_WRITES', 'off').describe(
      'give assistants tools that create posts, drafts, library items and texts, and pause and resume accounts',
    ),
    operations: text('MCP_OPERATIONS').describe(
      'folder of .graphql files with one operation each, which become additional tools for assistants',
    ),
  },
} satisfies Readonly<Record<string, SettingGroup>>;

function limit(name: string, unset: number) {
  return whole(name, unset, [1, MANY]);
}

function socketAuths(value: string): SocketAuth[] {
  const auths = value.split(',').map((given) => SOCKET_AUTHS.find((auth) => auth === given.trim()));
  if (!auths.every((auth) => auth !== undefined))
    throw new InvalidValue(`is not a list of ${SOCKET_AUTHS.join(', ')}`);
  if (auths.length > 1 && auths.includes('none'))
    throw new InvalidValue('cannot combine none with other values');
  return auths;
}

function redirectUris(value: string): string[] {
  const uris = separated(value);
  if (uris.length > 0 && uris.every((uri) => URL.canParse(uri))) return uris;
  throw new InvalidValue('contains an invalid URL');
}

function origins(value: string): string[] {
  const given = separated(value);
  if (given.every(isWebOrigin)) return given;
  throw new InvalidValue(
    'contains an invalid origin; write https://app.example, in lower case, without a path or a trailing slash',
  );
}

// Browsers omit the default port of a scheme, and so does the origin of a URL, which would let an asterisk pass.
function isWebOrigin(origin: string): boolean {
  return /^https?:[^*]+$/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin;
}

function isToken(value: string): boolean {
  return /^[!#-&(-_a-~]{1,4096}$/.test(value);
}

function credential(value: string): string {
  if (isToken(value)) return value;
  throw new InvalidValue(
    'is not a key or token: it contains spaces, quotation marks or characters outside ASCII',
  );
}

function clientTokens(value: string): string[] {
  const tokens = separated(value);
  if (tokens.every((token) => isToken(token) && token.length >= SHORTEST_TOKEN)) return tokens;
  throw new InvalidValue(
    `contains a token of fewer than ${SHORTEST_TOKEN} characters, or one with spaces, quotation marks or characters outside ASCII`,
  );
}

function redisSecret(value: string): string {
  if (value.length < SHORTEST_SECRET)
    throw new InvalidValue(`has fewer than ${SHORTEST_SECRET} characters and could be guessed`);
  // As in the example in docs/several-processes.
  if (/^replace-me/i.test(value))
    throw new InvalidValue('is still the placeholder from the example; "openssl rand -hex 32" generates one');
  return value;
}

function webhookSecret(value: string): string {
  // The format of standardwebhooks.com.
  if (/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(value)) return value;
  throw new InvalidValue(
    'must be whsec_ followed by 24 to 64 random bytes in Base64; "echo whsec_$(openssl rand -base64 32)" generates one',
  );
}
