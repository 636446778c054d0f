import { expect, test } from 'vitest';
import { createOutbox, type Command } from '../../src/coordination/redis/outbox.ts';
import { RedisAway } from '../../src/coordination/redis/state.ts';

const named =
  (name: string): Command =>
  () =>
    Promise.resolve(name);

test('what is kept while the outbox is flushed is done as well', async () => {
  const outbox = createOutbox();
  const done: unknown[] = [];
  outbox.keep('first', named('first'), 1);
  await outbox.flush(async (command) => {
    const name = await command(undefined as never);
    if (name === 'first') outbox.keep('second', named('second'), 1);
    done.push(name);
  });
  expect(done).toEqual(['first', 'second']);
});

test('what replaces a command while that is run is done after it', async () => {
  const outbox = createOutbox();
  const done: unknown[] = [];
  outbox.keep('one', named('earlier'), 1);
  await outbox.flush(async (command) => {
    const name = await command(undefined as never);
    if (name === 'earlier') outbox.keep('one', named('later'), 1);
    done.push(name);
  });
  expect(done).toEqual(['earlier', 'later']);
});

test('what is left when Redis goes away again is done the next time', async () => {
  const outbox = createOutbox();
  for (const name of ['a', 'b', 'c']) outbox.keep(name, named(name), 1);
  const away = new RedisAway('away', { mayHaveArrived: false });
  await expect(outbox.flush(() => Promise.reject(away))).rejects.toBe(away);
  const done: unknown[] = [];
  await outbox.flush(async (command) => void done.push(await command(undefined as never)));
  expect(new Set(done)).toEqual(new Set(['a', 'b', 'c']));
});
