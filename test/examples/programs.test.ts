import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse, print } from 'graphql';
import { expect, test } from 'vitest';
import { currentAccounts } from '../support/accounts.ts';
import { startGraph, shareGraph } from '../support/graph.ts';
import { ROOT, textOf } from '../support/files.ts';
import { isInstalled } from '../support/programs.ts';
import { ENDLESSLY_SLOW, finishTexts, finishTextsOnceFollowed } from '../support/sandbox.ts';
import { openLossyWay, runExample, runExamples, startExample, type Ended, type Fate } from './programs.ts';

const EXAMPLES = join(ROOT, 'examples');
const programText = (file: string): string => textOf(`examples/${file}`);
const SCRIPTS = readdirSync(EXAMPLES).filter((file) => file.endsWith('.js'));
const PYTHON = 'python/publish.py';
const hasPython = isInstalled('python');

const CREATE = 'POST /posts/create';
const GENERATE = 'POST /openai/response';
const GOOD_END = { status: 0, stderr: '' };

const graph = shareGraph({
  explorer: true,
  sandbox: { ...ENDLESSLY_SLOW, now: () => Date.now() },
  environment: { WATCH_INTERVAL: '50ms' },
});

/** Runs a program that follows a text, which is finished once the program waits for it. */
async function runAndFinish(...call: Parameters<typeof runExample>): Promise<Ended> {
  await graph.sandbox.push.waitForOpen(0);
  const [ended] = await Promise.all([runExample(...call), finishTextsOnceFollowed(graph.sandbox)]);
  return ended;
}

const answerOf = (status: string, body: unknown): Fate => {
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`;
  return { instead: head + text };
};

test('publish.js repeats a call that was refused for the moment, or whose response was lost, may be repeated or is not from a graph, with its key, and makes one post', async () => {
  const repeatable = { errors: [{ message: 'Busy.', extensions: { retryable: true } }] };
  const refused = { status: 429, headers: { 'retry-after': '1' }, endpoint: CREATE } as const;
  graph.sandbox.faults.add({ kind: 'status', ...refused });
  const fates: Fate[] = [
    'passes',
    'lost before',
    answerOf('503 Service Unavailable', repeatable),
    answerOf('502 Bad Gateway', 'no graph'),
  ];
  const way = await openLossyWay(graph.url, ({ sent }) =>
    sent.includes('mutation CreatePost') ? (fates.shift() ?? 'passes') : 'passes',
  );
  const args = ['Doors at seven.', 'order-7'];
  const { status, stdout, stderr } = await runExample('publish.js', way.url, { args });
  expect(status).toBe(0);
  const attempts = [1, 2, 3, 4].map(
    (at) => `Attempt ${at} failed; the same call is sent again, with the same key.\n`,
  );
  expect(stderr).toBe(attempts.join(''));
  expect(stdout).toMatch(/outcome: 'COMPLETED'.*replayed: true.*userErrors: \[\]/s);
  const keys = [...way.sent.matchAll(/"idempotencyKey":"([^"]+)"/g)].map(([, key]) => key);
  expect(keys).toEqual(Array(5).fill('order-7'));
  const { queue } = graph.sandbox.state.owner(graph.sandbox.owners[0].name);
  const [post, ...others] = queue.filter(({ content }) => content.description === 'Doors at seven.');
  expect(others).toEqual([]);
  expect(stdout).toContain(post?.postId);
  expect(graph.sandbox.requests.count(CREATE)).toBe(2);
});

test.each([
  ['finds in the queue', 'publish.js', 'done', 'It waits in the queue as'],
  ['does not find', 'publish.js', 'none', 'does not show it'],
  ...(hasPython ? ([['finds in the queue', PYTHON, 'done', 'It waits in the queue as']] as const) : []),
] as const)(
  'a post that was not confirmed and that it %s is not sent again by %s',
  async (_, program, effect, said) => {
    graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect });
    const args = [`${effect} by ${program}`];
    const { status, stdout } = await runExample(program, graph.url, { args });
    expect(status).toBe(1);
    expect(stdout).toMatch(/['"]UNKNOWN['"].*OUTCOME_UNKNOWN/s);
    expect(stdout).toContain(said);
    expect(graph.sandbox.requests.count(CREATE)).toBe(1);
  },
);

test.runIf(hasPython)(
  'publish.py publishes once although a response is lost, and follows a text to its end',
  async () => {
    let losses = 0;
    const way = await openLossyWay(graph.url, ({ answer }) => {
      if (losses > 0 || !answer.includes('"createPost"')) return 'passes';
      losses += 1;
      return 'lost before';
    });
    const args = ['Doors at eight.', 'order-8', 'Fog, slowly'];
    const { status, stdout, stderr } = await runAndFinish(PYTHON, way.url, { args });
    expect(stderr).toBe('Attempt 1 failed; the same call is sent again, with the same key.\n');
    expect([status, losses, graph.sandbox.requests.count(CREATE)]).toEqual([0, 1, 1]);
    expect(stdout).toMatch(
      /^12 accounts; the first is Kelpgate Roasters\.\n.*"COMPLETED".*"replayed": true.*"PENDING".*"COMPLETE", "text": ".*Fog, slowly"/s,
    );
  },
);

test('live.js prints a text that is generated once, although connections are lost before and while it waits', async () => {
  await graph.sandbox.push.waitForOpen(0);
  const lost: string[] = [];
  const way = await openLossyWay(graph.url, ({ answer }) => {
    const isGenerated = answer.includes('"generateAiText"');
    if (!isGenerated && !answer.includes('"aiGenerationUpdated"')) return 'passes';
    const stage = isGenerated ? 'generating' : 'following';
    if (!lost.includes(stage)) return (lost.push(stage), isGenerated ? 'lost before' : 'lost after');
    // The client is back, and waits again.
    if (answer.includes('"PENDING"') && !isGenerated) setImmediate(() => finishTexts(graph.sandbox));
    return 'passes';
  });
  const ended = await runExample('live.js', way.url, { args: ['Fog, slowly'] });
  expect([ended.status, ended.stderr, lost]).toEqual([0, '', ['generating', 'following']]);
  expect(ended.stdout.match(/'PENDING'|'COMPLETE'/g)).toEqual(["'PENDING'", "'PENDING'", "'COMPLETE'"]);
  expect(ended.stdout).toMatch(/text: 'The sandbox made this text, .*You asked for: Fog, slowly'\s+\}\s*$/);
  expect(graph.sandbox.requests.count(GENERATE)).toBe(1);
});

test('walk.js prints a long queue once in order, and says that the queue moved beyond its cursor', async () => {
  const large = await startGraph({ sandbox: { data: 'large' } });
  const state = large.sandbox.state.owner(large.sandbox.owners[0].name);
  const ids = state.queue.map(({ postId }) => postId);
  expect(ids.length).toBeGreaterThan(900);
  large.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'GET /posts/queued',
    change: (answer) => {
      state.drainQueue(150);
      return answer;
    },
  });
  const { status, stdout, stderr } = await runExample('walk.js', large.url);
  expect(status).toBe(0);
  expect(stderr).toMatch(/^The queue moved too far.*\n$/);
  const printed = stdout.split('\n').flatMap((line) => /^\w{24}/.exec(line) ?? []);
  expect(printed).toEqual([...ids.slice(0, 100), ...ids.slice(150)]);
});

const growing = (list: string) => [5, 10, 12].map((length) => `The ${list} has ${length} accounts.`);

test('with Relay, Apollo Client and urql, every account is read once, page after page, and a text is generated once', async () => {
  const urql = ['Fog, slowly', 'fog-1'];
  const programs = [
    ['relay/accounts.js'],
    ['apollo.js', 'Rain, slowly'],
    ['urql.js', ...urql],
    ['urql.js?again', ...urql],
  ] as const;
  const texts = { count: 2, finish: () => finishTexts(graph.sandbox) };
  const [relay = '', apollo = '', first = '', second] = await runExamples(graph.url, programs, texts);
  const { data } = await graph.query('{ accounts(first: 100) { nodes { id displayName } } }');
  const nodes = data.accounts.nodes as { readonly id: string; readonly displayName: string | null }[];
  const accounts = nodes.map(({ id, displayName }) => `${id}  ${displayName}`);
  expect(relay.trimEnd().split('\n')).toEqual([...growing('connection in the store'), ...accounts]);
  const [lines = '', records = ''] = apollo.split(/\n(?=\{)(.*)/s);
  expect(lines.split('\n')).toEqual([...growing('list in the cache'), ...accounts]);
  expect(records).toMatch(/status: 'PENDING', text: null.*status: 'COMPLETE',\s+text: '.*Rain, slowly'/s);
  expect(first.match(/^\w+  \S.*$/gm)).toHaveLength(12);
  expect(first).toMatch(
    /outcome: 'COMPLETED', replayed: false.*status: 'PENDING', text: null.*status: 'COMPLETE',\s+text: '.*Fog, slowly'/s,
  );
  expect(second).toMatch(/replayed: true.*status: 'COMPLETE'/s);
  expect(second?.match(/status:/g)).toHaveLength(1);
  expect(graph.sandbox.requests.count(GENERATE)).toBe(2);
});

test('curl.sh queries, publishes once however often it runs, and follows a text to its end', async () => {
  const first = await runAndFinish('curl.sh', graph.url);
  expect(first).toMatchObject(GOOD_END);
  for (const part of ['"totalCount":12', '"outcome":"COMPLETED"', '"replayed":false'])
    expect(first.stdout).toContain(part);
  expect(first.stdout).toMatch(
    /"status":"PENDING".*event: next.*"status":"COMPLETE","text":"The.*event: complete/s,
  );
  expect((await runAndFinish('curl.sh', graph.url)).stdout).toContain('"replayed":true');
  expect(graph.sandbox.requests.count(CREATE)).toBe(1);
  expect(graph.sandbox.requests.count(GENERATE)).toBe(2);
});

test('alerts.js prints a line for an account that needs to be reconnected', async () => {
  const accounts = currentAccounts(graph);
  const running = startExample('alerts.js', graph.url);
  await expect.poll(() => running.stdout).toContain(`${accounts.length} accounts: `);
  graph.sandbox.makeHappen({ kind: 'disconnect' });
  await expect.poll(() => running.stdout).toContain(`${accounts[0]?.username} needs to be connected again.`);
  expect((await running.end()).stderr).toBe('');
});

// Those that are left out fail as publish.js does.
test.each([
  'publish.js',
  'apollo.js',
  'urql.js',
  'relay/accounts.js',
  'curl.sh',
  ...(hasPython ? [PYTHON] : []),
])(
  '%s says on a line with its code that its key is not accepted, and ends with status 1 at once',
  async (program) => {
    const environment = { SERVICE_API_KEY: 'wrong' };
    const { status, stdout, stderr } = await runExample(program, graph.url, { environment });
    const said = stdout + stderr;
    expect([status, said]).toEqual([
      1,
      expect.stringMatching(/rejected the credential.*CREDENTIAL_REJECTED/s),
    ]);
    // No stack, and no request or response in full.
    if (program !== PYTHON) expect(said).not.toMatch(/^\s+at |node:internal|"?query"?: /m);
    expect(said).not.toContain('Attempt');
  },
);

test.each(['walk.js', 'apollo.js', 'curl.sh'])(
  '%s says in a line or two that its graph is out of reach, and ends with status 1',
  async (program) => {
    const { status, stdout, stderr } = await runExample(program, 'http://127.0.0.1:1');
    expect([status, stderr]).toEqual([1, expect.stringMatching(/fetch|ECONNREFUSED|connect/i)]);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(stdout + stderr).not.toMatch(/^\s+at |node:internal/m);
  },
);

test('the README names every program, and the compiler checks each of them', () => {
  const scripts = [...SCRIPTS, 'relay/accounts.js'];
  const readme = programText('README.md');
  expect([...scripts, PYTHON, 'curl.sh'].filter((file) => !readme.includes(file))).toEqual([]);
  expect(scripts.filter((file) => !programText(file).startsWith('// @ts-check\n'))).toEqual([]);
});

test('Relay’s artifact was made from the text of the program', async () => {
  const file = join(EXAMPLES, 'relay/__generated__/accountsQuery.graphql.js');
  const { default: artifact } = (await import(file)) as { readonly default: { readonly hash: string } };
  const source = parse(/graphql`(.*?)`/s.exec(programText('relay/accounts.js'))?.[1] ?? '');
  expect(artifact.hash).toBe(createHash('md5').update(print(source)).digest('hex'));
});
