import { expect, test } from 'vitest';
import { changesBetween, observe, type Item } from '../../src/watch/observation.ts';

const item = (key: string, facts: Readonly<Record<string, string>> = {}): Item<string> => ({
  key,
  record: key,
  facts,
});
const keysOf = ({ items }: ReturnType<typeof observe<string>>): string[] => [...items.keys()];

const before = observe(
  null,
  { items: ['a', 'b', 'c'].map((key) => item(key, { text: '"x"' })), unreadableRows: 0 },
  1,
);

test('a field that could not be read stays as it was', () => {
  const blind = observe(before, { items: ['a', 'b', 'c'].map((key) => item(key)), unreadableRows: 0 }, 2);
  expect(changesBetween(before, blind)).toEqual([]);
  const other = observe(blind, { items: [item('a', { text: '"y"' })], unreadableRows: 2 }, 3);
  expect(changesBetween(blind, other)).toMatchObject([{ kind: 'CHANGED', fields: ['text'] }]);
});

test('as many missing records are kept as there are rows that may be they, and no more', () => {
  expect(keysOf(observe(before, { items: [item('c')], unreadableRows: 0 }, 2))).toEqual(['c']);
  expect(keysOf(observe(before, { items: [item('c')], unreadableRows: 1 }, 2))).toEqual(['c', 'b']);
  expect(keysOf(observe(before, { items: [item('c')], unreadableRows: 5 }, 2))).toEqual(['c', 'a', 'b']);
});

test('what left is told before what changed, and that before what came', () => {
  const after = observe(
    before,
    {
      items: [item('d', { text: '"x"' }), item('b', { text: '"y"' }), item('c', { text: '"x"' })],
      unreadableRows: 0,
    },
    2,
  );
  expect(changesBetween(before, after).map(({ kind }) => kind)).toEqual(['LEFT', 'CHANGED', 'ADDED']);
});
