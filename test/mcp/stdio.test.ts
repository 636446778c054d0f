import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { mcp } from '../../src/cli/mcp.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { BUILT_SERVER } from '../support/built-server.ts';
import { runInPlace } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MAIN = join(BUILT_SERVER, 'dist/main.js');
const BASE = { PATH: process.env['PATH'] ?? '', SANDBOX_PORT: '0' };

/** Starts the command as a desktop assistant does, and connects to it. */
async function connect(environment: Record<string, string> = {}) {
  const transport = new StdioClientTransport({
    command: 'bash',
    args: ['-c', `${process.execPath} ${MAIN} mcp; echo "ended with $?" >&2`],
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
  expect(said()).toMatch(/^No service is configured: these tools work on a SANDBOX/m);
  expect(said()).toContain('"msg":"executed an operation"');
  // The client first closes the input, and ends what goes on for seconds after that.
  await client.close();
  expect(said()).toMatch(/^ended with 0$/m);
  expect(errors).toEqual([]);
});

test('credentials come from the environment, writes where they are on, and further tools from a folder', async () => {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const folder = join(await temporaryFolder(), 'tools');
  await mkdir(folder);
  await writeFile(
    join(folder, 'count.graphql'),
    '# Counts.\nquery CountQueue { queuedPosts { totalCount } }',
  );
  const { client } = await connect({
    CURRENT_API_URL: sandbox.url,
    API_KEY: sandbox.owners[0].apiKey,
    MCP_WRITES: 'on',
    MCP_OPERATIONS: folder,
    DATA_DIR: 'off',
  });
  const { tools } = await client.listTools();
  expect(tools).toHaveLength(16);
  expect(JSON.stringify(tools)).not.toContain(sandbox.owners[0].apiKey);
  const { structuredContent } = await client.callTool({ name: 'count_queue' });
  expect(structuredContent).toEqual({ data: { queuedPosts: { totalCount: 25 } } });
});

test.each([
  [{ CURRENT_API_URL: 'http://127.0.0.1:9' }, 'API_KEY: is missing; the tools are called with it'],
  [{ MCP_OPERATIONS: '/nowhere' }, 'MCP_OPERATIONS: "/nowhere" can\'t be read: '],
])('what is not set right is said, and nothing is served: %j', async (environment, message) => {
  const { status, output, standardOutput } = await runInPlace(mcp, environment);
  expect([status, standardOutput]).toEqual([1, '']);
  expect(output).toContain(message);
});
