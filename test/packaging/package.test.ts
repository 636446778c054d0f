import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { BUILT_SERVER } from '../support/built-server.ts';
import { checkPrograms, runCompiler } from '../support/compiler.ts';
import { blocksOf } from '../support/readme.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MODULES = join(ROOT, 'node_modules');
const run = promisify(execFile);

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** A program of somebody who has installed the package, and nothing else. */
let consumer: string;
/** The package as it was installed there. */
let installed: string;
let packed: Packed;

beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), 'consumer-'));
  installed = join(consumer, 'node_modules', manifest.name);
  packed = await pack(await layOut(join(consumer, 'package')));
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(consumer, packed.filename), '--strip-components=1', '-C', installed]);
  for (const name of Object.keys(manifest.dependencies)) {
    await mkdir(dirname(join(consumer, 'node_modules', name)), { recursive: true });
    await symlink(join(MODULES, name), join(consumer, 'node_modules', name));
  }
  await writeFile(join(consumer, 'package.json'), '{"type":"module"}');
});
afterAll(() => rm(consumer, { recursive: true }));

/** Lays out what a fresh build leaves beside the sources. */
async function layOut(folder: string): Promise<string> {
  for (const name of [
    'package.json',
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'schema.graphql',
    'src/main.ts',
    'test/packaging',
  ])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await cp(join(BUILT_SERVER, 'dist'), join(folder, 'dist'), { recursive: true });
  for (const page of ['dist/desk', 'dist/explorer'])
    await cp(join(ROOT, page), join(folder, page), { recursive: true });
  const declarations = [
    '-p',
    join(ROOT, 'tsconfig.build.json'),
    '--noCheck',
    '--outDir',
    join(folder, 'dist/types'),
  ];
  await runCompiler(declarations);
  return folder;
}

async function pack(folder: string): Promise<Packed> {
  const flags = ['pack', '--ignore-scripts', '--json', '--pack-destination', consumer];
  const { stdout } = await run('npm', flags, { cwd: folder });
  const [found] = JSON.parse(stdout) as [Packed];
  return found;
}

/** Runs a program of the consumer's; gives what it printed. */
async function execute(args: readonly string[]): Promise<string> {
  const environment = { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', SANDBOX: 'on' };
  const options = { cwd: consumer, env: environment, timeout: 50_000 };
  return (await run(process.execPath, [...args], options)).stdout;
}

test('it holds what users need, and nothing else', () => {
  const paths = packed.files.map(({ path }) => path);
  const outside = paths.filter((path) => !path.startsWith('dist/'));
  expect(outside.toSorted()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'package.json',
    'schema.graphql',
  ]);
  expect(paths).toEqual(
    expect.arrayContaining([
      'dist/main.js',
      'dist/index.js',
      'dist/types/src/index.d.ts',
      'dist/desk/index.html',
      'dist/explorer/index.html',
    ]),
  );
  const needless = paths.filter((path) => !/\.(?:js|d\.ts|html|json|br|gz|md|graphql)$|^LICENSE$/.test(path));
  expect(needless).toEqual([]);
  expect(packed.size).toBeLessThan(5_000_000);
});

test('publint finds nothing to say', async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true });
  expect(messages.map((message) => formatMessage(message, manifest, { color: false }))).toEqual([]);
});

test('its command runs from there, with the dependencies that it names', async () => {
  const main = join(installed, manifest.bin['social-publishing-graphql']);
  expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(await execute([main, '--version'])).toBe(`${manifest.version}\n`);
  expect(await execute([main, 'schema'])).toBe(readFileSync(join(ROOT, 'schema.graphql'), 'utf8'));
  expect(await execute([main, 'check', '--json'])).toContain('"isUsable": true');
});

test('its command loads graphql only once NODE_ENV is set, which graphql checks when it is loaded', () => {
  const [start, server] = ['start', 'server'].map((name) =>
    readFileSync(join(installed, `dist/main-${name}.js`), 'utf8'),
  );
  expect(server).toContain('class GraphQLError');
  expect(start).not.toMatch(/class GraphQLError|from ["']\.\/main-server\.js/);
});

/** What the documentation shows, and what somebody may do with it: it runs on, as the timer alone would not have it. */
const [SERVE, CLOSE = ''] = blocksOf('In a program of your own', 'js', 'docs/getting-started.md');
const PROGRAM = `${SERVE}
await new Promise((resolve) => setTimeout(resolve, 10).unref());
const answer = await fetch(\`\${url}/graphql\`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': sandbox.owners[0].apiKey },
  body: JSON.stringify({ query: '{ accounts(first: 1) { nodes { displayName } } }' }),
});
console.log(await answer.text());
console.log((await fetch(\`\${url}/graphql\`, { headers: { accept: 'text/html' } })).status);
${CLOSE}`;

test('a program may run the server and the sandbox as parts of itself, as the page shows', async () => {
  await writeFile(join(consumer, 'program.js'), PROGRAM);
  const printed = await execute(['program.js']);
  expect(printed).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/m);
  expect(printed).toContain('Kelpgate Roasters');
  expect(printed).toMatch(/\n200\n$/);
});

test('its types are what a program sees', async () => {
  await writeFile(join(consumer, 'program.ts'), PROGRAM);
  await writeFile(join(consumer, 'wrong.ts'), PROGRAM.replace("openLog('info')", "openLog('shouting')"));
  const types = ['--skipLibCheck', '--types', 'node', '--typeRoots', join(MODULES, '@types')];
  const said = await checkPrograms(consumer, ['program.ts', 'wrong.ts'], types);
  expect(said).toEqual({ 'program.ts': '', 'wrong.ts': expect.stringContaining('"shouting"') });
});
