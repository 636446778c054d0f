import { expect, test } from 'vitest';
import { currentAccounts, harbour } from '../support/account-records.ts';
import { callsOf } from '../support/calls.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { postJson } from '../support/raw-http.ts';

/** A graph whose queue holds fifty posts on twelve accounts. */
async function graphWithFiftyPosts(): Promise<RunningGraph> {
  const graph = await startGraph();
  const posts = [{ type: 'original', postDesc: 'Once more', instagramPostType: 'post' }];
  const ids = currentAccounts(graph).map(({ loginId }) => loginId);
  for (const loginIds of [ids, ids, ids.slice(0, 1)]) {
    await postJson(`${graph.sandbox.url}/posts/create`, { shareType: 0, loginIds, posts }, graph.caller.key);
  }
  expect(harbour(graph).queue).toHaveLength(50);
  expect(new Set(harbour(graph).queue.map(({ account }) => account)).size).toBe(12);
  graph.sandbox.requests.clear();
  return graph;
}

/** What the queue itself tells of a post's account. */
const EMBEDDED = `id loginId displayName profileUrl avatarUrl color network platformCode platformId accessCode
  networkAccountId isFacebookAppInstalled isLocked isPaused health { needsReconnect }`;

test('a page of fifty queued posts with what the queue tells of their accounts costs one call', async () => {
  const graph = await graphWithFiftyPosts();
  const { data, errors } = await graph.query(
    `{ queuedPosts(first: 50) { totalCount nodes { id text scheduledAtLocal account { ${EMBEDDED} } } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.queuedPosts.nodes).toHaveLength(50);
  expect(callsOf(graph)).toEqual({ 'GET /posts/queued': 1 });
});

test('a page of fifty queued posts on twelve accounts with a field of the detail costs one call and twelve', async () => {
  const graph = await graphWithFiftyPosts();
  const { data, errors } = await graph.query(
    `{ queuedPosts(first: 50) { nodes { account { ${EMBEDDED} settingId postingSchedule { day } again: settingId } } } }`,
  );
  expect(errors).toEqual([]);
  const nodes = data.queuedPosts.nodes as { account: { settingId: string } }[];
  expect(nodes.map(({ account }) => account.settingId)).toEqual(
    harbour(graph).queue.map(({ account }) => account.settingId),
  );
  expect(callsOf(graph)).toEqual({ 'GET /posts/queued': 1, 'GET /accounts/view/{loginId}': 12 });
});

test('fields of the account list cost one scan of it for the whole page', async () => {
  const graph = await graphWithFiftyPosts();
  const { errors } = await graph.query(
    '{ queuedPosts(first: 50) { nodes { account { inboxCount pageId hasInbox } } } }',
  );
  expect(errors).toEqual([]);
  expect(callsOf(graph)).toEqual({ 'GET /posts/queued': 1, 'GET /accounts/list': 1 });
});

test('health.state of fifty posts’ accounts asks for the details that the flags leave open, each once', async () => {
  const graph = await graphWithFiftyPosts();
  const { errors } = await graph.query(
    '{ queuedPosts(first: 50) { nodes { account { health { state } } } } }',
  );
  expect(errors).toEqual([]);
  expect(callsOf(graph)).toEqual({ 'GET /posts/queued': 1, 'GET /accounts/view/{loginId}': 12 });
});

test('the same window under several names is read once', async () => {
  const graph = await graphWithFiftyPosts();
  const { errors } = await graph.query(
    `{ one: queuedPosts(first: 50) { totalCount } two: queuedPosts(first: 50) { nodes { text } }
       three: queuedPosts(first: 50) { edges { cursor } } }`,
  );
  expect(errors).toEqual([]);
  expect(callsOf(graph)).toEqual({ 'GET /posts/queued': 1 });
});

test('a title narrows the queue with one parameter of the service, and with nothing of its own', async () => {
  const graph = await graphWithFiftyPosts();
  const { data, errors } = await graph.query(
    '{ queuedPosts(first: 20, filter: { title: "MARKET of" }) { totalCount nodes { title } } }',
  );
  expect(errors).toEqual([]);
  expect(data.queuedPosts).toEqual({ totalCount: 1, nodes: [{ title: 'Last market of the month' }] });
  const [request] = graph.sandbox.requests.of('GET /posts/queued');
  expect(Object.fromEntries(request?.query ?? [])).toEqual({ page: '1', limit: '20', q: 'MARKET of' });
});
