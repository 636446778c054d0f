import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { expect, onTestFinished, test } from 'vitest';
import { openStore, Store, StoreOfAnotherFormat } from '../../src/journal/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A store over a database of which a test decides when a batch is written, and whether. */
async function openHeld() {
  const database = new ClassicLevel(join(await temporaryFolder(), 'journal'));
  await database.open();
  onTestFinished(() => database.close());
  const batches: { readonly end: (error?: Error) => void }[] = [];
  const original = database.batch.bind(database) as () => ReturnType<typeof database.batch>;
  const batch = () => {
    const made = original();
    const write = made.write.bind(made) as (options: object) => Promise<void>;
    made.write = (options: object = {}) =>
      new Promise<void>((resolve, reject) => {
        batches.push({ end: (error) => (error ? reject(error) : resolve(write(options))) });
      });
    return made;
  };
  const held = new Proxy(database, {
    get: (target, name): unknown => {
      const value: unknown = name === 'batch' ? batch : Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { database, batches, store: new Store(held) };
}

const put = (store: Store, id: string, text: string | null = `text of ${id}`): Promise<void> =>
  store.run((records) => Promise.resolve(records.set(id, text)));
const stateOf = async (database: ClassicLevel) =>
  JSON.parse((await database.get('state')) ?? '{}') as { readonly count?: number };

test('changes of one moment share one write, and those that come meanwhile the next', async () => {
  const { batches, store, database } = await openHeld();
  const first = [put(store, 'a'), put(store, 'b')];
  await expect.poll(() => batches.length).toBe(1);
  const second = [put(store, 'c'), put(store, 'd'), put(store, 'a', null)];
  batches[0]?.end();
  await Promise.all(first);
  await expect.poll(() => batches.length).toBe(2);
  batches[1]?.end();
  await Promise.all(second);
  expect(await stateOf(database)).toMatchObject({ count: 3 });
});

test('after a write that failed nothing more is written, and what waited for it fails', async () => {
  const { batches, store, database } = await openHeld();
  const failing = put(store, 'a');
  await expect.poll(() => batches.length).toBe(1);
  const waiting = put(store, 'b');
  batches[0]?.end(new Error('no space'));
  await expect(failing).rejects.toThrow('no space');
  await expect(waiting).rejects.toThrow('no space');
  await expect(put(store, 'c')).rejects.toThrow('no space');
  expect(batches).toHaveLength(1);
  // What lies there is what was there before: opened again, it is not damaged.
  expect(await database.get('state')).toBeUndefined();
});

test('each transaction sees what those before it have changed, and one that throws changes nothing', async () => {
  const store = await openStore({ path: join(await temporaryFolder(), 'journal'), format: 'one' });
  onTestFinished(() => store.close());
  await put(store, 'list 1', 'first');
  const results = await Promise.allSettled([
    store.run(async (records) => {
      records.set('list 1', null);
      records.set('a', `${(await records.get('a')) ?? ''}x`);
      return await records.first(10, 'list ');
    }),
    store.run((records) => {
      records.set('a', 'not this');
      return Promise.reject(new Error('undecided'));
    }),
    store.run(async (records) => {
      records.set('a', `${(await records.get('a')) ?? ''}y`);
      return await records.first(10, 'list ');
    }),
  ]);
  expect(results.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    [],
    'failed',
    [],
  ]);
  expect(await store.get('a')).toBe('xy');
  expect(await store.get('list 1')).toBeUndefined();
});

test('a store of another format is told from a damaged one, however its sums are made', async () => {
  const path = join(await temporaryFolder(), 'journal');
  const store = await openStore({ path, format: 'one' });
  await put(store, 'a');
  await store.close();
  const database = new ClassicLevel(path);
  await database.put('format', 'two');
  await database.put('state', 'of another kind');
  await database.close();
  await expect(openStore({ path, format: 'one' })).rejects.toThrow(StoreOfAnotherFormat);
});
