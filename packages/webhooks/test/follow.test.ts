import { Kind, parse, visit } from 'graphql';
import { expect, test } from 'vitest';
import { WATCHED_POST_FIELDS } from '../../../src/watch/queue.ts';
import { follow } from '../src/follow.ts';
import type { Graph, GraphResult } from '../src/graph.ts';
import { accountHealth, queue, type FollowedList } from '../src/lists.ts';
import { Outbox, type Message, type OutboxStore } from '../src/outbox.ts';
import { memoryStore } from './memory-store.ts';

type Node = Readonly<Record<string, unknown>> | null;
type Errors = NonNullable<GraphResult['errors']>;

const post = (id: string, values: object = {}) => ({ id, postId: id, account: null, title: 'A', ...values });
const account = (id: string, needsReconnect: boolean | null, isPaused: boolean | null = false) => ({
  account: { id, loginId: id, displayName: `Account ${id}` },
  health: { isBlocked: false, isLocked: false, needsReconnect, isPaused },
});

let seconds = 0;
const EARLIER = '2030-01-01T00:00:00.000Z';

/** An event of the graph, each a second after the last one. */
const event = (kind: string, values: object = {}, errors: Errors = []): GraphResult => ({
  data: {
    event: {
      kind,
      observedAt: new Date(Date.parse(EARLIER) + (seconds += 1) * 1_000),
      lastSeenAt: kind === 'SNAPSHOT' ? null : EARLIER,
      isFollowedByChanges: kind === 'RESYNCED' ? false : null,
      ids: null,
      ...values,
    },
  },
  errors,
});

const unreadable = (...path: (string | number)[]): Errors => [{ message: 'It is odd.', path }];

/** Follows a list through these events, while its pages show these nodes; gives what is reported of it. */
async function reported(
  list: FollowedList,
  store: OutboxStore,
  { events, nodes }: { readonly events: readonly GraphResult[]; readonly nodes: readonly Node[] },
): Promise<Message[]> {
  const graph: Graph = {
    // Pages of two.
    execute: ({ variables }) => {
      const start = Number(variables?.['after'] ?? 0);
      const pageInfo = {
        hasNextPage: nodes.length > start + 2,
        endCursor: String(start + 2),
        drifted: false,
      };
      return Promise.resolve({ data: { list: { nodes: nodes.slice(start, start + 2), pageInfo } } });
    },
    subscribe: () =>
      Promise.resolve(
        (async function* stream() {
          await Promise.resolve();
          yield* events;
        })(),
      ),
  };
  const outbox = await Outbox.open(store);
  const { signal } = new AbortController();
  await follow(list, { graph, outbox, onAdded: () => undefined, signal });
  const messages = [...outbox.pending];
  for (const { id } of messages) await outbox.done(id);
  return messages.map(({ message }) => message);
}

const snapshotOf = (nodes: readonly Node[]) =>
  event('SNAPSHOT', { ids: nodes.flatMap((node) => (node ? [node['id']] : [])) });

/** Follows the queue from one start of the process to its end. */
const run = (store: OutboxStore, nodes: readonly Node[], events: readonly GraphResult[] = []) =>
  reported(queue, store, { nodes, events: [snapshotOf(nodes), ...events] });

test('the first start reports nothing; the next ones what has changed in between', async () => {
  const store = memoryStore();
  expect(await run(store, [post('p1'), post('p2'), post('p3')])).toEqual([]);
  const told = await run(store, [post('p2', { title: 'B' }), post('p3'), post('p4')]);
  expect(told).toMatchObject([
    { type: 'queue.left', data: { queuedPost: { postId: 'p1' } } },
    { type: 'queue.changed', data: { changedFields: ['title'], queuedPost: { postId: 'p2', title: 'B' } } },
    { type: 'queue.added', data: { queuedPost: { postId: 'p4' } } },
  ]);
  expect(told.every(({ timestamp, data }) => timestamp === data['observedAt'])).toBe(true);
  expect(await run(store, [post('p2', { title: 'B' }), post('p3'), post('p4')])).toEqual([]);
});

test('each event is reported once, also if the pages that were read at the start show it already', async () => {
  const store = memoryStore();
  await run(store, [post('p1'), post('p2')]);
  const nodes = [post('p1', { title: 'B' }), post('p3')];
  const told = await reported(queue, store, {
    nodes,
    events: [
      event('SNAPSHOT', { ids: ['p1', 'p2'] }),
      event('CHANGED', { queuedPost: post('p1', { title: 'B' }) }),
      event('LEFT', { queuedPost: post('p2') }),
      event('ADDED', { queuedPost: post('p3') }),
      event('CHANGED', { queuedPost: post('p3', { title: 'C' }) }),
    ],
  });
  expect(told.map(({ type, data }) => [type, data['queuedPost']])).toMatchObject([
    ['queue.changed', { postId: 'p1' }],
    ['queue.left', { postId: 'p2' }],
    ['queue.added', { postId: 'p3' }],
    ['queue.changed', { postId: 'p3' }],
  ]);
});

test('after a gap without single changes, the list is compared as a whole', async () => {
  const store = memoryStore();
  await run(store, [post('p1')]);
  const resynced = [event('RESYNCED', { ids: ['p1', 'p2'] })];
  const told = await reported(queue, store, { nodes: [post('p1'), post('p2')], events: resynced });
  expect(told).toMatchObject([{ type: 'queue.added', data: { lastSeenAt: EARLIER } }]);
  const followed = [event('RESYNCED', { ids: [], isFollowedByChanges: true })];
  expect(await reported(queue, store, { nodes: [], events: followed })).toEqual([]);
});

test('a post whose id can’t be read after a restart is not reported as gone, and one that left is', async () => {
  const store = memoryStore();
  await run(store, [post('p1'), post('p2')]);
  const added = event('ADDED', { queuedPost: post('p3') });
  // After the next event, the list has to be followed again.
  const later = event('ADDED', { queuedPost: post('p4') });
  const told = await run(store, [post('p1'), null], [added, later]);
  expect(told).toMatchObject([{ type: 'queue.added', data: { queuedPost: { postId: 'p3' } } }]);
  expect(await run(store, [post('p1'), post('p3')])).toMatchObject([
    { type: 'queue.left', data: { queuedPost: { postId: 'p2' } } },
  ]);
});

/** Follows the queue through changes of its posts alone, whose fields can be read but for those of the errors. */
const changes = (store: OutboxStore, posts: readonly Node[], errors: Errors = []) =>
  reported(queue, store, {
    nodes: [],
    events: posts.map((queuedPost) => event('CHANGED', { queuedPost }, errors)),
  });

test('a field that can’t be read is no change, and is sent as it was', async () => {
  const store = memoryStore();
  const place = { placeId: '1', name: 'Quay' };
  const [ann, bob] = [
    { key: 'a', name: 'Ann' },
    { key: 'b', name: 'Bob' },
  ];
  const whole = { text: 'T', place, mentions: [ann, bob] };
  await run(store, [post('p1', whole)]);
  const odd = { text: null, place: { ...place, name: null }, mentions: [{ ...bob, name: null }, ann] };
  const errors = [['text'], ['place', 'name'], ['mentions', 0, 'name']].flatMap((path) =>
    unreadable('event', 'queuedPost', ...path),
  );
  const told = await changes(store, [post('p1', odd), post('p1', { ...odd, title: 'B' })], errors);
  expect(told).toMatchObject([{ data: { changedFields: ['title'], queuedPost: whole } }]);
  const gone = await changes(store, [post('p1', { ...whole, title: 'B', place: null })]);
  expect(gone).toMatchObject([{ data: { changedFields: ['place'], queuedPost: { place: null } } }]);
});

test('a field that can be read for the first time is no change, but later changes of it are', async () => {
  const store = memoryStore();
  await run(store, [post('p1')]);
  const told = await changes(store, [post('p1', { text: 'T' }), post('p1', { text: 'U' })]);
  expect(told).toMatchObject([{ data: { changedFields: ['text'], queuedPost: { text: 'U' } } }]);
});

const health = (accounts: readonly ReturnType<typeof account>[]) =>
  event('SNAPSHOT', { ids: accounts.map(({ account: { id } }) => id), accounts });
const nodesOf = (accounts: readonly ReturnType<typeof account>[]) =>
  accounts.map(({ account: { id } }) => ({ id }));

test('what was known of the health of an account counts until it is known again', async () => {
  const store = memoryStore();
  const before = [account('1', false), account('2', true), account('3', false)];
  await reported(accountHealth, store, { nodes: nodesOf(before), events: [health(before)] });
  const after = [account('1', null), account('2', null, true), account('4', null)];
  const told = await reported(accountHealth, store, {
    nodes: nodesOf(after),
    events: [
      health(after),
      event('HEALTH_CHANGED', { account: account('1', null).account, after: account('1', false).health }),
      event('HEALTH_CHANGED', { account: account('1', null).account, after: account('1', true).health }),
    ],
  });
  const healthy = {
    state: 'HEALTHY',
    isBlocked: false,
    isLocked: false,
    needsReconnect: false,
    isPaused: false,
  };
  const ill = { ...healthy, state: 'NEEDS_RECONNECT', needsReconnect: true };
  const unknown = { ...healthy, state: 'UNKNOWN', needsReconnect: null };
  expect(told.map(({ type, data }) => ({ type, ...data }))).toMatchObject([
    { type: 'account_health.left', account: { loginId: '3' }, before: healthy, after: null },
    {
      type: 'account_health.changed',
      account: { loginId: '2', displayName: 'Account 2' },
      before: ill,
      after: { ...ill, isPaused: true },
    },
    { type: 'account_health.added', account: { loginId: '4' }, before: null, after: unknown },
    { type: 'account_health.changed', account: { loginId: '1' }, before: healthy, after: ill },
  ]);
});

test('an account that becomes known to need a reconnection is reported, also if nothing was known of it', async () => {
  const store = memoryStore();
  const before = [account('1', null)];
  await reported(accountHealth, store, { nodes: nodesOf(before), events: [health(before)] });
  const events = [event('HEALTH_CHANGED', { account: before[0]?.account, after: account('1', true).health })];
  expect(await reported(accountHealth, store, { nodes: [], events })).toMatchObject([
    { data: { before: { state: 'UNKNOWN' }, after: { state: 'NEEDS_RECONNECT' } } },
  ]);
});

test('a list that can’t be followed or read fails with the code of the error', async () => {
  const errors = [{ message: 'No.', extensions: { code: 'SCAN_LIMIT_REACHED' } }];
  const following = reported(queue, memoryStore(), {
    nodes: [],
    events: [{ data: { event: null }, errors }],
  });
  await expect(following).rejects.toMatchObject({ code: 'SCAN_LIMIT_REACHED', message: 'No.' });
});

test('every field of a post whose changes the server reports is followed', () => {
  let fields: string[] = [];
  visit(parse(queue.events), {
    Field({ name, selectionSet }) {
      const selected = selectionSet?.selections ?? [];
      if (name.value === 'queuedPost')
        fields = selected.flatMap((one) => (one.kind === Kind.FIELD ? [one.name.value] : []));
    },
  });
  expect(fields).toEqual(['id', 'postId', 'account', ...Object.keys(WATCHED_POST_FIELDS)]);
});
