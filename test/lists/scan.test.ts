import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { choosableSizes } from '../../src/lists/pages.ts';
import { MAX_SCAN_PAGES, scanFor } from '../../src/lists/scan.ts';
import { PagingError } from '../../src/lists/errors.ts';
import { SourceError } from '../../src/sources/errors.ts';
import { anyLength, modelOf, type Model } from './model-list.ts';

/** Looks records up as an operation of its own; an error in the place of a record is given as its code. */
async function find(model: Model, ids: readonly (number | string)[]): Promise<(number | string | null)[]> {
  model.calls = [];
  const found = await scanFor(model.operation(), ids.map(String));
  return found.map((row) => {
    if (row instanceof PagingError) return row.code;
    if (row instanceof Error) throw row;
    return row?.id ?? null;
  });
}

test('records that the list holds are found, absent ones are null, each in its place', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyLength,
      fc.integer({ min: 20, max: 100 }),
      fc.array(fc.integer({ min: 1, max: 500 })),
      async (length, cap, ids) => {
        const model = modelOf({ length, serves: { max: cap } });
        expect(await find(model, ids)).toEqual(ids.map((id) => (id <= length ? id : null)));
      },
    ),
  );
});

test('a look-up reads no page beyond the last record that it finds', async () => {
  const model = modelOf({ length: 1_500 });
  expect(await find(model, [250, 20, 199])).toEqual([250, 20, 199]);
  expect(model.calls).toEqual([1, 2, 3].map((page) => ({ page, size: 100 })));
  expect(await find(model, [])).toEqual([]);
});

test('absence from a list of one page is certain after one call', async () => {
  const model = modelOf({ length: 100 });
  expect(await find(model, [7, 101])).toEqual([7, null]);
  expect(model.calls).toHaveLength(1);
  expect(await find(modelOf({ length: 0 }), [1])).toEqual([null]);
});

test('absence from a list of several pages is certain once a second reading, all at the same time, agrees', async () => {
  const model = modelOf({ length: 250 });
  expect(await find(model, [251])).toEqual([null]);
  expect(model.calls.map(({ page }) => page)).toEqual([1, 2, 3, 1, 2, 3]);
});

test('a list longer than 20 pages leaves the absent undecided, and gives what was found', async () => {
  const model = modelOf({ length: 2_001 });
  expect(await find(model, [1_999, 2_001, 5_000])).toEqual([
    1_999,
    'SCAN_LIMIT_REACHED',
    'SCAN_LIMIT_REACHED',
  ]);
  expect(model.calls).toHaveLength(MAX_SCAN_PAGES);
  expect(await find(modelOf({ length: 2_000 }), [2_000, 2_001])).toEqual([2_000, null]);
});

test('pages that come back smaller count as pages, and are asked for in that size from then on', async () => {
  const model = modelOf({ length: 300, serves: { max: 10 } });
  expect(await find(model, [200, 201])).toEqual([200, 'SCAN_LIMIT_REACHED']);
  expect(model.calls).toHaveLength(MAX_SCAN_PAGES);
  expect(model.memory.sizes.max).toBe(10);
});

test('a maximum below 100 is never exceeded', async () => {
  const model = modelOf({ length: 30, sizes: choosableSizes(8) });
  expect(await find(model, [31])).toEqual([null]);
  expect(new Set(model.calls.map(({ size }) => size))).toEqual(new Set([8]));
});

test('a record that slips between two pages, while the list keeps its length, is not called absent', async () => {
  const model = modelOf({ length: 200 });
  model.beforeCall = () => {
    if (model.calls.length === 2) model.rows = [...model.rows.slice(1), ...model.made(1)];
  };
  expect(await find(model, [101])).toEqual([101]);
});

test('a record that slips because one of the middle went, while another came at the end, is not called absent', async () => {
  const model = modelOf({ length: 9, sizes: choosableSizes(3) });
  model.beforeCall = () => {
    if (model.calls.length === 3) model.rows = [...model.rows.toSpliced(4, 1), ...model.made(1)];
  };
  expect(await find(model, [7])).toEqual([7]);
});

test('two readings that missed a record in different ways do not make it absent', async () => {
  const model = modelOf({ length: 6, sizes: choosableSizes(3) });
  const drain = () => [...model.rows.slice(1), ...model.made(1)];
  const push = () => [...model.made(1), ...model.rows.slice(0, -1)];
  // The fourth record slips to the first page while the second is yet to be read; back in between; then slips again.
  const moves = [null, drain, push, drain];
  model.beforeCall = () => {
    model.rows = moves[model.calls.length - 1]?.() ?? model.rows;
  };
  expect(await find(model, [4])).toEqual([4]);
});

test('nor do two that missed it in the same way, while their pages tell different lengths', async () => {
  const model = modelOf({ length: 6, sizes: choosableSizes(3) });
  const whole = model.rows;
  // The first record is gone whenever the second page is read, and back whenever the first one is.
  model.beforeCall = () => {
    model.rows = model.calls.length % 2 === 0 ? whole.slice(1) : whole;
  };
  expect(await find(model, [4])).toEqual(['SCAN_LIMIT_REACHED']);
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
  await fc.assert(
    fc.asyncProperty(
      fc.record({ pages: fc.integer({ min: 2, max: 5 }), size: fc.integer({ min: 3, max: 9 }) }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(anyStep, { minLength: 1, maxLength: 8 }),
      async ({ pages, size }, page, steps) => {
        const model = modelOf({ length: pages * size, sizes: choosableSizes(size) });
        const wanted = model.rows[(page % pages) * size];
        model.beforeCall = () => {
          for (const { drained, inserted, appended, isFront } of steps.filter(
            ({ call }) => call === model.calls.length,
          )) {
            const from = isFront ? 0 : Math.max(model.rows.findIndex((row) => row === wanted) - drained, 0);
            const rest = model.rows.filter(
              (row, index) => index < from || index >= from + drained || row === wanted,
            );
            model.rows = [...model.made(inserted), ...rest, ...model.made(appended ?? drained)];
          }
        };
        expect(['SCAN_LIMIT_REACHED', wanted?.id]).toContain((await find(model, [wanted?.id ?? 0]))[0]);
      },
    ),
  );
});

test('a list that never holds still leaves the absent undecided', async () => {
  const model = modelOf({ length: 250 });
  model.beforeCall = () => {
    model.rows = [...model.made(1), ...model.rows];
  };
  expect(await find(model, [9_999_999])).toEqual(['SCAN_LIMIT_REACHED']);
});

test('a list that held still after a change is settled', async () => {
  const model = modelOf({ length: 250 });
  model.beforeCall = () => {
    if (model.calls.length === 2) model.rows = model.rows.slice(1);
  };
  expect(await find(model, [9_999])).toEqual([null]);
});

test('a row whose key is unreadable may be the one that is looked for', async () => {
  const model = modelOf({ length: 30 });
  const list = {
    ...model.operation(),
    keyOf: ({ id }: { readonly id: number }) => (id === 4 ? null : String(id)),
  };
  const [known, unknown] = await scanFor(list, ['5', '99']);
  expect(known).toEqual({ id: 5 });
  expect(unknown).toMatchObject({ code: 'SCAN_LIMIT_REACHED' });
  expect(model.calls).toHaveLength(1);
});

test('a record that the service lists twice does not keep others from being called absent', async () => {
  const model = modelOf({ length: 30 });
  model.rows = [...model.rows, ...model.rows.slice(0, 2)];
  expect(await find(model, [1, 99])).toEqual([1, null]);
});

test('pages with fewer records than the list is said to have prove nothing', async () => {
  const model = modelOf({ length: 30 });
  const list = model.operation();
  const short = {
    ...list,
    readPage: async (page: number, size: number, fresh: boolean) => {
      const answer = await list.readPage(page, size, fresh);
      return { ...answer, rows: answer.rows.slice(1) };
    },
  };
  expect(await scanFor(short, ['1'])).toMatchObject([{ code: 'SCAN_LIMIT_REACHED' }]);
});

test('a page that fails spoils the look-up of what was not found before it', async () => {
  const model = modelOf({ length: 300 });
  model.beforeCall = () => {
    if (model.calls.length === 2) throw new SourceError('unavailable', 'current', 'gone');
  };
  expect(await scanFor(model.operation(), ['999', '7', '107'])).toMatchObject([
    { kind: 'unavailable' },
    { id: 7 },
    { kind: 'unavailable' },
  ]);
});
