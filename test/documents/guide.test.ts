import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { check } from '../../src/cli/check.ts';
import { ERROR_CODES } from '../../src/schema/errors.ts';
import { USER_ERROR_CODES } from '../../src/writes/outcome.ts';
import { at, runSnippet } from '../examples/snippets.ts';
import { runInPlace } from '../support/command.ts';
import { isInstalled } from '../support/programs.ts';
import { blocksOf, sectionOf } from '../support/readme.ts';
import { finishTexts } from '../support/slow-texts.ts';
import { ROOT, shell, startLikeReadme } from './commands.ts';

const START = 'docs/getting-started.md';
const FIRST_POST = 'docs/first-post.md';
const PAGING = 'docs/paging.md';
const PUBLISHING = 'docs/publishing-safely.md';
const LIVE = 'docs/live-results.md';
const ERRORS = 'docs/errors.md';

/** The sections whose commands are run here, or only read by other tests, where they install or start something. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  [START]: ['Start it', 'A first query', 'The real service', 'Install the package'],
  [FIRST_POST]: ['# Your first post', 'curl'],
  [PAGING]: ['The next page', 'Backwards'],
  [PUBLISHING]: ['A first post', 'A post for a given time'],
  [LIVE]: ['In two terminals'],
  [ERRORS]: ['Errors of a query'],
  'docs/browsers.md': ['Allow an origin'],
  'docs/guarantees.md': [],
};

test('no page has a command that is not known here', () => {
  for (const [page, expected] of Object.entries(COMMANDS)) {
    const sections = readFileSync(join(ROOT, page), 'utf8').split(/^##+ /m);
    const withCommands = sections.filter((text) => text.includes('```sh\n'));
    expect(withCommands.map((text) => text.slice(0, text.indexOf('\n')))).toEqual(expected);
  }
});

/** The first event of a stream. */
const firstEvent = (text: string): unknown => JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? 'null');

/** An answer without what is another for every request. */
const withoutRequest = (text: string): unknown =>
  JSON.parse(text.replace(/"requestId": ?"[\w-]{36}"/, '"requestId":""'));

test('the first query answers what is shown', async () => {
  const graph = await startLikeReadme();
  const [command] = blocksOf('A first query', 'sh', START);
  const [shown] = blocksOf('A first query', 'json', START);
  expect(JSON.parse(await shell(at(graph, command)))).toEqual(JSON.parse(shown));
});

test('the programs for a first post create it once, whichever runs first', async () => {
  const graph = await startLikeReadme();
  const [list, create = ''] = blocksOf('curl', 'sh', FIRST_POST);
  expect(JSON.parse(await shell(at(graph, list)))).toMatchObject({
    data: { accounts: { nodes: [{ id: 'MWFjOjQxMDIwMQ' }] } },
  });
  expect(JSON.parse(await shell(at(graph, create)))).toMatchObject({
    data: { createPost: { outcome: 'COMPLETED', replayed: false, queuedPosts: [{}] } },
  });
  const [program] = blocksOf('JavaScript', 'js', FIRST_POST);
  const node = await runSnippet(graph, program, 'first-post.js');
  expect(node).toEqual({ status: 0, stdout: 'COMPLETED true []\n', stderr: '' });
  if (isInstalled('python')) {
    const python = await runSnippet(graph, blocksOf('Python', 'python', FIRST_POST)[0], 'first_post.py');
    expect(python).toEqual({ status: 0, stdout: 'COMPLETED True []\n', stderr: '' });
  }
  expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
});

test('the two calls of a walk answer with the first page and with the next one', async () => {
  const graph = await startLikeReadme();
  const [first, next = ''] = blocksOf('The next page', 'sh', PAGING);
  const [shown] = blocksOf('The next page', 'json', PAGING);
  expect(JSON.parse(await shell(at(graph, first)))).toEqual(JSON.parse(shown));
  const { data } = JSON.parse(await shell(at(graph, next))) as {
    readonly data: { readonly accounts: { readonly nodes: readonly { readonly displayName: string }[] } };
  };
  expect(data.accounts.nodes).toHaveLength(2);
  for (const { displayName } of data.accounts.nodes) expect(shown).not.toContain(`"${displayName}"`);
});

test('the call that goes backwards answers with the end of the list', async () => {
  const graph = await startLikeReadme();
  const [command] = blocksOf('Backwards', 'sh', PAGING);
  expect(await shell(at(graph, command))).toMatch(/"hasPreviousPage":true,"startCursor":"\w+"/);
});

test('the post for a given time is queued, and stands at the end of the queue as it is shown', async () => {
  const graph = await startLikeReadme();
  await shell(at(graph, blocksOf('A first post', 'sh', PUBLISHING)[0]));
  const [create, look = ''] = blocksOf('A post for a given time', 'sh', PUBLISHING);
  const [shown] = blocksOf('A post for a given time', 'json', PUBLISHING);
  expect(await shell(at(graph, create))).toMatch(
    /"outcome":"COMPLETED","postIds":\["\w+"\],"userErrors":\[\]/,
  );
  expect(JSON.parse(await shell(at(graph, look)))).toEqual(JSON.parse(shown));
});

test('the first post is queued, once, however often it is sent', async () => {
  const graph = await startLikeReadme();
  const command = at(graph, blocksOf('A first post', 'sh', PUBLISHING)[0]);
  const answers = [await shell(command), await shell(command)];
  for (const answer of answers) expect(answer).toContain('"outcome":"COMPLETED"');
  expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
});

test('an error looks as it is shown, but for its request', async () => {
  const graph = await startLikeReadme();
  const [command] = blocksOf('Errors of a query', 'sh', ERRORS);
  const [shown] = blocksOf('Errors of a query', 'json', ERRORS);
  expect(withoutRequest(await shell(at(graph, command)))).toEqual(withoutRequest(shown));
});

test('every code of an error is explained, and every one of a write’s is named', () => {
  const section = sectionOf('Errors of a query', ERRORS);
  const rows = [...section.matchAll(/^\| `(\w+)` +\| \w[^|]+ \| \w[^|]+ \|$/gm)].map(([, code]) => code);
  expect(rows).toEqual(ERROR_CODES);
  const [, afterLink = ''] = sectionOf('Problems with a write', ERRORS).split(
    '](reference/UserErrorCode.md)',
  );
  const named = [...afterLink.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code);
  expect(named).toEqual(USER_ERROR_CODES);
});

test('the live result arrives in the first terminal as it is shown', async () => {
  const graph = await startLikeReadme();
  const [follow, generate = ''] = blocksOf('In two terminals', 'sh', LIVE);
  const [shown] = blocksOf('In two terminals', '', LIVE);
  const following = spawn('bash', ['-c', `exec ${at(graph, follow)}`]);
  onTestFinished(() => void following.kill());
  let output = '';
  following.stdout.on('data', (data: Buffer) => (output += data.toString()));
  await graph.sandbox.push.waitForOpen(1);
  expect(await shell(at(graph, generate))).toContain('"status":"PENDING"');
  finishTexts(graph.sandbox);
  await expect.poll(() => firstEvent(output)).toEqual(firstEvent(shown));
});

test('the command that looks at the service finds the sandbox to be usable', async () => {
  expect(blocksOf('The real service', 'sh', START)[1]).toBe('node dist/main.js check\n');
  const { output } = await runInPlace(() => check({}), {});
  expect(output).toMatch(/current surface at \S+: usable.*legacy surface at \S+: usable/s);
});

test('the tarball is named as npm names it', () => {
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
    'name' | 'version',
    string
  >;
  const [, install = ''] = blocksOf('Install the package', 'sh', START);
  expect(install).toContain(`npm install ./${name}-${version}.tgz\nnode_modules/.bin/${name} `);
});
