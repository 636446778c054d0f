import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { choosableSizes } from '../../src/lists/pages.ts';
import { MAX_SCAN_PAGES, readStill, readWhole, scanFor } from '../../src/lists/scan.ts';
import { PagingError } from '../../src/lists/errors.ts';
import { SourceError } from '../../src/sources/errors.ts';
import { anyLength, changeBefore, changed, modelOf, type Model, type Row } from './model-list.ts';

/** Looks records up as an operation of its own, or in its own list; gives the code of an error in the place of a record. */
async function find(model: Model, ids: readonly number[], list = model.operation()): Promise<unknown[]> {
  model.calls = [];
  const found = await scanFor(list, ids.map(String));
  return found.map((row) => {
    if (row instanceof PagingError) return row.code;
    if (row instanceof SourceError) return row.kind;
    if (row instanceof Error) throw row;
    return row?.id ?? null;
  });
}

const UNDECIDED = 'SCAN_LIMIT_REACHED';

test('records of the list are found and absent ones are null, each in its place', async () => {
  const anyIds = fc.array(fc.integer({ min: 1, max: 500 }));
  await fc.assert(
    fc.asyncProperty(anyLength, fc.integer({ min: 20, max: 100 }), anyIds, async (length, cap, ids) => {
      const model = modelOf({ length, serves: { max: cap } });
      expect(await find(model, ids)).toEqual(ids.map((id) => (id <= length ? id : null)));
    }),
  );
});

test('a look-up reads no page beyond the last record that it finds', async () => {
  const model = modelOf({ length: 1_500 });
  expect(await find(model, [250, 20, 199])).toEqual([250, 20, 199]);
  expect(model.calls).toEqual([1, 2, 3].map((page) => ({ page, size: 100 })));
});

test.each([
  ['one page is certain after one call', 100, [1]],
  ['several pages is certain once a second reading agrees', 250, [1, 2, 3, 1, 2, 3]],
])('absence from a list of %s', async (_name, length, pages) => {
  const model = modelOf({ length });
  expect(await find(model, [7, length + 1])).toEqual([7, null]);
  expect(model.calls.map(({ page }) => page)).toEqual(pages);
});

test('a list longer than 20 pages leaves the absent undecided, and gives what was found', async () => {
  const model = modelOf({ length: 2_001 });
  expect(await find(model, [1_999, 2_001, 5_000])).toEqual([1_999, UNDECIDED, UNDECIDED]);
  expect(model.calls).toHaveLength(MAX_SCAN_PAGES);
  expect(await find(modelOf({ length: 2_000 }), [2_000, 2_001])).toEqual([2_000, null]);
  await expect(readWhole(model.operation())).rejects.toMatchObject({ code: UNDECIDED });
});

test.each([
  [2_000, 2_000],
  [2_001, UNDECIDED],
])('a whole list of %i records in one page, larger than requested, has %s', async (length, expected) => {
  const model = modelOf({ length, serves: { min: 10_000 } });
  const rows = await readStill(model.operation(), () => false).catch((error: unknown) => error);
  expect(rows instanceof PagingError ? rows.code : (rows as Row[]).length).toBe(expected);
});

test('larger pages than may be requested are read again as they were requested', async () => {
  const model = modelOf({ length: 250, serves: { min: 120, max: 120 } });
  expect(await find(model, [7, 251])).toEqual([7, null]);
  expect(model.calls).toEqual([1, 2, 3, 1, 2, 3].map((page) => ({ page, size: 100 })));
});

test('a record that is twice on the only page of a list, in every reading, is part of the whole list, and keeps no other from being called absent', async () => {
  const model = modelOf({ length: 30 });
  const doubled = [...model.rows, ...model.rows.slice(0, 1)];
  model.rows = doubled;
  expect(await readStill(model.operation())).toEqual(doubled);
  expect(await find(model, [1, 99])).toEqual([1, null]);
  model.calls = [];
  changeBefore(model, 2, () => doubled.slice(1));
  expect(await readStill(model.operation())).toEqual(doubled.slice(1));
  const long = modelOf({ length: 300 });
  long.rows = [...long.rows, ...long.rows.slice(0, 1)];
  await expect(readStill(long.operation())).rejects.toMatchObject({ code: UNDECIDED });
});

test('smaller pages count as pages, and are requested in that size from then on', async () => {
  const model = modelOf({ length: 300, serves: { max: 10 } });
  expect(await find(model, [200, 201])).toEqual([200, UNDECIDED]);
  expect(model.calls).toHaveLength(MAX_SCAN_PAGES);
  expect(model.memory.sizes.max).toBe(10);
});

const drained = ({ rows, made }: Model): Row[] => [...rows.slice(1), ...made(1)];
const pushed = ({ rows, made }: Model): Row[] => [...made(1), ...rows.slice(0, -1)];

test.each<[string, number, readonly (((model: Model) => Row[]) | null)[], number]>([
  ['slips between two pages while the list keeps its length', 100, [null, drained], 101],
  [
    'slips because one of the middle went while another came at the end',
    3,
    [null, null, ({ rows, made }) => [...rows.toSpliced(4, 1), ...made(1)]],
    7,
  ],
  // It slips to the first page while the second is yet to be read; back in between; then again.
  ['is missed by two readings in different ways', 3, [null, drained, pushed, drained], 4],
])('a record that %s is not called absent', async (_name, size, moves, id) => {
  const model = modelOf({ length: 3 * size, sizes: choosableSizes(size) });
  model.beforeCall = () => void (model.rows = moves[model.calls.length - 1]?.(model) ?? model.rows);
  expect(await find(model, [id])).toEqual([id]);
});

test('a record that is there all the time is never called absent, however the list moves around it', async () => {
  // A step that adds as many records as it drains keeps the length, and shows least.
  const anyStep = fc.record({
    call: fc.integer({ min: 1, max: 12 }),
    drained: fc.nat(2),
    inserted: fc.oneof(fc.constant(0), fc.nat(2)),
    appended: fc.option(fc.nat(2)),
    /** Whether records go from the front or from just before the wanted one. */
    isFront: fc.boolean(),
  });
  const anyPages = fc.record({ pages: fc.integer({ min: 2, max: 5 }), size: fc.integer({ min: 3, max: 9 }) });
  const anySteps = fc.array(anyStep, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      anyPages,
      fc.integer({ min: 1, max: 4 }),
      anySteps,
      async ({ pages, size }, page, steps) => {
        const model = modelOf({ length: pages * size, sizes: choosableSizes(size) });
        const wanted = model.rows[(page % pages) * size];
        model.beforeCall = () => {
          for (const step of steps.filter(({ call }) => call === model.calls.length)) {
            const end = step.isFront ? step.drained : model.rows.findIndex((row) => row === wanted);
            const from = Math.max(end - step.drained, 0);
            const rest = model.rows.filter((row, index) => index < from || index >= end || row === wanted);
            const appended = model.made(step.appended ?? step.drained);
            model.rows = [...model.made(step.inserted), ...rest, ...appended];
          }
        };
        expect([UNDECIDED, wanted?.id]).toContain((await find(model, [wanted?.id ?? 0]))[0]);
      },
    ),
  );
});

test('a list that never holds still leaves the absent undecided, and one that held still after a change does not', async () => {
  const moving = modelOf({ length: 250 });
  moving.beforeCall = () => void (moving.rows = [...moving.made(1), ...moving.rows]);
  expect(await find(moving, [9_999_999])).toEqual([UNDECIDED]);
  // Two readings miss the fourth record in the same way, but their pages tell different lengths.
  const flickering = modelOf({ length: 6, sizes: choosableSizes(3) });
  const whole = flickering.rows;
  flickering.beforeCall = () => {
    flickering.rows = flickering.calls.length % 2 === 0 ? whole.slice(1) : whole;
  };
  expect(await find(flickering, [4])).toEqual([UNDECIDED]);
  const settled = modelOf({ length: 250 });
  changeBefore(settled, 2, () => settled.rows.slice(1));
  expect(await find(settled, [9_999])).toEqual([null]);
});

test('a row whose key is unreadable may be the one that is looked for', async () => {
  const model = modelOf({ length: 30 });
  const list = { ...model.operation(), keyOf: ({ id }: Row) => (id === 4 ? null : String(id)) };
  expect(await find(model, [5, 99], list)).toEqual([5, UNDECIDED]);
  expect(model.calls).toHaveLength(1);
});

test('pages with fewer records than they say that the list has prove nothing', async () => {
  const model = modelOf({ length: 30 });
  const short = changed(model.operation(), (page) => ({ ...page, rows: page.rows.slice(1) }));
  expect(await find(model, [1], short)).toEqual([UNDECIDED]);
});

test('a page that fails spoils the look-up of what was not found before it', async () => {
  const model = modelOf({ length: 300 });
  model.beforeCall = () => {
    if (model.calls.length === 2) throw new SourceError('unavailable', 'current', 'gone');
  };
  expect(await find(model, [999, 7, 107])).toEqual(['unavailable', 7, 'unavailable']);
});
