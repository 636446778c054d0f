import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { stagesOf } from '../../deploy/build-rootfs.js';
import { isDeep } from '../support/depth.ts';
import { blocksOf, ROOT, temporaryFolder, textOf } from '../support/files.ts';
import { postJson } from '../support/http.ts';
import { freePort } from '../support/network.ts';
import { startProcess } from '../support/processes.ts';
import { isInstalled } from '../support/programs.ts';
import { sandboxForTest } from '../support/sandbox.ts';

// The image.

const run = promisify(execFile);

/** npm installs all packages, and then those of production. */
const LONG = { timeout: 900_000 };

const STEPS = stagesOf(textOf('deploy/Dockerfile')).at(-1)?.steps ?? [];
const stepOf = (instruction: string) => STEPS.find((step) => step.instruction === instruction)?.text ?? '';
const COMMAND = ['ENTRYPOINT', 'CMD'].flatMap((name) => JSON.parse(stepOf(name)) as string[]);
const HEALTH_COMMAND = JSON.parse(stepOf('HEALTHCHECK').replace(/^.*?CMD /, '')) as string[];
const ENVIRONMENT = Object.fromEntries(
  stepOf('ENV')
    .split(' ')
    // A value may hold the sign itself.
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
);
const [UID = '', GID = ''] = stepOf('USER').split(':');

/** As a container engine starts it: process 1 of a namespace, as the image's user, without any privileges. */
const CONTAINED = [
  'unshare --pid --fork --mount-proc --kill-child',
  `setpriv --reuid=${UID} --regid=${GID} --clear-groups --no-new-privs --bounding-set=-all`,
].flatMap((command) => command.split(' '));

/** What to put before a command; nothing where this machine lets nobody become another user. */
async function containment(): Promise<readonly string[]> {
  const isAllowed = await run('sh', ['-c', [...CONTAINED, 'true'].join(' ')]).catch(() => null);
  return isAllowed ? CONTAINED : [];
}

/** Starts a command in the image's working folder; gives the process of the command itself. */
async function startContained(command: readonly string[], cwd: string, env: Record<string, string>) {
  const before = await containment();
  const [program = '', ...args] = [...before, ...command];
  const running = startProcess(program, args, cwd, env);
  const { pid: first, exited } = running;
  onTestFinished(() => running.signal('SIGKILL'));
  await expect.poll(() => running.output, { timeout: 60_000 }).toContain('"listening"');
  const pid = before.length === 0 ? first : Number(readFileSync(`/proc/${first}/task/${first}/children`));
  return { pid, exited, isContained: before.length > 0 };
}

// It installs all packages twice, which takes minutes on a slow machine.
test.skipIf(!isDeep)(
  'the image’s file system, built by the same steps, serves without privileges and ends in order',
  LONG,
  async () => {
    const folder = await temporaryFolder();
    chmodSync(folder, 0o755);
    await run(process.execPath, [join(ROOT, 'deploy/build-rootfs.js'), folder], {
      env: { ...process.env, npm_config_prefer_offline: 'true' },
    });
    const app = join(folder, 'server/app');
    const names = 'LICENSE data dist node_modules package.json schema.graphql';
    expect((await readdir(app)).toSorted().join(' ')).toBe(names);
    expect(existsSync(join(app, 'dist/explorer/index.html'))).toBe(true);
    const tools = ['typescript', 'vite', 'vitest'];
    expect(tools.filter((name) => existsSync(join(app, 'node_modules', name)))).toEqual([]);

    const sandbox = await sandboxForTest();
    const environment = {
      PATH: process.env['PATH'] ?? '',
      ...ENVIRONMENT,
      PORT: String(await freePort()),
      CURRENT_API_URL: sandbox.url,
      // What engines and systemd add is no misspelt setting.
      HOSTNAME: '0a1b2c3d4e5f',
      NODE_VERSION: '24.0.0',
      YARN_VERSION: '1.22.22',
      STATE_DIRECTORY: '/var/lib/x',
      INVOCATION_ID: '0a1b',
      SYSTEMD_EXEC_PID: '1',
    };
    const isHealthy = async (): Promise<boolean> => {
      const [program = '', ...args] = HEALTH_COMMAND;
      return (await run(program, args, { cwd: app, env: environment }).catch(() => null)) !== null;
    };
    const server = await startContained(COMMAND, app, environment);
    expect(await isHealthy()).toBe(true);
    if (server.isContained) {
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
      expect(status).toMatch(new RegExp(`^Uid:\\t${UID}\\t`, 'm'));
      expect(status).toMatch(/^NSpid:\t\d+\t1$/m);
      expect(status).toMatch(/^CapEff:\t0+$/m);
    }

    // With a key: it goes through the native package, to the disk.
    const [post] = blocksOf('A first post', 'sh', 'docs/publishing-safely.md');
    const [, body = ''] = /-d '(.*)'/s.exec(post) ?? [];
    const answer = await postJson(`http://127.0.0.1:${environment.PORT}/graphql`, JSON.parse(body), {
      'x-api-key': sandbox.owners[0].apiKey,
    });
    expect(answer.text).toContain('"outcome":"COMPLETED"');
    expect(existsSync(join(app, 'data/journal/CURRENT'))).toBe(true);

    process.kill(server.pid, 'SIGTERM');
    expect(await server.exited).toBe(0);
    expect(await isHealthy()).toBe(false);
  },
);

// Three instances.

const blocks = (language: string) => blocksOf('Three instances', language, 'docs/several-processes.md');
const [START, READY = '', WRITE = '', END = ''] = blocks('sh');
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
  for (const name of ['docs', 'dist', 'package.json', 'node_modules'])
    await symlink(join(ROOT, name), join(folder, name));
  const at = await onFreePorts();
  const shell = openShell(folder);
  const [installing = '', ...others] = START.split('\n');
  expect(installing).toBe('npm ci && npm run build');
  await shell.paste(at(others.join('\n')));

  const [shown] = blocks('json');
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
