import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { BUILT_SERVER } from '../support/built-server.ts';

/** Has npm run the built server by a script, and waits until it serves. */
async function startByNpm(script: string) {
  const folder = await mkdtemp(join(tmpdir(), 'under-npm-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const start = script.replace('dist/main.js', join(BUILT_SERVER, 'dist/main.js'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { start } }));
  const npm = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', SANDBOX: 'on', SANDBOX_PORT: '0', LOG_LEVEL: 'debug' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  onTestFinished(() => void npm.kill('SIGKILL'));
  const address = (): string | undefined =>
    /^(?:GraphQL|Sandbox) +(http:\/\/[^\s/]+)\S*\s/m.exec(output)?.[1];
  await expect.poll(address).toBeDefined();
  return {
    npm,
    serves: async () =>
      await fetch(`${address()}/health`).then(
        () => true,
        () => false,
      ),
  };
}

test.each<readonly [signal: NodeJS.Signals, script: string]>([
  ['SIGTERM', manifest.scripts.start],
  ['SIGINT', manifest.scripts.sandbox],
  ['SIGKILL', manifest.scripts.sandbox],
  // Where npm's shell stays between the two.
  ['SIGTERM', 'node dist/main.js sandbox; exit'],
])('%s to npm, which has run "%s", ends the server', async (signal, script) => {
  const { npm, serves } = await startByNpm(script);
  expect(await serves()).toBe(true);
  npm.kill(signal);
  await expect.poll(serves).toBe(false);
});
