import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { expect, onTestFinished, test } from 'vitest';
import { DiskUnavailable, openStore, StoreOfAnotherFormat, type Store } from '../../src/journal/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Batch {
  /** The ids of the changed records. */
  readonly ids: readonly string[];
  readonly end: (error?: Error) => void;
}

/** Lets databases write their batches again. The method is inherited, so it comes back when what hides it is deleted. */
function release(): void {
  Reflect.deleteProperty(ClassicLevel.prototype, 'batch');
}

/** A store of whose database a test decides when a batch is written, and whether. */
async function openHeld() {
  const path = join(await temporaryFolder(), 'journal');
  const store = await openStore({ path, format: 'one' });
  onTestFinished(() => store.close());
  const batches: Batch[] = [];
  const write: unknown = Reflect.get(ClassicLevel.prototype, 'batch');
  if (typeof write !== 'function') throw new Error('the database writes no batches');
  type Operations = readonly { readonly key: string }[];
  const hold = function (
    this: ClassicLevel,
    operations: Operations = [],
    ...options: object[]
  ): Promise<void> {
    const keys = operations.map(({ key }) => key).filter((key) => key.startsWith('record '));
    return new Promise<void>((resolve, reject) => {
      const end = (error?: Error): void =>
        error
          ? reject(error)
          : resolve(Reflect.apply(write, this, [operations, ...options]) as Promise<void>);
      batches.push({ ids: keys.map((key) => key.slice('record '.length)), end });
    });
  };
  Reflect.set(ClassicLevel.prototype, 'batch', hold);
  onTestFinished(release);
  return { path, batches, store };
}

const put = (store: Store, id: string, text: string | null = `text of ${id}`): Promise<void> => {
  store.set(id, text);
  return store.flush();
};

const textsIn = async (path: string): Promise<Record<string, string>> => {
  const texts: Record<string, string> = {};
  const store = await openStore({ path, format: 'one' }, (id, text) => (texts[id] = text));
  await store.close();
  return texts;
};

test('changes of one moment share one write, and those that come meanwhile the next', async () => {
  const { batches, store, path } = await openHeld();
  const first = [put(store, 'a'), put(store, 'b')];
  await expect.poll(() => batches.length).toBe(1);
  const second = [put(store, 'c'), put(store, 'd'), put(store, 'a', null)];
  // What is not written yet can be read.
  expect(await Promise.all(['a', 'b', 'c'].map((id) => store.get(id)))).toEqual([
    undefined,
    'text of b',
    'text of c',
  ]);
  batches[0]?.end();
  await Promise.all(first);
  await expect.poll(() => batches.length).toBe(2);
  batches[1]?.end();
  await Promise.all(second);
  expect(batches.map(({ ids }) => ids)).toEqual([
    ['a', 'b'],
    ['c', 'd', 'a'],
  ]);
  await store.close();
  expect(Object.keys(await textsIn(path))).toEqual(['b', 'c', 'd']);
});

test('after a write that failed nothing more is written until the store is repaired, and then all of it', async () => {
  const { batches, store, path } = await openHeld();
  const failing = put(store, 'a');
  await expect.poll(() => batches.length).toBe(1);
  const waiting = put(store, 'b');
  batches[0]?.end(new Error('no space'));
  await expect(failing).rejects.toThrow('no space');
  await expect(waiting).rejects.toThrow(DiskUnavailable);
  await expect(put(store, 'a', 'newer')).rejects.toThrow(DiskUnavailable);
  expect(store.isBroken).toBe(true);
  expect(batches).toHaveLength(1);
  expect([await store.get('a'), await store.get('b')]).toEqual(['newer', 'text of b']);
  release();
  await store.repair();
  expect(store.isBroken).toBe(false);
  await put(store, 'c');
  await store.close();
  expect(await textsIn(path)).toEqual({ a: 'newer', b: 'text of b', c: 'text of c' });
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
