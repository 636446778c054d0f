import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { ERROR_CODES } from '../../src/schema/errors.ts';
import { USER_ERROR_CODES } from '../../src/writes/outcome.ts';
import { EVENTS } from '../../packages/sandbox/src/control/events.ts';
import { endpoints } from '../../packages/sandbox/src/endpoints.ts';
import { FAULT_FORMS, KINDS_IN_CODE } from '../../packages/sandbox/src/faults/kinds.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { at, runSnippet, shell, startShell } from '../examples/programs.ts';
import { startTcpProxy } from '../support/network.ts';
import { shareGraph } from '../support/graph.ts';
import { isInstalled } from '../support/programs.ts';
import { blocksOf, ROOT, sectionOf, textOf } from '../support/files.ts';
import { ENDLESSLY_SLOW, finishTexts, finishTextsOnceFollowed, sandboxForTest } from '../support/sandbox.ts';

const README = 'README.md';
const START = 'docs/getting-started.md';
const FIRST_POST = 'docs/first-post.md';
const PAGING = 'docs/paging.md';
const PUBLISHING = 'docs/publishing-safely.md';
const LIVE = 'docs/live-results.md';
const ERRORS = 'docs/errors.md';
const SANDBOX = 'docs/sandbox.md';

// What `npm start` starts, with a sandbox whose slow texts are finished by the test.
const graph = shareGraph({ explorer: true, sandbox: { ...ENDLESSLY_SLOW, now: () => Date.now() } });
const CREATE = 'POST /posts/create';

const run = (block: string): Promise<string> =>
  shell(at(graph, block.replaceAll('http://127.0.0.1:4001', graph.sandbox.url)));

/** The sections with commands; they are run here, except those that install or start something. */
const WITH_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  [START]: ['Start it', 'A first query', 'The real service', 'Install the package'],
  [FIRST_POST]: ['# Your first post', 'curl'],
  [PAGING]: ['The next page', 'Backwards'],
  [PUBLISHING]: ['A first post', 'A post for a given time'],
  [LIVE]: ['In two terminals'],
  [ERRORS]: ['Errors of a query'],
  [SANDBOX]: [
    'Start it',
    'The two surfaces',
    'Make something happen',
    'Faults',
    'Wrong answers',
    'Slow answers',
    'Broken connections',
    'Large and compressed answers',
  ],
  'docs/browsers.md': ['Allow an origin'],
  'docs/guarantees.md': [],
};

test.each(Object.entries(WITH_COMMANDS))('every command of %s is known here', (page, expected) => {
  const sections = textOf(page).split(/^##+ /m);
  const withCommands = sections.filter((text) => text.includes('```sh\n'));
  expect(withCommands.map((text) => text.slice(0, text.indexOf('\n')))).toEqual(expected);
});

test('the README is short, and begins with the two commands', () => {
  expect(textOf(README).split('\n').length).toBeLessThanOrEqual(201);
  expect(blocksOf('First minute', 'sh')).toEqual(['npm ci && npm start\n', 'npm ci && npm test\n']);
});

test('the commands to check the service and to install the package are those of the package', () => {
  expect(blocksOf('The real service', 'sh', START)[1]).toBe('node dist/main.js check\n');
  const { name, version } = manifest;
  expect(blocksOf('Install the package', 'sh', START)[1]).toContain(
    `npm install ./${name}-${version}.tgz\nnode_modules/.bin/${name} `,
  );
});

test('the README’s list has its length, ids and the cursor of the next page', async () => {
  expect(await run(blocksOf('1. Read a list', 'sh')[0])).toMatch(
    /"totalCount":12,.*"id":"MWFjOjQxMDIwMQ".*"hasNextPage":true,"endCursor":"\w+"/,
  );
});

/** A response without what differs for every request. */
const withoutRequest = (text: string): unknown =>
  JSON.parse(text.replace(/"requestId": ?"[\w-]{36}"/, '"requestId":""'));

test.each([
  [START, 'A first query'],
  [PAGING, 'The next page'],
  [ERRORS, 'Errors of a query'],
])('%s shows the response to the command under “%s”', async (page, heading) => {
  const printed = await run(blocksOf(heading, 'sh', page)[0]);
  expect(withoutRequest(printed)).toEqual(withoutRequest(blocksOf(heading, 'json', page)[0]));
});

test('the second call of a walk returns the next page, and the one that goes backwards the last', async () => {
  const [, next = ''] = blocksOf('The next page', 'sh', PAGING);
  const names = [...(await run(next)).matchAll(/"displayName":("[^"]+"|null)/g)].map(([, name]) => name);
  expect(names).toHaveLength(2);
  const [first] = blocksOf('The next page', 'json', PAGING);
  expect(names.filter((name = '') => first.includes(name))).toEqual([]);
  expect(await run(blocksOf('Backwards', 'sh', PAGING)[0])).toMatch(
    /"hasPreviousPage":true,"startCursor":"\w+"/,
  );
});

const done = (replayed: boolean): RegExp =>
  new RegExp(`"outcome":"COMPLETED","replayed":${replayed},"postIds":\\["\\w+"\\]`);

test('the post of the README and of the guide is published once, however often it is sent', async () => {
  const [publish] = blocksOf('2. Publish a post once', 'sh');
  expect(await run(publish)).toMatch(done(false));
  expect(await run(publish)).toMatch(done(true));
  expect(await run(blocksOf('A first post', 'sh', PUBLISHING)[0])).toContain('"outcome":"COMPLETED"');
  expect(graph.sandbox.requests.count(CREATE)).toBe(1);
});

test('the scheduled posts of the README and of the guide are queued for their time', async () => {
  expect(await run(blocksOf('3. Schedule a post', 'sh')[0])).toContain(
    '"queuedPosts":[{"text":"See you in January","scheduledAtLocal":"2030-01-15T09:00"}],"userErrors":[]',
  );
  const [create, look = ''] = blocksOf('A post for a given time', 'sh', PUBLISHING);
  expect(await run(create)).toMatch(/"outcome":"COMPLETED","postIds":\["\w+"\],"userErrors":\[\]/);
  const [shown] = blocksOf('A post for a given time', 'json', PUBLISHING);
  expect(JSON.parse(await run(look))).toEqual(JSON.parse(shown));
});

test('the programs for a first post create it once, whichever runs first', async () => {
  const [list, create = ''] = blocksOf('curl', 'sh', FIRST_POST);
  expect(await run(list)).toContain('"id":"MWFjOjQxMDIwMQ"');
  expect(JSON.parse(await run(create))).toMatchObject({
    data: { createPost: { outcome: 'COMPLETED', replayed: false, queuedPosts: [{}] } },
  });
  const [program] = blocksOf('JavaScript', 'js', FIRST_POST);
  const node = await runSnippet(graph, program, 'first-post.js');
  expect(node).toEqual({ status: 0, stdout: 'COMPLETED true []\n', stderr: '' });
  if (isInstalled('python')) {
    const python = await runSnippet(graph, blocksOf('Python', 'python', FIRST_POST)[0], 'first_post.py');
    expect(python).toEqual({ status: 0, stdout: 'COMPLETED True []\n', stderr: '' });
  }
  expect(graph.sandbox.requests.count(CREATE)).toBe(1);
});

test('every code of an error is explained, and every code of a problem with a write is named', () => {
  const section = sectionOf('Errors of a query', ERRORS);
  const rows = [...section.matchAll(/^\| `(\w+)` +\| \w[^|]+ \| \w[^|]+ \|$/gm)].map(([, code]) => code);
  expect(rows).toEqual(ERROR_CODES);
  const [, list = ''] = sectionOf('Problems with a write', ERRORS).split('](reference/UserErrorCode.md)');
  expect([...list.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code)).toEqual(USER_ERROR_CODES);
});

const firstEvent = (text: string): unknown => JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? 'null');

test('a live result arrives in the first terminal as it is shown', async () => {
  const [follow, generate = ''] = blocksOf('In two terminals', 'sh', LIVE);
  const [shown] = blocksOf('In two terminals', '', LIVE);
  const following = startShell(`exec ${at(graph, follow)}`);
  await graph.sandbox.push.waitForOpen(1);
  expect(await run(generate)).toContain('"status":"PENDING"');
  finishTexts(graph.sandbox);
  await expect.poll(() => firstEvent(following.stdout)).toEqual(firstEvent(shown));
  await following.end();
});

test('the README’s program for a live result prints the present state and the text, also when its connection is lost', async () => {
  const way = await startTcpProxy(Number(new URL(graph.url).port));
  const server = { url: `http://127.0.0.1:${way.port}` };
  const running = runSnippet(server, blocksOf('4. Follow a live result', 'js')[0], 'live.mjs');
  await graph.sandbox.push.waitForOpen(1);
  way.cut();
  await expect.poll(() => way.turnedAway).toBeGreaterThan(0);
  await graph.sandbox.push.waitForOpen(0);
  way.restore();
  await finishTextsOnceFollowed(graph.sandbox);
  const { status, stdout, stderr } = await running;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(
    /status: 'PENDING', text: null.*status: 'COMPLETE',\s+text: 'The sandbox made this text/s,
  );
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
});

/** Runs the shell blocks under a heading of the sandbox's page; returns what each printed. */
async function runAll(heading: string): Promise<string[]> {
  const printed: string[] = [];
  for (const block of blocksOf(heading, 'sh', SANDBOX))
    if (!block.startsWith('npm')) printed.push(await run(block));
  return printed;
}

describe('the page of the sandbox', () => {
  const section = (heading: string): string => sectionOf(heading, SANDBOX);

  test('plans, lists and removes a fault as it shows', async () => {
    const [planned = '', struck, managed = ''] = await runAll('Faults');
    const { id } = JSON.parse(planned) as { readonly id: number };
    expect(JSON.parse(planned)).toEqual({ ...JSON.parse(blocksOf('Faults', 'json', SANDBOX)[0]), id });
    expect(struck).toMatch(/Not today.*"code":"UPSTREAM_REJECTED"/);
    const [listed, removed, cleared] = managed.trim().split('\n');
    expect(listed).toContain('"hits":1,"remaining":0');
    expect([removed, cleared]).toEqual(['{"removed":1}', '{"removed":0}']);
  });

  test('shows the credentials at its address, and calls both surfaces with them', async () => {
    expect(await runAll('Start it')).toEqual([
      expect.stringContaining(`x-api-key: ${graph.sandbox.owners[0].apiKey}`),
    ]);
    expect(await runAll('The two surfaces')).toEqual([
      expect.stringMatching(/"totalRecords":12.*"group_name":"Shopfront","accounts":/s),
    ]);
  });

  test('reports what it makes happen as it shows', async () => {
    const [disconnected = '', reconnected, others = ''] = await runAll('Make something happen');
    const [shown] = blocksOf('Make something happen', 'json', SANDBOX);
    expect({ ...JSON.parse(disconnected), at: '' }).toEqual({ ...JSON.parse(shown), at: '' });
    expect(reconnected).toContain('is connected again.');
    const reports = others.trim().split('\n');
    const kinds = reports.map((line) => (JSON.parse(line) as { kind?: string }).kind ?? 'calls');
    expect(kinds).toEqual(['publish', 'fail', 'advance', 'calls']);
    expect(graph.sandbox.state.owner('harbour').published.length).toBeGreaterThan(0);
  });

  test.each<readonly [heading: string, check: (printed: string, sandbox: Sandbox) => void]>([
    ['Wrong answers', (printed) => expect(printed).toContain('"code":"UPSTREAM_MALFORMED"')],
    [
      'Slow answers',
      (printed) => {
        expect(printed).toContain('"libraryItems":{"totalCount":15}');
        expect(Number(/([\d.]+) seconds/.exec(printed)?.[1])).toBeGreaterThan(1.4);
      },
    ],
    [
      'Broken connections',
      (printed, { requests, state }) => {
        expect(printed).toMatch(/"outcome":"(?:UNKNOWN|COMPLETED)"/);
        expect(requests.count(CREATE)).toBe(1);
        const texts = state.owner('harbour').queue.map(({ content }) => content.description);
        expect(texts.filter((text) => text === 'Was it sent?')).toHaveLength(1);
      },
    ],
    [
      'Large and compressed answers',
      (printed) => {
        expect(printed).toContain('"membership":null');
        expect(printed).toMatch(/"code":"UPSTREAM_\w+"/);
      },
    ],
  ])('has an example under “%s” that shows it, and leaves no fault behind', async (heading, check) => {
    check((await runAll(heading)).join(''), graph.sandbox);
    const reply = await fetch(`${graph.sandbox.url}/sandbox/faults`);
    const { faults } = (await reply.json()) as { faults: readonly { remaining: unknown }[] };
    expect(faults.filter(({ remaining }) => remaining !== 0)).toEqual([]);
  });

  test('has every kind of event and of fault in a table, with its fields', () => {
    const page = textOf(SANDBOX);
    const tables = [
      [EVENTS, '.*', section('Make something happen')],
      [FAULT_FORMS, ' ', page],
    ] as const;
    for (const [forms, before, text] of tables)
      for (const [kind, { fields }] of Object.entries(forms)) {
        const row = new RegExp(`^\\|${before}\`${kind}\`.*$`, 'm').exec(text)?.[0];
        expect(row, kind).toBeDefined();
        for (const field of Object.keys(fields)) expect(row, kind).toContain(`\`${field}\``);
      }
    for (const kind of KINDS_IN_CODE) expect(section('Faults in code')).toContain(`\`${kind}\``);
    for (const [, call = ''] of page.matchAll(/"endpoint":"([^"]+)"/g))
      expect(endpoints.map(({ name }) => name)).toContain(call);
  });

  test('has the credentials and the sizes of the data', async () => {
    const sizes = new Map<string, number[]>();
    for (const data of ['small', 'large'] as const) {
      const sandbox = await sandboxForTest({ data });
      for (const { name, apiKey, accessToken, login, password } of sandbox.owners)
        for (const shown of [name, apiKey, accessToken, login, password])
          expect(section('Owners and credentials')).toContain(`\`${shown}\``);
      for (const [name, count] of Object.entries(countsOf(sandbox)))
        sizes.set(name, [...(sizes.get(name) ?? []), count]);
    }
    for (const [name, counts] of sizes) {
      const row = new RegExp(`^\\| ${name} .*$`, 'm').exec(section('Data'))?.[0] ?? '';
      const shown = [...row.replaceAll(',', '').matchAll(/\d+/g)].map(Number);
      expect(shown, name).toEqual(counts);
    }
  });

  test('has a test with a sandbox of its own that passes', async () => {
    const folder = await mkdtemp(join(ROOT, 'test-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'posts.test.mjs'), blocksOf('In tests', 'js', SANDBOX)[0]);
    const command = `cd ${folder} && ${process.execPath} --test-reporter=tap posts.test.mjs`;
    expect(await shell(command)).toMatch(/^# pass 1$/m);
  });
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
