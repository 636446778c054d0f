import { expect, test } from 'vitest';
import { changesBetween, observe, type Item, type ReadItems } from '../../src/watch/observation.ts';

const item = (key: string, facts: Readonly<Record<string, string>> = {}): Item<string> => ({
  key,
  record: key,
  facts,
});
const keysOf = ({ items }: ReturnType<typeof observe<string>>): string[] => [...items.keys()];

/** What a reading shows: items, and rows without a readable key. */
const reading = (items: readonly Item<string>[], unreadable: ReadItems<string>['unreadable'] = []) => ({
  items,
  unreadable,
});
const TEXT = { text: '"x"' };

const before = observe(null, reading(['a', 'b', 'c'].map((key) => item(key, TEXT))), 1);

test('a field that could not be read stays as it was', () => {
  const blind = observe(before, reading(['a', 'b', 'c'].map((key) => item(key))), 2);
  expect(changesBetween(before, blind)).toEqual([]);
  const other = observe(blind, reading([item('a', { text: '"y"' })], [{}, {}]), 3);
  expect(changesBetween(blind, other)).toMatchObject([{ kind: 'CHANGED', fields: ['text'] }]);
});

test('every missing record that may be a row without a readable key is kept', () => {
  expect(keysOf(observe(before, reading([item('c')]), 2))).toEqual(['c']);
  expect(keysOf(observe(before, reading([item('c')], [{}]), 2))).toEqual(['c', 'a', 'b']);
  expect(keysOf(observe(before, reading([item('c')], [{ text: '"z"' }]), 2))).toEqual(['c', 'a', 'b']);
});

test('a missing record is gone if every row without a readable key was there beside it and looks different', () => {
  const [odd, same] = [{ text: '"odd"' }, TEXT];
  const all = ['a', 'b', 'c'].map((key) => item(key, TEXT));
  const seen = observe(null, reading(all, [odd]), 1);
  const without = (key: string) => all.filter((one) => one.key !== key);
  expect(keysOf(observe(seen, reading(without('b'), [odd]), 2))).toEqual(['a', 'c']);
  expect(keysOf(observe(seen, reading(without('b'), [odd, odd]), 2))).toEqual(['a', 'c', 'b']);
  expect(keysOf(observe(seen, reading(without('b'), [{ text: '"edited"' }]), 2))).toEqual(['a', 'c', 'b']);
  const alike = observe(null, reading(all, [same]), 1);
  expect(keysOf(observe(alike, reading(without('b'), [same]), 2))).toEqual(['a', 'c', 'b']);
  // One in doubt stays so until each row has a key again.
  const doubtful = observe(before, reading(without('b'), [odd]), 2);
  expect(keysOf(observe(doubtful, reading([item('a', TEXT)], [odd]), 3))).toEqual(['a', 'b']);
  expect(keysOf(observe(doubtful, reading(without('b')), 3))).toEqual(['a', 'c']);
});

test('what left is told before what changed, and that before what came', () => {
  const after = observe(before, reading([item('d', TEXT), item('b', { text: '"y"' }), item('c', TEXT)]), 2);
  expect(changesBetween(before, after).map(({ kind }) => kind)).toEqual(['LEFT', 'CHANGED', 'ADDED']);
});
