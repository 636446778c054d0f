import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { changingRecord } from '../support/wire-changes.ts';
import { EXAMPLES, legacyAccount, legacyGroup, write } from '../support/writes.ts';

const QUEUE =
  '{ queuedPosts(last: 2) { nodes { postId text title linkUrl imageUrls account { loginId } } } }';

test('a status update waits in the queue that the current surface shows', async () => {
  const graph = await startGraph();
  const payload = await write(graph, 'createStatusUpdate', {
    ...EXAMPLES.createStatusUpdate,
    preview: {
      title: 'Timetable',
      url: 'https://ferry.example',
      imagePath: 'https://ferry.example/boat.jpg',
    },
  });
  expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [], replayed: false });
  const { data } = await graph.query(QUEUE);
  expect(data.queuedPosts.nodes[1]).toEqual({
    postId: payload['postId'],
    text: 'The ferry is late.',
    title: 'Timetable',
    linkUrl: 'https://ferry.example',
    imageUrls: ['https://ferry.example/boat.jpg'],
    account: { loginId: '410201' },
  });
});

test('a status update with an image shows the image', async () => {
  const graph = await startGraph();
  const imageUrl = 'https://pictures.example.com/ferry.jpg';
  const { postId } = await write(graph, 'createStatusUpdate', { ...EXAMPLES.createStatusUpdate, imageUrl });
  const { data } = await graph.query(QUEUE);
  expect(data.queuedPosts.nodes[1]).toMatchObject({ postId, imageUrls: [imageUrl], title: null });
});

test('a status update at once is published', async () => {
  const graph = await startGraph();
  await write(graph, 'createStatusUpdate', { ...EXAMPLES.createStatusUpdate, timing: { placement: 'NOW' } });
  const { published } = graph.sandbox.state.owner('harbour');
  expect(published.map(({ content }) => content.description)).toEqual(['The ferry is late.']);
});

test('a status update at a time waits for it', async () => {
  const graph = await startGraph();
  await write(graph, 'createStatusUpdate', {
    ...EXAMPLES.createStatusUpdate,
    timing: { scheduledAtLocal: '2031-05-20T13:05' },
  });
  const [made] = graph.sandbox.state.owner('harbour').queue.slice(-1);
  expect(made?.dueAt).toBe(Date.UTC(2031, 4, 20, 13, 5));
});

test('every account of a group gets it once, also one that is named beside the group', async () => {
  const graph = await startGraph();
  const { queue } = graph.sandbox.state.owner('harbour');
  await write(graph, 'createStatusUpdate', {
    text: 'Once each',
    accountIds: [legacyAccount(410_202)],
    accountGroupIds: [legacyGroup(5_101), legacyGroup(5_103)],
  });
  const made = graph.sandbox.state.owner('harbour').queue.filter((post) => !queue.includes(post));
  expect(made.map(({ account }) => account.loginId).toSorted((a, b) => a - b)).toEqual([
    410_201, 410_202, 410_203, 410_206, 410_207, 410_209,
  ]);
});

test('a group with a member without an id is refused, rather than left out of the update', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add(changingRecord('GET /oauth/groups', 'accounts.0.id', null));
  const payload = await write(graph, 'createStatusUpdate', {
    text: 'To all of them',
    accountGroupIds: [legacyGroup(5_101)],
  });
  expect([payload.outcome, payload.userErrors[0]?.code]).toEqual(['REJECTED', 'SURFACE_UNAVAILABLE']);
  expect(graph.sandbox.requests.count('POST /oauth/post/update')).toBe(0);
});

test('a token is enough, and a key does not take its place', async () => {
  const graph = await startGraph();
  const { caller } = graph;
  const first = await write(graph, 'createStatusUpdate', EXAMPLES.createStatusUpdate, {
    headers: caller.token,
  });
  expect(first.outcome).toBe('COMPLETED');
  const second = await write(graph, 'createStatusUpdate', EXAMPLES.createStatusUpdate, {
    headers: caller.key,
  });
  expect(second.userErrors[0]?.code).toBe('CREDENTIAL_MISSING');
  expect(graph.sandbox.requests.count('POST /oauth/post/update')).toBe(1);
});

test('an id that the service does not tell is null, and the update is made all the same', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'POST /oauth/post/update',
    change: () => ({ error: 0, msg: 'Done', is_break: false, data: { post_id: '' } }),
  });
  const payload = await write(graph, 'createStatusUpdate', EXAMPLES.createStatusUpdate);
  expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [], postId: null });
});
