import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { interfaceFields } from '../conformance/interface-fields.ts';
import { copying, recordOf } from '../conformance/interface-probes.ts';
import { type ReadCall } from '../conformance/interface-table.ts';
import { oauthEnvironment } from '../support/connect.ts';
import { type CallerHeaders, shareGraph } from '../support/graph.ts';
import { leaksIn, secretsOf, watchForLeaks } from '../support/leaks.ts';
import { postJson, scrape } from '../support/http.ts';
import { recordSpans, told, type RecordedSpans } from '../support/spans.ts';
import { wholeSelection } from '../support/selection.ts';
import { changingEach, onlyFaults, rewriting, valueAt } from '../support/sandbox.ts';
import { WRITE_CALLS } from '../support/calls.ts';
import { documentOf, KEYED } from '../support/writes.ts';

// What docs/guarantees.md promises about secrets, at every place where the service may put one.

/** Found in each credential as it is and percent-encoded, and by no rule but that the credential is known. */
const TRACE = 'planted-in-every-place';
const CREDENTIALS = {
  accessToken: `hush/${TRACE}+4=|`,
  accessSecret: `hush/2-${TRACE}+4=|`,
  pageAccessToken: `hush/3-${TRACE}+4=|`,
};
const FORMS = Object.values(CREDENTIALS).flatMap((token) => [token, encodeURIComponent(token)]);
const formOf = (index: number): string => FORMS[index % FORMS.length] ?? '';

const folder = mkdtempSync(join(tmpdir(), 'test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const graph = shareGraph({
  environment: {
    ...oauthEnvironment(),
    MAX_SELECTIONS: '1000',
    MAX_COST: '10000',
    MAX_ALIASES: '1000',
    DATA_DIR: folder,
  },
});

let answered: string[] = [];
let spans: RecordedSpans;
beforeEach(() => {
  answered = [];
  spans = recordSpans();
});

async function run(
  query: string,
  variables: object = {},
  headers: CallerHeaders = graph.caller.both,
): Promise<string> {
  const reply = await postJson(`${graph.url}/graphql`, { query, variables }, headers);
  answered.push(reply.text, JSON.stringify(reply.headers));
  return reply.text;
}

/** Expects secrets nowhere: in no answer, header, log line, metric, span or file. */
async function expectNone(secrets: readonly string[]): Promise<void> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const contents = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
  const { text: metrics } = await scrape(graph.url);
  expect([files.length, spans.ended.length, answered.length].filter((length) => length === 0)).toEqual([]);
  const texts = [...answered, ...graph.log, metrics, ...spans.ended.map(told), ...contents];
  const leaks = texts.flatMap((text) =>
    leaksIn([text], secrets).map((secret) => [secret, text.slice(Math.max(text.indexOf(secret) - 200, 0))]),
  );
  expect(leaks.map(([secret, text]) => [secret, text?.slice(0, 400)])).toEqual([]);
}

const READS = Object.values(interfaceFields)
  .filter((call): call is ReadCall => 'record' in call)
  .map((call) => [call.endpoint, call] as const);
const idsOf = (call: ReadCall): readonly unknown[] => call.copies?.ids(graph) ?? [null];
const everythingOf = (call: ReadCall, count = idsOf(call).length): string =>
  call.query(wholeSelection(call.type), graph, count);

/** The places of all values without parts in a record, of lists in the first element; a map with free keys is one. */
function placesIn(value: unknown, path: readonly string[] = []): string[] {
  const isPart = typeof value === 'object' && value !== null;
  if (!isPart || Object.keys(value).some((name) => name.includes('.'))) return [path.join('.')];
  const children = Array.isArray(value) ? value.slice(0, 1).entries() : Object.entries(value);
  return [...children].flatMap(([name, child]) => placesIn(child, [...path, String(name)]));
}

/** Puts the credentials into each object of a record, under their names. */
function withCredentials(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withCredentials);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, child]) => [key, withCredentials(child)]);
  return { ...Object.fromEntries(fields), ...CREDENTIALS };
}

/** What may stand at a place: an object that holds a credential and repeats it, or in an account, a text that does. */
function plantedAt(value: unknown, form: string, isAccount: boolean): readonly unknown[] {
  const holder = { ...CREDENTIALS, said: [`by ${form}`], [`of ${form}`]: 1, [form]: 2 };
  const text = String(value);
  return isAccount ? [holder, `${text}${text.startsWith('http') ? '?t=' : ' '}${form}`] : [holder];
}

test.each(READS)('no credential leaves, wherever %s answers with it', async (...row) => {
  const [, call] = row;
  const ids = idsOf(call);
  const plain = await recordOf(graph, call, ids);
  graph.sandbox.faults.clear();
  expect(JSON.parse(await run(everythingOf(call)))).not.toHaveProperty('errors');
  const places = placesIn(plain);
  expect(places.length).toBeGreaterThanOrEqual(3);
  const planted = places.flatMap((wire, index) =>
    plantedAt(valueAt(plain, wire), formOf(index), call.type === 'Account').map((value) => ({ wire, value })),
  );
  const template = withCredentials(plain);
  for (let start = 0; start < planted.length; start += ids.length) {
    const records = planted.slice(start, start + ids.length);
    graph.sandbox.faults.clear();
    const fault = graph.sandbox.faults.add(copying(call, { template, ids, records }));
    await run(everythingOf(call, records.length));
    expect(fault.hits).toBeGreaterThan(0);
  }
  await expectNone([TRACE]);
});

/** What an answer that has failed may say: a token that only its form tells, one that its name tells, and those that are known. */
function failuresWith(failed: object, known: readonly string[]): readonly unknown[] {
  const [{ apiKey, accessToken }] = graph.sandbox.owners;
  const words = `No EAAB0123456789abcdef${TRACE.replaceAll('-', '')}ZDZD, password: ${TRACE}, ${FORMS.join(' or ')} here, nor ${[apiKey, accessToken, ...known].join(' or ')}`;
  return [
    { error: 1, msg: words, message: words, ...failed, response: {}, was: failed },
    { error: 1, msg: words, errors: [words], ...CREDENTIALS },
    JSON.stringify({ error: 1, ...failed }, (_name, value: unknown) => String(value)).slice(0, -9),
  ];
}

let turns = 0;

/** Fails a call with each status, each with one of the answers, and with another one in the next test. */
async function failEachWay(endpoint: EndpointName, bodies: readonly unknown[], act: () => Promise<string>) {
  for (const [at, status] of [200, 400, 401, 500].entries()) {
    const body = bodies[(at + turns) % bodies.length] ?? '';
    onlyFaults(graph.sandbox, { kind: 'status', status, body, endpoint, times: 9 });
    const answer = await act();
    expect(answer).toMatch(/"errors"|"userErrors":\[\{/);
    if (status === 500) expect(answer).not.toContain('here, nor');
  }
  turns += 1;
  await expectNone([TRACE, TRACE.replaceAll('-', ''), ...secretsOf(graph)]);
}

test.each(READS)('no credential leaves in an error, however %s fails with it', async (...row) => {
  const [endpoint, call] = row;
  const failed = withCredentials(await recordOf(graph, call, idsOf(call))) as object;
  await failEachWay(endpoint, failuresWith(failed, []), () => run(everythingOf(call)));
});

test.each(WRITE_CALLS)(
  'no credential leaves in an error, however $endpoint fails with it',
  async ({ endpoint, mutation, input }) => {
    const sent = await input(graph.sandbox);
    const isExchange = mutation === 'exchangeAuthorizationCode';
    const known = isExchange ? [String(sent['code']), graph.sandbox.oauthApp.clientSecret] : [];
    const variables = mutation === 'createBillingPortalSession' ? {} : { input: sent };
    await failEachWay(endpoint, failuresWith(CREDENTIALS, known), () => run(documentOf(mutation), variables));
  },
);

test.each([
  [0, /fernlight/i],
  [1, /harbour|kelpgate/i],
] as const)('owner %d reads neither a secret nor anything of the other owner', async (index, other) => {
  const { owners, secrets, faults } = graph.sandbox;
  const { apiKey, accessToken, name } = owners[index];
  const sent: string[] = [];
  const change = (answer: unknown): unknown => {
    sent.push(JSON.stringify(answer, (_name, value: unknown) => (typeof value === 'bigint' ? 0 : value)));
    return answer;
  };
  faults.add(rewriting('*', change));
  const headers = { 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` };
  for (const [, call] of READS) await run(everythingOf(call), {}, headers);
  const planted = secrets.planted.filter((secret) => secret.includes(`-${name}-`));
  const found = leaksIn(sent, planted);
  expect(found.length, 'secrets that the service sent').toBeGreaterThan(80);
  expect(leaksIn(found, secrets.nested).length).toBeGreaterThan(40);
  expect(leaksIn(found, secrets.accountTokens).length).toBeGreaterThan(20);
  expect(answered.join('').length).toBeGreaterThan(100_000);
  await expectNone(secretsOf(graph));
  expect(answered.filter((text) => other.test(text))).toEqual([]);
});

test('no credential leaves, nor is it kept, when the answer of a write holds it', async () => {
  for (const [index, { endpoint, mutation, input }] of WRITE_CALLS.entries()) {
    const change = (answer: unknown): unknown => ({
      ...(withCredentials(answer) as object),
      message: `made by ${FORMS.join(' or ')}`,
    });
    graph.sandbox.faults.clear();
    const fault = graph.sandbox.faults.add({ kind: 'rewrite', endpoint, change });
    const isKeyed = KEYED.some((name) => name === mutation);
    // A second time, from the journal.
    for (const expected of isKeyed ? ['"COMPLETED"', '"COMPLETED"'] : ['"COMPLETED"']) {
      const key = isKeyed ? { idempotencyKey: `key-${index}` } : {};
      const variables = { input: { ...(await input(graph.sandbox)), ...key } };
      const isPlain = mutation === 'createBillingPortalSession';
      expect(await run(documentOf(mutation), isPlain ? {} : variables)).toContain(expected);
    }
    expect(fault.hits).toBe(1);
  }
  await expectNone([TRACE]);
});

const GUESSED = 'guessed-0123456789abcdef';
const TOKEN = 'EAAB/0123+4567=89|ab';
const address = (secret: string): string =>
  `https://graph.example/1/picture?type=large&access_token=${secret}&client_secret=${secret}&api_key=${secret}&token=kept#access_token=${secret}`;
const PROSE = `https://kelpgate.example/?token=12345678 opens the doors; access_token=none; the code is ${GUESSED}`;

const QUEUE = ['GET /posts/queued', 'queuedPosts'] as const;
const ACCOUNTS = ['GET /accounts/list', 'accounts'] as const;

/** What one field of the first record of a list shows beside others of the same record. */
const SHOWN: readonly (readonly [EndpointName, list: string, wire: object, shown: object])[] = [
  [...QUEUE, { postDesc: PROSE, spamData: { apiKey: GUESSED } }, { text: PROSE }],
  [...QUEUE, { postImage: [address(TOKEN)] }, { imageUrls: [address('[redacted]')] }],
  [...ACCOUNTS, { profilePicture: address(TOKEN) }, { avatarUrl: address('[redacted]') }],
  ...Object.keys(CREDENTIALS).map((name) => {
    const accountUrl = `https://x.example/?t=${encodeURIComponent(TOKEN)}&x=1`;
    const wire = { [name]: TOKEN, accountUsername: `by ${TOKEN}`, accountUrl };
    const shown = { displayName: 'by [redacted]', profileUrl: 'https://x.example/?t=[redacted]&x=1' };
    return [...ACCOUNTS, wire, shown] as const;
  }),
];

test.each(SHOWN)('a text keeps all but what is known for a secret: %s, %s, %j', async (...row) => {
  const [endpoint, list, wire, shown] = row;
  graph.sandbox.faults.add(changingEach(endpoint, (index) => (index === 0 ? { ...wire } : {})));
  const query = `{ ${list}(first: 1) { nodes { ${Object.keys(shown).join(' ')} } } }`;
  expect(JSON.parse(await run(query))).toMatchObject({ data: { [list]: { nodes: [shown] } } });
});

test('control: the watch over every test’s graph finds a secret in answers, log lines and metrics', async () => {
  const watch = watchForLeaks(() => graph);
  const {
    planted: [planted = ''],
    apiKeys: [apiKey = ''],
  } = graph.sandbox.secrets;
  const elsewhere = 'planted-elsewhere-token-1-0123456789abcdef0123456789abcdef';
  watch.answered({ data: { title: elsewhere, key: apiKey } });
  await watch.look();
  watch.answered({ data: { title: `a title, ${planted}.` } });
  await expect(watch.look()).rejects.toThrow(planted);
  for (const secret of [planted, apiKey]) {
    watch.logged(`{"path":"/graphql?x=${secret}"}`);
    await expect(watch.look()).rejects.toThrow(secret);
  }
});
