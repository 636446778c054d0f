import { beforeEach, expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingEach } from '../support/wire-changes.ts';

// The texts of an answer are changed here, also those by which its secrets would be told.
const graph = shareGraph();
beforeEach(() => graph.sandbox.faults.clear());

const TOKEN = `EAAB/s+1|x=4&"q"-0123456789abcdef`;
const NESTED = 'page|token+of/a=group-0123456789';
const GUESSED = 'refresh-of-another-0123456789abcdef';

/** How a secret may stand in the text of another record. */
const SAID: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => `now ${secret}!`,
  'URL-encoded': (secret) => `now ${encodeURIComponent(secret)}!`,
  'form-encoded': (secret) => `now ${String(new URLSearchParams({ t: secret }))}!`,
  'HTML-escaped': (secret) => `now ${secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}!`,
  'JSON in a text': (secret) => `now ${JSON.stringify({ at: [secret] })}!`,
  Base64: (secret) => `now ${Buffer.from(secret).toString('base64')}!`,
  'Base64 of a header': (secret) => `now ${Buffer.from(`user:${secret}`).toString('base64')}!`,
  'Base64 for addresses': (secret) => `now ${Buffer.from(`a ${secret} b`).toString('base64url')}!`,
};

/** A list, the record of it whose secrets are told, and the field of another record that tells them. */
const LISTS: Readonly<
  Record<string, { endpoint: EndpointName; path: string; wire: string; query: string; read: string }>
> = {
  'the accounts of the current surface': {
    endpoint: 'GET /accounts/list',
    path: '/accounts/list?limit=100',
    wire: 'accountUsername',
    query: '{ accounts(first: 5) { nodes { displayName } } }',
    read: 'accounts',
  },
  'the accounts of the legacy surface': {
    endpoint: 'GET /oauth/accounts',
    path: '/oauth/accounts',
    wire: 'nickname',
    query: '{ accounts(first: 5, surface: LEGACY) { nodes { displayName } } }',
    read: 'accounts',
  },
  'the queue': {
    endpoint: 'GET /posts/queued',
    path: '/posts/queued?limit=5',
    wire: 'postDesc',
    query: '{ queuedPosts(first: 5) { nodes { displayName: text } } }',
    read: 'queuedPosts',
  },
  'the groups of the legacy surface': {
    endpoint: 'GET /oauth/groups',
    path: '/oauth/groups',
    wire: 'group_name',
    query: '{ accountGroups(first: 5, surface: LEGACY) { nodes { displayName: name } } }',
    read: 'accountGroups',
  },
};

/** The first record holds the secrets, at its top or deeper; all others tell them. */
const telling = (wire: string, said: string, secrets: object) => (index: number) =>
  index === 0 ? { ...secrets, [wire]: 'the first' } : { [wire]: `${index}: ${said}` };

const CASES = Object.keys(LISTS).flatMap((list) => Object.keys(SAID).map((how) => [list, how] as const));

test.each(CASES)('in %s no record tells a credential of another one, %s', async (list, how) => {
  const { endpoint, path, wire, query, read } = LISTS[list] as (typeof LISTS)[string];
  for (const [secret, fields] of [
    [TOKEN, { accessToken: TOKEN }],
    [NESTED, { unknown: [{ deep: { page_access_token: NESTED } }] }],
  ] as const) {
    const said = SAID[how]?.(secret) ?? '';
    graph.sandbox.faults.clear();
    graph.sandbox.faults.add(changingEach(endpoint, telling(wire, said, fields)));
    const raw = await (await fetch(graph.sandbox.url + path, { headers: graph.caller.both })).text();
    expect(raw).toContain(JSON.stringify(`1: ${said}`));
    const { data } = await graph.query(query);
    const texts = (data[read].nodes as { displayName: string }[]).map(({ displayName }) => displayName);
    expect(texts[0]).toBe('the first');
    expect(texts.length).toBeGreaterThan(1);
    for (const text of texts.slice(1)) expect(text).toMatch(/^\d: now .{0,8}\[redacted\].{0,4}!$/);
  }
});

test.each(Object.keys(LISTS))(
  'control: in %s such a text stands as it is, where no record holds the credential',
  async (list) => {
    const { endpoint, wire, query, read } = LISTS[list] as (typeof LISTS)[string];
    for (const say of Object.values(SAID)) {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(changingEach(endpoint, telling(wire, say(TOKEN), {})));
      const { data } = await graph.query(query);
      expect(data[read].nodes[1].displayName).toBe(`1: ${say(TOKEN)}`);
    }
  },
);

test('a secret that is only guessed is blanked in the undocumented data of other records, and in no text', async () => {
  graph.sandbox.faults.add(
    changingEach('GET /posts/queued', (index) => ({
      spamData: index === 0 ? { refresh: GUESSED, note: 'fine' } : { said: [`by ${GUESSED}`] },
      postDesc: `about ${GUESSED}`,
    })),
  );
  const { data } = await graph.query('{ queuedPosts(first: 2) { nodes { text spamData } } }');
  expect(data.queuedPosts.nodes).toEqual([
    { text: `about ${GUESSED}`, spamData: { note: 'fine' } },
    { text: `about ${GUESSED}`, spamData: { said: ['by [redacted]'] } },
  ]);
});

test('another page knows nothing of the secrets of this one, and says what it says', async () => {
  const tell = (index: number) => ({ postDesc: `${index}: ${TOKEN}` });
  graph.sandbox.faults.add(changingEach('GET /posts/queued', tell));
  graph.sandbox.faults.add(changingEach('GET /accounts/list', () => ({ accessToken: TOKEN })));
  const { data } = await graph.query(
    '{ accounts(first: 1) { totalCount } queuedPosts(first: 1) { nodes { text } } }',
  );
  expect(data.queuedPosts.nodes[0].text).toBe(`0: ${TOKEN}`);
});
