import { createServer } from 'node:http';
import { Kind, parse, visit } from 'graphql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openOutboxStore } from '../../../src/cli/watch.ts';
import { ConfigError } from '../../../src/config.ts';
import { WATCHED_POST_FIELDS } from '../../../src/watch/queue.ts';
import { listen } from '../../../test/support/attack-page.ts';
import { temporaryFolder } from '../../../test/support/files.ts';
import { freePort } from '../../../test/support/network.ts';
import { createSender, Delivery, type Attempt } from '../src/deliver.ts';
import { follow } from '../src/follow.ts';
import type { Graph, GraphResult } from '../src/graph.ts';
import { accountHealth, queue, type FollowedList } from '../src/lists.ts';
import { Outbox, type Message, type OutboxStore } from '../src/outbox.ts';

function memoryStore(): OutboxStore {
  const texts = new Map<string, string>();
  return {
    texts,
    write(changes) {
      for (const { id, text } of changes) {
        if (text === null) texts.delete(id);
        else texts.set(id, text);
      }
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

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
      const hasNextPage = nodes.length > start + 2;
      const pageInfo = { hasNextPage, endCursor: String(start + 2), drifted: false };
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
  const outbox = new Outbox(store);
  const { signal } = new AbortController();
  await follow(list, { graph, outbox, onAdded: () => undefined, signal });
  const messages = [...outbox.pending];
  for (const { id } of messages) await outbox.done(id);
  return messages.map(({ message }) => message);
}

const snapshotOf = (nodes: readonly Node[]) =>
  event('SNAPSHOT', { ids: nodes.flatMap((node) => (node ? [node['id']] : [])) });

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
  const left = { type: 'queue.left', data: { queuedPost: { postId: 'p2' } } };
  expect(await run(store, [post('p1'), post('p3')])).toMatchObject([left]);
});

/** Follows the queue through changes of its posts alone, whose fields can be read but for those of the errors. */
const changes = (store: OutboxStore, posts: readonly Node[], errors: Errors = []) => {
  const events = posts.map((queuedPost) => event('CHANGED', { queuedPost }, errors));
  return reported(queue, store, { nodes: [], events });
};

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

type Account = ReturnType<typeof account>;

/** Follows the health of these accounts, and then through these events. */
function runHealth(store: OutboxStore, accounts: readonly Account[], events: readonly GraphResult[] = []) {
  const ids = accounts.map(({ account: { id } }) => id);
  const snapshot = event('SNAPSHOT', { ids, accounts });
  return reported(accountHealth, store, { nodes: ids.map((id) => ({ id })), events: [snapshot, ...events] });
}

test('what was known of the health of an account counts until it is known again', async () => {
  const store = memoryStore();
  await runHealth(store, [account('1', false), account('2', true), account('3', false)]);
  const after = [account('1', null), account('2', null, true), account('4', null)];
  const told = await runHealth(store, after, [
    event('HEALTH_CHANGED', { account: account('1', null).account, after: account('1', false).health }),
    event('HEALTH_CHANGED', { account: account('1', null).account, after: account('1', true).health }),
  ]);
  const fine = { isBlocked: false, isLocked: false, needsReconnect: false, isPaused: false };
  const healthy = { state: 'HEALTHY', ...fine };
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
  const before = account('1', null);
  await runHealth(store, [before]);
  const events = [event('HEALTH_CHANGED', { account: before.account, after: account('1', true).health })];
  expect(await reported(accountHealth, store, { nodes: [], events })).toMatchObject([
    { data: { before: { state: 'UNKNOWN' }, after: { state: 'NEEDS_RECONNECT' } } },
  ]);
});

test('a list that can’t be followed or read fails with the code of the error', async () => {
  const errors = [{ message: 'No.', extensions: { code: 'SCAN_LIMIT_REACHED' } }];
  const events = [{ data: { event: null }, errors }];
  const following = reported(queue, memoryStore(), { nodes: [], events });
  const failure = { code: 'SCAN_LIMIT_REACHED', message: 'No.' };
  await expect(following).rejects.toMatchObject(failure);
  const refusing: Graph = {
    execute: () => Promise.reject(new Error('the pages are not read')),
    subscribe: () => Promise.resolve({ errors }),
  };
  const outbox = new Outbox(memoryStore());
  const { signal } = new AbortController();
  const options = { graph: refusing, outbox, onAdded: () => undefined, signal };
  await expect(follow(queue, options)).rejects.toMatchObject(failure);
});

test('changes are not recorded while ten thousand messages wait, and an event without a record is none', async () => {
  const store = memoryStore();
  await run(store, [post('p1')]);
  expect(await changes(store, [null])).toEqual([]);
  const outbox = new Outbox(store);
  const waiting = Array.from({ length: 10_000 }, (_none, index) => String(index));
  await outbox.record('queue', state(FIRST), messages('queue p1', waiting));
  await expect(run(store, [post('p1', { title: 'B' })])).rejects.toThrow('10000 messages are waiting');
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

// What is to be delivered.

const [FIRST, SECOND] = ['2030-01-01T00:00:01.000Z', '2030-01-01T00:00:02.000Z'];
const state = (observedAt: string, records: Readonly<Record<string, object | null>> = {}) => ({
  observedAt,
  records: new Map(Object.entries(records) as [string, Record<string, unknown> | null][]),
});
const messages = (record: string, ids: readonly string[]) =>
  ids.map((id) => ({ record, message: { id, type: 'any', timestamp: '', data: {} } }));
const idsIn = ({ pending }: Outbox): string[] => [...pending].map(({ message }) => message.id);

/** Outboxes on disk that one process after the other opens. */
async function outboxes() {
  const folder = await temporaryFolder();
  let outbox: Outbox | undefined;
  onTestFinished(() => outbox?.close());
  return async (): Promise<Outbox> => {
    await outbox?.close();
    return (outbox = new Outbox(await openOutboxStore(folder)));
  };
}

test('lists recorded at the same moment lose none of their messages, which a restart leaves in order', async () => {
  const open = await outboxes();
  const first = await open();
  await Promise.all([
    first.record('queue', state(FIRST), messages('queue', ['1', '2'])),
    first.record('account_health', state(FIRST, { a: { id: 'a' } }), messages('health', ['3'])),
    first.record('queue', state(SECOND), messages('queue', ['4'])),
    first.record('account_health', state(SECOND, { a: { id: 'b' } }), messages('health', ['5', '6'])),
  ]);
  expect(idsIn(first)).toEqual(['1', '2', '3', '4', '5', '6']);
  const second = await open();
  expect(idsIn(second)).toEqual(['1', '2', '3', '4', '5', '6']);
  const records = new Map([['a', { id: 'b' }]]);
  expect(second.known('account_health')).toEqual({ observedAt: SECOND, records });
  await second.record('queue', state(SECOND), messages('queue', ['7', '8', '9', '10']));
  expect(idsIn(await open())).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
});

test('an outbox that cannot be written to says which setting names its folder', async () => {
  const outbox = await (await outboxes())();
  await outbox.close();
  const record = outbox.record('queue', state(FIRST), []);
  await expect(record).rejects.toThrow(ConfigError);
  await expect(record).rejects.toThrow(/^.*DATA_DIR: cannot be written: /s);
});

const SECRET = `whsec_${Buffer.alloc(32, 'of the tests only').toString('base64')}`;

const MESSAGE = { id: 'msg_1', type: 'queue.added', timestamp: new Date(0).toISOString(), data: {} };

async function attempt(status: number, headers: Readonly<Record<string, string>> = {}): Promise<Attempt> {
  const url = await listen(createServer((_request, response) => response.writeHead(status, headers).end()));
  return await createSender(new URL(url), SECRET)(MESSAGE);
}

const ELSEWHERE = { location: 'http://127.0.0.1:9/elsewhere' };

test.each<[number, Readonly<Record<string, string>>, object]>([
  [204, {}, { outcome: 'delivered' }],
  [302, ELSEWHERE, { outcome: 'failed', reason: 'the receiver returned HTTP 302', pauseMs: 0 }],
  [410, {}, { outcome: 'gone', reason: 'the receiver returned HTTP 410' }],
  [503, { 'retry-after': '90' }, { outcome: 'failed', pauseMs: 90_000 }],
  [503, { 'retry-after': '19.7' }, { outcome: 'failed', pauseMs: 19_700 }],
  [503, { 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' }, { outcome: 'failed', pauseMs: 3_600_000 }],
  [503, { 'retry-after': 'soon' }, { outcome: 'failed', pauseMs: 0 }],
])('a receiver that answers %i with %j is understood', async (status, headers, expected) => {
  expect(await attempt(status, headers)).toMatchObject(expected);
});

test('a receiver that cannot be reached is one that failed', async () => {
  const send = createSender(new URL(`http://127.0.0.1:${await freePort()}`), SECRET);
  const reason = expect.stringContaining('ECONNREFUSED');
  expect(await send(MESSAGE)).toEqual({ outcome: 'failed', reason, pauseMs: 0 });
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort(new Error('too slow')));
  expect(await send(MESSAGE)).toEqual({ outcome: 'failed', reason: 'too slow', pauseMs: 0 });
});

async function outboxWith(records: readonly string[]): Promise<Outbox> {
  const outbox = new Outbox(memoryStore());
  const waiting = records.flatMap((record, index) => messages(record, [`msg_${index + 1}`]));
  await outbox.record('queue', state(FIRST), waiting);
  return outbox;
}

function heldReceiver() {
  const sent: { readonly id: string; readonly answer: (attempt: Attempt) => void }[] = [];
  const send = ({ id }: Message) => new Promise<Attempt>((answer) => sent.push({ id, answer }));
  return { sent, send, ids: () => sent.map(({ id }) => id) };
}

const FAILED = { outcome: 'failed', reason: 'busy', pauseMs: 0 } as const;
const DELIVERED = { outcome: 'delivered' } as const;

test('eight messages are under way at most, and of one record only the first', async () => {
  const { sent, send, ids } = heldReceiver();
  const records = ['a', 'a', ...Array.from({ length: 9 }, (_none, index) => `b${index}`)];
  const outbox = await outboxWith(records);
  const delivery = new Delivery(outbox, { send, onFailure: vi.fn(), onGone: vi.fn() });
  const first = ['msg_1', ...Array.from({ length: 7 }, (_none, index) => `msg_${index + 3}`)];
  expect(ids()).toEqual(first);
  delivery.look();
  expect(ids()).toEqual(first);
  sent[0]?.answer(DELIVERED);
  await vi.waitFor(() => expect(ids()).toEqual([...first, 'msg_2']), { interval: 2 });
  const stopped = delivery.stop();
  for (const { answer } of sent) answer(DELIVERED);
  await stopped;
  // Those that were under way count as delivered; no other one has been begun.
  expect([...outbox.pending].map(({ message }) => message.id)).toEqual(['msg_10', 'msg_11']);
  expect(sent).toHaveLength(9);
});

test('what fails is told with the number of attempts, and after the end waits for another process', async () => {
  const { sent, send } = heldReceiver();
  const outbox = await outboxWith(['a']);
  const onFailure = vi.fn<(pending: object, failure: Attempt & { attempts: number }) => void>();
  const delivery = new Delivery(outbox, { send, onFailure, onGone: vi.fn(), firstPauseMs: 1 });
  sent[0]?.answer(FAILED);
  await vi.waitFor(() => expect(sent).toHaveLength(2), { interval: 2 });
  const stopped = delivery.stop();
  sent[1]?.answer(FAILED);
  await stopped;
  expect(onFailure.mock.calls.map(([, failure]) => failure)).toEqual([
    { ...FAILED, attempts: 1 },
    { ...FAILED, attempts: 2 },
  ]);
  expect(outbox.size).toBe(1);
});

test('a receiver that asks for a longer pause is not tried again before it is over', async () => {
  const { sent, send } = heldReceiver();
  const outbox = await outboxWith(['a']);
  const delivery = new Delivery(outbox, { send, onFailure: vi.fn(), onGone: vi.fn(), firstPauseMs: 1 });
  const failedAt = performance.now();
  sent[0]?.answer({ ...FAILED, pauseMs: 100 });
  await vi.waitFor(() => expect(sent).toHaveLength(2), { interval: 2 });
  // Timers may fire a millisecond early.
  expect(performance.now() - failedAt).toBeGreaterThanOrEqual(99);
  sent[1]?.answer(DELIVERED);
  await delivery.stop();
  expect(outbox.size).toBe(0);
});

test('a message for a receiver that wants none stays where it is, and its record is not tried again', async () => {
  const { sent, send } = heldReceiver();
  const outbox = await outboxWith(['a', 'a']);
  const onGone = vi.fn();
  const delivery = new Delivery(outbox, { send, onFailure: vi.fn(), onGone });
  sent[0]?.answer({ outcome: 'gone', reason: 'the receiver returned HTTP 410' });
  await vi.waitFor(() => expect(onGone).toHaveBeenCalledExactlyOnceWith('the receiver returned HTTP 410'));
  delivery.look();
  await delivery.stop();
  expect([sent.length, outbox.size]).toEqual([1, 2]);
});
