import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { readConfig, settingsHelp } from '../../src/config.ts';
import { stagesOf } from '../../deploy/build-rootfs.js';
import { programPath } from '../support/programs.ts';
import { temporaryFolder } from '../support/files.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DEPLOY = resolve(ROOT, 'deploy');
const run = promisify(execFile);
const textOf = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8');
const NAMES = new Set(settingsHelp().map(({ name }) => name));

/** How long the server takes to end at most, in seconds, as docs/operations.md says. */
const END_S = 5 + 75;

/** The flags that npm start gives to Node. */
const START_FLAGS = manifest.scripts.start.match(/--\S+/g) ?? [];

const UNIT = 'deploy/social-publishing-graphql.service';
/** The lines of a unit's section, as names and values. */
function unitLines(section: string): readonly (readonly [name: string, value: string])[] {
  const [, lines = ''] = textOf(UNIT).split(`[${section}]\n`);
  return [...(lines.split(/^\[/m)[0] ?? '').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
}

describe('the systemd unit', () => {
  const service = new Map(unitLines('Service'));

  test('has no privileges, writes to its own folder alone, starts as npm start does and has time to end', () => {
    expect(Object.fromEntries(service)).toMatchObject({
      DynamicUser: 'yes',
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      ProtectHome: 'yes',
      CapabilityBoundingSet: '',
      StateDirectory: 'social-publishing-graphql',
      ExecStart: `/usr/bin/env node ${START_FLAGS.join(' ')} dist/main.js start`,
      KillSignal: 'SIGTERM',
    });
    expect(unitLines('Service')).toContainEqual([
      'Environment',
      `DATA_DIR=%S/${service.get('StateDirectory')}`,
    ]);
    expect(Number(service.get('TimeoutStopSec'))).toBeGreaterThanOrEqual(END_S);
  });

  test('is installed without a change to settings that are there', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'social-publishing-graphql.env');
    await writeFile(file, 'API_KEY=kept\n');
    const commands = textOf('docs/deploying.md')
      .split('\n')
      .filter((line) => line.startsWith('sudo ') && line.includes('/etc/social-publishing-graphql.env'));
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands)
      await run('sh', ['-c', command.replaceAll('sudo ', '').replaceAll('/etc', folder)]);
    expect(await readFile(file, 'utf8')).toBe('API_KEY=kept\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test.runIf(programPath('systemdAnalyze') !== null)('is valid for systemd', async () => {
    const { stdout, stderr } = await run('systemd-analyze', ['verify', resolve(ROOT, UNIT)]);
    expect(stdout + stderr).toBe('');
  });
});

interface ComposeService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: string;
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
}
const COMPOSE_FILES = ['compose.sandbox.yml', 'compose.yml'];
const servicesOf = (file: string): Readonly<Record<string, ComposeService>> =>
  (parse(textOf(`deploy/${file}`), { merge: true }) as { readonly services: Record<string, ComposeService> })
    .services;
const GIVEN: Readonly<Record<string, string>> = {
  REDIS_SECRET: 'f'.repeat(64),
  CURRENT_API_URL: 'https://current.example',
  LEGACY_API_URL: 'https://legacy.example',
};
const filledIn = (text: string): string =>
  text.replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_all, name: string) => GIVEN[name] ?? '');

describe.each(COMPOSE_FILES)('%s', (file) => {
  const services = Object.values(servicesOf(file));
  const graphs = services.filter(({ image }) => image === manifest.name);

  test('names files that are there, and images that everybody knows', () => {
    const images = new Set(services.map(({ image }) => image));
    expect([manifest.name, 'haproxy:lts', 'redis:7']).toEqual(expect.arrayContaining([...images]));
    for (const { build, env_file: settings, volumes = [] } of services) {
      if (build) expect(existsSync(resolve(DEPLOY, build.context, build.dockerfile))).toBe(true);
      const mounted = volumes
        .map((volume) => volume.split(':')[0] ?? '')
        .filter((path) => path.startsWith('.'));
      for (const path of [...mounted, ...(settings ? [settings] : [])])
        expect(existsSync(resolve(DEPLOY, path)), path).toBe(true);
    }
  });

  test('gives each server valid settings, and time to end', () => {
    expect(graphs.length).toBeGreaterThan(0);
    for (const { environment = {}, env_file: more, stop_grace_period: period = '' } of graphs) {
      expect(Object.keys(environment).filter((name) => !NAMES.has(name))).toEqual([]);
      const own = Object.entries(environment).map(([name, value]) => [name, filledIn(value)]);
      const settings = more ? parseEnv(readFileSync(resolve(DEPLOY, more), 'utf8')) : {};
      const image = { HOST: '0.0.0.0', NODE_ENV: 'production' };
      const config = readConfig({ ...image, ...settings, ...Object.fromEntries(own) });
      expect(config.allowsSandbox).toBe(config.usesSandbox);
      expect(Number(/^(\d+)s$/.exec(period)?.[1])).toBeGreaterThanOrEqual(END_S);
    }
  });
});

test.each([...COMPOSE_FILES, '../docs/several-processes.md'])(
  '%s names no address of the service that the server refuses',
  (file) => {
    const addresses = textOf(join('deploy', file)).matchAll(/(\w+_API_URL)[=:] ?(http[^\s…]+)(?=\s)/g);
    for (const [, name = '', address] of addresses)
      expect(() => readConfig({ [name]: address, DATA_DIR: 'off' }), address).not.toThrow();
  },
);

test('both proxies deny the same paths to the public, and the balancer is given all addresses that it reads', () => {
  const proxy = textOf('docs/several-processes/haproxy.cfg');
  const denied = /deny .* \{ path_beg (.*) \}/.exec(proxy)?.[1]?.split(' ');
  const nginx = [...textOf('docs/deploying.md').matchAll(/location (\S+) \{ return 404; \}/g)];
  expect(denied).toEqual(['/metrics', '/ready']);
  expect(nginx.map(([, path]) => path)).toEqual(denied);

  const { balancer, ...others } = servicesOf('compose.yml');
  const given = Object.entries(balancer?.environment ?? {});
  const read = [...proxy.matchAll(/"\$\{(\w+)\}"/g)].map(([, name]) => name);
  expect(new Set(given.map(([name]) => name))).toEqual(new Set(read));
  const instances = given.flatMap(([name, value]) =>
    name.startsWith('GRAPH_') ? [value.split(':')[0]] : [],
  );
  expect(Object.keys(others)).toEqual(expect.arrayContaining(instances));
});

describe('the container file', () => {
  const stages = stagesOf(textOf('deploy/Dockerfile'));
  const last = stages.at(-1)?.steps ?? [];
  const textsOf = (instruction: string): string[] =>
    last.filter((step) => step.instruction === instruction).map(({ text }) => text);

  test('runs no install script, and uses public images alone', () => {
    const steps = stages.flatMap((stage) => stage.steps);
    const installs = steps.filter(({ text }) => text.startsWith('npm ci'));
    expect(installs).toHaveLength(2);
    for (const { text } of installs) expect(text).toContain('--ignore-scripts');
    const images = steps
      .filter(({ instruction }) => instruction === 'FROM')
      .map(({ text }) => text.split(' ')[0]);
    expect(new Set(images)).toEqual(new Set(['node:24-slim']));
  });

  test('starts the server itself, without a shell between it and the signal, and not as root', () => {
    expect(textsOf('ENTRYPOINT').map((text) => JSON.parse(text) as unknown)).toEqual([
      ['node', ...START_FLAGS, 'dist/main.js'],
    ]);
    expect(textsOf('CMD')).toEqual(['["start"]']);
    expect(textsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(textsOf('USER')).toEqual(['1000:1000']);
  });

  test('sends the engine all that it copies', () => {
    const sent = textOf('deploy/Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = stages
      .flatMap((stage) => stage.steps)
      .filter(({ instruction, flags }) => instruction === 'COPY' && flags['from'] === undefined)
      .flatMap(({ text }) => text.split(/\s+/).slice(0, -1));
    expect(new Set(copied)).toEqual(new Set(sent));
  });
});

/** A number as people write it: 1,373. */
const numberOf = (text = ''): number => Number(text.replaceAll(',', ''));

test('the sizes in docs/deploying.md are the bench’s', () => {
  const measured = new Map(
    [...textOf('bench/RESULTS.md').matchAll(/^\| (\w+) +\| 32 users, service 20 ms +\| (\d+) \(/gm)].map(
      ([, workload = '', micros]) => [workload, Number(micros)],
    ),
  );
  const shown = [...textOf('docs/deploying.md').matchAll(/^\| `(\w+)` +\| +([\d,]+) \| +([\d,]+) \|$/gm)];
  expect(shown.map(([, workload = '', micros]) => [workload, numberOf(micros)])).toEqual([...measured]);
  for (const [, , micros, rate] of shown) expect(numberOf(rate)).toBe(Math.floor(500_000 / numberOf(micros)));
  const [, memory = ''] = /### Resident memory([^#]*)/.exec(textOf('bench/RESULTS.md')) ?? [];
  const sizes = [...memory.matchAll(/ms +\| (\d+) +\|/g)].map(([, size]) => Number(size));
  const largest = Math.max(...sizes);
  expect(textOf('docs/deploying.md')).toContain(`at most ${largest} MiB resident`);
});
