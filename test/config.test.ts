import { expect, test } from 'vitest';
import { readConfig, settingsHelp, type Environment } from '../src/config.ts';
import { problemsOf } from './support/config-problems.ts';

test('an empty environment is a server on this machine alone, in front of the sandbox', () => {
  expect(readConfig({})).toMatchObject({
    currentApiUrl: null,
    legacyApiUrl: null,
    usesSandbox: true,
    host: '127.0.0.1',
    port: 4000,
    graphiql: true,
    introspection: true,
    getQueries: false,
    legacyTokenPlacement: 'header',
    currentSendsAccessToken: false,
    currentMaxPageSize: 100,
    logLevel: 'info',
    sandboxPort: 4001,
    sandboxData: 'small',
  });
});

test('an empty or blank variable counts as unset, and white space around a value is dropped', () => {
  const names = settingsHelp().map(({ name }) => name);
  for (const blank of ['', '   ', '\t']) {
    expect(readConfig(Object.fromEntries(names.map((name) => [name, blank])))).toEqual(readConfig({}));
  }
  expect(readConfig({ PORT: ' 8080 ', CURRENT_API_URL: ' https://api.example.com ' })).toMatchObject({
    port: 8080,
    currentApiUrl: new URL('https://api.example.com'),
  });
});

test('variables that are not the server’s own are left alone', () => {
  expect(readConfig({ PATH: '/bin', HOME: '/', FOO: 'bar' })).toEqual(readConfig({}));
});

test('every problem is reported at once, each under its variable', () => {
  const wrong = {
    CURRENT_API_URL: 'nonsense',
    LEGACY_API_URL: 'ftp://x.example',
    PORT: '70000',
    GRAPHIQL: 'yes',
    INTROSPECTION: '1',
    GET_QUERIES: 'true',
    LEGACY_TOKEN_PLACEMENT: 'cookie',
    CURRENT_SENDS_ACCESS_TOKEN: 'true',
    CURRENT_MAX_PAGE_SIZE: '0',
    AI_SOCKET_URL: 'mailto:x',
    AI_SOCKET_AUTH: 'header,none',
    AI_RESULT_MAX_WAIT: 'soon',
    AI_POLL_INTERVAL: '1ms',
    LOG_LEVEL: 'loud',
    SANDBOX: 'maybe',
  };
  const { problems } = problemsOf(wrong);
  const named = problems.map((problem) => problem.split(':')[0]);
  expect(new Set(named)).toEqual(new Set(Object.keys(wrong)));
  expect(named).toHaveLength(Object.keys(wrong).length);
});

test('the message of a ConfigError holds each of its problems', () => {
  const { problems, message } = problemsOf({ PORT: 'x', LOG_LEVEL: 'loud' });
  expect(problems).toHaveLength(2);
  for (const problem of problems) expect(message).toContain(problem);
});

const SECRET = 'planted-secret';

/** Variables of which a wrong value may be a credential, or an address that holds one. */
const NEVER_SHOWN = /_URL$|_URIS$|ORIGINS$|_KEY$|^ACCESS_TOKEN$|^CLIENT_TOKENS$|SECRET$|_AUTH$|^OAUTH_CLIENT/;

test('a problem quotes the wrong value and says which are right, but for what may be a credential', () => {
  const names = settingsHelp().map(({ name }) => name);
  const { problems } = problemsOf(Object.fromEntries(names.map((name) => [name, SECRET])));
  expect(problems.length).toBeGreaterThan(60);
  for (const problem of problems) {
    const isShown = problem.includes(SECRET);
    expect(isShown, problem).toBe(!NEVER_SHOWN.test(problem.split(':')[0] ?? ''));
  }
  expect(problemsOf({ GRAPHIQL: 'yes', KEEP_ALIVE: '2h', PORT: '70000' }).problems).toEqual(
    [
      'GRAPHIQL: is "yes"; it must be auto, on or off',
      'PORT: is 70000; the maximum is 65535',
      'KEEP_ALIVE: is 2h; the maximum is 10m',
    ].toSorted((one, other) => order(one) - order(other)),
  );
  const long = 'a-token-that-was-put-in-the-wrong-place';
  expect(problemsOf({ PORT: long }).message).not.toContain(long);
});

function order(problem: string): number {
  return settingsHelp().findIndex(({ name }) => problem.startsWith(`${name}:`));
}

test.each([
  ['CURENT_API_URL', 'CURRENT_API_URL'],
  ['current_api_url', 'CURRENT_API_URL'],
  ['CURRENT_API_ULR', 'CURRENT_API_URL'],
  ['LEGACY_URL_API', null],
  ['CORS_ORIGINS', null],
  ['ALLOWED_ORIGIN', 'ALLOWED_ORIGINS'],
  ['REDIS_URI', 'REDIS_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['METRICS_', 'METRICS'],
  ['CURRENT_URL', 'CURRENT_API_URL'],
  ['LEGACY_URL', 'LEGACY_API_URL'],
  ['TIME_ZONE', 'SERVICE_TIME_ZONE'],
  ['timezone', 'SERVICE_TIME_ZONE'],
  ['PORTT', 'PORT'],
  ['HOOST', 'HOST'],
  ['SANBOX', 'SANDBOX'],
  ['API_URL', null],
  ['CLIENT_ID', null],
  ['SOCKET_URL', null],
  ['MAX_AGE', null],
  ['PORTS', null],
  ['APP_KEY', null],
  ['POST', null],
  ['HOSTED', null],
  ['A'.repeat(60), null],
  ['HOSTNAME', null],
  ['NODE_ENV', null],
  ['XDG_DATA_DIRS', null],
])('%s is taken for a misspelling of %s', (name, meant) => {
  const expected = meant === null ? [] : [`${name}: is not a setting; did you mean ${meant}?`];
  expect(problemsOf({ [name]: 'https://api.example.com' }).problems).toEqual(expected);
  expect(problemsOf({ [name]: '' }).problems).toEqual([]);
});

test('a similar name next to the setting itself belongs to another program', () => {
  const REDIS = { REDIS_URL: 'redis://127.0.0.1', REDIS_SECRET: 'f'.repeat(64) };
  const CURRENT_API_URL = 'https://api.example.com';
  const TIME = { SERVICE_TIME_ZONE: 'Europe/Paris', TIME_ZONE: 'Mars' };
  for (const environment of [{ ...REDIS, REDIS_URI: 'mongo' }, { CURRENT_API_URL, CURRENT_URL: 'x' }, TIME])
    expect(problemsOf(environment).problems).toEqual([]);
  expect(problemsOf({ CURRENT_API_URL, LEGACY_URL: 'x' }).problems).toHaveLength(1);
});

test('the addresses that Kubernetes sets for a service named sandbox are no settings', () => {
  const links = {
    SANDBOX_PORT: 'tcp://10.0.0.7:4001',
    REDIS_URLS: 'tcp://10.0.0.8:80',
    METRIC: 'udp://10.0.0.9:1',
  };
  expect(readConfig(links)).toEqual(readConfig({}));
  expect(problemsOf({ SANDBOX_PORT: 'http://10.0.0.7' }).problems).toHaveLength(1);
});

test('the settings of the sandbox are not checked if a service is configured', () => {
  const unusable = { SANDBOX_PORT: '-1', SANDBOX_DATA: 'huge' };
  expect(problemsOf(unusable).problems).toHaveLength(2);
  for (const name of ['CURRENT_API_URL', 'LEGACY_API_URL'])
    expect(problemsOf({ ...unusable, [name]: 'https://api.example.com' }).problems).toEqual([]);
});

test.each([
  'API_KEY',
  'ACCESS_TOKEN',
  'CLIENT_TOKENS',
  'CURRENT_API_URL',
  'REDIS_SECRET',
  'DATA_DIR',
  'PORT',
])('%s in quotation marks is refused once, and is not repeated', (name) => {
  const needed = name === 'REDIS_SECRET' ? { REDIS_URL: 'redis://127.0.0.1' } : {};
  for (const quote of ['"', "'", '`']) {
    const { problems } = problemsOf({ ...needed, [name]: `${quote}${'x1'.repeat(20)}${quote}` });
    expect(problems).toEqual([`${name}: is in quotation marks, which are part of the value; remove them`]);
  }
});

test('a credential with a quotation mark anywhere is refused', () => {
  for (const value of ['"abcdefghijklmnop', "abcdefghijklmnop'", 'abcdefgh"ijklmnop'])
    for (const name of ['API_KEY', 'ACCESS_TOKEN', 'CLIENT_TOKENS'])
      expect(problemsOf({ [name]: value }).problems, name).toEqual([
        expect.stringContaining('quotation marks'),
      ]);
});

test.each<readonly [environment: Environment, isAllowed: boolean]>([
  [{}, true],
  [{ HOST: '[::1]' }, true],
  [{ NODE_ENV: 'development' }, true],
  [{ NODE_ENV: 'production' }, false],
  [{ HOST: '0.0.0.0' }, false],
  [{ HOST: '::' }, false],
  [{ HOST: '0.0.0.0', NODE_ENV: 'production', SANDBOX: 'on' }, true],
  [{ SANDBOX: 'off' }, false],
])('%j allows the sandbox: %j', (environment, isAllowed) => {
  expect(readConfig(environment).allowsSandbox).toBe(isAllowed);
});

test('SANDBOX=on next to an address of the service is refused', () => {
  const url = 'https://api.example.com';
  for (const name of ['CURRENT_API_URL', 'LEGACY_API_URL'])
    expect(problemsOf({ SANDBOX: 'on', [name]: url }).problems).toEqual([
      `SANDBOX: cannot be on while ${name} is set; unset one of them`,
    ]);
});

test('a misspelt name is told beside the values that are wrong', () => {
  const { problems } = problemsOf({ CURENT_API_URL: 'https://api.example.com', PORT: 'x' });
  expect(problems.map((problem) => problem.split(':')[0])).toEqual(['CURENT_API_URL', 'PORT']);
});

test('DATA_DIR is kept for the command watch where Redis replaces it', () => {
  const DATA_DIR = '/var/lib/graph';
  const environment = { DATA_DIR, REDIS_URL: 'redis://127.0.0.1', REDIS_SECRET: 'f'.repeat(64) };
  expect(readConfig(environment)).toMatchObject({ dataDirectory: null, outboxDirectory: DATA_DIR });
  expect(readConfig({ DATA_DIR })).toMatchObject({ dataDirectory: DATA_DIR, outboxDirectory: DATA_DIR });
});

test('the example’s REDIS_SECRET is refused', () => {
  const secret = 'replace-me-by-64-characters-that-openssl-rand-hex-32-has-printed';
  expect(problemsOf({ REDIS_URL: 'redis://127.0.0.1', REDIS_SECRET: secret }).problems).toEqual([
    expect.stringMatching(/^REDIS_SECRET: is still the placeholder from the example; .*openssl/),
  ]);
});

test.each<readonly [environment: Environment, problems: readonly string[]]>([
  [
    { REDIS_URL: 'redis://127.0.0.1' },
    [
      'REDIS_SECRET: is required with REDIS_URL; "openssl rand -hex 32" generates one; use the same for all processes',
    ],
  ],
  [{ REDIS_SECRET: 'f'.repeat(64) }, ['REDIS_URL: is required with REDIS_SECRET']],
  [
    { OAUTH_CLIENT_ID: 'an-app' },
    [
      'OAUTH_CLIENT_SECRET: is required with the other OAUTH_ settings',
      'OAUTH_REDIRECT_URIS: is required with the other OAUTH_ settings',
    ],
  ],
  [
    { PERSISTED_ONLY: 'on' },
    ['PERSISTED_ONLY: requires PERSISTED_DOCUMENTS, because nothing could be executed without it'],
  ],
])('%j lacks another setting, which is named', (environment, problems) => {
  expect(problemsOf(environment).problems).toEqual(problems);
});

const NO_REDIS = 'is not a URL that begins with redis:// or rediss://';

test.each([
  ['no-address', 'is not a URL'],
  ['http://127.0.0.1', NO_REDIS],
  ['redis:///0', NO_REDIS],
  ['redis://127.0.0.1?db=1', 'contains a query or a fragment, which is not allowed'],
  ['redis://127.0.0.1#1', 'contains a query or a fragment, which is not allowed'],
  ['redis://127.0.0.1/posts', 'has a path that is not a database number'],
  ['redis://user:50%@127.0.0.1', 'contains a % that must be written as %25'],
  ['redis://50%:pass@127.0.0.1', 'contains a % that must be written as %25'],
])('the REDIS_URL %s is refused, and not repeated', (REDIS_URL, problem) => {
  expect(problemsOf({ REDIS_URL, REDIS_SECRET: 'f'.repeat(64) }).problems).toEqual([`REDIS_URL: ${problem}`]);
});

const redisUrlOf = (REDIS_URL: string) => readConfig({ REDIS_URL, REDIS_SECRET: 'f'.repeat(64) }).redis?.url;

test('a REDIS_URL may hold a user, a password and the number of a database, and asks for TLS however it is spelt', () => {
  expect(redisUrlOf('redis://user:50%25@127.0.0.1:6380/2')).toBe('redis://user:50%25@127.0.0.1:6380/2');
  expect(redisUrlOf('REDISS://redis.example')).toBe('rediss://redis.example');
});

test('a duration without a unit is in seconds, and one beyond its bounds is told with them', () => {
  expect(readConfig({ KEEP_ALIVE: '7' })).toEqual(readConfig({ KEEP_ALIVE: '7000ms' }));
  expect(readConfig({ KEEP_ALIVE: '2m' })).toEqual(readConfig({ KEEP_ALIVE: '120 s' }));
  expect(readConfig({ KEEP_ALIVE: '1.5s' })).toEqual(readConfig({ KEEP_ALIVE: '1500ms' }));
  for (const text of ['x', '-1', '1e9', '1,5s', '.5s', 'NaN', 'Infinity'])
    expect(problemsOf({ MAX_SOCKET_AGE: text }).problems, text).toHaveLength(1);
  expect(problemsOf({ KEEP_ALIVE: '999ms' }).problems).toEqual(['KEEP_ALIVE: is 999ms; the minimum is 1s']);
  expect(problemsOf({ KEEP_ALIVE: '1d' }).problems).toEqual([
    'KEEP_ALIVE: is "1d"; write a number and its unit, such as 500ms, 90s, 10m or 1h',
  ]);
});

test.each(['PORT', 'SANDBOX_PORT', 'CURRENT_MAX_PAGE_SIZE'])(
  '%s takes whole numbers within its bounds alone',
  (name) => {
    for (const text of ['x', '1.5', '-1', '1e9', 'NaN', 'Infinity', '1_000', '65536000', '١']) {
      expect(problemsOf({ [name]: text }).problems, text).toHaveLength(1);
    }
    expect(problemsOf({ [name]: '1' }).problems).toEqual([]);
  },
);

test('the sandbox takes the place of the service only when neither surface is configured', () => {
  const url = 'https://api.example.com';
  expect(readConfig({ CURRENT_API_URL: url }).usesSandbox).toBe(false);
  expect(readConfig({ LEGACY_API_URL: url }).usesSandbox).toBe(false);
  expect(readConfig({ CURRENT_API_URL: url, LEGACY_API_URL: url }).usesSandbox).toBe(false);
});

test.each(['GRAPHIQL', 'INTROSPECTION'] as const)('%s follows the address unless it is on or off', (name) => {
  const isOn = (environment: Environment): boolean =>
    readConfig(environment)[name === 'GRAPHIQL' ? 'graphiql' : 'introspection'];
  for (const HOST of ['127.0.0.1', '127.1.2.3', '::1', '[::1]', 'localhost']) {
    expect(isOn({ HOST }), HOST).toBe(true);
    expect(isOn({ HOST, [name]: 'auto' })).toBe(true);
    expect(isOn({ HOST, [name]: 'off' })).toBe(false);
  }
  for (const HOST of [
    '0.0.0.0',
    '::',
    '10.0.0.7',
    'example.com',
    'localhost.example.com',
    '127.0.0.1.example.com',
  ]) {
    expect(isOn({ HOST }), HOST).toBe(false);
    expect(isOn({ HOST, [name]: 'on' })).toBe(true);
  }
});

test('the help names every variable with what it is for, and its default', () => {
  const help = settingsHelp();
  expect(help.length).toBeGreaterThanOrEqual(12);
  for (const { name, description } of help) {
    expect(name).toMatch(/^[A-Z][A-Z_]+$/);
    expect(description.length, name).toBeGreaterThan(10);
  }
  expect(help.find(({ name }) => name === 'PORT')?.default).toBe('4000');
  expect(help.find(({ name }) => name === 'CURRENT_API_URL')?.default).toBe('');
});

test.each([
  'MAX_SOCKETS',
  'MAX_SOCKETS_PER_CREDENTIAL',
  'MAX_ANONYMOUS_SOCKETS_PER_ADDRESS',
  'WS_MESSAGES_PER_SECOND',
  'WS_MESSAGE_BURST',
])('%s is a whole number', (name) => {
  for (const text of ['x', '-1', '1.5', '1e9', 'NaN', 'Infinity'])
    expect(problemsOf({ [name]: text }).problems, text).toEqual([expect.stringMatching(`^${name}: `)]);
  expect(problemsOf({ [name]: '7' }).problems).toEqual([]);
});

test('the limits of sockets have the defaults that the help states', () => {
  expect(readConfig({}).sockets).toEqual({
    maxSockets: 10_000,
    maxPerCredential: 100,
    maxAnonymousPerAddress: 20,
    maxAgeMs: 3_600_000,
    messagesPerSecond: 20,
    messageBurst: 50,
  });
});
