import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { choosableSizes, learn } from '../../src/lists/pages.ts';
import {
  anyBeyond,
  fewestPages,
  idsOf,
  look,
  modelOf,
  type Model,
  type Row,
  type Seen,
} from './model-list.ts';

// A list that changes between two windows. Where the record beside the window now stands is known to the test, so what
// must come next is known as well.

interface Edit {
  readonly drained: number;
  readonly inserted: number;
  readonly appended: number;
  /** Places from which records are removed, as parts of the length. */
  readonly removed: readonly number[];
}

const anyEdit = fc.record<Edit>({
  drained: fc.oneof(fc.constant(0), fc.nat(150)),
  inserted: fc.oneof(fc.constant(0), fc.nat(150)),
  appended: fc.oneof(fc.constant(0), fc.nat(150)),
  removed: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 6 }),
});
const anyMost = fc.integer({ min: 5, max: 100 });
const anyCount = fc.integer({ min: 1, max: 100 });
const anyLength = fc.integer({ min: 1, max: 400 });

function apply(model: Model, { drained, inserted, appended, removed }: Edit): void {
  const rest = model.rows.slice(drained);
  for (const part of removed) rest.splice(Math.floor(part * rest.length), 1);
  model.rows = [...model.made(inserted), ...rest, ...model.made(appended)];
}

interface Anchor {
  readonly row: Row | undefined;
  readonly position: number;
  readonly total: number;
}

/** How many places a record is from where it would be, had the list changed at its front alone. */
function straying(model: Model, { row, position, total }: Anchor): number {
  const now = model.rows.findIndex(({ id }) => id === row?.id);
  const expected = Math.min(Math.max(position + model.rows.length - total, 0), model.rows.length - 1);
  return now === -1 ? Infinity : Math.abs(now - expected);
}

function following(model: Model, row: Row | undefined, count: number): number[] {
  const index = model.rows.findIndex(({ id }) => id === row?.id);
  return idsOf(model.rows.slice(index + 1, index + 1 + count));
}

function preceding(model: Model, row: Row | undefined, count: number): number[] {
  const index = model.rows.findIndex(({ id }) => id === row?.id);
  return idsOf(model.rows.slice(Math.max(index - count, 0), index));
}

const anySetting = fc.record({
  length: anyLength,
  most: anyMost,
  beyond: anyBeyond,
  count: anyCount,
  next: anyCount,
});

test('a window goes on right after its record, wherever in the search range that has moved', async () => {
  await fc.assert(
    fc.asyncProperty(anySetting, anyEdit, async ({ length, most, beyond, count, next }, edit) => {
      const model = modelOf({ length, beyond, sizes: choosableSizes(most) });
      const { end } = await look(model, { first: count });
      const position = Math.min(count, length) - 1;
      const anchor = { row: model.rows[position], position, total: length };
      apply(model, edit);
      const seen = await look(model, { first: next, after: end });
      if (straying(model, anchor) <= most) expect(seen.drifted).toBe(false);
      if (!seen.drifted) expect(seen.ids).toEqual(following(model, anchor.row, next));
      if (straying(model, anchor) === Infinity) expect(seen.drifted).toBe(true);
    }),
  );
});

test('a window goes on right before its record, wherever in the search range that has moved', async () => {
  await fc.assert(
    fc.asyncProperty(anySetting, anyEdit, async ({ length, most, beyond, count, next }, edit) => {
      const model = modelOf({ length, beyond, sizes: choosableSizes(most) });
      const { start } = await look(model, { last: count });
      const position = Math.max(length - count, 0);
      const anchor = { row: model.rows[position], position, total: length };
      apply(model, edit);
      const seen = await look(model, { last: next, before: start });
      if (straying(model, anchor) <= most) expect(seen.drifted).toBe(false);
      if (!seen.drifted) expect(seen.ids).toEqual(preceding(model, anchor.row, next));
      if (straying(model, anchor) === Infinity) expect(seen.drifted).toBe(true);
    }),
  );
});

test('what a window says of its sides and the length is true of the list as it has become', async () => {
  await fc.assert(
    fc.asyncProperty(anySetting, anyEdit, async ({ length, most, beyond, count, next }, edit) => {
      const model = modelOf({ length, beyond, sizes: choosableSizes(most) });
      const { end } = await look(model, { first: count });
      apply(model, edit);
      const { ids, total, hasPrevious, hasNext } = await look(model, { first: next, after: end });
      const all = idsOf(model.rows);
      expect(total).toBe(all.length);
      if (ids.length > 0)
        expect([hasPrevious, hasNext]).toEqual([ids[0] !== all[0], ids.at(-1) !== all.at(-1)]);
    }),
  );
});

test('a queue that drains from its front while it is walked forwards is shown to its end, nothing twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      anySetting,
      fc.array(fc.nat(60), { minLength: 1, maxLength: 9 }),
      async (setting, drains) => {
        const { length, most, beyond, count } = setting;
        const model = modelOf({ length, beyond, sizes: choosableSizes(most) });
        const shown: number[] = [];
        let hasDrifted = false;
        let seen: Seen = await look(model, { first: count });
        for (let step = 0; ; step += 1) {
          shown.push(...seen.ids);
          hasDrifted ||= seen.drifted;
          if (!seen.hasNext) break;
          model.rows = model.rows.slice(drains[step % drains.length]);
          seen = await look(model, { first: count, after: seen.end });
        }
        if (!hasDrifted) expect(new Set(shown).size).toBe(shown.length);
        expect(idsOf(model.rows).filter((id) => !shown.includes(id))).toEqual([]);
      },
    ),
  );
});

test('when the queue drained past the record, the window starts at what is left and says that it drifted', async () => {
  const model = modelOf({ length: 60 });
  const { end } = await look(model, { first: 10 });
  model.rows = model.rows.slice(25);
  const seen = await look(model, { first: 10, after: end });
  expect(seen.ids).toEqual(idsOf(model.rows).slice(0, 10));
  expect(seen).toMatchObject({ drifted: true, hasPrevious: false });
});

test('when the queue drained past the record, nothing is left before it', async () => {
  const model = modelOf({ length: 60 });
  const { start } = await look(model, { last: 10 });
  model.rows = model.rows.slice(55);
  const seen = await look(model, { last: 10, before: start });
  expect(seen).toMatchObject({ ids: [], total: 5, drifted: true, hasPrevious: false, hasNext: true });
});

test('a window goes on exactly where its record was when that and one other of its page were removed', async () => {
  const model = modelOf({ length: 60 });
  const { start, end } = await look(model, { last: 10, before: (await look(model, { first: 40 })).end });
  const [before, after] = [idsOf(model.rows).slice(19, 29), idsOf(model.rows).slice(39, 49)];
  model.rows = model.rows.filter((_, index) => index !== 29 && index !== 38);
  const [backwards, forwards] = [
    await look(model, { last: 10, before: start }),
    await look(model, { first: 10, after: end }),
  ];
  expect(forwards).toMatchObject({ ids: after, drifted: true });
  expect(backwards).toMatchObject({ ids: before, drifted: true });
});

test('nothing is skipped forwards when the record is gone and the list only lost records', async () => {
  await fc.assert(
    fc.asyncProperty(anySetting, anyEdit, async ({ length, most, count, next }, { drained, removed }) => {
      const model = modelOf({ length, sizes: choosableSizes(most) });
      const { end, ids } = await look(model, { first: count });
      model.rows = model.rows.filter(({ id }) => id !== ids.at(-1));
      apply(model, { drained, removed, inserted: 0, appended: 0 });
      const seen = await look(model, { first: next, after: end });
      const all = idsOf(model.rows);
      const firstUnseen = all.findIndex((id) => !ids.includes(id));
      expect(seen.drifted).toBe(true);
      if (firstUnseen !== -1) expect(all.slice(0, firstUnseen + 1)).toContain(seen.ids[0]);
    }),
  );
});

test('nothing is skipped forwards when the record is gone and the list kept its length or grew', async () => {
  await fc.assert(
    fc.asyncProperty(anySetting, fc.integer({ min: 1, max: 150 }), async (setting, appended) => {
      const { length, most, count, next } = setting;
      const model = modelOf({ length, sizes: choosableSizes(most) });
      const { end, ids } = await look(model, { first: count });
      model.rows = [...model.rows.filter(({ id }) => id !== ids.at(-1)), ...model.made(appended)];
      const seen = await look(model, { first: next, after: end });
      const unseen = idsOf(model.rows).filter((id) => !ids.includes(id));
      expect(seen).toMatchObject({ drifted: true, ids: unseen.slice(0, next) });
    }),
  );
});

test('nothing is skipped backwards when the record is gone and new ones came in at the front', async () => {
  await fc.assert(
    fc.asyncProperty(anySetting, fc.nat(150), async ({ length, most, count, next }, inserted) => {
      const model = modelOf({ length, sizes: choosableSizes(most) });
      const { start, ids } = await look(model, { last: count });
      model.rows = [...model.made(inserted), ...model.rows.filter(({ id }) => id !== ids[0])];
      const seen = await look(model, { last: next, before: start });
      const unseen = idsOf(model.rows).filter((id) => !ids.includes(id));
      expect(seen).toMatchObject({ drifted: true, ids: unseen.slice(-next) });
    }),
  );
});

test('a record whose key could not be read is taken to stay only while the list keeps its length', async () => {
  const model = modelOf({ length: 60 });
  const { end } = await look(model, { first: 10 }, () => null);
  model.rows = model.rows.slice(3);
  expect(await look(model, { first: 10, after: end })).toMatchObject({
    drifted: true,
    ids: idsOf(model.rows).slice(7, 17),
  });
});

const noKey = (): null => null;

test('nor is its place trusted when the records of its page still have no key that can be read', async () => {
  const model = modelOf({ length: 60 });
  const { end } = await look(model, { first: 10 }, noKey);
  expect(await look(model, { first: 10, after: end }, noKey)).toMatchObject({
    drifted: false,
    ids: idsOf(model.rows).slice(10, 20),
  });
  model.rows = model.rows.slice(3);
  expect(await look(model, { first: 10, after: end }, noKey)).toMatchObject({
    drifted: true,
    ids: idsOf(model.rows).slice(7, 17),
  });
});

test('looking for a record that moved reads three further pages at most', async () => {
  await fc.assert(
    fc.asyncProperty(anySetting, anyEdit, async ({ length, most, count, next }, edit) => {
      const model = modelOf({ length, sizes: learn(choosableSizes(most), most, most) });
      const { end } = await look(model, { first: count });
      apply(model, edit);
      const { calls } = await look(model, { first: next, after: end });
      const position = Math.min(count, length) - 1;
      const place = fewestPages(position, position + 1 + next, most);
      const moved = Math.ceil(next / most) + 1;
      expect(calls.length).toBeLessThanOrEqual(place + 3 + moved);
    }),
  );
});

test('a record that moved is looked for where it should be, then on both sides', async () => {
  const model = modelOf({ length: 200, sizes: learn(choosableSizes(10), 10, 10) });
  const { end } = await look(model, { first: 45 });
  model.rows = [...model.made(60), ...model.rows.slice(0, -60)];
  const { calls, drifted } = await look(model, { first: 5, after: end });
  expect(drifted).toBe(true);
  expect(calls).toEqual([5, 4, 6].map((page) => ({ page, size: 10 })));
});

test('a page size learned to be smaller during the search does not widen it', async () => {
  const model = modelOf({ length: 400, serves: { max: 10 } });
  const { end } = await look(model, { first: 1 });
  model.rows = [...model.made(200), ...model.rows.slice(200)];
  const { calls, drifted } = await look(model, { first: 1, after: end });
  expect(drifted).toBe(true);
  expect(calls.map(({ size }) => size)).toEqual([2, 100, 10, 10]);
});
