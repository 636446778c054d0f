import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { check } from '../../src/cli/check.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { BUILT_SERVER, spawnBuiltServer } from '../support/built-server.ts';
import { runInPlace } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const HINT = 'Settings come from the environment, such as PORT=4100; --help lists them.';

/** What a command line is answered with that the program does not take. */
async function refusal(...args: readonly string[]): Promise<string> {
  const running = spawnBuiltServer({}, { args });
  expect(await running.exited).toBe(1);
  return running.output.trim();
}

test('a misspelt command is answered with the most similar one', async () => {
  expect(await refusal('chek', '--json')).toBe(
    `error: unknown command 'chek'\n(Did you mean check?)\n${HINT}`,
  );
});

test('a setting that is given as an option is refused with a hint to the environment', async () => {
  for (const args of [
    ['--port', '4100'],
    ['start', '--port', '4100'],
  ]) {
    expect(await refusal(...args), args.join(' ')).toMatch(
      /^error: unknown option '--port.*\n.*such as PORT=4100;/,
    );
  }
});

test('a reader that closes the output early causes no error message', async () => {
  const main = join(BUILT_SERVER, 'dist/main.js');
  for (const argument of ['schema', '--help']) {
    // Ends as soon as it has a line, while the rest is still to be written.
    const script = `set -o pipefail; ${process.execPath} ${main} ${argument} | head -n 1`;
    const { stdout, stderr } = await run('bash', ['-c', script]);
    expect([stdout.split('\n').length, stderr], argument).toEqual([2, '']);
  }
});

test('the sandbox alone listens where HOST says', async () => {
  const running = spawnBuiltServer({ HOST: '0.0.0.0', SANDBOX_PORT: '0' }, { args: ['sandbox'] });
  await expect.poll(() => running.output).toMatch(/^Sandbox +http:\/\/0\.0\.0\.0:\d+ /m);
  expect(await running.end('SIGTERM')).toBe(0);
});

test('check without a credential names the setting that it is read from', async () => {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const { status, output } = await runInPlace(() => check({}), {
    CURRENT_API_URL: sandbox.url,
    LEGACY_API_URL: sandbox.url,
    ACCESS_TOKEN: 'wrong',
  });
  expect(status).toBe(1);
  expect(output).toMatch(/credential missing\n {2}No credential was sent: set API_KEY\.\n/);
  expect(output).not.toContain('set ACCESS_TOKEN');
});

test('check takes credentials wherever the server listens, and makes no folder for its journal', async () => {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const [{ apiKey, accessToken }] = sandbox.owners;
  const folder = join(await temporaryFolder(), 'data');
  const { status, output } = await runInPlace(() => check({}), {
    HOST: '0.0.0.0',
    CURRENT_API_URL: sandbox.url,
    LEGACY_API_URL: sandbox.url,
    API_KEY: apiKey,
    ACCESS_TOKEN: accessToken,
    DATA_DIR: folder,
  });
  expect(status, output).toBe(0);
  expect(existsSync(folder)).toBe(false);
});
