import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { createKeyedMutex } from '../../src/journal/locks.ts';

type Outcome = 'well' | 'badly';

/** A task whose end the test decides, and which notes its beginning. */
function heldTask(name: string, begun: string[]) {
  const endings = new EventEmitter();
  const task = async (): Promise<string> => {
    begun.push(name);
    const [outcome] = (await once(endings, 'end')) as [Outcome];
    if (outcome === 'badly') throw new Error(name);
    return name;
  };
  return { task, end: (outcome: Outcome) => endings.emit('end', outcome) };
}

test('tasks of one name run in the order in which they came, and those of another name at once', async () => {
  const begun: string[] = [];
  const turns = createKeyedMutex();
  const [a, b, c] = [heldTask('a', begun), heldTask('b', begun), heldTask('c', begun)];
  const running = [turns.run('one', a.task), turns.run('one', b.task), turns.run('other', c.task)];
  await expect.poll(() => begun).toEqual(['a', 'c']);
  c.end('well');
  a.end('well');
  await expect.poll(() => begun).toEqual(['a', 'c', 'b']);
  b.end('well');
  expect(await Promise.all(running)).toEqual(['a', 'b', 'c']);
});

test('a task that fails is its own failure: the next has its turn', async () => {
  const begun: string[] = [];
  const turns = createKeyedMutex();
  const [a, b] = [heldTask('a', begun), heldTask('b', begun)];
  const first = turns.run('one', a.task);
  const second = turns.run('one', b.task);
  await expect.poll(() => begun).toEqual(['a']);
  a.end('badly');
  await expect(first).rejects.toThrow('a');
  await expect.poll(() => begun).toEqual(['a', 'b']);
  b.end('well');
  expect(await second).toBe('b');
});

test('a name that nobody waits for any more begins anew', async () => {
  const turns = createKeyedMutex();
  for (const name of ['a', 'b', 'c']) {
    expect(await turns.run('one', () => Promise.resolve(name))).toBe(name);
  }
});
