import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configFromEnvironment } from '../../src/cli/environment.ts';
import { adviceOn } from '../../src/cli/failure.ts';
import { readConfig } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { createServer } from '../../src/server.ts';
import { spawnBuiltServer } from '../support/built-server.ts';
import { runInPlace, runProgramInPlace } from '../support/command.ts';
import { temporaryFolder } from '../support/files.ts';

/** Runs a command in this process, with settings by which it does not start; returns what it wrote. */
async function refusal(
  environment: Readonly<Record<string, string>>,
  place?: { readonly cwd: string },
  args: readonly string[] = ['start'],
): Promise<string> {
  const { status, output } = await runProgramInPlace(args, environment, place);
  expect(status).toBe(1);
  return sentencesOf(output);
}

/** One plain sentence, and a line for each setting: no stack, no class, no JSON. */
function sentencesOf(output: string): string {
  expect(output).not.toMatch(/^\s+at |Error:|node:internal|^\{/m);
  return output.trim();
}

async function folderWithEnv(text: string | Buffer): Promise<{ readonly cwd: string }> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, '.env'), text);
  return { cwd };
}

test('a port that is in use is reported in one line', async () => {
  const other = createTcpServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(async () => void (await once(other.close(), 'close')));
  const port = String((other.address() as AddressInfo).port);
  const adviceFor = (name: string): string =>
    `Port ${port} is already in use. Set ${name} to another port, or to 0 for any free port.`;
  const running = spawnBuiltServer({ PORT: port, SANDBOX_PORT: '0' });
  expect(await running.exited).toBe(1);
  expect(sentencesOf(running.output)).toBe(adviceFor('PORT'));
  expect(await refusal({ SANDBOX_PORT: port })).toBe(adviceFor('SANDBOX_PORT'));
});

const failure = (details: object): Error => Object.assign(new Error('x'), details);

test('a HOST that is not an address of this machine is reported in one line; failures to do anything but listen get no advice', async () => {
  const config = readConfig({ HOST: '192.0.2.1', PORT: '0', DATA_DIR: 'off' });
  const server = createServer(config, { log: openLog('silent') });
  onTestFinished(() => server.close());
  const advice = 'HOST is not an address of this machine. Set it to one of its addresses.';
  expect(await server.listen().catch(adviceOn)).toBe(advice);
  expect(adviceOn(failure({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }))).toBe(advice);
  expect(adviceOn(failure({ code: 'EACCES', syscall: 'listen', port: 80 }))).toContain('port 80');
  expect(adviceOn(failure({ code: 'EACCES', syscall: 'open' }))).toBeNull();
  expect(adviceOn(failure({ code: 'EMFILE', syscall: 'listen' }))).toBeNull();
  expect(adviceOn('EADDRINUSE')).toBeNull();
});

test.each(['start', 'check'])(
  '%s names every invalid or misspelt setting, of .env too, without its value',
  async (command) => {
    const lines = ['PORT=planted', 'LOG_LEVEL=planted', 'SANDBOX_DATA=massive', 'LEGACY_API_URI=planted'];
    const place = await folderWithEnv(lines.join('\n'));
    // The environment overrides the .env file, even with an empty value.
    const environment = { PORT: '0', LOG_LEVEL: '', API_KEY: 'planted key', CLIENT_TOKENS: 'planted' };
    const output = await refusal(environment, place, [command]);
    const [title, ...problems] = output.split('\n').map((line) => line.trim().split(':')[0]);
    expect(title).toBe('The settings are not valid');
    const names = ['API_KEY', 'CLIENT_TOKENS', 'LEGACY_API_URI', 'SANDBOX_DATA'];
    expect(new Set(problems)).toEqual(new Set(names));
    expect(output).not.toContain('planted');
  },
);

const TITLE = 'The settings are not valid:';

const UTF_16 = Buffer.from('\uFEFFSANDBOX_DATA=massive', 'utf16le');
const MASSIVE = 'SANDBOX_DATA: is "massive"; it must be small or large';
const NOT_UTF_8 = '.env: cannot be read: it is not valid UTF-8';
const NO_LINES = '# fine\n\nPORT 4000\nexport LOG_LEVEL=info\nAPI_KEY="one\ntwo three\nfour"\nnonsense\n';

test.each<readonly [file: string, text: string | Buffer, problems: readonly string[]]>([
  [
    'with lines that set nothing',
    NO_LINES,
    ['.env: line 3 is not of the form NAME=value', '.env: line 8 is not of the form NAME=value'],
  ],
  [
    'with values that would be cut at a #',
    'API_KEY=one#two\r\nexport LOG_LEVEL = info #not#this\nA=\n#B=c#d\nACCESS_TOKEN="one#two"\nPORT=#\nHTTPS_PROXY=e f#g\nOTHERS=a#b\nHOST=#1\nDATA_DIR= #c',
    [1, 7, 9].map((line) => `.env: line ${line} has a # in its value`),
  ],
  ['with a byte order mark', '\uFEFFSANDBOX_DATA=massive', [MASSIVE]],
  ['in UTF-16', UTF_16, [MASSIVE]],
  ['in big-endian UTF-16', Buffer.from(UTF_16).swap16(), [MASSIVE]],
  ['in UTF-16 without a byte order mark', UTF_16.subarray(2), [NOT_UTF_8]],
  ['in Latin-1', Buffer.from('API_KEY=clé', 'latin1'), [NOT_UTF_8]],
])('a .env %s is read or rejected, but never ignored', async (_file, text, problems) => {
  const output = await refusal({}, await folderWithEnv(text));
  const said = problems.map((problem): unknown => expect.stringContaining(`  ${problem}`));
  expect(output.split('\n')).toEqual([TITLE, ...said]);
});

test('a .env that cannot be read is reported in one line', async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, '.env'));
  expect(await refusal({}, { cwd })).toContain('  .env: cannot be read: illegal operation on a directory');
});

test('names in .env that are not settings are reported, except those of other programs', async () => {
  const lines = ['\uFEFFSANDBOX_DATA=small', 'COMPOSE_PROJECT_NAME=mine', 'https_proxy=x', 'NO_PROXY=x'];
  const place = await folderWithEnv(lines.join('\n'));
  const { output } = await runInPlace(async () => void configFromEnvironment(), {}, place);
  expect(output).toBe('.env contains names that are not settings of this server: COMPOSE_PROJECT_NAME\n');
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
  ['watch --print', { NODE_ENV: 'production' }],
])('%s with %j and no address says what to set instead of using the sandbox', async (line, environment) => {
  expect(await refusal(environment, undefined, line.split(' '))).toContain(NO_SERVICE);
});

test('NODE_ENV=production in .env is the operator’s, though the process sets a default itself', async () => {
  const running = spawnBuiltServer({}, await folderWithEnv('NODE_ENV=production\n'));
  expect(await running.exited).toBe(1);
  expect(sentencesOf(running.output)).toContain(NO_SERVICE);
});

test.each([
  [{ PERSISTED_DOCUMENTS: 'nowhere' }, 'PERSISTED_DOCUMENTS: "nowhere": no such file or directory'],
  [{ MCP: 'on', MCP_OPERATIONS: 'nowhere' }, 'MCP_OPERATIONS: "nowhere" cannot be read'],
  [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL: is'],
])('check with %j, which would stop a start, fails for the same reason', async (environment, reason) => {
  const said = await refusal(environment);
  expect(said).toContain(reason);
  expect(await refusal(environment, undefined, ['check'])).toBe(said);
});

const BAD = JSON.stringify({ good: '{ __typename }', 'the-bad-one': '{ nothing }' });
const NO_COMMENT = 'query Plan { membership { connectedAccountCount } }';

test.each<readonly [encoding: string, encode: (text: string) => Buffer, isText: boolean]>([
  ['with a byte order mark', (text) => Buffer.from(`\uFEFF${text}`), true],
  ['in UTF-16', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'), true],
  ['in UTF-16 without a byte order mark', (text) => Buffer.from(text, 'utf16le'), false],
  ['in Latin-1', (text) => Buffer.from(`${text}é`, 'latin1'), false],
])('a file that a setting names is read like .env: %s', async (_encoding, encode, isText) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'documents.json'), encode(BAD));
  await writeFile(join(folder, 'plan.graphql'), encode(NO_COMMENT));
  const documents = await refusal({ PERSISTED_DOCUMENTS: join(folder, 'documents.json') });
  const problem = isText ? 'the document the-bad-one' : 'the file is not valid UTF-8';
  expect(documents).toContain(`documents.json": ${problem}`);
  expect(await refusal({ MCP: 'on', MCP_OPERATIONS: folder })).toContain(
    isText ? 'MCP_OPERATIONS: plan.graphql: must begin with a comment' : 'plan.graphql is not valid UTF-8',
  );
});
