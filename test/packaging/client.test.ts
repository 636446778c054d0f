import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../packages/client/package.json' with { type: 'json' };
import { startAttackPage } from '../support/attack-page.ts';
import { leavesOutBrowser, openPage } from '../support/browser.ts';
import { checkPrograms } from '../support/compiler.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { installClient, type PackedClient } from '../support/packed-client.ts';
import { blocksOf } from '../support/readme.ts';
import { ENDLESSLY_SLOW, finishTextsOnceFollowed } from '../support/slow-texts.ts';

/** npm packs and installs. */
const LONG_MS = 300_000;
const run = promisify(execFile);

let folder: string;
let packed: PackedClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-'));
  packed = await installClient(folder);
}, LONG_MS);
afterAll(() => rm(folder, { recursive: true }));

/** The program of the README. */
const [PROGRAM] = blocksOf('Use', 'js', 'packages/client/README.md');

/** Runs a program of Node in the project; gives what it printed. */
async function execute(args: readonly string[]): Promise<string> {
  const options = { cwd: packed.consumer, env: { PATH: process.env['PATH'] ?? '' }, timeout: 120_000 };
  return (await run(process.execPath, [...args], options)).stdout;
}

const startSlowly = (environment = {}): Promise<RunningGraph> =>
  startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW, environment });

test('it holds what users need, and nothing else', async () => {
  const outside = packed.paths.filter((path) => !/^dist\/[\w-]+\.(?:js|d\.ts)$/.test(path));
  expect(outside.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(packed.paths).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts']));
  expect(packed.size).toBeLessThan(100_000);
  const modules = (await readdir(join(packed.consumer, 'node_modules'))).filter(
    (name) => !name.startsWith('.'),
  );
  expect(modules).toEqual(['graphql', 'graphql-ws', manifest.name]);
});

test('publint finds nothing to say', async () => {
  const { messages } = await publint({ pkgDir: packed.installed, strict: true });
  expect(messages.map((message) => formatMessage(message, manifest, { color: false }))).toEqual([]);
});

test('the program of the README runs on Node, with the class of ws where Node has no WebSocket', async () => {
  const graph = await startSlowly();
  const program = PROGRAM.replace('http://127.0.0.1:4000', graph.url);
  const [, WITH_WS = ''] = blocksOf('Use', 'js', 'packages/client/README.md');
  const [importWs = '', option = ''] = WITH_WS.match(/^import .*ws';$|webSocketImpl: WebSocket,/gm) ?? [];
  const withWs = `${importWs.replace("'ws'", `'${import.meta.resolve('ws')}'`)}\n${program.replace('credentials:', `${option} $&`)}`;
  const hasWebSocket = 'WebSocket' in globalThis;
  await writeFile(join(packed.consumer, 'program.js'), hasWebSocket ? program : withWs);
  const running = execute(['--no-warnings', 'program.js']);
  const [printed] = await Promise.all([running, finishTextsOnceFollowed(graph.sandbox)]);
  const lines = printed.split('\n');
  expect(lines.filter((line) => /^MWF\w+ \w/.test(line))).toHaveLength(12);
  expect(printed).toMatch(/^\[ '2030-01-\d\dT\d\d:\d\d' \] \[\]$/m);
  expect(printed).toMatch(/\[ '\w{24}' \]\nPENDING null\nCOMPLETE The sandbox made this text/);
  expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
});

test('the program for a first post creates it once', async () => {
  const graph = await startGraph({ explorer: true });
  const [program] = blocksOf('Typed client', 'js', 'docs/first-post.md');
  await writeFile(
    join(packed.consumer, 'first-post.js'),
    program.replace('http://127.0.0.1:4000', graph.url),
  );
  expect(await execute(['first-post.js'])).toBe('COMPLETED false []\n');
  expect(await execute(['first-post.js'])).toBe('COMPLETED true []\n');
  expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
});

const OWN_DOCUMENT = `import { createClient } from '${manifest.name}';
class TypedDocumentString<Result, Variables> extends String {
  declare __apiType?: (variables: Variables) => Result;
}
const count = new TypedDocumentString<{ count: number }, { first: number }>('query Count …');
const client = createClient({ url: '/graphql' });
const result = await client.request(count, { first: 1 });
result.count satisfies number;
const optional = new TypedDocumentString<{ count: number }, { first?: number }>('query Count …');
(await client.request(optional)).count satisfies number;
await client.request('{ accounts { totalCount } }');
await client.request('{ accounts { totalCount } }', undefined, { signal: AbortSignal.timeout(1_000) });
`;

const MISTAKES = [
  ['a variable of the wrong type', '{ first: 5 }', "{ first: '5' }", "Type 'string' is not assignable"],
  ['a variable that the document lacks', '{ first: 5 }', '{ first: 5, frist: 5 }', "'frist' does not exist"],
  ['a variable that is missing', '{ first: 5 }', '{}', "Property 'first' is missing"],
  ['a field that was not selected', 'account.label', 'account.userName', "'userName' does not exist"],
  ['a value that an enum lacks', "placement: 'QUEUE'", "placement: 'LATER'", '"LATER"'],
  ['a list that is not in the result', 'result.accounts', 'result.posts', "'posts' does not exist"],
  ['ids of an outcome without any', "=== 'COMPLETED' ?", "=== 'UNKNOWN' ?", "'postIds' does not exist"],
  ['a missing key', "{ idempotencyKey: 'order-7' }", '{}', "'idempotencyKey' is missing"],
] as const;

test('the types let the program of the README and documents of GraphQL Code Generator pass, and make an error of each mistake', async () => {
  const mistaken = MISTAKES.map(([, right, wrong], index) => {
    expect(PROGRAM).toContain(right);
    return [`mistake-${index}.ts`, PROGRAM.replace(right, wrong)] as const;
  });
  const programs = new Map([
    ['right.ts', PROGRAM],
    ['own.ts', OWN_DOCUMENT],
    ['wrong.ts', OWN_DOCUMENT.replace('first: 1', "first: '1'")],
    ['missing.ts', OWN_DOCUMENT.replace('count, { first: 1 }', 'count')],
    ...mistaken,
  ]);
  for (const [name, program] of programs) await writeFile(join(packed.consumer, name), program);
  const said = await checkPrograms(
    packed.consumer,
    [...programs.keys()],
    ['--lib', 'es2023,dom', '--types', ''],
  );
  expect(said).toMatchObject({ 'right.ts': '', 'own.ts': '' });
  expect(said['wrong.ts']).toContain("Type 'string' is not assignable");
  expect(said['missing.ts']).toContain("Property 'first' is missing");
  const unnoticed = MISTAKES.filter(
    ([, , , message], index) => !said[`mistake-${index}.ts`]?.includes(message),
  );
  expect(unnoticed.map(([mistake]) => mistake)).toEqual([]);
});

/** What a page has of a program of the project: one script. */
async function bundle(program: string): Promise<string> {
  const entry = join(packed.consumer, 'page.js');
  await writeFile(entry, program);
  const built = await build({
    root: packed.consumer,
    configFile: false,
    logLevel: 'error',
    build: { write: false, lib: { entry, formats: ['iife'], name: 'Program' } },
  });
  const [{ output }] = built as [Rolldown.RolldownOutput];
  return output[0].code;
}

const PAGE_PROGRAM = `import { Accounts, createClient, follow, GenerateAiText, publishOnce, walk } from '${manifest.name}';
export async function main(url, apiKey) {
  const client = createClient({ url, credentials: { apiKey } });
  const seen = { accounts: 0, outcome: '', statuses: [] };
  for await (const account of walk(client, Accounts, { first: 5 }, (result) => result.accounts)) seen.accounts += 1;
  const variants = [{ variant: 'ORIGINAL', text: 'From a page.' }];
  const post = { accountIds: ['MWFjOjQxMDIwMQ'], timing: { placement: 'QUEUE' }, variants };
  seen.outcome = (await publishOnce(client, post, { idempotencyKey: 'page-1' })).outcome;
  const input = { prompt: 'Fog, slowly', tone: 'warm' };
  const { generateAiText } = await client.request(GenerateAiText, { input });
  for await (const { status } of follow(client, generateAiText.aiGeneration.id)) seen.statuses.push(status);
  return seen;
}
`;

/** The protocol of graphql-ws. */
const OF_FOLLOWING = /graphql-transport-ws/;

test.skipIf(leavesOutBrowser())('a page of another origin publishes, walks and follows', async () => {
  const site = await startAttackPage();
  const graph = await startSlowly({ ALLOWED_ORIGINS: site.origin });
  const { page } = await openPage();
  await page.goto(site.url);
  const content = await bundle(PAGE_PROGRAM);
  expect(content).toMatch(OF_FOLLOWING);
  await page.addScriptTag({ content });
  const [{ apiKey }] = graph.sandbox.owners;
  const call = `Program.main(${JSON.stringify(`${graph.url}/graphql`)}, ${JSON.stringify(apiKey)})`;
  const [seen] = await Promise.all([page.evaluate(call), finishTextsOnceFollowed(graph.sandbox)]);
  expect(seen).toEqual({ accounts: 12, outcome: 'COMPLETED', statuses: ['PENDING', 'COMPLETE'] });
});

test('a page that follows nothing has nothing of graphql-ws', async () => {
  const code = await bundle(`export { createClient, publishOnce } from '${manifest.name}';\n`);
  expect(code).toContain('mutation CreatePost');
  expect(code).not.toMatch(OF_FOLLOWING);
  expect(code).not.toContain('query LibraryItems');
});
