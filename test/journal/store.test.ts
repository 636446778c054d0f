import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { expect, onTestFinished, test } from 'vitest';
import { Store, StoreOfAnotherFormat, openStore, type Change } from '../../src/journal/store.ts';
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
    get: (target, name): unknown => (name === 'batch' ? batch : Reflect.get(target, name, target)),
  });
  return { database, batches, store: new Store(held, new Map()) };
}

const put = (id: string): Change[] => [{ id, text: `text of ${id}` }];
const stateOf = async (database: ClassicLevel) =>
  JSON.parse((await database.get('state')) ?? '{}') as { readonly count?: number };

test('changes of one moment share one write, and those that come meanwhile the next', async () => {
  const { batches, store, database } = await openHeld();
  const first = [store.write(put('a')), store.write(put('b'))];
  await expect.poll(() => batches.length).toBe(1);
  const second = [store.write(put('c')), store.write(put('d')), store.write([{ id: 'a', text: null }])];
  batches[0]?.end();
  await Promise.all(first);
  await expect.poll(() => batches.length).toBe(2);
  batches[1]?.end();
  await Promise.all(second);
  expect(await stateOf(database)).toMatchObject({ count: 3 });
});

test('after a write that failed nothing more is written, and what waited for it fails', async () => {
  const { batches, store, database } = await openHeld();
  const failing = store.write(put('a'));
  await expect.poll(() => batches.length).toBe(1);
  const waiting = store.write(put('b'));
  batches[0]?.end(new Error('no space'));
  await expect(failing).rejects.toThrow('no space');
  await expect(waiting).rejects.toThrow('no space');
  await expect(store.write(put('c'))).rejects.toThrow('no space');
  expect(batches).toHaveLength(1);
  // What lies there is what was there before: opened again, it is not damaged.
  expect(await database.get('state')).toBeUndefined();
});

test('a store of another format is told from a damaged one, however its sums are made', async () => {
  const path = join(await temporaryFolder(), 'journal');
  const { store } = await openStore({ path, format: 'one' });
  await store.write(put('a'));
  await store.close();
  const database = new ClassicLevel(path);
  await database.put('format', 'two');
  await database.put('state', 'of another kind');
  await database.close();
  await expect(openStore({ path, format: 'one' })).rejects.toThrow(StoreOfAnotherFormat);
});
