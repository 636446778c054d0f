import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { byNumber, byText, ordered, type TextOrder } from '../../src/lists/in-memory-list.ts';
import { SourceError } from '../../src/sources/errors.ts';

interface Row {
  readonly id: string | null;
  readonly name: string | null;
}

const text = fc.option(fc.constantFrom('', 'a', 'A', 'á', 'b', 'a1', 'a02', 'a10', '9', '10'));
const rows = fc.array(fc.record<Row>({ id: text, name: text }));
const order = fc.tuple(fc.boolean(), fc.constantFrom('ASC', 'DESC'));
const orders = fc
  .array(order)
  .map((all) => all.map(([isId, way]) => (isId ? byNumber('id', way) : byText('name', way))));

/** The same by the book: every row compared with every text, in every step. */
function sorted(list: readonly Row[], steps: readonly TextOrder<keyof Row>[]): readonly Row[] {
  return list.toSorted((one, other) => {
    for (const { name, direction, compare } of steps) {
      const found = compare(one[name] ?? '', other[name] ?? '');
      if (found !== 0) return direction === 'ASC' ? found : -found;
    }
    return 0;
  });
}

test('a row whose text is damaged stays in the list, before those that have one', () => {
  const damaged: Row = {
    id: '1',
    get name(): never {
      throw new SourceError('malformed', 'legacy', 'damaged');
    },
  };
  const list = [{ id: '2', name: 'b' }, damaged, { id: '3', name: 'a' }];
  expect(ordered(list, [byText('name', 'ASC')]).map(({ id }) => id)).toEqual(['1', '3', '2']);
});

test('rows are ordered step by step, and those that are equal keep their places', () => {
  fc.assert(
    fc.property(rows, orders, (list, steps) => {
      expect(ordered(list, steps)).toEqual(sorted(list, steps));
    }),
  );
});

test('a text is read once for each row, however many windows and steps compare it', () => {
  let reads = 0;
  const list = Array.from({ length: 100 }, (_, index) => ({
    id: String(index % 7),
    get name() {
      reads += 1;
      return 'the same';
    },
  }));
  const steps = Array.from({ length: 1_000 }, () => byText('name', 'DESC'));
  for (let window = 0; window < 14; window += 1)
    expect(ordered(list, steps).every((row, index) => row === list[index])).toBe(true);
  expect(reads).toBe(list.length);
});
