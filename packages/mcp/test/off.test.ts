import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { BUILT_SERVER } from '../../../test/support/built-server.ts';
import { startProgramInPlace } from '../../../test/support/command.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { postJson } from '../../../test/support/raw-http.ts';

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

function loadedWith(environment: Record<string, string>): { answer: unknown; urls: string[] } {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    env: {
      PATH: process.env['PATH'] ?? '',
      SERVER: pathToFileURL(join(BUILT_SERVER, 'dist/main.js')).href,
      SANDBOX_PORT: '0',
      ...environment,
    },
    encoding: 'utf8',
    timeout: 60_000,
  });
  const [, json] = /^LOADED (.*)$/m.exec(stdout) ?? [];
  if (json === undefined) throw new Error(stderr);
  return JSON.parse(json) as { answer: unknown; urls: string[] };
}

/** The built files that have to do with the tools. */
function filesOfTools(): string[] {
  const folder = join(BUILT_SERVER, 'dist');
  return readdirSync(folder).filter(
    (name) =>
      /^main-mcp\d*\.js$/.test(name) ||
      (name.endsWith('.js') && readFileSync(join(folder, name), 'utf8').includes('@modelcontextprotocol/')),
  );
}

test('nothing of the tools is loaded while they are off, and no package but what is compiled in', async () => {
  const { answer, urls } = loadedWith({
    PORT: String(await freePort()),
    // As without any variable of OpenTelemetry, of which cli/tracing-settings.test.ts tells.
    OTEL_SDK_DISABLED: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  });
  expect(answer).toMatchObject({ data: { __typename: 'Query' } });
  const files = filesOfTools();
  expect(files.length).toBeGreaterThan(1);
  expect(urls.filter((url) => files.some((name) => url.endsWith(`/dist/${name}`)))).toEqual([]);
  expect(urls.filter((url) => url.endsWith('/dist/main-server.js'))).toHaveLength(1);
  // Neither are the recorders of OpenTelemetry; its interface is a part of the command.
  expect(urls.filter((url) => url.includes('/node_modules/'))).toEqual([]);
});

test.each([
  [{}, ' (read-only; MCP_WRITES=on adds writes)', false],
  [{ MCP_WRITES: 'on' }, '', true],
])(
  'a server whose tools are on serves them with %j, and says where',
  async (environment, note, isWritten) => {
    const running = startProgramInPlace(['start'], { MCP: 'on', ...environment });
    await expect.poll(() => running.output).toMatch(/^MCP +http/m);
    const [, url = '', said] = /^MCP +(\S+)(.*)$/m.exec(running.output) ?? [];
    expect(said).toBe(note);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const { text } = await postJson(url, list, { accept: 'application/json, text/event-stream' });
    expect([text.includes('"list_accounts"'), text.includes('"create_post"')]).toEqual([true, isWritten]);
  },
);
