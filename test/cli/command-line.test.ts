import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { runProgram } from '../../src/cli/program.ts';
import { settingsHelp } from '../../src/config.ts';
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { BUILT_SERVER } from '../support/built-server.ts';
import { runProgramInPlace, startProgramInPlace } from '../support/command.ts';
import { eachCase } from '../support/each-case.ts';
import { jsonOf, postJson, send } from '../support/raw-http.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const DEMO = { 'x-api-key': 'demo-key-harbour' };
const HINT = 'Settings are environment variables, such as PORT=4100; --help lists them.';

/** What a command line is answered with that the program does not take. */
async function refusal(...args: readonly string[]): Promise<string> {
  const { status, output, standardOutput } = await runProgramInPlace(args);
  expect([status, standardOutput]).toEqual([1, '']);
  return output.trim();
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

test('a reader that closes the output early causes no error message, and no other status', async () => {
  const { url, owners } = await openSandbox();
  const main = join(BUILT_SERVER, 'dist/main.js');
  const file = join(await temporaryFolder(), 'posts.csv');
  await writeFile(file, `account,time,text\n${'Nobody,tomorrow,Hello\n'.repeat(3_000)}`);
  const env = { CURRENT_API_URL: url, API_KEY: owners[0].apiKey, DATA_DIR: 'off' };
  await eachCase(
    [
      ['schema', '0'],
      ['--help', '0'],
      ['queue --json', '0'],
      ['queue --csv', '0'],
      ['check', '0'],
      // The file is wrong, whoever reads that.
      [`schedule ${file}`, '1'],
    ] as const,
    async ([args, status]) => {
      // Ends as soon as it has a line, while the rest is still to be written.
      const script = `${process.execPath} ${main} ${args} | head -n 1 >&2; echo $PIPESTATUS`;
      const { stdout, stderr } = await run('bash', ['-c', script], { env: { ...process.env, ...env } });
      expect(stdout.trim()).toBe(status);
      expect(stderr).not.toMatch(/EPIPE|\n +at /);
    },
  );
});

test('--help names every command, and every setting with its default', async () => {
  const { status, standardOutput } = await runProgramInPlace(['--help']);
  expect(status).toBe(0);
  const [commands = '', environment = ''] = standardOutput.split(
    '\nEnvironment variables, also read from .env:\n',
  );
  expect([...commands.matchAll(/^ {2}([a-z]+) .*$/gm)].map(([, name]) => name)).toEqual(
    'start sandbox check watch mcp schedule queue schema help'.split(' '),
  );
  const lines = environment.trimEnd().split('\n');
  expect(lines.map((line) => line.trim().split(' ')[0])).toEqual(settingsHelp().map(({ name }) => name));
  expect(environment).toMatch(/^ {2}PORT +\S.* \(4000\)$/m);
  expect(environment).not.toContain('()');
});

test('--version tells the version of the package', async () => {
  expect(await runProgramInPlace(['--version'])).toMatchObject({
    status: 0,
    standardOutput: `${manifest.version}\n`,
  });
});

test('schedule tells of its own options, and what its exit status means', async () => {
  const { status, standardOutput } = await runProgramInPlace(['schedule', '--help']);
  expect(status).toBe(0);
  expect(standardOutput).toMatch(/--per-minute <number> .*\(default: "60"\)/);
  expect(standardOutput.replaceAll(/\s+/g, ' ')).toContain('posts.results.jsonl beside posts.csv');
  expect(standardOutput).toContain('3  it is unknown whether some rows were sent');
  expect(await refusal('schedule')).toMatch(/^error: missing required argument 'file'/);
});

test('schema prints the schema that the package ships', async () => {
  const { status, standardOutput } = await runProgramInPlace(['schema']);
  expect(status).toBe(0);
  expect(standardOutput).toBe(await readFile(resolve(import.meta.dirname, '../../schema.graphql'), 'utf8'));
});

test('a mistake of the program keeps its stack: no advice takes its place', async () => {
  const mistake = new TypeError('planted');
  const write = vi.spyOn(process.stdout, 'write').mockImplementation(() => {
    throw mistake;
  });
  onTestFinished(() => write.mockRestore());
  await expect(runProgram(['schema'])).rejects.toBe(mistake);
});

test.each([[[]], [['start']]])(
  'the command line %j serves the graph, and ends in order with 0',
  async (args) => {
    const running = startProgramInPlace(args);
    await expect.poll(() => running.output).toMatch(/^GraphQL +http/m);
    const [, url = ''] = /^GraphQL +(http:\S+)$/m.exec(running.output) ?? [];
    expect(running.standardOutput).toMatch(/^\{.*"msg":"listening".*\}\n$/);
    const answer = await postJson(url, { query: '{ accounts { totalCount } viewer { isSandbox } }' }, DEMO);
    expect(jsonOf(answer)).toMatchObject({
      data: { accounts: { totalCount: 12 }, viewer: { isSandbox: true } },
    });
    expect(await running.end('SIGTERM')).toBe(0);
    await expect(send(url)).rejects.toThrow('ECONNREFUSED');
  },
);

test.each(['::', '::1', '[::1]', '0.0.0.0', 'localhost'])(
  'start with HOST=%s serves the sandbox, says so in /ready, and names a credential that it accepts',
  async (HOST) => {
    const running = startProgramInPlace(['start'], { HOST, SANDBOX: 'on', OVERLOAD_DELAY: '1h' });
    await expect.poll(() => running.output).toMatch(/^GraphQL +http/m);
    const [, url = ''] = /^GraphQL +(http:\S+)\/graphql$/m.exec(running.output) ?? [];
    expect(jsonOf(await send(`${url}/ready`))).toMatchObject({
      surfaces: { current: 'sandbox', legacy: 'sandbox' },
    });
    const connecting = await send(`${url}/connect?redirected`);
    const consent = await send(String(connecting.headers['location']));
    expect([connecting.status, consent.status]).toEqual([302, 302]);
    const endpoint = `${url}/graphql`;
    const ask = async (headers: Record<string, string>, surface: string) =>
      jsonOf(
        await postJson(endpoint, { query: `{ accounts(surface: ${surface}) { totalCount } }` }, headers),
      );
    const wrong = { 'x-api-key': 'a-real-key', authorization: 'Bearer a-real-token' };
    for (const [surface, accepted] of [
      ['CURRENT', 'demo-key-harbour'],
      ['LEGACY', 'demo-token-harbour'],
    ] as const)
      for (const headers of [{}, wrong]) {
        const { errors } = await ask(headers, surface);
        expect(errors[0].message).toMatch(new RegExp(`sandbox, which accepts ${accepted}\\.`));
      }
    expect(await running.end('SIGTERM')).toBe(0);
  },
);

test('start without settings knows the time zone of its sandbox', async () => {
  const running = startProgramInPlace([], { OVERLOAD_DELAY: '1h' });
  await expect.poll(() => running.output).toMatch(/^GraphQL +http/m);
  const [, url = ''] = /^GraphQL +(http:\S+)$/m.exec(running.output) ?? [];
  const query = `{
    queuedPosts(first: 1) { nodes { scheduledAt scheduledAtLocal } }
    accounts(first: 1) { nodes { nextFreeSlots(count: 1) { scheduledAt } } }
  }`;
  const { data, errors } = jsonOf(await postJson(url, { query }, DEMO));
  expect(errors).toBeUndefined();
  const [{ scheduledAt, scheduledAtLocal }] = data.queuedPosts.nodes;
  expect(scheduledAt).toBe(new Date(`${scheduledAtLocal}Z`).toISOString());
  expect(data.accounts.nodes[0].nextFreeSlots[0].scheduledAt).toMatch(/Z$/);
  await running.end('SIGTERM');
  const calendar = await runProgramInPlace(['queue', '--ics']);
  expect(calendar.standardOutput).toMatch(/^DTSTART:\d{8}T\d{6}Z\r?$/m);
});

test('schedule sends to the sandbox only with --sandbox, then never to the service, and to the service after that', async () => {
  const file = join(await temporaryFolder(), 'posts.csv');
  await writeFile(file, 'account,time,text\nKelpgate Roasters,2031-01-15 09:00,New beans\n');
  const accidental = await runProgramInPlace(['schedule', file, '--send']);
  expect(accidental.status).toBe(1);
  expect(accidental.output).toMatch(/CURRENT_API_URL: is not set, .* use --sandbox/);
  expect(existsSync(file.replace('.csv', '.results.jsonl'))).toBe(false);
  const service = await openSandbox();
  const environment = { ...currentOf(service), NODE_ENV: 'production' };
  const { status, output, standardOutput } = await runProgramInPlace(
    ['schedule', file, '--send', '--sandbox'],
    environment,
  );
  expect([status, service.requests.all], output).toEqual([0, []]);
  expect(standardOutput).toContain('Sending 1 row to the sandbox, ');
  const real = await runProgramInPlace(['schedule', file, '--send'], environment);
  expect([real.status, service.requests.count('POST /posts/create')], real.output).toEqual([0, 1]);
});

test('the sandbox alone listens where HOST says, and tells the credentials of its owners', async () => {
  const running = startProgramInPlace(['sandbox'], {
    HOST: '0.0.0.0',
    SANDBOX_PORT: '0',
    NODE_ENV: 'production',
    CURRENT_API_URL: 'https://api.example.com',
    API_KEY: 'a-real-key',
  });
  await expect.poll(() => running.output).toMatch(/^Sandbox +http:\/\/0\.0\.0\.0:\d+ /m);
  expect(running.standardOutput).toContain('  x-api-key: demo-key-harbour\n  authorization: Bearer ');
  const [, port = ''] = /0\.0\.0\.0:(\d+) /.exec(running.output) ?? [];
  const { status } = await send(`http://127.0.0.1:${port}/accounts/list`, { headers: DEMO });
  expect(status).toBe(200);
  expect(await running.end('SIGTERM')).toBe(0);
});

async function openSandbox(): Promise<Sandbox> {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Settings for the current surface alone, of the sandbox. */
const currentOf = ({ url, owners: [{ apiKey }] }: Sandbox) => ({ CURRENT_API_URL: url, API_KEY: apiKey });

test('check without a credential names the setting that it is read from', async () => {
  const { url } = await openSandbox();
  const environment = { CURRENT_API_URL: url, LEGACY_API_URL: url, ACCESS_TOKEN: 'wrong' };
  const { status, output } = await runProgramInPlace(['check'], environment);
  expect(status).toBe(1);
  expect(output).toMatch(/credential missing\n {2}No credential was sent; set API_KEY\.\n/);
  expect(output).not.toContain('set ACCESS_TOKEN');
});

test('check takes credentials wherever the server listens, and makes no folder for its journal', async () => {
  const sandbox = await openSandbox();
  const folder = join(await temporaryFolder(), 'data');
  const { status, output } = await runProgramInPlace(['check'], {
    ...currentOf(sandbox),
    HOST: '0.0.0.0',
    LEGACY_API_URL: sandbox.url,
    ACCESS_TOKEN: sandbox.owners[0].accessToken,
    DATA_DIR: folder,
  });
  expect(status, output).toBe(0);
  expect(existsSync(folder)).toBe(false);
});

test('check without a service says that it asks the sandbox, but to programs it says JSON alone', async () => {
  const told = await runProgramInPlace(['check']);
  expect(told.status).toBe(0);
  expect(told.standardOutput).toMatch(/^No service is configured \(.*\); checking the SANDBOX/);
  expect(told.standardOutput).toMatch(/^legacy surface at http:\S+: usable, credential accepted$/m);
  const json = await runProgramInPlace(['check', '--json'], { API_KEY: 'wrong', ACCESS_TOKEN: 'wrong' });
  expect(json.status).toBe(1);
  expect(JSON.parse(json.output)).toMatchObject({
    isUsable: false,
    surfaces: [{ credential: 'refused' }, { credential: 'refused' }],
  });
});

test('check names the proxy of a surface without its credentials, and says that the proxy is at fault', async () => {
  const environment = {
    CURRENT_API_URL: 'https://api.example.com',
    LEGACY_API_URL: 'https://direct.invalid',
    HTTPS_PROXY: `http://planted:planted@127.0.0.1:${await freePort()}`,
    NO_PROXY: 'direct.invalid',
  };
  const { status, output } = await runProgramInPlace(['check'], environment);
  expect(status).toBe(1);
  expect(output).toMatch(/^ {2}Called through the proxy http:\/\/127\.0\.0\.1:\d+ \(HTTPS_PROXY\)\.$/m);
  expect(output).toMatch(/GET \/accounts\/list .*the proxy is unreachable$/m);
  expect(output.match(/proxy/g)).toHaveLength(2);
  expect(output).not.toContain('planted');
  const json = await runProgramInPlace(['check', '--json'], environment);
  const { surfaces } = JSON.parse(json.standardOutput) as { surfaces: readonly { proxy: string | null }[] };
  expect(surfaces.map(({ proxy }) => proxy)).toEqual([expect.stringContaining('http://127.0.0.1:'), null]);
});

/** Makes standard output a terminal. */
function openTerminal(): void {
  const before = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
  Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true });
  onTestFinished(() => {
    Reflect.deleteProperty(process.stdout, 'isTTY');
    if (before) Object.defineProperty(process.stdout, 'isTTY', before);
  });
}

const DRIFT = '  GET /posts/queued: brandNew does not match the documentation';

test('check tells what is not as documented, in colours on a terminal unless NO_COLOR is set', async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'GET /posts/queued',
    times: 2,
    change: (body) => {
      const { response } = body as { readonly response: { readonly list: readonly object[] } };
      return { response: { ...response, list: response.list.map((row) => ({ ...row, brandNew: 1 })) } };
    },
  });
  openTerminal();
  const coloured = await runProgramInPlace(['check'], currentOf(sandbox));
  expect(coloured.status).toBe(0);
  expect(coloured.standardOutput).toContain(`\u001B[33m${DRIFT}`);
  expect(coloured.standardOutput).toContain(': \u001B[32musable\u001B[39m, credential accepted');
  const plain = await runProgramInPlace(['check'], { ...currentOf(sandbox), NO_COLOR: '1' });
  expect(plain.standardOutput).toContain(`\n${DRIFT}`);
  expect(plain.standardOutput).toMatch(/^legacy surface: not configured$/m);
  expect(plain.standardOutput).not.toContain('\u001B');
});

test('on a terminal, start greets people instead of writing JSON for programs', async () => {
  openTerminal();
  const running = startProgramInPlace(['start'], { LOG_LEVEL: 'warn' });
  await expect.poll(() => running.standardOutput).toMatch(/^\nGraphQL +http/);
  expect(running.output).not.toContain('listening');
  expect(await running.end('SIGINT')).toBe(0);
});

test.each([
  [
    { CURRENT_API_URL: 'http://127.0.0.1:9' },
    ['API_KEY: is missing; this command uses it to call the service'],
  ],
  [
    { LEGACY_API_URL: 'http://127.0.0.1:9', API_KEY: 'any' },
    ['CURRENT_API_URL: is missing; this command needs the current surface'],
  ],
  [
    { LEGACY_API_URL: 'http://127.0.0.1:9' },
    [
      'API_KEY: is missing; this command uses it to call the service',
      'CURRENT_API_URL: is missing; this command needs the current surface',
    ],
  ],
])('queue with %j names all that it lacks', async (environment, problems) => {
  const { status, output, standardOutput } = await runProgramInPlace(['queue'], environment);
  expect([status, standardOutput]).toEqual([1, '']);
  expect(
    output
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.trim()),
  ).toEqual(problems);
});

test('queue without a service prints the queue of a sandbox, and says so beside it', async () => {
  const { status, output, standardOutput } = await runProgramInPlace(['queue', '--json']);
  expect(status).toBe(0);
  expect(JSON.parse(standardOutput)).toHaveLength(25);
  expect(output).toContain('No service is configured; using a SANDBOX that ends with this command.\n');
});
