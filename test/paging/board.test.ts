import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyBoard, findKey, uncovered, withPage, type Board } from '../../src/paging/board.ts';

const keyed = (letters: string) => letters.split('').map((row) => ({ row, key: row }));

/** A board of a list of letters on which some pages have been read. */
function boardOf(
  letters: string,
  pages: readonly { readonly page: number; readonly size: number }[],
): Board<string> {
  return pages.reduce((board, { page, size }) => {
    const rows = keyed(letters.slice((page - 1) * size, page * size));
    return withPage(board, { page, size, total: letters.length, rows });
  }, emptyBoard<string>());
}

test('rows stand at their places, whatever the sizes of the pages that showed them', () => {
  const board = boardOf('abcdefghij', [
    { page: 2, size: 3 },
    { page: 5, size: 2 },
  ]);
  expect([...board.rows].map(([index, { row }]) => [index, row])).toEqual([
    [3, 'd'],
    [4, 'e'],
    [5, 'f'],
    [8, 'i'],
    [9, 'j'],
  ]);
  expect(findKey(board, 'e')).toBe(4);
  expect(findKey(board, 'a')).toBeNull();
});

test('the last page again, under the number of one past the end, adds nothing', () => {
  const board = withPage(boardOf('abcde', [{ page: 1, size: 2 }]), {
    page: 7,
    size: 2,
    total: 5,
    rows: keyed('e'),
  });
  expect([...board.rows.values()]).toEqual(keyed('ab'));
});

test('answers that tell different lengths tear the board, for good', () => {
  const torn = withPage(boardOf('abcde', [{ page: 1, size: 2 }]), {
    page: 2,
    size: 2,
    total: 4,
    rows: keyed('cd'),
  });
  expect(torn).toMatchObject({ torn: true, total: 4 });
  expect(withPage(torn, { page: 1, size: 2, total: 4, rows: keyed('ab') }).torn).toBe(true);
});

test('what is uncovered of a range is the smallest stretch that holds all its places not read yet', () => {
  const anyPage = fc.record({ page: fc.integer({ min: 1, max: 8 }), size: fc.integer({ min: 1, max: 9 }) });
  fc.assert(
    fc.property(
      fc.array(anyPage, { minLength: 1, maxLength: 5 }),
      fc.nat(40),
      fc.nat(40),
      fc.nat(30),
      (pages, from, length, total) => {
        const board = boardOf('x'.repeat(total), pages);
        const isRead = (place: number) =>
          pages.some(({ page, size }) => Math.floor(place / size) === page - 1);
        const places = Array.from({ length }, (_, index) => from + index);
        const missing = places.filter((place) => place < total && !isRead(place));
        const gap = uncovered(board, { from, to: from + length });
        const [first, last] = [missing[0], missing.at(-1)];
        if (first === undefined || last === undefined) expect(gap.to).toBe(gap.from);
        else expect(gap).toEqual({ from: first, to: last + 1 });
      },
    ),
  );
});

test('before any answer, all of a range is uncovered', () => {
  expect(uncovered(emptyBoard(), { from: 3, to: 9 })).toEqual({ from: 3, to: 9 });
});
