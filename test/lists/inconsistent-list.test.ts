import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { choosableSizes, fixedSize, learn } from '../../src/lists/pages.ts';
import { readWindow } from '../../src/lists/reader.ts';
import { windowOf } from '../../src/lists/window.ts';
import { SourceError } from '../../src/sources/errors.ts';
import { idsOf, look, modelOf, type Model, type Row } from './model-list.ts';

// A list that changes between two page calls of one window.

/** Makes a change before one call of the next window, counted from 1. */
function changeBefore(model: Model, call: number, change: () => void): void {
  model.beforeCall = () => {
    if (model.calls.length === call) change();
  };
}

const inPages = (most: number) => learn(choosableSizes(most), most, most);
const hasRepeats = (ids: readonly number[]): boolean => new Set(ids).size < ids.length;

const changes: Readonly<Record<string, (model: Model) => Row[]>> = {
  drained: ({ rows }) => rows.slice(2),
  'grown at its front': ({ rows, made }) => [...made(2), ...rows],
  'grown at its end': ({ rows, made }) => [...rows, ...made(2)],
  'grown at its front as much as it was cut at its end': ({ rows, made }) => [
    ...made(2),
    ...rows.slice(0, -2),
  ],
  'without a record of the middle': ({ rows }) => rows.toSpliced(13, 1),
};

test.each(Object.entries(changes))(
  'a list that is %s between two pages is read anew',
  async (_name, change) => {
    const model = modelOf({ length: 60, sizes: inPages(10) });
    changeBefore(model, 2, () => {
      model.rows = change(model);
    });
    const seen = await look(model, { first: 30 });
    expect(seen).toMatchObject({
      ids: idsOf(model.rows).slice(0, 30),
      total: model.rows.length,
      drifted: false,
      calls: { length: 6 },
    });
  },
);

test('a window beside a record is read anew when the record shows up on both sides of a page border', async () => {
  const model = modelOf({ length: 60, sizes: inPages(10) });
  const { end } = await look(model, { first: 10 });
  const anchor = model.rows[9];
  changeBefore(model, 2, () => {
    model.rows = [...model.made(1), ...model.rows.slice(0, -1)];
  });
  const seen = await look(model, { first: 10, after: end });
  expect(seen.drifted).toBe(false);
  expect(seen.ids).not.toContain(anchor?.id);
  expect(seen.ids).toEqual(idsOf(model.rows).slice(11, 21));
});

test('a place that is read twice, with another record the second time, has the list read anew', async () => {
  const model = modelOf({ length: 22, sizes: choosableSizes(15) });
  changeBefore(model, 2, () => {
    model.rows = [...model.rows.slice(1), ...model.made(1)];
  });
  // The probe shows the places up to 15; the page for the rest is one of 11, which shows four of those again.
  const seen = await look(model, { last: 15 });
  expect(seen).toMatchObject({ ids: idsOf(model.rows).slice(-15), drifted: false, calls: { length: 4 } });
});

test('a list that never holds still is read three times, then given without repeats and said to have drifted', async () => {
  const model = modelOf({ length: 60, sizes: inPages(10) });
  model.beforeCall = () => {
    model.rows = [...model.made(1), ...model.rows];
  };
  const seen = await look(model, { first: 30 });
  expect(seen.drifted).toBe(true);
  expect(seen.calls).toHaveLength(9);
  expect(hasRepeats(seen.ids)).toBe(false);
  expect(seen.ids.length).toBeGreaterThan(20);
});

test('a list that grows faster than it is read is not mistaken for one that contradicts itself', async () => {
  const model = modelOf({ sizes: inPages(1) });
  model.beforeCall = () => {
    model.rows = [...model.rows, ...model.made(2)];
  };
  expect(await look(model, { first: 100 })).toMatchObject({
    drifted: true,
    hasNext: true,
    hasPrevious: false,
  });
});

interface Step {
  readonly call: number;
  readonly drained: number;
  readonly inserted: number;
  readonly cut: number;
  readonly appended: number;
}

const anyStep = fc.record<Step>({
  call: fc.integer({ min: 1, max: 12 }),
  drained: fc.nat(3),
  inserted: fc.nat(3),
  cut: fc.nat(3),
  appended: fc.nat(3),
});

function step(model: Model, { drained, inserted, cut, appended }: Step): void {
  const rest = model.rows.slice(drained, model.rows.length - cut);
  model.rows = [...model.made(inserted), ...rest, ...model.made(appended)];
}

test('a window never holds a record twice, however the list moves while it is read', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        length: fc.nat(200),
        most: fc.integer({ min: 1, max: 40 }),
        count: fc.integer({ min: 1, max: 100 }),
      }),
      fc.boolean(),
      fc.array(anyStep, { minLength: 1, maxLength: 12 }),
      async ({ length, most, count }, isLast, steps) => {
        const model = modelOf({ length, sizes: choosableSizes(most) });
        model.beforeCall = () => {
          for (const due of steps.filter(({ call }) => call === model.calls.length)) step(model, due);
        };
        const { ids } = await look(model, isLast ? { last: count } : { first: count });
        expect(hasRepeats(ids)).toBe(false);
        expect(ids.length).toBeLessThanOrEqual(count);
      },
    ),
  );
});

test('a window that does not say that it drifted is a stretch of the list, when only the length can have changed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        length: fc.nat(200),
        most: fc.integer({ min: 1, max: 40 }),
        count: fc.integer({ min: 1, max: 100 }),
      }),
      fc.boolean(),
      fc.array(anyStep, { minLength: 1, maxLength: 6 }),
      async ({ length, most, count }, isLast, steps) => {
        const model = modelOf({ length, sizes: choosableSizes(most) });
        const states = [idsOf(model.rows)];
        model.beforeCall = () => {
          for (const due of steps.filter(({ call }) => call === model.calls.length)) {
            // Draining and appending at once can't be told from standing still; all else changes the length.
            step(model, { ...due, inserted: 0, cut: 0, appended: 0 });
          }
          states.push(idsOf(model.rows));
        };
        const { ids, drifted } = await look(model, isLast ? { last: count } : { first: count });
        const isStretch = states.some((all) => {
          const from = ids.length === 0 ? 0 : all.indexOf(ids[0] ?? 0);
          return from >= 0 && all.slice(from, from + ids.length).join() === ids.join();
        });
        expect(drifted || isStretch).toBe(true);
      },
    ),
  );
});

test('a record that the service itself lists twice is shown twice, and the list is not said to drift', async () => {
  const model = modelOf({ length: 30, sizes: inPages(10) });
  model.rows = [...model.rows.slice(0, 12), ...model.rows.slice(3, 4), ...model.rows.slice(12)];
  const seen = await look(model, { first: 20 });
  expect(seen).toMatchObject({ ids: idsOf(model.rows).slice(0, 20), total: 31, drifted: false });
  const rest = await look(model, { first: 20, after: seen.end });
  expect(rest).toMatchObject({ ids: idsOf(model.rows).slice(20), drifted: false });
});

test('a window of one page that shows a record twice is read anew, and shows it twice only if it is still there twice', async () => {
  const model = modelOf({ length: 30 });
  const settled = model.rows;
  const doubled = [...settled.slice(0, 5), ...settled.slice(3, 29)].slice(0, 30);
  model.rows = doubled;
  changeBefore(model, 2, () => {
    model.rows = settled;
  });
  const moved = await look(model, { first: 10 });
  expect(moved).toMatchObject({ ids: idsOf(settled).slice(0, 10), drifted: false, calls: { length: 2 } });
  model.rows = doubled;
  model.beforeCall = () => {};
  const still = await look(model, { first: 10 });
  expect(still).toMatchObject({ ids: idsOf(doubled).slice(0, 10), drifted: false, calls: { length: 2 } });
});

test('pages with fewer records than their numbers say are read anew, and left short only as a drifted window', async () => {
  const model = modelOf({ length: 30 });
  const list = model.operation();
  const short = (calls: number) => ({
    ...list,
    async readPage(page: number, size: number, fresh: boolean) {
      const answer = await list.readPage(page, size, fresh);
      return model.calls.length > calls ? answer : { ...answer, rows: answer.rows.slice(2) };
    },
  });
  const once = await readWindow(short(1), windowOf({ first: 10 }, list));
  expect([once.rows.length, once.drifted]).toEqual([10, false]);
  const always = await readWindow(short(Infinity), windowOf({ first: 10 }, list));
  expect([always.rows.length, always.drifted, always.hasNext]).toEqual([8, true, true]);
});

test('a list that shrinks below the window while it is read is told as it is at last', async () => {
  const model = modelOf({ length: 60, sizes: inPages(10), beyond: 'rejected' });
  const { end } = await look(model, { first: 40 });
  changeBefore(model, 2, () => {
    model.rows = model.rows.slice(0, 5);
  });
  const seen = await look(model, { first: 20, after: end });
  expect(seen).toMatchObject({
    ids: idsOf(model.rows),
    total: 5,
    hasPrevious: false,
    hasNext: false,
    drifted: true,
  });
});

test('a refusal of a page that the list does have is not taken for its end', async () => {
  const model = modelOf({ length: 60, sizes: inPages(10) });
  const { end } = await look(model, { first: 20 });
  model.beforeCall = () => {
    if (model.calls.at(-1)?.page !== 1) throw new SourceError('rejected', 'current', 'not today');
  };
  await expect(look(model, { first: 10, after: end })).rejects.toMatchObject({ kind: 'rejected' });
});

test('a refusal past the end is understood also when the operation has seen the list longer', async () => {
  const model = modelOf({
    length: 60,
    sizes: fixedSize(10),
    serves: { min: 10, max: 10 },
    beyond: 'rejected',
  });
  const { end } = await look(model, { first: 40 });
  const list = model.operation();
  await readWindow(list, windowOf({ first: 10 }, list));
  model.rows = model.rows.slice(0, 5);
  const { rows, total, drifted } = await readWindow(list, windowOf({ first: 10, after: end }, list));
  expect([idsOf(rows), total, drifted]).toEqual([idsOf(model.rows), 5, true]);
});
