import { expect, onTestFinished, test } from 'vitest';
import { openOutboxStore } from '../../../src/cli/watch.ts';
import { ConfigError } from '../../../src/config.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { Outbox, type Known } from '../src/outbox.ts';
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
