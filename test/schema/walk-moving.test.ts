import { expect, test } from 'vitest';
import { cases, isDeep } from '../support/depth.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { postJson } from '../support/raw-http.ts';
import { namesOf, walk, type Walkable, type Way, type Window } from '../support/walking.ts';

const QUEUE: Walkable = { field: 'queuedPosts', name: 'postId' };
const HISTORY: Walkable = { field: 'aiGenerations', name: 'contentId' };
const WAYS: readonly Way[] = ['forwards', 'backwards'];

const ownerOf = ({ sandbox }: RunningGraph) => sandbox.state.owner('harbour');
const queueOf = (graph: RunningGraph): string[] => ownerOf(graph).queue.map(({ postId }) => postId);
const historyOf = (graph: RunningGraph): string[] =>
  ownerOf(graph)
    .history.map(({ contentId }) => contentId)
    .toReversed();

/** Checks that the records that were there throughout came once each, in their order, and no record came twice. */
function expectNothingLost(windows: readonly Window[], way: Way, throughout: readonly string[]): void {
  const seen = namesOf(windows, way);
  expect(new Set(seen).size).toBe(seen.length);
  const stayed = new Set(throughout);
  expect(seen.filter((name) => stayed.has(name))).toEqual(throughout);
}

// How many records move between one window and the next, over and over.
const RHYTHMS = [[1], [3, 0, 10, 1], [50, 0, 0, 120], [7], [0, 0, 0, 300]];
const SMALL = cases(17, 7);
type Case = readonly [way: Way, size: number, rhythm: readonly number[]];
const ALL_CASES = WAYS.flatMap((way) =>
  [SMALL, 100].flatMap((size) => RHYTHMS.map((rhythm): Case => [way, size, rhythm])),
);
// Windows that fit into a page of the service and windows that don't, each in both directions. What moves how far is a
// question of the paging alone, which has properties of its own in test/paging.
const CASES: readonly Case[] = isDeep
  ? ALL_CASES
  : [
      ['forwards', SMALL, [3, 0, 10, 1]],
      ['backwards', SMALL, [7]],
      ['forwards', 100, [50, 0, 0, 120]],
      ['backwards', 100, [1]],
    ];
const stepOf = (rhythm: readonly number[], step: number): number => rhythm[step % rhythm.length] ?? 0;

/** A part of the queue, so that a walk by small windows stays short. */
const PART = '9';
const partOf = (graph: RunningGraph): string[] =>
  ownerOf(graph)
    .queue.filter(({ content }) => content.title.includes(PART))
    .map(({ postId }) => postId);

test.each(CASES)(
  'walked %s by %d while the queue drains by %o, no post that stays is lost or repeated',
  async (way, size, rhythm) => {
    const graph = await startGraph({ sandbox: { data: 'large' } });
    const list = size < 100 ? { ...QUEUE, args: `filter: { title: "${PART}" }` } : QUEUE;
    const windows = await walk(graph, list, {
      way,
      size,
      between: (step) => ownerOf(graph).drainQueue(stepOf(rhythm, step)),
    });
    expectNothingLost(windows, way, size < 100 ? partOf(graph) : queueOf(graph));
  },
);

// A history that grows as fast as it is read has no end.
const GROWING_STEPS = 12;

/** A graph before a history that is long enough for windows of a size, and short enough for a test. */
async function graphWithHistory(size: number): Promise<RunningGraph> {
  if (size === 100) return await startGraph({ sandbox: { data: 'large' } });
  const graph = await startGraph();
  ownerOf(graph).addHistory(150);
  return graph;
}

test.each(CASES)(
  'walked %s by %d while the history grows by %o at its top, no record is lost or repeated',
  async (way, size, rhythm) => {
    const graph = await graphWithHistory(size);
    const throughout = historyOf(graph);
    const grow = (step: number) => step <= GROWING_STEPS && ownerOf(graph).addHistory(stepOf(rhythm, step));
    const windows = await walk(graph, HISTORY, { way, size, between: grow });
    expectNothingLost(windows, way, throughout);
    expect(windows.every(({ pageInfo }) => !pageInfo.drifted)).toBe(true);
  },
);

test.each(WAYS)(
  'walked %s while as many posts come in as leave, no post that stays is lost or repeated',
  async (way) => {
    const graph = await startGraph();
    const posts = [{ type: 'original', postDesc: 'One more', instagramPostType: 'post' }];
    const loginIds = ownerOf(graph)
      .accounts.slice(0, 5)
      .map(({ loginId }) => loginId);
    const before = queueOf(graph);
    const exchange = async (step: number): Promise<void> => {
      if (step > 2) return;
      ownerOf(graph).drainQueue(5);
      await postJson(
        `${graph.sandbox.url}/posts/create`,
        { shareType: 0, loginIds, posts },
        graph.caller.key,
      );
    };
    const windows = await walk(graph, QUEUE, { way, size: 4, between: exchange });
    expect(windows.every(({ pageInfo }) => !pageInfo.drifted)).toBe(way === 'backwards');
    const after = new Set(queueOf(graph));
    expectNothingLost(
      windows,
      way,
      before.filter((name) => after.has(name)),
    );
  },
);

test('a window after a post that has left says that it drifted, and goes on with the first post that is left', async () => {
  const graph = await startGraph({ sandbox: { data: 'large' } });
  const [, second] = await walk(graph, QUEUE, {
    way: 'forwards',
    size: 100,
    between: (step) => step === 1 && ownerOf(graph).drainQueue(150),
  });
  expect(second?.pageInfo.drifted).toBe(true);
  expect(second?.names).toEqual(queueOf(graph).slice(0, 100));
});

test('a window before a post that has left says that it drifted, and is empty at the front', async () => {
  const graph = await startGraph();
  const { data } = await graph.query('{ queuedPosts(first: 5) { pageInfo { endCursor } } }');
  ownerOf(graph).drainQueue(8);
  const cursor: string = data.queuedPosts.pageInfo.endCursor;
  const again = await graph.query(
    `{ queuedPosts(last: 3, before: "${cursor}") { nodes { postId } pageInfo { drifted hasPreviousPage hasNextPage } } }`,
  );
  expect(again.errors).toEqual([]);
  expect(again.data.queuedPosts).toEqual({
    nodes: [],
    pageInfo: { drifted: true, hasPreviousPage: false, hasNextPage: true },
  });
});

test.each(WAYS)('accounts that come and go in the middle of a walk %s lose none that stays', async (way) => {
  const graph = await startGraph({ sandbox: { data: 'large' } });
  const owner = ownerOf(graph);
  const listed = () =>
    owner.accounts.filter(({ surfaces }) => surfaces.current).map(({ loginId }) => String(loginId));
  const before = listed();
  const change = (step: number): void => {
    owner.insertAccount(step * 3, { username: `Newcomer ${step}` });
    const gone = owner.accounts[120 + step];
    if (gone) owner.removeAccount(gone.loginId);
  };
  const windows = await walk(
    graph,
    { field: 'accounts', name: 'loginId' },
    { way, size: 20, between: change },
  );
  const after = new Set(listed());
  const throughout = before.filter((id) => after.has(id));
  expect(throughout.length).toBeGreaterThan(220);
  expectNothingLost(windows, way, throughout);
});

test('posts due together that trade places are not lost', async () => {
  const graph = await startGraph();
  const { data } = await graph.query('{ queuedPosts(first: 10) { edges { cursor node { postId } } } }');
  const edges = data.queuedPosts.edges as { cursor: string; node: { postId: string } }[];
  const rest = queueOf(graph).slice(10);
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'GET /posts/queued',
    times: 9,
    change: (answer) => {
      const { response } = answer as {
        response: { list: unknown[]; currentPage: number; pageLimit: number };
      };
      const at = (index: number): number => index - (response.currentPage - 1) * response.pageLimit;
      const [one, other] = [at(8), at(9)];
      if (one >= 0 && other < response.list.length)
        [response.list[one], response.list[other]] = [response.list[other], response.list[one]];
      return answer;
    },
  });
  const again = await graph.query(
    `{ queuedPosts(first: 20, after: "${edges[9]?.cursor}") { nodes { postId } pageInfo { drifted } } }`,
  );
  const names = (again.data.queuedPosts.nodes as { postId: string }[]).map(({ postId }) => postId);
  expect(names.slice(-rest.length)).toEqual(rest);
  expect(again.data.queuedPosts.pageInfo.drifted).toBe(false);
});
