import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { stagesOf } from '../../deploy/build-rootfs.js';
import { isDeep } from '../support/depth.ts';
import { freePort } from '../support/network.ts';
import { postJson } from '../support/http.ts';
import { blocksOf, temporaryFolder } from '../support/files.ts';
import { sandboxForTest } from '../support/sandbox.ts';

const DEPLOY = resolve(import.meta.dirname, '../../deploy');
const run = promisify(execFile);

/** npm installs all packages, and then those of production. */
const LONG = { timeout: 900_000 };

const STEPS = stagesOf(readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8')).at(-1)?.steps ?? [];
const textOf = (instruction: string): string =>
  STEPS.find((step) => step.instruction === instruction)?.text ?? '';
const COMMAND = ['ENTRYPOINT', 'CMD'].flatMap((name) => JSON.parse(textOf(name)) as string[]);
const HEALTH_COMMAND = JSON.parse(textOf('HEALTHCHECK').replace(/^.*?CMD /, '')) as string[];
const ENVIRONMENT = Object.fromEntries(
  textOf('ENV')
    .split(' ')
    // A value may hold the sign itself.
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
);
const [UID = '', GID = ''] = textOf('USER').split(':');

/** As a container engine starts it: process 1 of a namespace, as the image's user, without any privileges. */
const CONTAINED = [
  'unshare --pid --fork --mount-proc --kill-child',
  `setpriv --reuid=${UID} --regid=${GID} --clear-groups --no-new-privs --bounding-set=-all`,
].flatMap((command) => command.split(' '));

/** What to put before a command; nothing where this machine lets nobody become another user. */
async function containment(): Promise<readonly string[]> {
  return await run('sh', ['-c', [...CONTAINED, 'true'].join(' ')]).then(
    () => CONTAINED,
    () => [],
  );
}

/** Starts a command in the image's working folder; gives the process of the command itself. */
async function startContained(command: readonly string[], cwd: string, env: Record<string, string>) {
  const before = await containment();
  const [program = '', ...args] = [...before, ...command];
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit').then(() => child.exitCode);
  await expect.poll(() => output, { timeout: 60_000 }).toContain('"listening"');
  const pid =
    before.length === 0 ? child.pid : Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`));
  return { pid: pid ?? 0, exited, isContained: before.length > 0 };
}

// It installs all packages twice, which takes minutes on a slow machine.
test.skipIf(!isDeep)(
  'the image’s file system, built by the same steps, serves without privileges and ends in order',
  LONG,
  async () => {
    const folder = await temporaryFolder();
    chmodSync(folder, 0o755);
    await run(process.execPath, [join(DEPLOY, 'build-rootfs.js'), folder], {
      env: { ...process.env, npm_config_prefer_offline: 'true' },
    });
    const app = join(folder, 'server/app');
    expect((await readdir(app)).toSorted()).toEqual([
      'LICENSE',
      'data',
      'dist',
      'node_modules',
      'package.json',
      'schema.graphql',
    ]);
    expect(existsSync(join(app, 'dist/explorer/index.html'))).toBe(true);
    expect(
      ['typescript', 'vite', 'vitest'].filter((name) => existsSync(join(app, 'node_modules', name))),
    ).toEqual([]);

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
      return await run(program, args, { cwd: app, env: environment }).then(
        () => true,
        () => false,
      );
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
