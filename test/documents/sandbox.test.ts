import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { EVENTS } from '../../packages/sandbox/src/control/events.ts';
import { endpoints } from '../../packages/sandbox/src/endpoints.ts';
import { FAULT_FORMS, KINDS_IN_CODE } from '../../packages/sandbox/src/faults/kinds.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { BUILT_SERVER } from '../support/built-server.ts';
import { startGraph } from '../support/graph.ts';
import { sandboxForTest } from '../../packages/sandbox/test/running-sandbox.ts';

const DOCUMENT = readFileSync(resolve(import.meta.dirname, '../../docs/sandbox.md'), 'utf8');
const run = promisify(execFile);
/** A command that takes longer than this hangs: no machine is as busy. */
const PATIENCE_MS = 50_000;

/** What stands under a heading, up to the next one. */
const sectionOf = (heading: string): string =>
  DOCUMENT.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';

function blocksOf(heading: string, language: string): string[] {
  const blocks = sectionOf(heading).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'));
  return [...blocks].map(([, code = '']) => code);
}

/** Runs the shell blocks under a heading, after which no fault is left; gives what each printed, and the sandbox. */
async function runBlocks(heading: string, isRun: (block: string) => boolean = () => true) {
  const graph = await startGraph();
  const printed: string[] = [];
  for (const block of blocksOf(heading, 'sh').filter(isRun)) {
    const command = block
      .replaceAll('http://127.0.0.1:4001', graph.sandbox.url)
      .replaceAll('http://127.0.0.1:4000', graph.url);
    const { stdout } = await run('bash', ['-ec', command], { timeout: PATIENCE_MS });
    printed.push(stdout);
  }
  const { faults } = (await fetch(`${graph.sandbox.url}/sandbox/faults`).then((reply) => reply.json())) as {
    readonly faults: readonly { readonly remaining: unknown }[];
  };
  expect(faults.filter(({ remaining }) => remaining !== 0)).toEqual([]);
  return { printed, sandbox: graph.sandbox };
}

test('every shell block of the document is run by a test here, but for the start', () => {
  const headings = [...DOCUMENT.matchAll(/^##+ (.*)$/gm)].map(([, heading = '']) => heading);
  const withBlocks = headings.filter((heading) => blocksOf(heading, 'sh').length > 0);
  expect(withBlocks).toEqual([
    'Start it',
    'The two surfaces',
    'Make something happen',
    'Faults',
    ...Object.keys(IN_GROUPS),
  ]);
});

test('the address of the sandbox shows its credentials to curl', async () => {
  const { printed, sandbox } = await runBlocks('Start it', (block) => block.startsWith('curl'));
  expect(printed).toEqual([expect.stringContaining(`x-api-key: ${sandbox.owners[0].apiKey}`)]);
});

test('both surfaces answer the calls that are shown', async () => {
  const { printed } = await runBlocks('The two surfaces');
  expect(printed).toEqual([
    expect.stringMatching(/"totalRecords":12.*"group_name":"Shopfront","accounts":/s),
  ]);
});

test('what is made to happen is told as it is shown', async () => {
  const { printed, sandbox } = await runBlocks('Make something happen');
  const [disconnected = '', reconnected, others = ''] = printed;
  expect({ ...JSON.parse(disconnected), at: '' }).toEqual({
    ...JSON.parse(blocksOf('Make something happen', 'json')[0] ?? ''),
    at: '',
  });
  expect(reconnected).toContain('is connected again.');
  const kinds = others.trim().split('\n');
  expect(kinds.map((line) => JSON.parse(line).kind ?? 'calls')).toEqual([
    'publish',
    'fail',
    'advance',
    'calls',
  ]);
  expect(sandbox.state.owner('harbour').published.length).toBeGreaterThan(0);
});

test('every kind of event is in the table, with its fields', () => {
  for (const [kind, { fields }] of Object.entries(EVENTS)) {
    const row = new RegExp(`^\\|.*\`${kind}\`.*$`, 'm').exec(sectionOf('Make something happen'))?.[0] ?? '';
    for (const field of Object.keys(fields)) expect(row, kind).toContain(`\`${field}\``);
    expect(row, kind).not.toBe('');
  }
});

test('a fault is planned, strikes, is listed and removed as it is shown', async () => {
  const { printed, sandbox } = await runBlocks('Faults');
  const [planned = '', struck, managed = ''] = printed;
  expect(JSON.parse(planned)).toEqual(JSON.parse(blocksOf('Faults', 'json')[0] ?? ''));
  expect(struck).toMatch(/Not today.*"code":"UPSTREAM_REJECTED"/);
  const [listed, removed, cleared] = managed.trim().split('\n');
  expect(listed).toContain('"hits":1,"remaining":0');
  expect([removed, cleared]).toEqual(['{"removed":1}', '{"removed":0}']);
  expect((await fetch(`${sandbox.url}/sandbox/faults`).then((reply) => reply.json())).faults).toEqual([]);
});

/** What the command of each group of faults prints at the end. */
const IN_GROUPS: Readonly<Record<string, (printed: string, sandbox: Sandbox) => void>> = {
  'Wrong answers': (printed) => expect(printed).toContain('"code":"UPSTREAM_MALFORMED"'),
  'Slow answers': (printed) => {
    expect(printed).toContain('"libraryItems":{"totalCount":15}');
    expect(Number(/([\d.]+) seconds/.exec(printed)?.[1])).toBeGreaterThan(1.4);
  },
  'Broken connections': (printed, { requests, state }) => {
    expect(printed).toMatch(/"outcome":"(?:UNKNOWN|COMPLETED)"/);
    expect(requests.count('POST /posts/create')).toBe(1);
    expect(state.owner('harbour').queue.at(-1)?.content.description).toBe('Was it sent?');
  },
  'Large and compressed answers': (printed) => {
    expect(printed).toContain('"membership":null');
    expect(printed).toMatch(/"code":"UPSTREAM_\w+"/);
  },
};

test.each(Object.entries(IN_GROUPS))('the example under “%s” shows what it says', async (heading, check) => {
  const { printed, sandbox } = await runBlocks(heading);
  check(printed.join(''), sandbox);
});

test('every kind of fault is in a table, with each of its fields', () => {
  for (const [kind, { fields }] of Object.entries(FAULT_FORMS)) {
    const row = new RegExp(`^\\| \`${kind}\` .*$`, 'm').exec(DOCUMENT)?.[0] ?? '';
    for (const field of Object.keys(fields)) expect(row, kind).toContain(`\`${field}\``);
    expect(row, kind).not.toBe('');
  }
  for (const kind of KINDS_IN_CODE) expect(sectionOf('Faults in code')).toContain(`\`${kind}\``);
  for (const [, call = ''] of DOCUMENT.matchAll(/"endpoint":"([^"]+)"/g))
    expect(endpoints.map(({ name }) => name)).toContain(call);
});

test('the credentials and the sizes of the data are those of the sandbox', async () => {
  const sizes = new Map<string, readonly number[]>();
  for (const data of ['small', 'large'] as const) {
    const sandbox = await sandboxForTest({ data });
    for (const { name, apiKey, accessToken, login, password } of sandbox.owners)
      for (const shown of [name, apiKey, accessToken, login, password])
        expect(sectionOf('Owners and credentials')).toContain(`\`${shown}\``);
    for (const [name, count] of Object.entries(countsOf(sandbox)))
      sizes.set(name, [...(sizes.get(name) ?? []), count]);
  }
  for (const [name, counts] of sizes) {
    const row = new RegExp(`^\\| ${name} .*$`, 'm').exec(sectionOf('Data'))?.[0] ?? '';
    const shown = [...row.replaceAll(',', '').matchAll(/\d+/g)].map(Number);
    expect(shown, name).toEqual(counts);
  }
});

function countsOf(sandbox: Sandbox): Readonly<Record<string, number>> {
  const { accounts, groups, queue, library, history } = sandbox.state.owner('harbour');
  return {
    'Accounts, current': accounts.filter(({ surfaces }) => surfaces.current).length,
    'Accounts, legacy': accounts.filter(({ surfaces }) => surfaces.legacy).length,
    Groups: groups.length,
    'Queued posts': queue.length,
    'Library items': library.length,
    'AI texts': history.length,
  };
}

test('the test that starts a sandbox of its own passes', async () => {
  const folder = await mkdtemp(join(BUILT_SERVER, 'test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'posts.test.mjs'), blocksOf('In tests', 'js')[0] ?? '');
  const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'posts.test.mjs'], {
    cwd: folder,
    timeout: PATIENCE_MS,
    env: { PATH: process.env['PATH'] ?? '' },
  });
  expect(stdout).toMatch(/^# pass 1$/m);
});
