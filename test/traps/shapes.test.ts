import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { harbour } from '../support/account-records.ts';
import { callsOf } from '../support/calls.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changing, changingEach, changingRecord } from '../support/wire-changes.ts';

const graph = shareGraph();

test('whether an account must be connected again is read where the queue or a group says it, without its detail', async () => {
  const { data, errors } = await graph.query(
    `{ queuedPosts(first: 25) { nodes { account { loginId health { needsReconnect } } } }
       accountGroups { nodes { accounts { nodes { loginId health { needsReconnect } } } } } }`,
  );
  expect(errors).toEqual([]);
  expect(callsOf(graph)).toEqual({ 'GET /posts/queued': 1, 'GET /group/list': 1 });
  expect(data.queuedPosts.nodes).toEqual(
    harbour(graph).queue.map(({ account: { loginId, needsReconnect } }) => ({
      account: { loginId: String(loginId), health: { needsReconnect } },
    })),
  );
});

// What the service sends in place of an object without content.
const NOTHINGS = [null, [], '', 'null'];

const IN_QUEUE = {
  'extraData.place': 'place',
  'extraData.fbAudianceTargeting': 'facebookAudience',
  'extraData.mention': 'mentions',
  accountExtraParam: 'accountExtraParameters',
  spamData: 'spamData',
  extraData: 'comment',
};

test.each(NOTHINGS)('%o in place of an object of the queue is null without an error', async (nothing) => {
  const wires = Object.entries(IN_QUEUE);
  graph.sandbox.faults.add(
    changingEach('GET /posts/queued', (index) => {
      const wire = wires[index]?.[0];
      return wire === undefined ? {} : { [wire]: nothing };
    }),
  );
  const { data, errors } = await graph.query(
    '{ queuedPosts(first: 6) { nodes { place { name } facebookAudience { minAge } mentions { key } accountExtraParameters spamData comment } } }',
  );
  expect(errors).toEqual([]);
  const posts = data.queuedPosts.nodes as Readonly<Record<string, unknown>>[];
  for (const [index, [wire, field]] of wires.entries()) expect(posts[index]?.[field], wire).toBeNull();
});

const IN_LIBRARY = {
  taggedPeople: 'taggedPeople',
  utmParameters: 'utmParameters',
  boostExtraParams: 'boostParameters',
  'extraData.place': 'place',
  extraData: 'activeTabCode',
};

test.each(NOTHINGS)('%o in place of an object of the library is null without an error', async (nothing) => {
  const wires = Object.entries(IN_LIBRARY);
  graph.sandbox.faults.add(
    changingEach('GET /library/list', (index) => {
      const wire = wires[index]?.[0];
      return wire === undefined ? {} : { [`content.${wire}`]: nothing };
    }),
  );
  const { data, errors } = await graph.query(
    '{ libraryItems(first: 5) { nodes { content { text taggedPeople { imageUrl } utmParameters boostParameters place { name } activeTabCode } } } }',
  );
  expect(errors).toEqual([]);
  const items = data.libraryItems.nodes as { readonly content: Readonly<Record<string, unknown>> }[];
  for (const [index, [wire, field]] of wires.entries()) {
    expect(items[index]?.content[field], wire).toBeNull();
    expect(items[index]?.content['text'], wire).not.toBeNull();
  }
});

test.each(['', null, '0000-00-00 00:00:00', 'null'])(
  'a time that never was, written as %o, is null without an error',
  async (nothing) => {
    graph.sandbox.faults.add(changingRecord('GET /library/list', 'lastUsed', nothing));
    graph.sandbox.faults.add(changing('GET /accounts/view/{loginId}', 'response.lastDisconnectOn', nothing));
    const { data, errors } = await graph.query(
      '{ libraryItems(first: 1) { nodes { lastUsedAt } } accounts(first: 1) { nodes { health { disconnectedAt } } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      libraryItems: { nodes: [{ lastUsedAt: null }] },
      accounts: { nodes: [{ health: { disconnectedAt: null } }] },
    });
  },
);

const MENTION = {
  id: '5',
  name: 'A',
  username: 'a',
  display_name: 'Aa',
  link: 'l',
  avatar: 'v',
  accountId: 1,
  activeTab: 'x',
};

test('mentions keyed by their ids are a list with the keys, in the service’s order', async () => {
  const mention = { b: MENTION, a: { ...MENTION, display_name: '' }, 'x.y/z': {} };
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'extraData.mention', mention));
  const { data, errors } = await graph.query(
    '{ queuedPosts(first: 1) { nodes { mentions { key mentionedId displayName mentionAccountId } } } }',
  );
  expect(errors).toEqual([]);
  expect(data.queuedPosts.nodes[0].mentions).toEqual([
    { key: 'b', mentionedId: '5', displayName: 'Aa', mentionAccountId: '1' },
    { key: 'a', mentionedId: '5', displayName: null, mentionAccountId: '1' },
    { key: 'x.y/z', mentionedId: null, displayName: null, mentionAccountId: null },
  ]);
});

test('tagged people keyed by the address of an image are a list; a key that is no address spoils itself alone', async () => {
  const addresses = ['https://p.example/a.jpg?token=1&x=2', 'https://p.example/secret/password.png'];
  const taggedPeople = Object.fromEntries(
    [...addresses, 'relative/key.png'].map((address, index) => [address, [{ username: `person ${index}` }]]),
  );
  graph.sandbox.faults.add(changingRecord('GET /library/list', 'content.taggedPeople', taggedPeople));
  const answer = await graph.query(
    '{ libraryItems(first: 1) { nodes { content { taggedPeople { imageUrl people } } } } }',
  );
  expect(errorsOf(answer)).toEqual([
    'libraryItems.nodes.0.content.taggedPeople.2.imageUrl UPSTREAM_MALFORMED',
  ]);
  expect(answer.data.libraryItems.nodes[0].content.taggedPeople).toEqual([
    { imageUrl: addresses[0], people: [{ username: 'person 0' }] },
    { imageUrl: addresses[1], people: [{ username: 'person 1' }] },
    { imageUrl: null, people: [{ username: 'person 2' }] },
  ]);
});

test('the copy of a content inside itself never shows', async () => {
  const original = { postDesc: 'An older copy', extraData: { original: { postDesc: 'An even older copy' } } };
  graph.sandbox.faults.add(changingRecord('GET /library/list', 'content.extraData.original', original));
  const { data, errors } = await graph.query(
    '{ libraryItems(first: 1) { nodes { content { text title altTexts utmParameters boostParameters taggedPeople { people } } } } }',
  );
  expect(errors).toEqual([]);
  expect(JSON.stringify(data)).not.toContain('older copy');
});

test('UTM parameters of the library are the object that they came as', async () => {
  const utmParameters = {
    utm_source: { type: 'D', value: 'library' },
    utm_medium: { type: 'C', value: 'x' },
  };
  graph.sandbox.faults.add(changingRecord('GET /library/list', 'content.utmParameters', utmParameters));
  const { data } = await graph.query('{ libraryItems(first: 1) { nodes { content { utmParameters } } } }');
  expect(data.libraryItems.nodes).toEqual([{ content: { utmParameters } }]);
});

test('what the history lacks of a generation is null, not an error', async () => {
  const { data, errors } = await graph.query(
    '{ aiGenerations(first: 2) { nodes { createdAt creditsRemaining status } } }',
  );
  expect(errors).toEqual([]);
  expect(data.aiGenerations.nodes).toEqual([
    { createdAt: null, creditsRemaining: null, status: 'COMPLETE' },
    { createdAt: null, creditsRemaining: null, status: 'COMPLETE' },
  ]);
});

const SHAPES = [{ a: { b: { c: [1, 2, { d: null }] } } }, [1, 'two', null, [3]], 'text', 12.5, true];

test.each(SHAPES)('undocumented data keeps any shape, such as %o', async (shape) => {
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'spamData', shape));
  graph.sandbox.faults.add(changingRecord('GET /library/list', 'content.boostExtraParams', shape));
  graph.sandbox.faults.add(changing('GET /membership/plan/list', 'response.praposedPlans', [shape, shape]));
  const { data, errors } = await graph.query(
    '{ queuedPosts(first: 1) { nodes { spamData } } libraryItems(first: 1) { nodes { content { boostParameters } } } membership { proposedPlans } }',
  );
  expect(errors).toEqual([]);
  expect(data.queuedPosts.nodes).toEqual([{ spamData: shape }]);
  expect(data.libraryItems.nodes).toEqual([{ content: { boostParameters: shape } }]);
  expect(data.membership).toEqual({ proposedPlans: [shape, shape] });
});

test.each([
  ['', null],
  ['The location is blocked.', 'The location is blocked.'],
  ['<p>The channel has to be <b>reconnected</b>.</p>', 'The channel has to be reconnected.'],
  ['Fish &amp; chips &#8211; closed', 'Fish & chips – closed'],
  ['<script>alert(1)</script><div>Broken</div>', 'Broken'],
  ['<br/>', null],
])('a failure %o of a post reads %o', async (errorMsg, failureText) => {
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'errorMsg', errorMsg));
  const { data, errors } = await graph.query('{ queuedPosts(first: 1) { nodes { failureText } } }');
  expect(errors).toEqual([]);
  expect(data.queuedPosts.nodes).toEqual([{ failureText }]);
});

test('an account without a name, and one without an address, has none', async () => {
  const nameless = await startGraph();
  nameless.sandbox.faults.add(changingRecord('GET /posts/queued', 'accountUrl', ''));
  const { data, errors } = await nameless.query(
    '{ queuedPosts(first: 3) { nodes { account { displayName profileUrl } } } }',
  );
  expect(errors).toEqual([]);
  const [first, , third] = data.queuedPosts.nodes as { account: Record<string, string | null> }[];
  expect(first?.account['profileUrl']).toBeNull();
  expect(third?.account['displayName']).toBeNull();
});

test('nothing in a list, however it is written, is left out of the list', async () => {
  const address = 'https://pictures.example.com/a.jpg';
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'postImage', ['', address, null]));
  graph.sandbox.faults.add(changingRecord('GET /library/list', 'tags', ['', 'shop', null]));
  const { data, errors } = await graph.query(
    '{ queuedPosts(first: 1) { nodes { imageUrls } } libraryItems(first: 1) { nodes { tags } } }',
  );
  expect(errors).toEqual([]);
  expect(data.queuedPosts.nodes).toEqual([{ imageUrls: [address] }]);
  expect(data.libraryItems.nodes).toEqual([{ tags: ['shop'] }]);
});
