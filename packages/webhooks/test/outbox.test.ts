import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openOutboxStore } from '../../../src/cli/watch.ts';
import { ConfigError } from '../../../src/config.ts';
import { temporaryFolder } from '../../../test/support/files.ts';
import { createSender, Delivery, type Attempt } from '../src/deliver.ts';
import { Outbox, type Known, type Message } from '../src/outbox.ts';
import { memoryStore } from './memory-store.ts';

const [FIRST, SECOND] = ['2030-01-01T00:00:01.000Z', '2030-01-01T00:00:02.000Z'];
const state = (observedAt: string, records: Readonly<Record<string, object | null>> = {}) => ({
  observedAt,
  records: new Map(Object.entries(records) as [string, Record<string, unknown> | null][]),
});
const shown = (known: Known | null) =>
  known && { observedAt: known.observedAt, records: Object.fromEntries(known.records) };
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
    return (outbox = await Outbox.open(await openOutboxStore(folder)));
  };
}

test('after a restart the records of a list are known as they were last seen', async () => {
  const open = await outboxes();
  const first = await open();
  expect(first.known('queue')).toBeNull();
  await first.record('queue', state(FIRST, { a: { id: 'a' }, b: { id: 'b' } }), []);
  await first.record('queue', state(SECOND, { a: null, b: { id: 'b', text: 'B' }, c: { id: 'c' } }), []);
  const second = await open();
  expect(shown(second.known('queue'))).toEqual({
    observedAt: SECOND,
    records: { b: { id: 'b', text: 'B' }, c: { id: 'c' } },
  });
  expect(second.known('account_health')).toBeNull();
});

test('messages wait for the next process in their order, and what comes then follows them', async () => {
  const open = await outboxes();
  const first = await open();
  await first.record('queue', state(FIRST), messages('queue a', ['1', '2']));
  const second = await open();
  const [gone] = [...second.pending];
  await second.done(gone?.id ?? '');
  await second.record('queue', state(SECOND), messages('queue a', ['3']));
  expect(idsIn(await open())).toEqual(['2', '3']);
});

test('lists recorded at the same moment lose none of their messages', async () => {
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
  expect(shown(second.known('account_health'))).toEqual({ observedAt: SECOND, records: { a: { id: 'b' } } });
});

test('what an earlier version has stored of a list is removed, and its messages are delivered', async () => {
  const store = memoryStore();
  const [message] = messages('queue p1', ['1']);
  await store.write([
    { id: 'time queue', text: '1893456000000' },
    { id: 'item queue p1', text: '{"place":0,"facts":{"text":"\\"A\\""},"packed":{"postId":"p1"}}' },
    { id: 'item account health 410201', text: '{"place":0,"facts":{},"packed":{}}' },
    { id: 'message 000000000000007', text: JSON.stringify(message) },
  ]);
  const outbox = await Outbox.open(store);
  expect([outbox.known('queue'), idsIn(outbox)]).toEqual([null, ['1']]);
  expect([...store.texts.keys()]).toEqual(['message 000000000000007']);
  await outbox.record('queue', state(FIRST), messages('queue p1', ['2']));
  expect([...outbox.pending].map(({ id }) => id)).toEqual([
    'message 000000000000007',
    'message 000000000000008',
  ]);
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

/** Sends a message to a receiver that answers so. */
async function attempt(status: number, headers: Readonly<Record<string, string>> = {}): Promise<Attempt> {
  const server = createServer((_request, response) => response.writeHead(status, headers).end());
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return await createSender(new URL(`http://127.0.0.1:${port}/`), SECRET)(MESSAGE);
}

test.each<[number, Readonly<Record<string, string>>, object]>([
  [204, {}, { outcome: 'delivered' }],
  [
    302,
    { location: 'http://127.0.0.1:9/elsewhere' },
    { outcome: 'failed', reason: 'the receiver returned HTTP 302', pauseMs: 0 },
  ],
  [410, {}, { outcome: 'gone', reason: 'the receiver returned HTTP 410' }],
  [503, { 'retry-after': '90' }, { outcome: 'failed', pauseMs: 90_000 }],
  [503, { 'retry-after': '19.7' }, { outcome: 'failed', pauseMs: 19_700 }],
  [503, { 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' }, { outcome: 'failed', pauseMs: 3_600_000 }],
  [503, { 'retry-after': 'soon' }, { outcome: 'failed', pauseMs: 0 }],
])('a receiver that answers %i with %j is understood', async (status, headers, expected) => {
  expect(await attempt(status, headers)).toMatchObject(expected);
});

/** An outbox with a message for each of these records, in this order. */
async function outboxWith(records: readonly string[]): Promise<Outbox> {
  const outbox = await Outbox.open(memoryStore());
  const waiting = records.flatMap((record, index) => messages(record, [`msg_${index + 1}`]));
  await outbox.record('queue', state(FIRST), waiting);
  return outbox;
}

/** A receiver that answers each message when the test says so. */
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
