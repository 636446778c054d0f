import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig, settingsHelp, type Config, type Environment } from '../src/config.ts';
import { isLoopback } from '../src/config/setting.ts';

/** The problems of an environment, and the message that holds them. */
function problemsOf(environment: Environment): Pick<ConfigError, 'problems' | 'message'> {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  return { problems: [], message: '' };
}

const namesIn = (problems: readonly string[]) => problems.map((problem) => problem.split(':')[0]);

/** Checks that each value of a setting is its one problem, and is repeated nowhere. */
function expectRefused(name: string, values: readonly string[], planted: string, others: Environment = {}) {
  for (const value of values) {
    const { problems, message } = problemsOf({ ...others, [name]: value });
    expect(namesIn(problems), value).toEqual([name]);
    expect(message, value).not.toContain(planted);
  }
}

const API = 'https://api.example.com';
const SECRET = 'planted-secret-of-the-operator';
const REDIS = { REDIS_URL: 'redis://127.0.0.1', REDIS_SECRET: 'f'.repeat(64) };
const NO_REDIS = 'is not a URL that begins with redis:// or rediss://';
const HERE = ['127.0.0.1', '127.255.255.254', '::1', '[::1]', 'localhost'];
const ELSEWHERE = '0.0.0.0 :: 10.0.0.7 example.com localhost.example.com 127.0.0.1.example.com'.split(' ');

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
    allowedOrigins: [],
    clientTokens: [],
    operator: { apiKey: null, accessToken: null },
  });
});

test('blank variables count as unset, white space around a value is dropped, and others are left alone', () => {
  const names = settingsHelp().map(({ name }) => name);
  for (const blank of ['', '   ', '\t'])
    expect(readConfig(Object.fromEntries(names.map((name) => [name, blank])))).toEqual(readConfig({}));
  const spaced = { PORT: ' 8080 ', CURRENT_API_URL: ` ${API} `, PATH: '/bin', FOO: 'bar' };
  expect(readConfig(spaced)).toEqual(readConfig({ PORT: '8080', CURRENT_API_URL: API }));
});

/** Variables of which a wrong value may be a credential, or an address that holds one. */
const NEVER_SHOWN = /_URL$|_URIS$|ORIGINS$|_KEY$|^ACCESS_TOKEN$|^CLIENT_TOKENS$|SECRET$|_AUTH$|^OAUTH_CLIENT/;

test('every problem is reported at once, and quotes the wrong value unless it may be a credential', () => {
  const wrong = Object.fromEntries(settingsHelp().map(({ name }) => [name, 'planted-secret']));
  const { problems, message } = problemsOf(wrong);
  expect(problems.length).toBeGreaterThan(60);
  expect(new Set(namesIn(problems)).size).toBe(problems.length);
  for (const problem of problems) {
    expect(message).toContain(problem);
    expect(problem.includes('planted-secret'), problem).toBe(!NEVER_SHOWN.test(problem.split(':')[0] ?? ''));
  }
  // What is longer may be a credential in the wrong place.
  expectRefused('PORT', [SECRET], SECRET);
});

test.each<readonly [environment: Environment, problems: readonly unknown[]]>([
  [{ GRAPHIQL: 'yes' }, ['GRAPHIQL: is "yes"; it must be auto, on or off']],
  [{ PORT: '70000' }, ['PORT: is 70000; the maximum is 65535']],
  // Not the address that Kubernetes would set.
  [{ SANDBOX_PORT: 'http://10.0.0.7' }, ['SANDBOX_PORT: is "http://10.0.0.7"; it must be a whole number']],
  [{ KEEP_ALIVE: '2h' }, ['KEEP_ALIVE: is 2h; the maximum is 10m']],
  [{ KEEP_ALIVE: '1d' }, ['KEEP_ALIVE: is "1d"; write a number and its unit, such as 500ms, 90s, 10m or 1h']],
  ...['CURRENT_API_URL', 'LEGACY_API_URL'].map((name) => {
    const problem = `SANDBOX: cannot be on while ${name} is set; unset one of them`;
    return [{ SANDBOX: 'on', [name]: API }, [problem]] as const;
  }),
  [{ REDIS_URL: REDIS.REDIS_URL }, ['REDIS_SECRET: is required with REDIS_URL']],
  [{ REDIS_SECRET: REDIS.REDIS_SECRET }, ['REDIS_URL: is required with REDIS_SECRET']],
  [
    { ...REDIS, REDIS_SECRET: 'replace-me-by-64-characters-that-openssl-rand-hex-32-has-printed' },
    [expect.stringMatching(/^REDIS_SECRET: is still the placeholder from the example; .*openssl/)],
  ],
  [{ AI_SOCKET_AUTH: 'none,query' }, ['AI_SOCKET_AUTH: cannot combine none with other values']],
  [
    { OAUTH_CLIENT_ID: 'an-app' },
    [
      'OAUTH_CLIENT_SECRET: is required with OAUTH_CLIENT_ID',
      'OAUTH_REDIRECT_URIS: is required with OAUTH_CLIENT_ID',
    ],
  ],
  [
    { PERSISTED_ONLY: 'on' },
    ['PERSISTED_ONLY: requires PERSISTED_DOCUMENTS, because nothing could be executed without it'],
  ],
  ...[
    ['no-address', 'is not a URL'],
    ['http://127.0.0.1', NO_REDIS],
    ['redis:///0', NO_REDIS],
    ['redis://127.0.0.1?db=1', 'contains a query or a fragment, which is not allowed'],
    ['redis://127.0.0.1/posts', 'has a path that is not a database number'],
    ['redis://user:50%@127.0.0.1', 'contains a % that must be written as %25'],
    ['redis://50%:pass@127.0.0.1', 'contains a % that must be written as %25'],
  ].map(([REDIS_URL, problem]) => [{ ...REDIS, REDIS_URL }, [`REDIS_URL: ${problem}`]] as const),
])('%j is refused with words that help', (environment, problems) => {
  expect(problemsOf(environment).problems).toEqual(problems);
});

test.each([
  ['CURENT_API_URL', 'CURRENT_API_URL'],
  ['current_api_url', 'CURRENT_API_URL'],
  ['ALLOWED_ORIGIN', 'ALLOWED_ORIGINS'],
  ['ALLOW_ORIGINS', 'ALLOWED_ORIGINS'],
  ['CLIENTS_TOKEN', 'CLIENT_TOKENS'],
  ['PERSIST_ONLY', 'PERSISTED_ONLY'],
  ['CURENT_API_ULR', 'CURRENT_API_URL'],
  ['REDIS_URI', 'REDIS_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['CURRENT_URL', 'CURRENT_API_URL'],
  ['timezone', 'SERVICE_TIME_ZONE'],
  ['SANBOX', 'SANDBOX'],
])('%s is taken for a misspelling of %s', (name, meant) => {
  const expected = [`${name}: is not a setting; did you mean ${meant}?`];
  expect(problemsOf({ [name]: API }).problems).toEqual(expected);
  expect(problemsOf({ [name]: '' }).problems).toEqual([]);
});

test.each<Environment>([
  ...'LEGACY_URL_API CORS_ORIGINS API_URL CLIENT_ID SOCKET_URL MAX_AGE PORTS APP_KEY POST HOSTED HOSTNAME NODE_ENV XDG_DATA_DIRS'
    .split(' ')
    .map((name) => ({ [name]: API })),
  { ['A'.repeat(60)]: API },
  // Beside the setting itself, a similar name belongs to another program.
  { ...REDIS, REDIS_URI: 'mongo' },
  { CURRENT_API_URL: API, CURRENT_URL: 'x' },
  { SERVICE_TIME_ZONE: 'Europe/Paris', TIME_ZONE: 'Mars' },
  // Kubernetes sets these for a service named sandbox, redis or metric.
  { SANDBOX_PORT: 'tcp://10.0.0.7:4001', REDIS_URLS: 'tcp://10.0.0.8:80', METRIC: 'udp://10.0.0.9:1' },
])('%j belongs to other programs', (environment) => {
  expect(problemsOf(environment).problems).toEqual([]);
});

test('without a service the sandbox takes its place, and its settings are checked then only', () => {
  const unusable = { SANDBOX_PORT: '-1', SANDBOX_DATA: 'huge' };
  expect(problemsOf(unusable).problems).toHaveLength(2);
  for (const name of ['CURRENT_API_URL', 'LEGACY_API_URL'])
    expect(readConfig({ ...unusable, [name]: API }).usesSandbox).toBe(false);
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

test('DATA_DIR is kept for the command watch where Redis replaces it', () => {
  const DATA_DIR = '/var/lib/graph';
  const config = readConfig({ DATA_DIR, ...REDIS });
  expect(config).toMatchObject({ dataDirectory: null, outboxDirectory: DATA_DIR });
  expect(readConfig({ DATA_DIR })).toMatchObject({ dataDirectory: DATA_DIR, outboxDirectory: DATA_DIR });
});

const keepAliveOf = (KEEP_ALIVE: string) => readConfig({ KEEP_ALIVE }).keepAliveMs;

test('a duration is a number with its unit, or a bare number of seconds', () => {
  const read = ['7', '120 s', '2m', '1.5s', '1500ms'].map((text) => keepAliveOf(text));
  expect(read).toEqual([7_000, 120_000, 120_000, 1_500, 1_500]);
  expectRefused('MAX_SOCKET_AGE', ['x', '-1', '1e9', '1,5s', '.5s', 'NaN', 'Infinity'], SECRET);
});

test.each(['PORT', 'MAX_SOCKETS'])('%s takes whole numbers within its bounds alone', (name) => {
  expectRefused(name, ['x', '1.5', '-1', '1e9', 'NaN', 'Infinity', '1_000', '65536000', '١'], SECRET);
  expect(problemsOf({ [name]: '7' }).problems).toEqual([]);
});

test('only addresses that no other machine can reach are loopback', () => {
  for (const host of HERE) expect(isLoopback(host), host).toBe(true);
  for (const host of [...ELSEWHERE, '', '127', '127.x', '128.0.0.1', '::ffff:10.0.0.1', 'localhost.'])
    expect(isLoopback(host), host).toBe(false);
});

test.each(['GRAPHIQL', 'INTROSPECTION', 'METRICS', 'DESK'])(
  '%s follows the address unless it is on or off',
  (name) => {
    const isOn = (environment: Environment): boolean =>
      readConfig(environment)[name.toLowerCase() as 'graphiql' | 'introspection' | 'metrics' | 'desk'];
    for (const HOST of [...HERE, ...ELSEWHERE]) {
      expect(isOn({ HOST }), HOST).toBe(isLoopback(HOST));
      expect(isOn({ HOST, [name]: 'auto' }), HOST).toBe(isLoopback(HOST));
      expect([isOn({ HOST, [name]: 'on' }), isOn({ HOST, [name]: 'off' })]).toEqual([true, false]);
    }
  },
);

describe('credentials', () => {
  const OPERATORS = ['API_KEY', 'ACCESS_TOKEN'] as const;

  test.each(OPERATORS)('%s requires client tokens where other machines can reach the server', (name) => {
    for (const HOST of HERE) expect(problemsOf({ HOST, [name]: SECRET }).problems, HOST).toEqual([]);
    for (const HOST of ELSEWHERE) {
      for (const CLIENT_TOKENS of ['', ' ', ',', ' , ']) {
        const { problems, message } = problemsOf({ HOST, [name]: SECRET, CLIENT_TOKENS });
        expect(problems, HOST).toEqual([expect.stringMatching(`^${name}: .*CLIENT_TOKENS`)]);
        expect(message).not.toContain(SECRET);
      }
      expect(problemsOf({ HOST, [name]: SECRET, CLIENT_TOKENS: `${SECRET}-1` }).problems, HOST).toEqual([]);
    }
    const both = problemsOf({ HOST: '0.0.0.0', API_KEY: SECRET, ACCESS_TOKEN: SECRET });
    expect(namesIn(both.problems)).toEqual([...OPERATORS]);
  });

  test.each(OPERATORS)('%s can’t hold what no header can, and is not repeated', (name) => {
    const values = [`${SECRET}\r\nx: y`, `${SECRET} x`, `${SECRET}\u0000`, `ключ-${SECRET}`];
    expectRefused(name, values, SECRET);
  });

  test('client tokens that are short or no text of a header are refused, and not repeated', () => {
    expectRefused('CLIENT_TOKENS', ['planted', `${'long'.repeat(9)},planted`], 'planted');
    expectRefused('CLIENT_TOKENS', [`${SECRET} ${SECRET}`, `${SECRET}\u00e9`], SECRET);
  });

  test.each([...OPERATORS, 'CLIENT_TOKENS', 'CURRENT_API_URL', 'REDIS_SECRET', 'DATA_DIR', 'PORT'])(
    '%s in quotation marks is refused once, and is not repeated',
    (name) => {
      const needed = name === 'REDIS_SECRET' ? { REDIS_URL: REDIS.REDIS_URL } : {};
      for (const quote of ['"', "'", '`'])
        expect(problemsOf({ ...needed, [name]: `${quote}${'x1'.repeat(20)}${quote}` }).problems).toEqual([
          `${name}: is in quotation marks, which are part of the value; remove them`,
        ]);
      if (!/KEY|TOKEN/.test(name)) return;
      for (const value of ['"abcdefghijklmnop', "abcdefghijklmnop'", 'abcdefgh"ijklmnop'])
        expect(problemsOf({ [name]: value }).problems).toEqual([expect.stringContaining('quotation marks')]);
    },
  );
});

describe.each(['CURRENT_API_URL', 'LEGACY_API_URL'])('%s', (name) => {
  test('may be https anywhere, and http on this machine', () => {
    for (const url of [
      `${API}/`,
      `${API}:8443/base/path`,
      'https://10.0.0.7',
      'http://127.8.9.10',
      'http://localhost:4001/base',
      'http://[::1]:4001',
    ])
      expect(problemsOf({ [name]: url }).problems, url).toEqual([]);
  });

  test('is refused as plain http beyond this machine', () => {
    const others = ['[::2]', '169.254.169.254', 'a/127.0.0.1'];
    for (const host of [...ELSEWHERE.filter((one) => one !== '::'), ...others])
      expect(problemsOf({ [name]: `http://${host}` }).problems, host).toEqual([
        expect.stringMatching(`^${name}: .*http`),
      ]);
  });

  test('is refused where it holds a credential or is no web address, and is not repeated', () => {
    const values = [
      'https://user:planted@api.example.com',
      'https://planted@api.example.com',
      'https://:planted@api.example.com',
      'https://api.example.com/?key=planted',
      'https://api.example.com/#planted',
      ...['ftp', 'file', 'ws', 'http'].map((scheme) => `${scheme}://planted.example.com`),
      'javascript:planted',
      'planted',
      '//planted',
      'https://',
      'https:// planted',
    ];
    expectRefused(name, values, 'planted');
    expectRefused(name, values, 'example.com');
  });
});

test.each([
  ['redis://user:50%25@127.0.0.1:6380/2', 'redis://user:50%25@127.0.0.1:6380/2'],
  ['REDISS://redis.example', 'rediss://redis.example'],
])('the REDIS_URL %s is read as %s', (REDIS_URL, read) => {
  expect(readConfig({ ...REDIS, REDIS_URL }).redis?.url).toBe(read);
});

test('origins are taken as browsers spell them, with commas between; what no page can have is refused', () => {
  const ALLOWED_ORIGINS = ' https://app.example, http://127.0.0.1:8080 ,,https://xn--bcher-kva.example:8443';
  expect(readConfig({ ALLOWED_ORIGINS }).allowedOrigins).toEqual([
    'https://app.example',
    'http://127.0.0.1:8080',
    'https://xn--bcher-kva.example:8443',
  ]);
  const refused =
    '* null app.example //app.example https://app.example/ https://app.example/path https://app.example:443 http://app.example:80 https://App.example HTTPS://app.example https://bücher.example https://*.app.example https://user@app.example https://app.example?x ws://app.example file:// chrome-extension://abcdef blob:https://app.example';
  const values = [...refused.split(' '), 'https://app.example https://other.example'];
  const lists = values.map((origin) => `https://good.example,${origin}`);
  expectRefused('ALLOWED_ORIGINS', lists, 'good.example');
});

const originsOf = ({ proxies }: Config) =>
  [proxies.current, proxies.legacy].map((proxy) => proxy?.origin ?? null);
const PROXY = 'http://proxy.example:3128';

test.each<[proxy: string | null, url: string, variables: Environment]>([
  [null, API, {}],
  [PROXY, API, { HTTPS_PROXY: PROXY }],
  [PROXY, API, { https_proxy: PROXY, HTTPS_PROXY: 'http://other.example' }],
  [PROXY, API, { https_proxy: ' ', HTTPS_PROXY: PROXY }],
  [null, API, { HTTPS_PROXY: PROXY, no_proxy: '', NO_PROXY: '*' }],
  ['https://proxy.example', API, { HTTPS_PROXY: 'https://me:p%40ss@proxy.example/' }],
  [null, API, { HTTPS_PROXY: PROXY, NO_PROXY: '*' }],
  [null, API, { HTTPS_PROXY: PROXY, no_proxy: 'localhost, .Example.com' }],
  [null, API, { HTTPS_PROXY: PROXY, NO_PROXY: 'localhost *.example.com' }],
  [null, API, { HTTPS_PROXY: PROXY, NO_PROXY: 'api.example.com:443' }],
  [PROXY, API, { HTTPS_PROXY: PROXY, NO_PROXY: 'api.example.com:8443,ample.com,a.api.example.com,,' }],
  [null, 'https://[fd00::1]:8443', { HTTPS_PROXY: PROXY, NO_PROXY: '[fd00::1]:8443' }],
  [null, 'https://localhost', { HTTPS_PROXY: PROXY, NO_PROXY: 'other.example' }],
  [null, 'https://[::1]', { HTTPS_PROXY: PROXY }],
  [null, 'http://127.8.9.10', { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY }],
])('the proxy %j is that of %s with %j', (proxy, url, variables) => {
  expect(originsOf(readConfig({ CURRENT_API_URL: url, ...variables }))).toEqual([proxy, null]);
  expect(originsOf(readConfig({ LEGACY_API_URL: url, ...variables }))).toEqual([null, proxy]);
});

test('a proxy that is used and cannot be right is refused, and its value is not repeated', () => {
  const wrong = ['socks5://planted', 'http://', 'http://me:100%planted@proxy.example', 'planted:x'];
  for (const HTTPS_PROXY of wrong) {
    expect(problemsOf({ CURRENT_API_URL: API, HTTPS_PROXY }).problems, HTTPS_PROXY).toEqual([
      'HTTPS_PROXY: is not a URL that begins with http:// or https://',
    ]);
    expect(problemsOf({ HTTPS_PROXY }).problems).toEqual([]);
  }
});
