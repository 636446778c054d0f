import { expect, test } from 'vitest';
import { errorsOf, onlyError } from '../support/answers.ts';
import type { RunningGraph } from '../support/graph.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { account, EXAMPLES, write } from '../support/writes.ts';

const graph = shareGraph();

const MAX_CHARS = 300;
const SUMMARY =
  '<div class="errorSummary"><p>Please fix the following input errors:</p>\n<ul><li>Status description cannot be blank.</li></ul></div>';

async function messageFor(running: RunningGraph, body: unknown, status = 400): Promise<string> {
  running.sandbox.faults.clear();
  running.sandbox.faults.add({ kind: 'status', status, body, endpoint: 'GET /accounts/list' });
  return onlyError(await running.query('{ accounts(surface: CURRENT) { totalCount } }')).message;
}

test.each([
  [{ message: 'page must be a whole number.' }, 'page must be a whole number.'],
  [{ message: 'A wrong page.', response: {} }, 'A wrong page.'],
  [{ errors: [{ field: 'page', message: 'is wrong' }] }, 'is wrong'],
  [{ error: { message: 'is wrong' } }, 'is wrong'],
  [{ msg: SUMMARY }, 'Please fix the following input errors: Status description cannot be blank.'],
  ['plain words', 'plain words'],
  ['<p>Fish &amp; chips &lt; 5&#8364;</p>', 'Fish & chips 5€'],
  ['<script>alert(1)</script><p>Down</p><style>p{}</style>', 'Down'],
  ['a < b and c > d', 'a b and c d'],
  ['line one\r\n\tline two\u0000\u001b[31m red', 'line one line two [31m red'],
])('the service’s words %j are passed on as plain text', async (body, words) => {
  expect(await messageFor(graph, body)).toBe(
    `The current surface rejected the request. The service says: ${words}`,
  );
});

test.each(['', '   ', {}, [], null, { message: '' }, { message: 7 }, '<br>', '<script>x</script>'])(
  'a failure whose body is %j says only what failed',
  async (body) => {
    expect(await messageFor(graph, body)).toBe('The current surface rejected the request.');
  },
);

const PAGE = `<!doctype html><html><head><title>502</title><script>if (1 < 2) alert("x")</script></head>
  <body><h1>Bad gateway</h1><p>${'The <b>proxy</b> could not reach 10.0.0.7. '.repeat(400)}</p><img src=x onerror=alert(1)></body></html>`;
const HOSTILE = [
  PAGE,
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&amp;lt;img src=x&amp;gt;',
  '<<script>script>alert(1)<</script>/script>',
  '<a href="javascript:alert(1)">go</a>',
  '<!-- <b>x</b> --><![CDATA[<i>]]>',
  `<p>${'<div>'.repeat(5_000)}deep`,
  'x'.repeat(60_000),
  { message: PAGE },
  { message: `<b>${'é'.repeat(2_000)}` },
  { message: '&#60;b&#62; &#x3c;i&#x3e; ＜full＞' },
];

test('no markup reaches the client, whatever the service says', async () => {
  for (const body of HOSTILE) {
    const message = await messageFor(graph, body, 403);
    expect(message).not.toMatch(/[<>]/);
  }
});

test('a message never has more than 300 characters', async () => {
  for (const body of HOSTILE) {
    const message = await messageFor(graph, body, 403);
    expect(message.length, message.slice(0, 40)).toBeLessThanOrEqual(MAX_CHARS);
  }
});

test('the words of a failure end in whole characters', async () => {
  for (const shift of ['', 'x']) {
    const message = await messageFor(graph, { message: shift + '☕️🎉'.repeat(200) });
    expect(Buffer.from(message).toString()).toBe(message);
  }
});

test('an error body that is not UTF-8 is malformed, one beyond 64 KiB likewise', async () => {
  graph.sandbox.faults.add({
    kind: 'raw',
    endpoint: 'GET /accounts/list',
    write: (_req, res) => res.writeHead(400).end(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
  });
  graph.sandbox.faults.add({
    kind: 'raw',
    endpoint: 'GET /accounts/list',
    write: (_req, res) => res.writeHead(400).end('x'.repeat(65 * 1024)),
  });
  for (const _ of [1, 2]) {
    const answer = await graph.query('{ accounts(surface: CURRENT) { totalCount } }');
    expect(errorsOf(answer)).toEqual(['accounts UPSTREAM_MALFORMED']);
  }
});

test('the words of a failure never hold the caller’s credential', async () => {
  const [{ apiKey }] = graph.sandbox.owners;
  for (const body of [
    `key ${apiKey} has expired`,
    { message: `${apiKey} is unknown` },
    { errors: [apiKey] },
  ]) {
    expect(await messageFor(graph, body)).not.toContain(apiKey);
  }
});

test.each([
  'GET /me?access_token=planted-1 failed',
  'refused "accessSecret": "planted-1"',
  '{"list":[{"pageAccessToken":"planted-1","x":',
  '{"session":{"authorization":"Bearer planted-1"},',
  '{"device":{"private_key":"planted-1"},',
  'refused authorization: Bearer planted-1',
  'x-api-key: planted-1 was refused',
  'cookie: sid=planted-1',
])('the words of a failure never hold what names itself a secret: %s', async (words) => {
  for (const body of [words, { message: words }]) {
    expect(await messageFor(graph, body)).not.toContain('planted-1');
  }
});

const FAILED = { message: 'Invalid API key', response: {} };
const WITH_STATUS_200 = [
  ['a list', 'GET /accounts/list', '{ accounts { totalCount } }', FAILED],
  [
    'a list without a response',
    'GET /group/list',
    '{ accountGroups { totalCount } }',
    { message: 'Invalid API key' },
  ],
  ['a detail', 'GET /accounts/view/{loginId}', `{ account(id: "${account()}") { connectedAt } }`, FAILED],
  ['the plan', 'GET /membership/plan/list', '{ membership { isBiannual } }', { ...FAILED, response: null }],
  ['a legacy list', 'GET /oauth/groups', '{ accountGroups(surface: LEGACY) { totalCount } }', FAILED],
] as const;

test.each(WITH_STATUS_200)(
  'a failure of %s that has the status 200 says what the service says',
  async (_what, endpoint, document, body) => {
    graph.sandbox.faults.add({ kind: 'status', status: 200, body, endpoint });
    const { message, extensions } = onlyError(await graph.query(document));
    expect(extensions['code']).toBe('UPSTREAM_MALFORMED');
    expect(message).toMatch(/returned an unexpected response\. The service says: Invalid API key$/);
  },
);

test.each(['createDraft', 'createStatusUpdate', 'pauseAccount'] as const)(
  'a failure of %s that has the status 200 says what the service says',
  async (name) => {
    graph.sandbox.faults.add({ kind: 'status', status: 200, body: FAILED, endpoint: '*', times: 9 });
    const { userErrors } = await write(graph, name, EXAMPLES[name]);
    expect(userErrors[0]?.message).toContain('The service says: Invalid API key');
  },
);

test('a page that is no JSON is not quoted where an answer was expected', async () => {
  graph.sandbox.faults.add({
    kind: 'status',
    status: 200,
    body: '<p>Log in</p>',
    endpoint: 'GET /accounts/list',
  });
  const { message } = onlyError(await graph.query('{ accounts { totalCount } }'));
  expect(message).toBe('The current surface returned an unexpected response.');
});

const DATABASE = 'ER_ACCESS_DENIED for posts@10.0.0.7 at Pool.query (/srv/db.js:7)';

test.each([
  ['CURRENT', 'GET /accounts/list', 500, { message: DATABASE }],
  ['CURRENT', 'GET /accounts/list', 520, `<h1>${DATABASE}</h1>`],
  ['LEGACY', 'GET /oauth/accounts', 500, { error: 1, msg: DATABASE }],
  ['LEGACY', 'GET /oauth/accounts', 503, DATABASE],
] as const)(
  'the words of a server error of the %s surface (%s, %d) are for the log alone, where they stand once',
  async (surface, endpoint, status, body) => {
    const own = await startGraph();
    own.sandbox.faults.add({ kind: 'status', status, body, endpoint, times: 9 });
    for (const _ of [1, 2]) {
      const answer = await own.query(`{ accounts(surface: ${surface}) { totalCount } }`);
      expect(errorsOf(answer)).toEqual(['accounts SURFACE_UNAVAILABLE']);
      expect(JSON.stringify(answer)).not.toContain('Pool.query');
    }
    const logged = own.log.filter((line) => line.includes('Pool.query'));
    expect(logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'warn', surface: surface.toLowerCase(), endpoint, status, words: DATABASE },
    ]);
  },
);

test('the words of a server error never hold a credential, and a write tells none of them', async () => {
  const own = await startGraph();
  const [{ apiKey }] = own.sandbox.owners;
  const body = { message: `${DATABASE} with key ${apiKey}, password: planted-1` };
  own.sandbox.faults.add({ kind: 'status', status: 500, body, endpoint: 'POST /draft/create' });
  const { outcome, userErrors } = await write(own, 'createDraft', EXAMPLES.createDraft);
  expect(outcome).toBe('UNKNOWN');
  expect(JSON.stringify(userErrors)).not.toContain('Pool.query');
  expect(own.log.join('\n')).toContain('Pool.query');
  for (const secret of [apiKey, 'planted-1']) expect(own.log.join('\n')).not.toContain(secret);
});
