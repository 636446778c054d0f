import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { openCoordination } from '../../../src/coordination/coordination.ts';
import { openLog } from '../../../src/observability/log.ts';
import { inputsOf, type Structured } from '../../../test/support/assistants.ts';
import { BUILT_SERVER } from '../../../test/support/built-server.ts';
import { holdAnswers, sandboxForTest } from '../../../test/support/sandbox.ts';
import { currentOf, runProgramInPlace, startProgramInPlace } from '../../../test/support/command.ts';
import { freePort } from '../../../test/support/network.ts';
import { postJson } from '../../../test/support/http.ts';
import { temporaryFolder } from '../../../test/support/files.ts';
import { account } from '../../../test/support/writes.ts';

const MAIN = join(BUILT_SERVER, 'dist/main.js');
/** A folder without operations. */
const EMPTY = import.meta.dirname;
/** A folder with operations that are described nowhere. */
const NO_TOOLS = join(BUILT_SERVER, 'packages/client/documents');
const BASE = { PATH: process.env['PATH'] ?? '', SANDBOX_PORT: '0' };

/** Starts the command as a desktop assistant does, and connects to it. */
async function connect(environment: Record<string, string>) {
  const transport = new StdioClientTransport({
    command: 'bash',
    args: ['-c', `trap '' TERM; ${process.execPath} ${MAIN} mcp; echo "ended with $?" >&2`],
    cwd: await temporaryFolder(),
    env: { ...BASE, ...environment },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (text: Buffer) => (said += text.toString()));
  const client = new Client({ name: 'test', version: '0' });
  const errors: Error[] = [];
  // What is no message of the protocol would be told here.
  Object.assign(client, { onerror: (error: Error) => void errors.push(error) });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, errors, said: () => said };
}

test('without a service, the tools work on a sandbox; it says the protocol alone, and ends when its input is closed', async () => {
  const { client, errors, said } = await connect({ LOG_LEVEL: 'debug' });
  const { tools } = await client.listTools();
  expect([tools.length, tools.some(({ name }) => name === 'create_post')]).toEqual([9, false]);
  const { structuredContent } = await client.callTool({ name: 'list_accounts', arguments: { first: 1 } });
  expect(structuredContent).toMatchObject({ data: { accounts: { totalCount: 12 } } });
  expect(said()).toMatch(/^No service is configured; using a SANDBOX at http:/m);
  expect(client.getInstructions()).toContain('use a sandbox');
  expect(said()).toContain('"msg":"executed an operation"');
  // The client first closes the input, and ends what goes on for seconds after that.
  await client.close();
  expect(said()).toMatch(/^ended with 0$/m);
  expect(errors).toEqual([]);
});

/** Starts the command in this process, with an input of the test's own. */
function converse(environment: Record<string, string>) {
  const input = new PassThrough();
  const before = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  Object.defineProperty(process, 'stdin', { ...before, get: () => input });
  onTestFinished(() => void Object.defineProperty(process, 'stdin', before));
  const running = startProgramInPlace(['mcp'], environment);
  const say = (line: string): void => void input.write(`${line}\n`);
  const tell = (method: string, rest: object = {}): void =>
    say(JSON.stringify({ jsonrpc: '2.0', method, ...rest }));
  const answers = (): Answer[] =>
    running.standardOutput
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Answer);
  const ask = async (id: number, method: string, params: object = {}): Promise<Answer['result']> => {
    tell(method, { id, params });
    await expect.poll(() => answers().map((answer) => answer.id)).toContain(id);
    return answers().find((answer) => answer.id === id)?.result;
  };
  const clientInfo = { name: 'test', version: '0' };
  const greet = async (): Promise<void> => {
    await ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    tell('notifications/initialized');
  };
  const finish = (): void => void input.end();
  return { running, say, tell, ask, greet, answers, finish };
}

interface Answer {
  readonly id: number;
  readonly result?: { readonly tools?: readonly unknown[]; readonly structuredContent?: Structured };
}

test('credentials come from the environment, writes where they are on, and further tools from a folder', async () => {
  const sandbox = await sandboxForTest();
  const folder = await temporaryFolder();
  const operation = '# Counts.\nquery CountQueue { queuedPosts { totalCount } }';
  await writeFile(join(folder, 'count.graphql'), operation);
  const settings = { MCP_WRITES: 'on', MCP_OPERATIONS: folder };
  const { running, ask, greet } = converse({ ...currentOf(sandbox), ...settings });
  await greet();
  expect((await ask(1, 'tools/list'))?.tools).toHaveLength(16);
  expect(running.output).not.toContain(sandbox.owners[0].apiKey);
  const counted = await ask(2, 'tools/call', { name: 'count_queue' });
  expect(counted?.structuredContent).toMatchObject({ data: { queuedPosts: { totalCount: 25 } } });
  expect(await running.end('SIGTERM')).toBe(0);
});

test('beside another process with its data directory, it reads and refuses writes with a key, and says why', async () => {
  const sandbox = await sandboxForTest();
  const DATA_DIR = await temporaryFolder();
  const config = { redis: null, dataDirectory: DATA_DIR, aiResultMaxWaitMs: 60_000 };
  const other = openCoordination(config, openLog('silent'));
  await other.tried;
  const { running, ask, greet } = converse({ ...currentOf(sandbox), MCP_WRITES: 'on', DATA_DIR });
  let id = 0;
  const call = async (name: string, input: object = {}): Promise<string> => {
    const result = await ask((id += 1), 'tools/call', { name, arguments: input });
    return result?.structuredContent?.summary ?? '';
  };
  const { create_post: post, write_outcome: key } = inputsOf({ accountId: account(), pausedId: '' });
  await greet();
  const inUse = /DATA_DIR: .* is in use by another process.*writes with an idempotency key are refused/;
  expect(running.output).toMatch(inUse);
  expect(await call('list_queue')).toMatch(/^This page shows 20 of 25\./);
  expect(await call('create_post', post)).toMatch(
    /^Rejected; nothing was done:\n- "Writes with an idempotency key are unavailable because another process .* data directory; nothing was sent\." \(IDEMPOTENCY_UNAVAILABLE/,
  );
  const unknown = /^The result could not be looked up.*\n- ".*same data directory/;
  expect(await call('write_outcome', key)).toMatch(unknown);
  await other.close();
  expect(await call('create_post', post)).toBe('Done.');
  expect(sandbox.requests.count('POST /posts/create')).toBe(1);
});

test('a legacy token alone reaches the legacy surface, and without writes no journal is opened', async () => {
  const sandbox = await sandboxForTest();
  const folder = join(await temporaryFolder(), 'data');
  const legacy = { LEGACY_API_URL: sandbox.url, ACCESS_TOKEN: sandbox.owners[0].accessToken };
  const { ask, greet } = converse({ ...legacy, DATA_DIR: folder });
  await greet();
  const call = { name: 'list_accounts', arguments: { surface: 'LEGACY', first: 1 } };
  const listed = await ask(1, 'tools/call', call);
  expect(listed?.structuredContent).toMatchObject({ data: { accounts: { nodes: [{}] } } });
  expect(existsSync(folder)).toBe(false);
});

test('a line that is no message, such as a batch, gets an error, and the next one is answered', async () => {
  const { running, say, ask, greet } = converse({});
  await greet();
  say('{"jsonrpc":"1.0"}');
  say('[{"jsonrpc":"2.0","id":5,"method":"tools/list"},{"jsonrpc":"2.0","id":6,"method":"tools/list"}]');
  const refusal = expect.stringMatching(/^\{"jsonrpc":"2\.0","id":null,"error":\{"code":-32600,/) as unknown;
  await expect.poll(() => running.standardOutput.split('\n').slice(1, -1)).toEqual([refusal, refusal]);
  expect(running.output).toContain('an MCP message failed');
  expect((await ask(1, 'tools/list'))?.tools).toHaveLength(9);
});

test('a call that its caller cancels is no error in the log', async () => {
  const sandbox = await sandboxForTest();
  sandbox.faults.add({ endpoint: 'GET /accounts/list', kind: 'never-answer' });
  const { running, say, ask, greet } = converse(currentOf(sandbox));
  await greet();
  say('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_accounts"}}');
  await expect.poll(() => sandbox.requests.count()).toBe(1);
  say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
  await ask(2, 'tools/call', { name: 'list_queue' });
  expect(await running.end('SIGTERM')).toBe(0);
  expect(running.output).not.toContain('an operation had an error');
});

test('at the end of its input, calls that still run are answered, and the process ends without a signal', async () => {
  const sandbox = await sandboxForTest();
  const { running, tell, greet, answers, finish } = converse({ ...currentOf(sandbox), MCP_WRITES: 'on' });
  await greet();
  const held = holdAnswers(sandbox, { endpoint: 'POST /posts/create' });
  const { create_post: post } = inputsOf({ accountId: account(), pausedId: '' });
  tell('tools/call', { id: 1, params: { name: 'create_post', arguments: post } });
  tell('tools/call', { id: 2, params: { name: 'show_surfaces' } });
  finish();
  await held.arrived();
  await expect.poll(() => answers().map(({ id }) => id)).toEqual([0, 2]);
  held.release();
  expect(await running.exited).toBe(0);
  expect(answers().at(-1)).toMatchObject({ id: 1, result: { structuredContent: { summary: 'Done.' } } });
  expect(running.output).not.toContain('signal');
});

test.each([
  [{ CURRENT_API_URL: 'http://127.0.0.1:9' }, 'API_KEY: is missing; the tools use it to call the service'],
  [{ MCP_OPERATIONS: '/nowhere' }, 'MCP_OPERATIONS: "/nowhere" cannot be read: '],
  [{ MCP_OPERATIONS: EMPTY }, `MCP_OPERATIONS: "${EMPTY}" contains no .graphql files`],
  [{ MCP_OPERATIONS: NO_TOOLS }, 'must begin with a comment'],
])('what is not set right is said, and nothing is served: %j', async (environment, message) => {
  const { status, output, standardOutput } = await runProgramInPlace(['mcp'], environment);
  expect([status, standardOutput]).toEqual([1, '']);
  expect(output).toContain(message);
});

/** Serves one query with everything off, and tells every script that the process has loaded. */
const PROGRAM = `
  import { Session } from 'node:inspector';
  const urls = [];
  const session = new Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url));
  session.post('Debugger.enable');
  await import(process.env.SERVER);
  const ask = () => fetch('http://127.0.0.1:' + process.env.PORT + '/graphql', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{ __typename }"}',
  }).catch(() => new Promise((resolve) => setTimeout(resolve, 20)).then(ask));
  const answer = await ask();
  process.stdout.write('\\nLOADED ' + JSON.stringify({ answer: await answer.json(), urls }) + '\\n', () => process.exit());
`;

test('nothing of the tools is loaded while they are off, and no package that is not bundled', async () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    env: {
      ...BASE,
      SERVER: pathToFileURL(MAIN).href,
      PORT: String(await freePort()),
      // As without any variable of OpenTelemetry, as cli/tracing.test.ts shows.
      OTEL_SDK_DISABLED: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    },
    encoding: 'utf8',
    timeout: 120_000,
  });
  const [, json] = /^LOADED (.*)$/m.exec(stdout) ?? [];
  if (json === undefined) throw new Error(stderr);
  const { answer, urls } = JSON.parse(json) as { readonly answer: object; readonly urls: readonly string[] };
  expect(answer).toMatchObject({ data: { __typename: 'Query' } });
  const folder = join(BUILT_SERVER, 'dist');
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const holdsTools = (name: string): boolean =>
    readFileSync(join(folder, name), 'utf8').includes('@modelcontextprotocol/');
  const ofTools = scripts.filter((name) => /^main-mcp\d*\.js$/.test(name) || holdsTools(name));
  expect(ofTools.length).toBeGreaterThan(1);
  expect(urls.filter((url) => ofTools.some((name) => url.endsWith(`/dist/${name}`)))).toEqual([]);
  expect(urls.filter((url) => url.endsWith('/dist/main-server.js'))).toHaveLength(1);
  // Neither are the recorders of OpenTelemetry; its interface is a part of the command.
  expect(urls.filter((url) => url.includes('/node_modules/'))).toEqual([]);
});

test.each([
  [{}, ' (read-only; MCP_WRITES=on adds writes)', false],
  [{ MCP_WRITES: 'on' }, '', true],
])('a server whose tools are on serves them with %j, and says where', async (settings, note, isWritten) => {
  const running = startProgramInPlace(['start'], { MCP: 'on', ...settings });
  await expect.poll(() => running.output).toMatch(/^MCP +http/m);
  const [, url = '', said] = /^MCP +(\S+)(.*)$/m.exec(running.output) ?? [];
  expect(said).toBe(note);
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const { text } = await postJson(url, list, { accept: 'application/json, text/event-stream' });
  expect([text.includes('"list_accounts"'), text.includes('"create_post"')]).toEqual([true, isWritten]);
});
