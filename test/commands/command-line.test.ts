import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { BUILT_SERVER, spawnBuiltServer } from '../support/built-server.ts';

const run = promisify(execFile);
const HINT = 'Settings come from the environment, such as PORT=4100; --help lists them.';

/** What a command line is answered with that the program does not take. */
async function refusal(...args: readonly string[]): Promise<string> {
  const running = spawnBuiltServer({}, { args });
  expect(await running.exited).toBe(1);
  return running.output.trim();
}

test('a command that is misspelt is answered with the one that was meant', async () => {
  expect(await refusal('chek')).toBe(`error: unknown command 'chek'\n(Did you mean check?)\n${HINT}`);
  expect(await refusal('chek', '--json')).toContain("unknown command 'chek'");
});

test.each([
  ['--port', '4100'],
  ['start', '--port', '4100'],
  ['sandbox', '--port=4100'],
])('a setting that is given as an option is told where settings come from: %s %s', async (...args) => {
  expect(await refusal(...args)).toMatch(/^error: unknown option '--port.*\n.*such as PORT=4100;/);
});

test.each(['schema', '--help'])(
  'whoever reads no more than the beginning of %s gets no error beside it',
  async (argument) => {
    const command = `${process.execPath} ${join(BUILT_SERVER, 'dist/main.js')} ${argument}`;
    // Ends as soon as it has a line, while the rest is still to be written.
    const script = `set -o pipefail; ${command} | head -n 1`;
    const { stdout, stderr } = await run('bash', ['-c', script], { timeout: 15_000 });
    expect([stdout.split('\n').length, stderr]).toEqual([2, '']);
  },
);

test('the whole schema is printed to who reads it to its end', async () => {
  const running = spawnBuiltServer({}, { args: ['schema'] });
  expect(await running.exited).toBe(0);
  expect(running.output).toMatch(/^"""\n.*\n}\n$/s);
});
