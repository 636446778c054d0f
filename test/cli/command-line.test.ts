import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ConnectionError } from '../../packages/client/src/index.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { checkService } from '../../src/cli/check.ts';
import { problemOfCommand } from '../../src/cli/command-graph.ts';
import { reasonOfCall } from '../../src/cli/failure.ts';
import { runProgram } from '../../src/cli/program.ts';
import { bannerOf } from '../../src/cli/start.ts';
import { readConfig, settingsHelp, type Environment } from '../../src/config.ts';
import { SourceError, type SourceErrorDetails, type SourceErrorKind } from '../../src/sources/errors.ts';
import { BUILT_SERVER } from '../support/built-server.ts';
import { currentOf, runProgramInPlace, startProgramInPlace } from '../support/command.ts';
import { temporaryFolder } from '../support/files.ts';
import { jsonOf, postJson, send } from '../support/http.ts';
import { freePort } from '../support/network.ts';
import { REDIS_SECRET, isRedisHere, startRedis } from '../support/redis.ts';
import { changingEach, changingPage, sandboxForTest } from '../support/sandbox.ts';

/** Makes standard output a terminal for the rest of a test. */
function openTerminal(): void {
  const before = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
  Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true });
  onTestFinished(() => {
    Reflect.deleteProperty(process.stdout, 'isTTY');
    if (before) Object.defineProperty(process.stdout, 'isTTY', before);
  });
}

// The command line.

const DEMO = { 'x-api-key': 'demo-key-harbour' };
const HINT = 'Settings are environment variables, such as PORT=4100; --help lists them.';

test.each([
  ['chek --json', `error: unknown command 'chek'\n(Did you mean check?)\n${HINT}`],
  ['--port 4100', `error: unknown option '--port'\n${HINT}`],
  ['start --port 4100', `error: unknown option '--port'\n${HINT}`],
  ['schedule', `error: missing required argument 'file'\n${HINT}`],
])('the command line "%s" is rejected with a hint', async (line, message) => {
  const { status, output, standardOutput } = await runProgramInPlace(line.split(' '));
  expect([status, standardOutput, output.trim()]).toEqual([1, '', message]);
});

test('--help names every command, and every setting with its default', async () => {
  const { status, standardOutput } = await runProgramInPlace(['--help']);
  expect(status).toBe(0);
  const title = '\nEnvironment variables, also read from .env:\n';
  const [commands = '', environment = ''] = standardOutput.split(title);
  expect([...commands.matchAll(/^ {2}([a-z]+) .*$/gm)].map(([, name]) => name)).toEqual(
    'start sandbox check watch mcp queue schema schedule help'.split(' '),
  );
  const lines = environment.trimEnd().split('\n');
  expect(lines.map((line) => line.trim().split(' ')[0])).toEqual(settingsHelp().map(({ name }) => name));
  expect(environment).toMatch(/^ {2}PORT +\S.* \(4000\)$/m);
  expect(environment).not.toContain('()');
});

test('schedule --help has its own options, and the meaning of its exit status', async () => {
  const { status, standardOutput } = await runProgramInPlace(['schedule', '--help']);
  expect(status).toBe(0);
  expect(standardOutput).toMatch(/--per-minute <number> .*\(default: "60"\)/);
  expect(standardOutput.replaceAll(/\s+/g, ' ')).toContain('posts.results.jsonl beside posts.csv');
  expect(standardOutput).toContain('3  it is unknown whether some rows were sent');
});

test('schema prints the schema', async () => {
  const { standardOutput } = await runProgramInPlace(['schema']);
  expect(standardOutput).toBe(await readFile(join(BUILT_SERVER, 'schema.graphql'), 'utf8'));
});

test('a bug of the program keeps its stack', async () => {
  const bug = new TypeError('planted');
  vi.spyOn(process.stdout, 'write').mockImplementation(() => {
    throw bug;
  });
  await expect(runProgram(['schema'])).rejects.toBe(bug);
});

/** Runs command lines of the built program in a shell, each followed by something, for a service that a sandbox stands in for. */
async function inShell(sandbox: Sandbox, lines: readonly string[], rest: string) {
  const all = lines.map((args) => `${process.execPath} dist/main.js ${args} ${rest}`);
  const env = { ...process.env, ...currentOf(sandbox), DATA_DIR: 'off' };
  return await promisify(execFile)('bash', ['-c', all.join('\n')], { cwd: BUILT_SERVER, env });
}

test('a reader that closes the pipe early changes neither the exit status nor what is logged', async () => {
  const sandbox = await sandboxForTest();
  const file = join(await temporaryFolder(), 'posts.csv');
  await writeFile(file, `account,time,text\n${'Nobody,tomorrow,Hello\n'.repeat(1_000)}`);
  const lines = ['schema', `schedule ${file}`];
  const { stdout, stderr } = await inShell(sandbox, lines, '| head -n 1 >&2; echo $PIPESTATUS');
  // The file is wrong, whoever reads that.
  expect(stdout).toBe('0\n1\n');
  expect(stderr).not.toMatch(/EPIPE|\n +at /);
});

test.runIf(existsSync('/dev/full'))(
  'output that cannot be written is reported in a sentence, with status 1',
  async () => {
    const sandbox = await sandboxForTest();
    const file = join(await temporaryFolder(), 'posts.csv');
    await writeFile(file, 'account,time,text\n410202,2035-01-01 09:00,Hello\n');
    const all = ['schema', 'queue --json', 'check', `schedule ${file}`, `schedule ${file} --send`];
    const { stdout, stderr } = await inShell(sandbox, all, '> /dev/full; echo $?');
    expect(stdout).toBe('1\n'.repeat(all.length));
    const sentence = 'Standard output cannot be written: no space left on device.\n';
    const problems = stderr.replaceAll(/^(?:(?:Finishing|Checking) .*)?\n|^line .*\n/gm, '');
    expect(problems).toBe(sentence.repeat(all.length));
  },
);

/** Starts a server in this process; returns it and the address of its endpoint once it serves. */
async function serve(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const running = startProgramInPlace(args, { OVERLOAD_DELAY: '1h', ...environment });
  await expect.poll(() => running.output).toMatch(/^GraphQL +http/m);
  return { running, endpoint: /^GraphQL +(http:\S+)$/m.exec(running.output)?.[1] ?? '' };
}

test('start, the default, serves the sandbox and its time zone, and ends in order with 0', async () => {
  const { running, endpoint } = await serve([]);
  expect(running.standardOutput).toMatch(/^\{.*"msg":"listening".*\}\n$/);
  const query = `{
    accounts(first: 1) { totalCount nodes { nextFreeSlots(count: 1) { scheduledAt } } }
    queuedPosts(first: 1) { nodes { scheduledAt scheduledAtLocal } }
    viewer { isSandbox }
  }`;
  const { data, errors } = jsonOf(await postJson(endpoint, { query }, DEMO));
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({
    accounts: { totalCount: 12, nodes: [{ nextFreeSlots: [{ scheduledAt: expect.stringMatching(/Z$/) }] }] },
    viewer: { isSandbox: true },
  });
  const [{ scheduledAt, scheduledAtLocal }] = data.queuedPosts.nodes;
  expect(scheduledAt).toBe(new Date(`${scheduledAtLocal}Z`).toISOString());
  expect(await running.end('SIGTERM')).toBe(0);
  await expect(send(endpoint)).rejects.toThrow('ECONNREFUSED');
});

test.each(['::', '[::1]', '0.0.0.0', 'localhost'])(
  'start with HOST=%s serves the sandbox, says so in /ready, and names a credential that it accepts',
  async (HOST) => {
    const { running, endpoint } = await serve(['start'], { HOST, SANDBOX: 'on', DRAIN_DELAY: '0s' });
    const url = endpoint.replace(/\/graphql$/, '');
    const surfaces = { current: 'sandbox', legacy: 'sandbox' };
    expect(jsonOf(await send(`${url}/ready`))).toMatchObject({ surfaces });
    const connecting = await send(`${url}/connect?redirected`);
    const consentUrl = new URL(String(connecting.headers['location']));
    const consent = await send(consentUrl.href);
    expect([connecting.status, consent.status]).toEqual([302, 302]);
    // The settings of the tests leave the port to the system.
    const redirectUri = new URL(consentUrl.searchParams.get('redirect_uri') ?? '');
    expect(redirectUri.port).toBe(new URL(url).port);
    const wrong = { 'x-api-key': 'a-real-key', authorization: 'Bearer a-real-token' };
    for (const headers of [{}, wrong]) {
      const query = '{ current: accounts { totalCount } legacy: accounts(surface: LEGACY) { totalCount } }';
      const { errors } = jsonOf(await postJson(endpoint, { query }, headers));
      expect(errors.map(({ message }: { message: string }) => message)).toEqual([
        expect.stringContaining('sandbox, which accepts demo-key-harbour.'),
        expect.stringContaining('sandbox, which accepts demo-token-harbour.'),
      ]);
    }
    expect(await running.end('SIGTERM')).toBe(0);
  },
);

test('on a terminal, start greets people instead of writing JSON for programs', async () => {
  openTerminal();
  const { running } = await serve(['start'], { LOG_LEVEL: 'warn' });
  expect(running.standardOutput).toMatch(/^\nGraphQL +http/);
  expect(running.output).not.toContain('listening');
  expect(await running.end('SIGINT')).toBe(0);
});

test('sandbox listens where HOST says, and prints the credentials of its owners', async () => {
  const running = startProgramInPlace(['sandbox'], {
    HOST: '0.0.0.0',
    SANDBOX_PORT: '0',
    NODE_ENV: 'production',
    CURRENT_API_URL: 'https://api.example.com',
    API_KEY: 'a-real-key',
  });
  await expect.poll(() => running.output).toMatch(/^Sandbox +http:\/\/0\.0\.0\.0:\d+ /m);
  expect(running.standardOutput).toContain('  x-api-key: demo-key-harbour\n  authorization: Bearer ');
  const [, port = ''] = /0\.0\.0\.0:(\d+) /.exec(running.output) ?? [];
  expect((await send(`http://127.0.0.1:${port}/accounts/list`, { headers: DEMO })).status).toBe(200);
  expect(await running.end('SIGTERM')).toBe(0);
});

test('schedule sends to the sandbox only with --sandbox, then never to the service, and to the service after that', async () => {
  const file = join(await temporaryFolder(), 'posts.csv');
  await writeFile(file, 'account,time,text\nKelpgate Roasters,2031-01-15 09:00,New beans\n');
  const accidental = await runProgramInPlace(['schedule', file, '--send']);
  expect(accidental.status).toBe(1);
  expect(accidental.output).toMatch(/CURRENT_API_URL: is not set, .* use --sandbox/);
  expect(existsSync(file.replace('.csv', '.results.jsonl'))).toBe(false);
  const sandbox = await sandboxForTest();
  const { requests } = sandbox;
  const environment = { ...currentOf(sandbox), NODE_ENV: 'production' };
  const tried = await runProgramInPlace(['schedule', file, '--send', '--sandbox'], environment);
  expect([tried.status, requests.all], tried.output).toEqual([0, []]);
  expect(tried.standardOutput).toContain('Sending 1 row to the sandbox, ');
  const real = await runProgramInPlace(['schedule', file, '--send'], environment);
  expect([real.status, requests.count('POST /posts/create')], real.output).toEqual([0, 1]);
});

const NO_KEY = 'API_KEY: is missing; this command uses it to call the service';
const NO_CURRENT = 'CURRENT_API_URL: is missing; this command needs the current surface';

test.each([
  [{ CURRENT_API_URL: 'http://127.0.0.1:9' }, [NO_KEY]],
  [{ LEGACY_API_URL: 'http://127.0.0.1:9', API_KEY: 'any' }, [NO_CURRENT]],
  [{ LEGACY_API_URL: 'http://127.0.0.1:9' }, [NO_KEY, NO_CURRENT]],
])('queue with %j names all settings that are missing', async (environment, problems) => {
  const { status, output, standardOutput } = await runProgramInPlace(['queue'], environment);
  expect([status, standardOutput]).toEqual([1, '']);
  const [, ...lines] = output.trimEnd().split('\n');
  expect(lines.map((line) => line.trim())).toEqual(problems);
});

const ON_SANDBOX = /^No service is configured; using a SANDBOX at http:\S+ that ends with this command\.$/m;

test('queue without a service prints the queue of a sandbox, and says so beside it', async () => {
  const { status, output, standardOutput } = await runProgramInPlace(['queue', '--json']);
  expect(status).toBe(0);
  expect(JSON.parse(standardOutput)).toHaveLength(25);
  expect(output).toMatch(ON_SANDBOX);
  const calendar = await runProgramInPlace(['queue', '--ics']);
  expect(calendar.standardOutput).toMatch(/^DTSTART:\d{8}T\d{6}Z\r?$/m);
});

const SERVICE = 'https://api.example.com/';

/** The text that a server with these settings prints at its start. */
function bannerFor(environment: Environment): string {
  const config = readConfig(environment);
  const url = 'http://127.0.0.1:4001';
  const demoCredentials = { apiKey: 'demo-key', accessToken: 'demo-token' };
  const sandbox = { currentApiUrl: new URL(url), legacyApiUrl: new URL(url), demoCredentials };
  return bannerOf({
    address: 'http://127.0.0.1:4000',
    config: { ...config, ...(config.usesSandbox ? sandbox : {}) },
    sandboxUrl: config.usesSandbox ? url : null,
  });
}

const LOST = 'DATA_DIR is off: idempotency keys are lost on restart';
const IN_MEMORY = { CURRENT_API_URL: SERVICE, DATA_DIR: 'off' };
const REDIS = { REDIS_URL: 'redis://127.0.0.1', REDIS_SECRET: 'f'.repeat(64) };

test.each<readonly [environment: Environment, shown: readonly RegExp[], hidden: string | null]>([
  [
    {},
    [/^Service +SANDBOX at http:\/\/127\.0\.0\.1:4001/m, /^GraphiQL +http:\/\/127\.0\.0\.1:4000\/graphql/m],
    null,
  ],
  [{}, [/one or both of:\n {2}x-api-key: demo-key\n {2}authorization: Bearer demo-token/], null],
  [
    { CURRENT_API_URL: SERVICE },
    [
      /^Service +current surface: https:\/\/api\.example\.com\/$/m,
      /surface: not configured \(LEGACY_API_URL\)$/m,
    ],
    'SANDBOX',
  ],
  [
    { CURRENT_API_URL: SERVICE, HOST: '0.0.0.0' },
    [/^GraphiQL +off; GRAPHIQL=on/m, /^Schema +introspection is off; INTROSPECTION=on/m],
    null,
  ],
  [
    { CURRENT_API_URL: SERVICE, CLIENT_TOKENS: 'a'.repeat(20) },
    [/Send x-client-token: one of the CLIENT_TOKENS; and x-api-key: YOUR-API-KEY/],
    'a'.repeat(20),
  ],
  // On the sandbox, the posts are lost with the keys.
  [IN_MEMORY, [new RegExp(`^Keys +${LOST}`, 'm')], null],
  [{ CURRENT_API_URL: SERVICE }, [], LOST],
  [{ DATA_DIR: 'off' }, [], LOST],
  [{ ...IN_MEMORY, ...REDIS }, [], LOST],
])('the banner with %j shows what is on and what is missing', (environment, shown, hidden) => {
  const banner = bannerFor(environment);
  for (const text of shown) expect(banner).toMatch(text);
  if (hidden !== null) expect(banner).not.toContain(hidden);
});

const YOUR_TOKEN = 'authorization: Bearer YOUR-ACCESS-TOKEN';

test.each<readonly [environment: Environment, asked: string | null]>([
  [{ CURRENT_API_URL: SERVICE }, 'x-api-key: YOUR-API-KEY'],
  [{ LEGACY_API_URL: SERVICE }, YOUR_TOKEN],
  [{ CURRENT_API_URL: SERVICE, LEGACY_API_URL: SERVICE, API_KEY: 'k' }, YOUR_TOKEN],
  [{ CURRENT_API_URL: SERVICE, API_KEY: 'k' }, null],
])('the banner with %j asks for the headers that callers must send', (environment, asked) => {
  const banner = bannerFor(environment);
  expect(/^Send (.*)$/m.exec(banner)?.[1] ?? null).toBe(asked);
  expect(banner).toContain(asked === null ? "json' -d '" : `-H '${asked}' -d '`);
});

// Checks of the service.

const bothOf = (sandbox: Sandbox) => ({
  ...currentOf(sandbox),
  LEGACY_API_URL: sandbox.url,
  ACCESS_TOKEN: sandbox.owners[0].accessToken,
});

const check = (environment: Environment) => checkService(readConfig(environment));

test('a service that is as documented is usable, and is only read', async () => {
  const sandbox = await sandboxForTest();
  const { isUsable, surfaces } = await check(bothOf(sandbox));
  expect(isUsable).toBe(true);
  const usable = { state: 'usable', credential: 'accepted', drift: [] };
  expect(surfaces).toMatchObject([usable, usable]);
  const calls = surfaces.flatMap((surface) => surface.calls);
  expect(calls).toHaveLength(10);
  expect(calls.filter(({ failure }) => failure !== null)).toEqual([]);
  const made = new Set(sandbox.requests.all.map(({ endpoint }) => endpoint));
  expect(made).toEqual(new Set(calls.map(({ endpoint }) => endpoint)));
});

const DRIFT = '  GET /posts/queued: brandNew does not match the documentation';

test('fields of another type and undocumented ones are reported, in colours on a terminal', async () => {
  const sandbox = await sandboxForTest();
  const changes = { postDesc: 7, color: [], brandNew: 'x' };
  sandbox.faults.add(changingEach('GET /posts/queued', () => changes));
  const { isUsable, surfaces } = await check(bothOf(sandbox));
  expect(isUsable).toBe(true);
  const drift = surfaces[0]?.drift.map(({ endpoint, field }) => [endpoint, field]);
  expect(new Set(drift)).toEqual(new Set(Object.keys(changes).map((field) => ['GET /posts/queued', field])));

  openTerminal();
  const coloured = await runProgramInPlace(['check'], currentOf(sandbox));
  expect(coloured.status).toBe(0);
  expect(coloured.standardOutput).toContain(`\u001B[33m${DRIFT}`);
  expect(coloured.standardOutput).toContain(': \u001B[32musable\u001B[39m, credential accepted');
  expect(coloured.standardOutput).toMatch(/^legacy surface: not configured$/m);
});

test('a rejected credential, a missing one, and a surface that is out of reach are reported as such', async () => {
  const { url } = await sandboxForTest();
  const rejected = await check({ CURRENT_API_URL: url, API_KEY: 'wrong' });
  const failing = { state: 'failing', credential: 'refused' };
  expect(rejected.surfaces).toMatchObject([failing, { state: 'not configured' }]);
  const away = await check({ LEGACY_API_URL: 'http://127.0.0.1:9', ACCESS_TOKEN: 'any' });
  expect(away.surfaces[1]).toMatchObject({ state: 'unreachable', credential: 'unknown' });
  expect([rejected.isUsable, away.isUsable]).toEqual([false, false]);

  const environment = { CURRENT_API_URL: url, LEGACY_API_URL: url, ACCESS_TOKEN: 'wrong' };
  const { status, output } = await runProgramInPlace(['check'], environment);
  expect(status).toBe(1);
  expect(output).toMatch(/credential missing\n {2}No credential was sent; set API_KEY\.\n/);
  expect(output).not.toContain('set ACCESS_TOKEN');
});

test('a current surface that asks for the token as well gets it, if there is one', async () => {
  const sandbox = await sandboxForTest();
  const environment = { ...bothOf(sandbox), CURRENT_SENDS_ACCESS_TOKEN: 'on' };
  await check({ ...environment, ACCESS_TOKEN: undefined });
  const current = sandbox.requests.all.filter(({ path }) => !path.startsWith('/oauth/'));
  expect(new Set(current.map(({ headers }) => headers.authorization))).toEqual(new Set([undefined]));
  sandbox.quirks.currentNeedsToken = true;
  expect((await check(environment)).isUsable).toBe(true);
});

test('one call that fails is reported, and the others are made all the same', async () => {
  const sandbox = await sandboxForTest();
  sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /group/list' });
  const { isUsable, surfaces } = await check(bothOf(sandbox));
  expect(isUsable).toBe(false);
  const failed = surfaces[0]?.calls.filter(({ failure }) => failure !== null);
  expect(failed).toMatchObject([{ endpoint: 'GET /group/list', failure: 'unavailable' }]);
  expect(surfaces[0]?.calls).toHaveLength(8);
  expect(surfaces[1]?.state).toBe('usable');
});

test('an empty service is usable, and no record is read that it does not list', async () => {
  const sandbox = await sandboxForTest();
  for (const endpoint of ['GET /accounts/list', 'GET /library/list'] as const)
    sandbox.faults.add(changingPage(endpoint, { list: [], totalRecords: 0, totalPages: 0, totalCount: 0 }));
  const { isUsable, surfaces } = await check(bothOf(sandbox));
  expect([isUsable, surfaces.flatMap(({ drift }) => drift)]).toEqual([true, []]);
  expect(sandbox.requests.all.filter(({ path }) => path.includes('/view/'))).toEqual([]);
});

test('a slow service is usable: each of the calls has the time of an operation', async () => {
  const sandbox = await sandboxForTest();
  sandbox.faults.add({ kind: 'delay', endpoint: '*', ms: 120, times: Number.POSITIVE_INFINITY });
  const { isUsable, surfaces } = await check({ ...bothOf(sandbox), OPERATION_TIMEOUT: '1s' });
  expect(isUsable, JSON.stringify(surfaces)).toBe(true);
});

test.runIf(isRedisHere)('a Redis that cannot be used makes the check fail, with the reason', async () => {
  const sandbox = await sandboxForTest();
  const redis = await startRedis();
  const environment = { ...bothOf(sandbox), REDIS_URL: redis.url, REDIS_SECRET };
  const usable = { isUsable: true, redis: { state: 'usable', reason: null } };
  expect(await check(environment)).toMatchObject(usable);
  expect((await runProgramInPlace(['check'], environment)).standardOutput).toMatch(/^Redis: usable$/m);
  await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const reason = 'maxmemory-policy is allkeys-lru, not noeviction';
  expect(await check(environment)).toMatchObject({ isUsable: false, redis: { state: 'unusable', reason } });
  await redis.stop();
  expect(await check(environment)).toMatchObject({ isUsable: false, redis: { reason: 'ECONNREFUSED' } });
});

test('check uses credentials wherever the server listens, and makes no folder for its journal', async () => {
  const sandbox = await sandboxForTest();
  const DATA_DIR = join(await temporaryFolder(), 'data');
  const environment = { ...bothOf(sandbox), HOST: '0.0.0.0', DATA_DIR };
  const { status, output } = await runProgramInPlace(['check'], environment);
  expect(status, output).toBe(0);
  expect(existsSync(DATA_DIR)).toBe(false);
});

test('check without a service says that it uses the sandbox, and prints nothing but JSON with --json', async () => {
  const told = await runProgramInPlace(['check']);
  expect(told.status).toBe(0);
  expect(told.output).toMatch(ON_SANDBOX);
  expect(told.standardOutput).toMatch(/^legacy surface at http:\S+: usable, credential accepted$/m);
  const json = await runProgramInPlace(['check', '--json'], { API_KEY: 'wrong', ACCESS_TOKEN: 'wrong' });
  expect(json.status).toBe(1);
  const refused = { credential: 'refused' };
  expect(JSON.parse(json.standardOutput)).toMatchObject({ isUsable: false, surfaces: [refused, refused] });
});

test('check names the proxy of a surface without its credentials, and says that the proxy is at fault', async () => {
  const environment = {
    CURRENT_API_URL: 'https://api.example.com',
    LEGACY_API_URL: 'https://direct.invalid',
    HTTPS_PROXY: `http://planted:planted@127.0.0.1:${await freePort()}`,
    NO_PROXY: 'direct.invalid',
  };
  const { status, output } = await runProgramInPlace(['check'], environment);
  expect(status).toBe(1);
  expect(output).toMatch(/^ {2}Called through the proxy http:\/\/127\.0\.0\.1:\d+ \(HTTPS_PROXY\)\.$/m);
  expect(output).toMatch(/GET \/accounts\/list .*the proxy is unreachable: connect ECONNREFUSED 127/m);
  expect(output.match(/proxy/g)).toHaveLength(2);
  expect(output).not.toContain('planted');
  const json = await runProgramInPlace(['check', '--json'], environment);
  const proxy: unknown = expect.stringContaining('http://127.0.0.1:');
  expect(JSON.parse(json.standardOutput)).toMatchObject({ surfaces: [{ proxy }, { proxy: null }] });
});

const reasonOf = (kind: SourceErrorKind, details: SourceErrorDetails = {}): string =>
  reasonOfCall(new SourceError(kind, 'current', 'planted', details));

const NOT_TRUSTED = 'its certificate is not trusted (set NODE_EXTRA_CA_CERTS to add an authority)';

test.each([
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND a.example'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', NOT_TRUSTED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NOT_TRUSTED],
  ['EPROTO', 'it does not speak TLS at this address'],
])('%s, however deep among the causes, is explained as "%s"', (code, reason) => {
  const failure = Object.assign(new Error('getaddrinfo ENOTFOUND a.example'), { code });
  expect(reasonOf('unreachable', { cause: failure })).toBe(reason);
  const nested = new Error('fetch failed', { cause: new AggregateError([failure]) });
  expect(reasonOf('unreachable', { cause: nested })).toBe(reason);
  const error = new ConnectionError('It failed.', { retryable: true, cause: nested });
  expect(problemOfCommand(error, 'http://a.example')).toBe(`http://a.example: It failed. Reason: ${reason}.`);
});

test('without a cause that says more, the kind of the failure is explained, with the status and the service’s message', () => {
  expect(reasonOf('timeout', { cause: new Error('Body Timeout Error') })).toBe('the request timed out');
  expect(reasonOf('unauthenticated', { status: 401 })).toBe('the credential was rejected; status 401');
  const rejected = reasonOf('rejected', { status: 422, serviceMessage: 'No plan.' });
  expect(rejected).toBe('it rejected the request; status 422; No plan.');
  const publicMessage = 'The current surface redirects to /login (HTTP 302). Correct its base URL.';
  expect(reasonOf('malformed', { status: 302, publicMessage })).toBe(publicMessage);
});
