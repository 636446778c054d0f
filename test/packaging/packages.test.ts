import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import server from '../../package.json' with { type: 'json' };
import client from '../../packages/client/package.json' with { type: 'json' };
import { startAttackPage } from '../support/attack-page.ts';
import { leavesOutBrowser, openPage } from '../support/browser.ts';
import { blocksOf, checkPrograms, ROOT, runCompiler, textOf } from '../support/files.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { ENDLESSLY_SLOW, finishTextsOnceFollowed } from '../support/sandbox.ts';

const MODULES = join(ROOT, 'node_modules');
const run = promisify(execFile);

/** A project that has installed both packages, and nothing else. */
let consumer: string;
const placeOf = (name: string): string => join(consumer, 'node_modules', name);

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}
let packedServer: Packed;
let packedClient: Packed;

beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), 'consumer-'));
  await writeFile(join(consumer, 'package.json'), '{"private":true,"type":"module"}');
  for (const name of [...Object.keys(server.dependencies), ...Object.keys(client.dependencies)]) {
    await mkdir(dirname(placeOf(name)), { recursive: true });
    await symlink(join(MODULES, name), placeOf(name));
  }
  packedServer = await install(server.name, await layOutServer(), ['--ignore-scripts']);
  packedClient = await install(client.name, await layOutClient());
}, 300_000);
afterAll(() => rm(consumer, { recursive: true }));

/** Packs a folder, and unpacks the tarball as a dependency of the consumer. */
async function install(name: string, folder: string, flags: readonly string[] = []): Promise<Packed> {
  const args = ['pack', ...flags, '--json', '--pack-destination', consumer];
  // As in compiler.ts.
  const { stdout } = await run('npm', args, { cwd: folder, env: { ...process.env, GOGC: 'off' } });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [Packed];
  await mkdir(placeOf(name), { recursive: true });
  await run('tar', ['-xzf', join(consumer, packed.filename), '--strip-components=1', '-C', placeOf(name)]);
  return packed;
}

/** Lays out what a fresh build leaves beside the sources. */
async function layOutServer(): Promise<string> {
  const folder = join(consumer, 'server');
  const own = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'schema.graphql', 'src/main.ts'];
  for (const name of [...own, 'test/packaging', 'dist'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  const project = ['-p', join(ROOT, 'tsconfig.build.json'), '--noCheck'];
  await runCompiler([...project, '--outDir', join(folder, 'dist/types')]);
  return folder;
}

const isSource = (path: string): boolean => !/[\\/](?:dist|node_modules)$/.test(path);

/** Lays out the client as it is in the repository; packing builds it. */
async function layOutClient(): Promise<string> {
  const folder = join(consumer, 'repository');
  await cp(join(ROOT, 'packages/client'), join(folder, 'packages/client'), {
    recursive: true,
    filter: isSource,
  });
  await cp(join(ROOT, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  await symlink(MODULES, join(folder, 'node_modules'));
  return join(folder, 'packages/client');
}

/** Runs Node in the consumer's project; returns what it printed. */
async function execute(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', SANDBOX: 'on' };
  return (await run(process.execPath, [...args], { cwd: consumer, env, timeout: 120_000 })).stdout;
}

async function runAgainst(graph: RunningGraph, program: string): Promise<string> {
  await writeFile(join(consumer, 'program.js'), program.replace('http://127.0.0.1:4000', graph.url));
  return await execute('--no-warnings', 'program.js');
}

const startSlowly = (environment = {}): Promise<RunningGraph> =>
  startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW, environment });

test.each([server, client])('publint finds nothing wrong with $name', async (manifest) => {
  const { messages } = await publint({ pkgDir: placeOf(manifest.name), strict: true, pack: false });
  expect(messages.map((message) => formatMessage(message, manifest, { color: false }))).toEqual([]);
});

test('the packages hold what users need, and nothing else', () => {
  const read = ['LICENSE', 'README.md', 'package.json'];
  const pages = ['desk/index.html', 'explorer/index.html'];
  for (const [{ files, size }, outside, needed, built, maxSize] of [
    [
      packedServer,
      ['CHANGELOG.md', ...read, 'schema.graphql'],
      ['main.js', 'index.js', 'types/src/index.d.ts', ...pages],
      /^dist\/.*\.(?:js|d\.ts|html|json|br|gz|md|graphql)$/,
      5_000_000,
    ],
    [packedClient, read, ['index.js', 'index.d.ts'], /^dist\/[\w-]+\.(?:js|d\.ts)$/, 100_000],
  ] as const) {
    const paths = files.map(({ path }) => path);
    expect(paths.filter((path) => !built.test(path)).toSorted()).toEqual(outside);
    expect(paths).toEqual(expect.arrayContaining(needed.map((path) => `dist/${path}`)));
    expect(size).toBeLessThan(maxSize);
  }
});

describe('the server', () => {
  test('has a command that runs, with the dependencies that it names', async () => {
    const main = join(placeOf(server.name), server.bin['social-publishing-graphql']);
    expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(await execute(main, '--version')).toBe(`${server.version}\n`);
    expect(await execute(main, 'check', '--json')).toContain('"isUsable": true');
  });

  test('loads graphql only once NODE_ENV is set, which graphql checks when it is loaded', () => {
    const [start, graph] = ['start', 'server'].map((name) =>
      readFileSync(join(placeOf(server.name), `dist/main-${name}.js`), 'utf8'),
    );
    expect(graph).toContain('class GraphQLError');
    expect(start).not.toMatch(/class GraphQLError|from ["']\.\/main-server\.js/);
  });

  // What the page shows, with a use of the server in between; without its sockets, the timer alone would end the process.
  const [serve, close = ''] = blocksOf('In a program of your own', 'js', 'docs/getting-started.md');
  const program = `${serve}
await new Promise((resolve) => setTimeout(resolve, 10).unref());
const answer = await fetch(\`\${url}/graphql\`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': sandbox.owners[0].apiKey },
  body: JSON.stringify({ query: '{ accounts(first: 1) { nodes { displayName } } }' }),
});
console.log(await answer.text());
console.log((await fetch(\`\${url}/graphql\`, { headers: { accept: 'text/html' } })).status);
${close}`;

  test('may run, with the sandbox, in a program as the page shows', async () => {
    await writeFile(join(consumer, 'serving.js'), program);
    const printed = await execute('serving.js');
    expect(printed).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/m);
    expect(printed).toContain('Kelpgate Roasters');
    expect(printed).toMatch(/\n200\n$/);
  });

  test('has types that let the program pass, and make an error of a mistake', async () => {
    await writeFile(join(consumer, 'serving.ts'), program);
    await writeFile(join(consumer, 'wrong.ts'), program.replace("openLog('info')", "openLog('shouting')"));
    const types = ['--skipLibCheck', '--types', 'node', '--typeRoots', join(MODULES, '@types')];
    expect(await checkPrograms(consumer, ['serving.ts', 'wrong.ts'], types)).toEqual({
      'serving.ts': '',
      'wrong.ts': expect.stringContaining('"shouting"'),
    });
  });
});

const [PROGRAM, WITH_WS = ''] = blocksOf('Use', 'js', 'packages/client/README.md');

const OWN_DOCUMENT = `import { createClient } from '${client.name}';
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

/** What is wrong in a program, the right code, the wrong code, and what the compiler says. */
const MISTAKES = [
  [PROGRAM, 'wrong type of a variable', '{ first: 5 }', "{ first: '5' }", "Type 'string' is not assignable"],
  [PROGRAM, 'unknown variable', '{ first: 5 }', '{ first: 5, frist: 5 }', "'frist' does not exist"],
  [PROGRAM, 'missing variable', '{ first: 5 }', '{}', "Property 'first' is missing"],
  [PROGRAM, 'field that is not selected', 'account.label', 'account.userName', "'userName' does not exist"],
  [PROGRAM, 'unknown enum value', "placement: 'QUEUE'", "placement: 'LATER'", '"LATER"'],
  [PROGRAM, 'unknown list', 'result.accounts', 'result.posts', "'posts' does not exist"],
  [PROGRAM, 'ids without success', "=== 'COMPLETED' ?", "=== 'UNKNOWN' ?", "'postIds' does not exist"],
  [PROGRAM, 'missing key', "{ idempotencyKey: 'order-7' }", '{}', "'idempotencyKey' is missing"],
  [OWN_DOCUMENT, 'variable of a document', 'first: 1', "first: '1'", "Type 'string' is not assignable"],
  [OWN_DOCUMENT, 'missing variables', 'count, { first: 1 }', 'count', "Property 'first' is missing"],
] as const;

const OF_FOLLOWING = /graphql-transport-ws/;

const PAGE_PROGRAM = `import { Accounts, createClient, follow, GenerateAiText, publishOnce, walk } from '${client.name}';
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

/** Bundles a program of the consumer into one script. */
async function bundle(program: string): Promise<string> {
  const entry = join(consumer, 'page.js');
  await writeFile(entry, program);
  const built = await build({
    root: consumer,
    configFile: false,
    logLevel: 'error',
    build: { write: false, lib: { entry, formats: ['iife'], name: 'Program' } },
  });
  const [{ output }] = built as [Rolldown.RolldownOutput];
  return output[0].code;
}

describe('the client', () => {
  test('runs the program of its README on Node, with the class of ws if Node has no WebSocket', async () => {
    const graph = await startSlowly();
    const [importWs = '', option = ''] = WITH_WS.match(/^import .*ws';$|webSocketImpl: WebSocket,/gm) ?? [];
    const withWs = `${importWs.replace("'ws'", `'${import.meta.resolve('ws')}'`)}\n${PROGRAM.replace('credentials:', `${option} $&`)}`;
    const running = runAgainst(graph, 'WebSocket' in globalThis ? PROGRAM : withWs);
    const [printed] = await Promise.all([running, finishTextsOnceFollowed(graph.sandbox)]);
    expect(printed.split('\n').filter((line) => /^MWF\w+ \w/.test(line))).toHaveLength(12);
    expect(printed).toMatch(/^\[ '2030-01-\d\dT\d\d:\d\d' \] \[\]$/m);
    expect(printed).toMatch(/\[ '\w{24}' \]\nPENDING null\nCOMPLETE The sandbox made this text/);
    expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
  });

  test('creates a first post once, as the page shows', async () => {
    const graph = await startGraph({ explorer: true });
    const [program] = blocksOf('Typed client', 'js', 'docs/first-post.md');
    expect(await runAgainst(graph, program)).toBe('COMPLETED false []\n');
    expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
  });

  test('has types that let its README and documents of GraphQL Code Generator pass, and make an error of each mistake', async () => {
    const mistaken = MISTAKES.map(([program, , right, wrong], index) => {
      expect(program).toContain(right);
      return [`mistake-${index}.ts`, program.replace(right, wrong)] as const;
    });
    const programs = new Map([['right.ts', PROGRAM], ['own.ts', OWN_DOCUMENT], ...mistaken]);
    for (const [name, program] of programs) await writeFile(join(consumer, name), program);
    const options = ['--lib', 'es2023,dom', '--types', ''];
    const said = await checkPrograms(consumer, [...programs.keys()], options);
    expect(said).toMatchObject({ 'right.ts': '', 'own.ts': '' });
    const unnoticed = MISTAKES.filter(
      ([, , , , message], index) => !said[`mistake-${index}.ts`]?.includes(message),
    );
    expect(unnoticed.map(([, mistake]) => mistake)).toEqual([]);
  });

  test.skipIf(leavesOutBrowser())('publishes, walks and follows in a page of another origin', async () => {
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

  test('adds nothing of graphql-ws to a page that follows nothing', async () => {
    const code = await bundle(`export { createClient, publishOnce } from '${client.name}';\n`);
    expect(code).toContain('mutation CreatePost');
    expect(code).not.toMatch(OF_FOLLOWING);
    expect(code).not.toContain('query LibraryItems');
  });

  test('has the version of the server, and depends on graphql-ws alone', () => {
    expect(client.version).toBe(server.version);
    expect(Object.keys(client.dependencies)).toEqual(['graphql-ws']);
  });
});

// npm writes a lockfile without the packages that a registry lacks, and says nothing; `npm ci` then rejects it.
test('the lockfile of the site has the packages of every platform', () => {
  const { packages } = JSON.parse(textOf('site/package-lock.json')) as {
    readonly packages: Readonly<Record<string, { readonly optionalDependencies?: object }>>;
  };
  const wanted = Object.values(packages).flatMap((one) => Object.keys(one.optionalDependencies ?? {}));
  expect(wanted.length).toBeGreaterThan(40);
  expect(wanted.filter((name) => !(`node_modules/${name}` in packages))).toEqual([]);
});
