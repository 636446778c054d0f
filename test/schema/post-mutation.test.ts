import { expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { startGraph } from '../support/graph.ts';
import { account, EXAMPLES, verdictOf, write } from '../support/writes.ts';

const QUEUE = `{ queuedPosts(first: 100) { totalCount nodes {
  postId text title linkUrl longText comment tagIds instagramPostType scheduledAt
  place { placeId name } mentions { key name } account { loginId }
} } }`;

test('a post by the queue stands at its end, with its content', async () => {
  const graph = await startGraph();
  const { data: before } = await graph.query(QUEUE);
  const payload = await write(graph, 'createPost', {
    ...EXAMPLES.createPost,
    variants: [
      {
        variant: 'ORIGINAL',
        text: 'Doors at seven.',
        comment: 'First!',
        tagIds: ['7', '12'],
        instagramPostType: 'STORY',
        place: { placeId: 'p1', name: 'Net Loft Lane' },
        mentions: [{ key: '@[1]', name: 'Ottoline' }],
      },
    ],
  });
  expect(payload).toMatchObject({
    outcome: 'COMPLETED',
    userErrors: [],
    replayed: false,
    createdCount: 1,
    isScheduledLimitReached: false,
    customResponse: [],
    message: 'Posts accepted.',
  });
  const { data: after } = await graph.query(QUEUE);
  expect(after.queuedPosts.totalCount).toBe(before.queuedPosts.totalCount + 1);
  expect(after.queuedPosts.nodes.at(-1)).toMatchObject({
    postId: (payload['postIds'] as string[])[0],
    text: 'Doors at seven.',
    comment: 'First!',
    tagIds: ['7', '12'],
    instagramPostType: 'STORY',
    place: { placeId: 'p1', name: 'Net Loft Lane' },
    mentions: [{ key: '@[1]', name: 'Ottoline' }],
    account: { loginId: String(landmarks.plainId) },
  });
});

test('each account gets the variant of its network, and the original where there is none', async () => {
  const graph = await startGraph();
  await write(graph, 'createPost', {
    accountIds: [account(410_201), account(410_206), account(410_208)],
    timing: { placement: 'QUEUE' },
    variants: [
      { variant: 'ORIGINAL', text: 'For all' },
      { variant: 'FACEBOOK', text: 'For Facebook' },
      { variant: 'GOOGLE_BUSINESS', title: 'Hours', linkUrl: 'https://kelpgate.example', longText: 'Long' },
    ],
  });
  const { data } = await graph.query(QUEUE);
  const made = data.queuedPosts.nodes.slice(-3) as { readonly account: { readonly loginId: string } }[];
  expect(Object.fromEntries(made.map((post) => [post.account.loginId, post]))).toMatchObject({
    410201: { text: 'For Facebook' },
    410206: { title: 'Hours', linkUrl: 'https://kelpgate.example', longText: 'Long' },
    410208: { text: 'For all' },
  });
});

test('a post that goes out next stands before all others', async () => {
  const graph = await startGraph();
  const { postIds: ids } = await write(graph, 'createPost', {
    ...EXAMPLES.createPost,
    timing: { placement: 'NEXT' },
  });
  const { data } = await graph.query(QUEUE);
  expect([data.queuedPosts.nodes[0].postId]).toEqual(ids);
});

test('a post at once is published, and never shows up in the queue', async () => {
  const graph = await startGraph();
  const { postIds: ids } = await write(graph, 'createPost', {
    ...EXAMPLES.createPost,
    timing: { placement: 'NOW' },
  });
  const { data } = await graph.query(QUEUE);
  const waiting = (data.queuedPosts.nodes as { readonly postId: string }[]).map(({ postId }) => postId);
  expect(waiting).not.toContain((ids as string[])[0]);
  expect(graph.sandbox.state.owner('harbour').published.map(({ postId }) => postId)).toEqual(ids);
});

test('a post at given times is made once for each time', async () => {
  const graph = await startGraph({ environment: { SERVICE_TIME_ZONE: 'UTC' } });
  const { createdCount } = await write(graph, 'createPost', {
    ...EXAMPLES.createPost,
    timing: { scheduledAtLocal: ['2031-05-20T00:00', '2031-05-20T13:05'] },
  });
  expect(createdCount).toBe(2);
  const { data } = await graph.query(QUEUE);
  const last = (data.queuedPosts.nodes as { readonly scheduledAt: string }[]).slice(-2);
  expect(last.map(({ scheduledAt }) => scheduledAt)).toEqual([
    '2031-05-20T00:00:00.000Z',
    '2031-05-20T13:05:00.000Z',
  ]);
});

test('a post at instants waits for them by the service’s own clock', async () => {
  const graph = await startGraph({
    environment: { SERVICE_TIME_ZONE: 'Asia/Kolkata' },
    sandbox: { quirks: { utcOffsetMinutes: 330 } },
  });
  await write(graph, 'createPost', {
    ...EXAMPLES.createPost,
    timing: { scheduledAt: ['2031-05-20T06:30:00+02:00'] },
  });
  const [made] = graph.sandbox.state.owner('harbour').queue.slice(-1);
  expect(made?.dueAt).toBe(Date.UTC(2031, 4, 20, 4, 30));
});

test('an account that the current surface does not have is the service’s to refuse', async () => {
  const graph = await startGraph();
  const payload = await write(graph, 'createPost', { ...EXAMPLES.createPost, accountIds: [account(999)] });
  expect(verdictOf(payload)).toEqual(['REJECTED', 'UPSTREAM_REJECTED']);
  expect(payload.userErrors[0]?.message).toContain(
    'loginIds must contain ids of your accounts; 999 is not one.',
  );
});

test('a post needs the key of the current surface, and a token does not take its place', async () => {
  const graph = await startGraph();
  const options = { headers: graph.caller.token };
  const payload = await write(graph, 'createPost', EXAMPLES.createPost, options);
  expect(verdictOf(payload)).toEqual(['REJECTED', 'CREDENTIAL_MISSING']);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a post is validated without sending anything that has an effect', async () => {
  const graph = await startGraph();
  const VALIDATE = `query ($input: CreatePostInput!) { validatePost(input: $input) {
    isValid userErrors { code path } accounts { loginId }
  } }`;
  const input = {
    ...EXAMPLES.createPost,
    accountIds: [account(), account(landmarks.blockedId), account(999)],
    timing: { scheduledAtLocal: ['2020-01-01T10:00'] },
  };
  const { data, errors } = await graph.query(VALIDATE, { variables: { input } });
  expect(errors).toEqual([]);
  expect(data.validatePost).toEqual({
    isValid: false,
    userErrors: [
      { code: 'INVALID_INPUT', path: ['input', 'timing', 'scheduledAtLocal', '0'] },
      { code: 'ACCOUNT_UNAVAILABLE', path: ['input', 'accountIds', '1'] },
      { code: 'UNKNOWN_ACCOUNT', path: ['input', 'accountIds', '2'] },
    ],
    accounts: [{ loginId: String(landmarks.plainId) }, { loginId: String(landmarks.blockedId) }, null],
  });
  expect(graph.sandbox.requests.count('POST /posts/create')).toBe(0);
  const good = await graph.query(VALIDATE, { variables: { input: EXAMPLES.createPost } });
  expect(good.data.validatePost).toMatchObject({ isValid: true, userErrors: [] });
});
