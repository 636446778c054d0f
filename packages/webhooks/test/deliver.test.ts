import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSender, Delivery, type Attempt } from '../src/deliver.ts';
import { Outbox, type Message } from '../src/outbox.ts';
import { memoryStore } from './memory-store.ts';

const SECRET = `whsec_${Buffer.alloc(32, 'of the tests only').toString('base64')}`;

const MESSAGE = { id: 'msg_1', type: 'queue.added', timestamp: new Date(0).toISOString(), data: {} };

/** Sends a message to a receiver that answers so. */
async function attempt(status: number, headers: Readonly<Record<string, string>> = {}): Promise<Attempt> {
  const server = createServer((_request, response) => response.writeHead(status, headers).end()).listen(
    0,
    '127.0.0.1',
  );
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return await createSender(new URL(`http://127.0.0.1:${port}/`), SECRET)(MESSAGE);
}

test.each([
  ['90', 90_000],
  ['19.7', 19_700],
  ['Fri, 01 Jan 2100 00:00:00 GMT', 3_600_000],
  ['soon', 0],
])('a receiver that asks for a pause with %j gets it, up to an hour', async (retryAfter, pauseMs) => {
  expect(await attempt(503, { 'retry-after': retryAfter })).toMatchObject({ outcome: 'failed', pauseMs });
});

test.each([
  [204, { outcome: 'delivered' }],
  [302, { outcome: 'failed', reason: 'the receiver returned HTTP 302', pauseMs: 0 }],
  [410, { outcome: 'gone', reason: 'the receiver returned HTTP 410' }],
])('what a receiver means by %i is understood', async (status, expected) => {
  expect(await attempt(status, { location: 'http://127.0.0.1:9/elsewhere' })).toEqual(expected);
});

/** An outbox with a message for each of these records, in this order. */
async function outboxWith(records: readonly string[]): Promise<Outbox> {
  const outbox = await Outbox.open(memoryStore());
  const messages = records.map((record, index) => ({
    record,
    message: { ...MESSAGE, id: `msg_${index + 1}` },
  }));
  await outbox.record('queue', { observedAt: '', records: new Map() }, messages);
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
