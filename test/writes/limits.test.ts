import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { account, EXAMPLES, problemsOf, write, type WritePayload } from '../support/writes.ts';

const verdictOf = (payload: WritePayload): string[] => [payload.outcome, ...problemsOf(payload)];
const THREE = { ...EXAMPLES.createPost, accountIds: [account(410_201), account(410_202), account(410_203)] };

/** Leaves room for so many posts in the first owner's queue. */
function leaveRoomFor(graph: RunningGraph, count: number): void {
  const owner = graph.sandbox.state.owner('harbour');
  owner.queueLimit = owner.queue.length + count;
}

function answering(graph: RunningGraph, response: object): void {
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'POST /posts/create',
    change: () => ({ message: 'Success', response }),
  });
}

test('posts of which the plan lets some through are done in part', async () => {
  const graph = await startGraph();
  leaveRoomFor(graph, 2);
  const payload = await write(graph, 'createPost', THREE);
  expect(verdictOf(payload)).toEqual(['PARTIAL', 'LIMIT_REACHED']);
  expect(payload).toMatchObject({
    createdCount: 2,
    isScheduledLimitReached: true,
    customResponse: [{ loginId: 410_203, message: 'The scheduling queue is full.' }],
  });
  expect(payload['postIds']).toHaveLength(2);
  expect(payload.userErrors[0]).toMatchObject({
    message: 'The service created 2 posts for 3 accounts.',
    retryable: false,
  });
});

test('posts of which the plan lets none through are refused', async () => {
  const graph = await startGraph();
  leaveRoomFor(graph, 0);
  const payload = await write(graph, 'createPost', THREE);
  expect(verdictOf(payload)).toEqual(['REJECTED', 'LIMIT_REACHED']);
  expect(payload).toMatchObject({ createdCount: 0, postIds: [], isScheduledLimitReached: true });
});

test('a full queue does not keep a post from going out at once', async () => {
  const graph = await startGraph();
  leaveRoomFor(graph, 0);
  const payload = await write(graph, 'createPost', { ...THREE, timing: { placement: 'NOW' } });
  expect(verdictOf(payload)).toEqual(['COMPLETED']);
});

test.each([
  [
    'the flag alone',
    { postIds: ['1', '2', '3'], postScheduledLimitOver: true, postCreatedCount: 3 },
    'PARTIAL',
  ],
  ['fewer than one for each account', { postIds: ['1', '2'], postScheduledLimitOver: false }, 'PARTIAL'],
  ['a count below the accounts', { postIds: null, postCreatedCount: 1 }, 'PARTIAL'],
  ['a count as text', { postIds: [], postCreatedCount: '2' }, 'PARTIAL'],
  [
    'no post, without the flag',
    { postIds: [], postScheduledLimitOver: false, postCreatedCount: 0 },
    'REJECTED',
  ],
  ['no post by its ids alone', { postIds: [] }, 'REJECTED'],
])('%s tells of the limit', async (_, response, outcome) => {
  const graph = await startGraph();
  answering(graph, response);
  expect(verdictOf(await write(graph, 'createPost', THREE))).toEqual([outcome, 'LIMIT_REACHED']);
});

test('as many posts as accounts are enough, however many times they were asked for', async () => {
  const graph = await startGraph();
  answering(graph, { postIds: ['1', '2', '3'], postScheduledLimitOver: false, postCreatedCount: 3 });
  const timing = { scheduledAtLocal: ['2031-05-20T10:00', '2031-05-21T10:00'] };
  expect(verdictOf(await write(graph, 'createPost', { ...THREE, timing }))).toEqual(['COMPLETED']);
});

test('a scheduled post says for how many times it was asked', async () => {
  const graph = await startGraph();
  leaveRoomFor(graph, 1);
  const timing = { scheduledAtLocal: ['2031-05-20T10:00', '2031-05-21T10:00'] };
  const { userErrors } = await write(graph, 'createPost', { ...THREE, timing });
  expect(userErrors[0]?.message).toBe('The service created 1 post for 3 accounts at 2 times.');
});

test('a full queue refuses a status update in the service’s own words', async () => {
  const graph = await startGraph();
  leaveRoomFor(graph, 0);
  const payload = await write(graph, 'createStatusUpdate', EXAMPLES.createStatusUpdate);
  expect(verdictOf(payload)).toEqual(['REJECTED', 'UPSTREAM_REJECTED']);
  expect(payload.userErrors[0]?.message).toContain('The scheduling queue is full.');
});
