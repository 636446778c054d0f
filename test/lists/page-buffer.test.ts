import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PageBuffer } from '../../src/lists/page-buffer.ts';

interface PageOf {
  readonly page: number;
  readonly size: number;
}

/** A buffer of a list of letters, of which some pages have been read. */
function bufferOf(letters: string, pages: readonly PageOf[]): PageBuffer<string> {
  const buffer = new PageBuffer<string>((letter) => letter);
  for (const page of pages) add(buffer, letters, page);
  return buffer;
}

function add(buffer: PageBuffer<string>, letters: string, { page, size }: PageOf): void {
  buffer.add({
    page,
    size,
    total: letters.length,
    rows: letters.slice((page - 1) * size, page * size).split(''),
  });
}

const WHOLE = { from: 0, to: 100 };
const contents = (buffer: PageBuffer<string>) =>
  buffer.entries(WHOLE).map(({ index, row, key }) => [index, row, key]);

test('records keep their places, whatever the sizes of their pages', () => {
  const buffer = bufferOf('abcdefghij', [
    { page: 2, size: 3 },
    { page: 5, size: 2 },
  ]);
  expect(contents(buffer)).toEqual([
    [3, 'd', 'd'],
    [4, 'e', 'e'],
    [5, 'f', 'f'],
    [8, 'i', 'i'],
    [9, 'j', 'j'],
  ]);
  expect([buffer.keyAt(4), buffer.keyAt(0)]).toEqual(['e', null]);
  expect([buffer.indexOf('e'), buffer.indexOf('a')]).toEqual([4, null]);
});

test('the last page again, under a number past the end, adds nothing', () => {
  const buffer = bufferOf('abcde', [{ page: 1, size: 2 }]);
  buffer.add({ page: 7, size: 2, total: 5, rows: ['e'] });
  expect(contents(buffer)).toEqual([
    [0, 'a', 'a'],
    [1, 'b', 'b'],
  ]);
});

test('pages that tell different lengths make the buffer inconsistent, for good', () => {
  const buffer = bufferOf('abcde', [{ page: 1, size: 2 }]);
  expect(buffer.isInconsistent).toBe(false);
  add(buffer, 'abcd', { page: 2, size: 2 });
  expect([buffer.isInconsistent, buffer.total]).toEqual([true, 4]);
  add(buffer, 'abcd', { page: 1, size: 2 });
  expect(buffer.isInconsistent).toBe(true);
});

test('so does another record at a place that was read before, which then counts', () => {
  const buffer = bufferOf('abcdef', [{ page: 1, size: 4 }]);
  add(buffer, 'bcdefg', { page: 1, size: 3 });
  expect(buffer.isInconsistent).toBe(true);
  expect([buffer.keyAt(0), buffer.keyAt(3)]).toEqual(['b', 'd']);
  expect(buffer.indexOf('a')).toBeNull();
});

test('a snapshot is taken only of a list that has a record twice, and is the same however it was read', () => {
  const [whole, parts] = [
    [{ page: 1, size: 6 }],
    [
      { page: 2, size: 3 },
      { page: 1, size: 3 },
    ],
  ];
  expect(bufferOf('abcdef', whole).duplicateSnapshot()).toBeNull();
  expect(bufferOf('abcabf', whole).duplicateSnapshot()).toContain('[4,"b"]');
  expect(bufferOf('abcabf', parts).duplicateSnapshot()).toBe(bufferOf('abcabf', whole).duplicateSnapshot());
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
        const buffer = bufferOf('x'.repeat(total), pages);
        const isRead = (place: number) =>
          pages.some(({ page, size }) => Math.floor(place / size) === page - 1);
        const places = Array.from({ length }, (_, index) => from + index);
        const missing = places.filter((place) => place < total && !isRead(place));
        const gap = buffer.uncovered({ from, to: from + length });
        const [first, last] = [missing[0], missing.at(-1)];
        if (first === undefined || last === undefined) expect(gap.to).toBe(gap.from);
        else expect(gap).toEqual({ from: first, to: last + 1 });
      },
    ),
  );
});

test('before the first page, all of a range is uncovered', () => {
  expect(bufferOf('', []).uncovered({ from: 3, to: 9 })).toEqual({ from: 3, to: 9 });
});
