import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configFromEnvironment } from '../../src/cli/environment.ts';
import { adviceOn } from '../../src/cli/failure.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { createServer } from '../../src/server.ts';
import { spawnBuiltServer } from '../support/built-server.ts';
import { runInPlace, runProgramInPlace, startProgramInPlace } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { jsonOf, postJson, send } from '../support/raw-http.ts';

/** Starts the server in this process, with settings by which it does not start; gives what it wrote. */
async function refusal(
  environment: Readonly<Record<string, string>>,
  place?: { readonly cwd: string },
): Promise<string> {
  const { status, output } = await runProgramInPlace(['start'], environment, place);
  expect(status).toBe(1);
  return sentencesOf(output);
}

/** One plain sentence, and a line for each setting: no stack, no class, no JSON. */
function sentencesOf(output: string): string {
  expect(output).not.toMatch(/^\s+at |Error:|node:internal|^\{/m);
  return output.trim();
}

const failure = (details: object): Error => Object.assign(new Error('x'), details);

async function takenPort(): Promise<string> {
  const other = createTcpServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(async () => void (await once(other.close(), 'close')));
  return String((other.address() as AddressInfo).port);
}

async function folderWith(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'failure-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test('a port that is in use is reported in one line', async () => {
  const port = await takenPort();
  const adviceFor = (name: string): string =>
    `Port ${port} is already in use. Set ${name} to another port, or to 0 for any free port.`;
  const running = spawnBuiltServer({ PORT: port, SANDBOX_PORT: '0' });
  expect(await running.exited).toBe(1);
  expect(sentencesOf(running.output)).toBe(adviceFor('PORT'));
  expect(await refusal({ SANDBOX_PORT: port })).toBe(adviceFor('SANDBOX_PORT'));
});

test('a HOST that is not an address of this machine is reported in one line', async () => {
  const server = createServer(readConfig({ HOST: '192.0.2.1', PORT: '0', DATA_DIR: 'off' }), {
    log: openLog('silent'),
  });
  onTestFinished(() => server.close());
  expect(await server.listen().catch(adviceOn)).toBe(
    'HOST is not an address of this machine. Set it to one of its addresses.',
  );
  expect(adviceOn(failure({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }))).toContain('HOST');
});

test('every invalid setting of the environment and of .env is named', async () => {
  const cwd = await folderWith({ '.env': 'PORT=planted\nSANDBOX_DATA=massive\n' });
  // The environment overrides the .env file.
  const environment = { PORT: '0', API_KEY: 'planted key', CLIENT_TOKENS: 'planted' };
  const output = await refusal(environment, { cwd });
  const [title, ...problems] = output.split('\n').map((line) => line.trim().split(':')[0]);
  expect(title).toBe('The settings are not valid');
  expect(new Set(problems)).toEqual(new Set(['API_KEY', 'CLIENT_TOKENS', 'SANDBOX_DATA']));
  expect(output).not.toContain('planted');
});

test('a misspelt setting of the environment or of .env is named with the one that was meant', async () => {
  const cwd = await folderWith({ '.env': 'LEGACY_API_URI=https://api.example.com\n' });
  expect(await refusal({ CURENT_API_URL: 'https://api.example.com' }, { cwd })).toBe(
    [
      'The settings are not valid:',
      '  LEGACY_API_URI: is not a setting; did you mean LEGACY_API_URL?',
      '  CURENT_API_URL: is not a setting; did you mean CURRENT_API_URL?',
    ].join('\n'),
  );
});

test('lines of .env that set nothing are named by their numbers', async () => {
  const text = '# fine\n\nPORT 4000\nexport LOG_LEVEL=info\nAPI_KEY="one\ntwo three\nfour"\nnonsense\n';
  const cwd = await folderWith({ '.env': text });
  expect(await refusal({}, { cwd })).toBe(
    [
      'The settings are not valid:',
      '  .env: line 3 is not of the form NAME=value',
      '  .env: line 8 is not of the form NAME=value',
    ].join('\n'),
  );
});

test('a byte order mark in .env is no part of a name, and names that are no settings are told', async () => {
  const cwd = await folderWith({ '.env': '\uFEFFSANDBOX_DATA=massive\nCOMPOSE_PROJECT_NAME=mine\n' });
  expect(await refusal({}, { cwd })).toContain('SANDBOX_DATA: is "massive"; it must be small or large');
  const good = await folderWith({
    '.env': '\uFEFFSANDBOX_DATA=small\nCOMPOSE_PROJECT_NAME=mine\nhttps_proxy=x\nNO_PROXY=x\n',
  });
  const read = await runInPlace(async () => void configFromEnvironment(), {}, { cwd: good });
  expect(read.output).toBe(
    '.env contains names that are not settings of this server: COMPOSE_PROJECT_NAME\n',
  );
});

const UTF_16 = Buffer.from('\uFEFFSANDBOX_DATA=massive', 'utf16le');

test.each([
  ['UTF-16', UTF_16, 'SANDBOX_DATA: is "massive"'],
  ['UTF-16, big-endian', Buffer.from(UTF_16).swap16(), 'SANDBOX_DATA: is "massive"'],
  ['UTF-16 without a byte order mark', UTF_16.subarray(2), '.env: is not valid UTF-8'],
  ['Latin-1', Buffer.from('API_KEY=clé', 'latin1'), '.env: is not valid UTF-8'],
])('a .env in %s is read or refused, but never ignored', async (_encoding, file, problem) => {
  expect(await refusal({}, { cwd: await folderWith({ '.env': file }) })).toContain(problem);
});

const NO_SERVICE =
  'CURRENT_API_URL, LEGACY_API_URL: neither is set. Set one of them, or SANDBOX=on to use the sandbox';

test.each([
  ['start', { NODE_ENV: 'production' }],
  ['start', { HOST: '0.0.0.0' }],
  ['start', { HOST: '::' }],
  ['start', { SANDBOX: 'off' }],
  ['check', { HOST: '0.0.0.0' }],
  ['queue', { NODE_ENV: 'production' }],
  ['mcp', { SANDBOX: 'off' }],
  ['watch', { NODE_ENV: 'production' }],
])(
  '%s with %j and no address says what to set, instead of using the sandbox',
  async (command, environment) => {
    const args = [command, ...(command === 'watch' ? ['--print'] : [])];
    const { status, output } = await runProgramInPlace(args, environment);
    expect(status).toBe(1);
    expect(sentencesOf(output)).toContain(NO_SERVICE);
  },
);

test('the default of NODE_ENV is not the operator’s, but one in .env is', async () => {
  const running = spawnBuiltServer({ NODE_ENV: 'production' });
  expect(await running.exited).toBe(1);
  expect(sentencesOf(running.output)).toContain(NO_SERVICE);
  const cwd = await folderWith({ '.env': 'NODE_ENV=production\n' });
  const other = spawnBuiltServer({}, { cwd });
  expect(await other.exited).toBe(1);
  expect(sentencesOf(other.output)).toContain(NO_SERVICE);
});

/** A command that writes the variables of OpenTelemetry, as its SDK would read them. */
async function writeTelemetry(): Promise<void> {
  configFromEnvironment();
  const { OTEL_SERVICE_NAME: name, OTEL_LOG_LEVEL: level } = process.env;
  await Promise.resolve(process.stdout.write(`${name} ${level}`));
}

test('a variable of OpenTelemetry in .env is given to its SDK, but not in the place of one that is set', async () => {
  const cwd = await folderWith({ '.env': 'OTEL_SERVICE_NAME=file\nOTEL_LOG_LEVEL=none\n' });
  expect((await runInPlace(writeTelemetry, { OTEL_SERVICE_NAME: 'set' }, { cwd })).output).toBe('set none');
});

test('a PERSISTED_DOCUMENTS file that is missing or holds an invalid document is refused by name', async () => {
  const json = JSON.stringify({ good: '{ __typename }', 'the-bad-one': '{ nothing }' });
  const folder = await folderWith({ 'documents.json': json });
  const output = await refusal({ PERSISTED_DOCUMENTS: join(folder, 'documents.json') });
  expect(output).toMatch(/^ {2}PERSISTED_DOCUMENTS: .*the-bad-one/m);
  expect(await refusal({ PERSISTED_DOCUMENTS: 'nowhere.json' })).toContain(
    'PERSISTED_DOCUMENTS: "nowhere.json" cannot be read: no such file or folder',
  );
});

test('a .env that cannot be read is reported in one line', async () => {
  const cwd = await folderWith({});
  await mkdir(join(cwd, '.env'));
  expect(await refusal({}, { cwd })).toContain('  .env: cannot be read: it is a folder, not a file');
});

test('advice about ports and addresses is given only for failures to listen', () => {
  expect(adviceOn(failure({ code: 'EACCES', syscall: 'listen', port: 80 }))).toContain('port 80');
  expect(adviceOn(failure({ code: 'EACCES', syscall: 'open' }))).toBeNull();
  expect(adviceOn(failure({ code: 'EMFILE', syscall: 'listen' }))).toBeNull();
  expect(adviceOn('EADDRINUSE')).toBeNull();
  expect(adviceOn(new ConfigError(['PORT: no']))).toContain('PORT: no');
});

test('a server whose service cannot be reached starts and reports that it is ready', async () => {
  const away = `http://127.0.0.1:${await freePort()}`;
  const running = startProgramInPlace(['start'], {
    CURRENT_API_URL: away,
    LEGACY_API_URL: away,
    READ_ATTEMPTS: '1',
    OVERLOAD_DELAY: '1h',
  });
  await expect.poll(() => running.output).toMatch(/^GraphQL +http/m);
  const url = /^GraphQL +(http:\S+)\/graphql$/m.exec(running.output)?.[1] ?? '';
  for (const path of ['/health', '/ready']) expect((await send(`${url}${path}`)).status).toBe(200);
  const headers = { 'x-api-key': 'any', authorization: 'Bearer any' };
  const query =
    '{ a: accounts(surface: CURRENT) { totalCount } b: accounts(surface: LEGACY) { totalCount } surfaces { surface } }';
  for (let time = 0; time < 2; time += 1) {
    const { data, errors } = jsonOf(await postJson(`${url}/graphql`, { query }, headers));
    expect(data).toMatchObject({ a: null, b: null, surfaces: [{}, {}] });
    for (const { extensions } of errors) expect(extensions.code).toBe('SURFACE_UNAVAILABLE');
  }
  expect((await send(`${url}/ready`)).status).toBe(200);
});
