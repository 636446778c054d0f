import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BUILT_SERVER } from '../support/built-server.ts';
import { freePort } from '../support/network.ts';
import { isInstalled } from '../support/programs.ts';
import { temporaryFolder } from '../support/files.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/several-processes.md'), 'utf8');
const [, SECTION = ''] = PAGE.split('## Three instances\n');
const blocks = (language: string): string[] =>
  [...SECTION.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);
const [START = '', READY = '', WRITE = '', END = ''] = blocks('sh');
const PORTS = ['4000', '4001', '4011', '4012', '4013', '6380'];

/** The commands for ports that are free now. */
async function onFreePorts(): Promise<(command: string) => string> {
  const taken = new Map<string, string>();
  for (const port of PORTS) taken.set(port, String(await freePort()));
  const sandbox = `SANDBOX_PORT=${taken.get('4001')} node dist/main.js sandbox`;
  return (command) =>
    command
      .replace('node dist/main.js sandbox', sandbox)
      .replaceAll(/\b(?:40[01]\d|6380)\b/g, (port) => taken.get(port) ?? port);
}

/** A shell that is given one block after the other, as by somebody who pastes them. */
function openShell(cwd: string) {
  const shell = spawn('bash', [], { cwd, env: { PATH: process.env['PATH'] }, detached: true });
  // The shell leads a group that holds all that it has started.
  onTestFinished(() => {
    try {
      process.kill(-(shell.pid ?? 0), 'SIGKILL');
    } catch {
      // All have ended.
    }
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = once(shell, 'exit');
  let count = 0;
  return {
    /** Gives what was printed until the block had ended. */
    async paste(block: string): Promise<string> {
      const mark = `block ${(count += 1)} has ended`;
      const from = output.length;
      shell.stdin.write(`${block}\necho "${mark}" $?\n`);
      await expect.poll(() => output, { timeout: 90_000 }).toContain(mark);
      return output.slice(from);
    },
    async leave(): Promise<void> {
      shell.stdin.end();
      await exited;
    },
  };
}

const ARE_PROGRAMS_HERE = isInstalled('redis') && isInstalled('haproxy') && isInstalled('openssl');

test.runIf(ARE_PROGRAMS_HERE)('three instances can be tried as the page says', async () => {
  const folder = await temporaryFolder();
  await symlink(join(ROOT, 'docs'), join(folder, 'docs'));
  for (const name of ['dist', 'package.json', 'node_modules'])
    await symlink(join(BUILT_SERVER, name), join(folder, name));
  const at = await onFreePorts();
  const shell = openShell(folder);
  const [installing = '', ...others] = START.split('\n');
  expect(installing).toBe('npm ci && npm run build');
  await shell.paste(at(others.join('\n')));

  const [shown = ''] = blocks('json');
  const ready = /\{"status":"ready".*"redis":"\w+"\}/.exec(await shell.paste(at(READY)))?.[0] ?? '';
  expect(JSON.parse(ready)).toEqual(JSON.parse(shown));
  const port = at('4013');
  await shell.paste(`curl -s --retry 30 --retry-delay 1 --retry-all-errors http://127.0.0.1:${port}/ready`);

  // The balancer keeps metrics and readiness inside.
  const statusOf = async (url: string): Promise<number> => (await fetch(at(url))).status;
  expect(await statusOf('http://127.0.0.1:4013/metrics')).toBe(200);
  for (const path of ['/metrics', '/metrics/', '/ready', '/ready/', '/ready?x'])
    expect(await statusOf(`http://127.0.0.1:4000${path}`), path).toBe(404);

  const accepted: string[] = [];
  do {
    const written = await shell.paste(at(WRITE));
    accepted.push(...[...written.matchAll(/"outcome":"COMPLETED","replayed":\w+/g)].map(([text]) => text));
    // Redis is new: at first the write is refused.
  } while (accepted.length < 2);
  expect(accepted.slice(0, 2)).toEqual([
    '"outcome":"COMPLETED","replayed":false',
    '"outcome":"COMPLETED","replayed":true',
  ]);

  const ended = await shell.paste(at(END));
  expect(ended).toMatch(/has ended 0\n/);
  await shell.leave();
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
});

test('no two of its programs want the same port, and none that of a Redis that is there already', () => {
  const named = [...START.matchAll(/\b(?:40[01]\d|6\d{3})\b/g)].map(([port]) => port);
  expect(new Set(named)).toEqual(new Set(PORTS));
});
