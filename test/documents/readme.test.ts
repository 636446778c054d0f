import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { BUILT_SERVER } from '../support/built-server.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { blocksOf } from '../support/readme.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

const startLikeReadme = (slowAiDelayMs = 3_000): Promise<RunningGraph> =>
  startGraph({ explorer: true, sandbox: { slowAiDelayMs } });

/** A command of the README, for a server at another address. */
const at = ({ url }: RunningGraph, command: string): string =>
  command
    .replaceAll('http://127.0.0.1:4000', url)
    .replaceAll('ws://127.0.0.1:4000', url.replace('http', 'ws'));

/** The first event of a stream. */
const firstEvent = (text: string): unknown => JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? 'null');

async function shell(command: string, cwd = ROOT): Promise<string> {
  const { stdout } = await run('bash', ['-c', command], { cwd, timeout: 10_000 });
  return stdout;
}

test('the first query answers what is shown', async () => {
  const graph = await startLikeReadme();
  const [command] = blocksOf('A first query', 'sh');
  const [shown] = blocksOf('A first query', 'json');
  expect(JSON.parse(await shell(at(graph, command)))).toEqual(JSON.parse(shown));
});

test('the first post is queued, once, however often it is sent', async () => {
  const graph = await startLikeReadme();
  const command = at(graph, blocksOf('A first post', 'sh')[0]);
  const answers = [await shell(command), await shell(command)];
  for (const answer of answers) expect(answer).toContain('"outcome":"COMPLETED"');
  expect(graph.sandbox.requests.count('POST /posts/create')).toBe(1);
});

test('the live result arrives in the first terminal as it is shown', async () => {
  const graph = await startLikeReadme(300);
  const [follow, generate = ''] = blocksOf('A live result', 'sh');
  const [shown] = blocksOf('A live result', '');
  const following = spawn('bash', ['-c', `exec ${at(graph, follow)}`]);
  onTestFinished(() => void following.kill());
  let output = '';
  following.stdout.on('data', (data: Buffer) => (output += data.toString()));
  await graph.sandbox.push.waitForOpen(1);
  expect(await shell(at(graph, generate))).toContain('"status":"PENDING"');
  await expect.poll(() => firstEvent(output), { timeout: 5_000 }).toEqual(firstEvent(shown));
});

test('the program prints the generation as it stands, then with its text, and ends', async () => {
  const graph = await startLikeReadme(300);
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'live.mjs'), at(graph, blocksOf('A live result', 'js')[0]));
  const { stdout } = await run(process.execPath, ['live.mjs'], { cwd: folder, timeout: 15_000 });
  expect(stdout).toMatch(
    /status: 'PENDING', text: null.*status: 'COMPLETE',\s+text: 'The sandbox made this text/s,
  );
});

test('the command that looks at the service finds the sandbox to be usable', async () => {
  const [, command = ''] = blocksOf('The real service', 'sh');
  expect(await shell(command, BUILT_SERVER)).toMatch(/current surface: usable.*legacy surface: usable/s);
});
