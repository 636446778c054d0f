import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { BUILT_SERVER } from '../support/built-server.ts';
import { freePort } from '../support/free-port.ts';

/** Serves one query with the tools on or off, and tells every script that the process has loaded. */
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

const ofTools = (urls: readonly string[]): string[] =>
  urls.filter((url) => /@modelcontextprotocol|\/dist\/mcp\d*\.js/.test(url));

test('nothing of the tools is loaded while they are off', async () => {
  const off = loadedWith({ PORT: String(await freePort()) });
  const on = loadedWith({ PORT: String(await freePort()), MCP: 'on' });
  expect([off.answer, on.answer]).toMatchObject([
    { data: { __typename: 'Query' } },
    { data: { __typename: 'Query' } },
  ]);
  expect(ofTools(off.urls)).toEqual([]);
  expect(ofTools(on.urls).length).toBeGreaterThan(2);
  expect(off.urls.length).toBeGreaterThan(100);
});
