import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { ERROR_CODES } from '../../src/schema/errors.ts';
import { USER_ERROR_CODES } from '../../src/writes/outcome.ts';
import { BUILT_SERVER } from '../support/built-server.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { blocksOf, sectionOf } from '../support/readme.ts';
import { ENDLESSLY_SLOW, finishTexts, finishTextsOnceFollowed } from '../support/slow-texts.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/clients.md',
  'docs/deploying.md',
  'docs/operations.md',
  'docs/sandbox.md',
  'docs/several-processes.md',
  'examples/README.md',
  'client/README.md',
];
const run = promisify(execFile);
/** A command that takes longer than this hangs: no machine is as busy. */
const PATIENCE_MS = 50_000;

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const startLikeReadme = (): Promise<RunningGraph> => startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });

/** A command of the README, for a server at another address. */
const at = ({ url }: RunningGraph, command: string): string =>
  command
    .replaceAll('http://127.0.0.1:4000', url)
    .replaceAll('ws://127.0.0.1:4000', url.replace('http', 'ws'));

/** The first event of a stream. */
const firstEvent = (text: string): unknown => JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? 'null');

/** An answer without what is another for every request. */
const withoutRequest = (text: string): unknown =>
  JSON.parse(text.replace(/"requestId": ?"[\w-]{36}"/, '"requestId":""'));

async function shell(command: string, cwd = ROOT): Promise<string> {
  const { stdout } = await run('bash', ['-c', command], { cwd, timeout: PATIENCE_MS });
  return stdout;
}

test('the first query answers what is shown', async () => {
  const graph = await startLikeReadme();
  const [command] = blocksOf('A first query', 'sh');
  const [shown] = blocksOf('A first query', 'json');
  expect(JSON.parse(await shell(at(graph, command)))).toEqual(JSON.parse(shown));
});

test('the two calls of a walk answer with the first page and with the next one', async () => {
  const graph = await startLikeReadme();
  const [first, next = ''] = blocksOf('The next page', 'sh');
  const [shown] = blocksOf('The next page', 'json');
  expect(JSON.parse(await shell(at(graph, first)))).toEqual(JSON.parse(shown));
  const { data } = JSON.parse(await shell(at(graph, next))) as {
    readonly data: { readonly accounts: { readonly nodes: readonly { readonly displayName: string }[] } };
  };
  expect(data.accounts.nodes).toHaveLength(2);
  for (const { displayName } of data.accounts.nodes) expect(shown).not.toContain(`"${displayName}"`);
});

test('the post for a given time is queued, and stands at the end of the queue as it is shown', async () => {
  const graph = await startLikeReadme();
  await shell(at(graph, blocksOf('A first post', 'sh')[0]));
  const [create, look = ''] = blocksOf('A post for a given time', 'sh');
  const [shown] = blocksOf('A post for a given time', 'json');
  expect(await shell(at(graph, create))).toMatch(
    /"outcome":"COMPLETED","postIds":\["\w+"\],"userErrors":\[\]/,
  );
  expect(JSON.parse(await shell(at(graph, look)))).toEqual(JSON.parse(shown));
});

test('the first post is queued, once, however often it is sent', async () => {
  const graph = await startLikeReadme();
  const command = at(graph, blocksOf('A first post', 'sh')[0]);
  const answers = [await shell(command), await shell(command)];
  for (const answer of answers) expect(answer).toContain('"outcome":"COMPLETED"');
  expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
});

test('an error looks as it is shown, but for its request', async () => {
  const graph = await startLikeReadme();
  const [command] = blocksOf('Codes of errors', 'sh');
  const [shown] = blocksOf('Codes of errors', 'json');
  expect(withoutRequest(await shell(at(graph, command)))).toEqual(withoutRequest(shown));
});

test('every code of an error is explained, and every one of a write’s is named', () => {
  const section = sectionOf('Codes of errors');
  const rows = [...section.matchAll(/^\| `(\w+)` +\| \w[^|]+ \| \w[^|]+ \|$/gm)].map(([, code]) => code);
  expect(rows).toEqual(ERROR_CODES);
  const [, afterTable = ''] = section.split('`userErrors`');
  const named = [...afterTable.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code);
  expect(named).toEqual(USER_ERROR_CODES);
});

test('the live result arrives in the first terminal as it is shown', async () => {
  const graph = await startLikeReadme();
  const [follow, generate = ''] = blocksOf('A live result', 'sh');
  const [shown] = blocksOf('A live result', '');
  const following = spawn('bash', ['-c', `exec ${at(graph, follow)}`]);
  onTestFinished(() => void following.kill());
  let output = '';
  following.stdout.on('data', (data: Buffer) => (output += data.toString()));
  await graph.sandbox.push.waitForOpen(1);
  expect(await shell(at(graph, generate))).toContain('"status":"PENDING"');
  finishTexts(graph.sandbox);
  await expect.poll(() => firstEvent(output)).toEqual(firstEvent(shown));
});

test('the program prints the generation as it stands, then with its text, and ends', async () => {
  const graph = await startLikeReadme();
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'live.mjs'), at(graph, blocksOf('A live result', 'js')[0]));
  const running = run(process.execPath, ['live.mjs'], { cwd: folder, timeout: PATIENCE_MS });
  await finishTextsOnceFollowed(graph.sandbox);
  const { stdout } = await running;
  expect(stdout).toMatch(
    /status: 'PENDING', text: null.*status: 'COMPLETE',\s+text: 'The sandbox made this text/s,
  );
});

test('the command that looks at the service finds the sandbox to be usable', async () => {
  const [, command = ''] = blocksOf('The real service', 'sh');
  expect(await shell(command, BUILT_SERVER)).toMatch(
    /current surface at \S+: usable.*legacy surface at \S+: usable/s,
  );
});

test('the program that runs the server itself prints its address, and runs on', async () => {
  const folder = await mkdtemp(join(BUILT_SERVER, 'program-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'serve.mjs'), blocksOf('In a program of your own', 'js')[0]);
  const serving = spawn(process.execPath, ['serve.mjs'], { cwd: folder });
  onTestFinished(() => void serving.kill('SIGKILL'));
  let output = '';
  serving.stdout.on('data', (data: Buffer) => (output += data.toString()));
  const address = (): string => /^http:\/\/127\.0\.0\.1:\d+$/m.exec(output)?.[0] ?? '';
  await expect.poll(address).not.toBe('');
  expect((await fetch(`${address()}/health`)).status).toBe(200);
  expect(serving.exitCode).toBeNull();
});

test('every link between the documents leads to a file, and to a heading that is there', () => {
  for (const document of DOCUMENTS) {
    for (const [, target = ''] of textOf(document).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', fragment] = target.split('#');
      const file = path === '' ? document : join(dirname(document), path);
      expect(existsSync(join(ROOT, file)), `${target} in ${document}`).toBe(true);
      if (fragment !== undefined)
        expect(headingsOf(textOf(file)), `${target} in ${document}`).toContain(fragment);
    }
  }
});

/** The names under which a page's headings can be linked to. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}
