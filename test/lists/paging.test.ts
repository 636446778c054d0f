import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { choosableSizes, fixedSize, pagesCovering } from '../../src/lists/pages.ts';
import { readWindow } from '../../src/lists/reader.ts';
import { windowOf, type WindowArguments } from '../../src/lists/window.ts';
import { SourceError } from '../../src/sources/errors.ts';
import {
  anyBeyond,
  anyCount,
  anyLength,
  changeBefore,
  changed,
  fewestPages,
  idsOf,
  learned,
  look,
  modelOf,
  pagesOfSize,
  type Model,
  type ModelOptions,
  type Row,
  type Seen,
} from './model-list.ts';

// Paging is tested here, on a model of a service; other tests show that the graph uses it.

const WAYS = ['forwards', 'backwards'] as const;
type Way = (typeof WAYS)[number];

const isForwards = (way: Way): boolean => way === 'forwards';
const windowTo = (way: Way, count: number, cursor: string | null = null): WindowArguments =>
  isForwards(way) ? { first: count, after: cursor } : { last: count, before: cursor };
/** The cursor to go on from, in a direction. */
const edgeOf = (way: Way, { start, end }: Seen): string | null => (isForwards(way) ? end : start);

const hasRepeats = (ids: readonly number[]): boolean => new Set(ids).size < ids.length;

const anySize = fc.integer({ min: 1, max: 120 });
// What a service may make of the requested size, and what the reader believes at first.
const anySizing: fc.Arbitrary<ModelOptions> = fc.oneof(
  fc.record({ sizes: anyCount.map(choosableSizes) }),
  fc.record({ sizes: anyCount.map(choosableSizes), serves: fc.record({ max: anySize }) }),
  fc.record({
    sizes: anyCount.map(choosableSizes),
    serves: fc.tuple(anySize, fc.nat(50)).map(([min, more]) => ({ min, max: min + more })),
  }),
  fc.record({ sizes: anySize.map(fixedSize), serves: anySize.map((size) => ({ min: size, max: size })) }),
);
const anyModel = fc
  .record({ sizing: anySizing, length: anyLength, beyond: anyBeyond })
  .map(({ sizing, ...rest }) => ({ ...sizing, ...rest }));

test.each(WAYS)(
  'a list that stays the same, walked %s, is shown whole, once and in order, whatever its pages are like',
  async (way) => {
    await fc.assert(
      fc.asyncProperty(
        anyModel,
        fc.array(anyCount, { minLength: 1, maxLength: 5 }),
        async (options, counts) => {
          const model = modelOf(options);
          const all = idsOf(model.rows);
          const shown: (readonly number[])[] = [];
          let cursor: string | null = null;
          for (let step = 0; step === 0 || cursor !== null; step += 1) {
            const count = counts[step % counts.length] ?? 1;
            const seen: Seen = await look(model, windowTo(way, count, cursor));
            const { ids, total, drifted, hasPrevious, hasNext } = seen;
            const goesOn = isForwards(way) ? hasNext : hasPrevious;
            if (goesOn) expect(ids).toHaveLength(count);
            expect(ids.length).toBeLessThanOrEqual(count);
            expect({ total, drifted, hasPrevious, hasNext }).toEqual({
              total: all.length,
              drifted: false,
              hasPrevious: ids[0] !== all[0],
              hasNext: ids.at(-1) !== all.at(-1),
            });
            shown.push(ids);
            cursor = goesOn ? edgeOf(way, seen) : null;
          }
          expect((isForwards(way) ? shown : shown.toReversed()).flat()).toEqual(all);
        },
      ),
    );
  },
);

// A window costs the fewest pages that hold it and the record beside it, none larger than the service allows, each of which
// shares a record with the one before. Without a cursor, `last` also pays for the probe that tells the length, and `first`
// cannot know that the list ends before the window does.
describe('the calls of a window', () => {
  // With sizes up to 7, there is another page over every border between two pages of a list of 400.
  const anyMost = fc.integer({ min: 7, max: 100 });

  test('are for the fewest pages that share a record with the one before, none larger than that takes', () => {
    fc.assert(
      fc.property(fc.nat(300), anyCount, anyMost, (from, length, most) => {
        const to = from + length;
        const pages = pagesCovering({ from, to }, choosableSizes(most));
        const ranges = pages.map(({ page, size }) => ({ from: (page - 1) * size, to: page * size }));
        expect(pages).toHaveLength(fewestPages(from, to, most));
        expect(Math.max(...pages.map(({ size }) => size))).toBeLessThanOrEqual(most);
        expect(ranges[0]?.from).toBeLessThanOrEqual(from);
        expect(ranges.at(-1)?.to).toBeGreaterThanOrEqual(to);
        for (const [index, range] of ranges.entries())
          expect(range.from).toBeLessThan(ranges[index - 1]?.to ?? Infinity);
        const [{ size } = { size: 1 }, ...others] = pages;
        if (others.length === 0 && size > 1)
          expect(pagesCovering({ from, to }, choosableSizes(size - 1)).length).toBeGreaterThan(1);
      }),
    );
  });

  test('are the fewest pages that hold it and its cursor; at the end, one probe and those for what it did not show', async () => {
    const anyList = fc.record({ length: anyLength, beyond: anyBeyond });
    await fc.assert(
      fc.asyncProperty(anyList, anyMost, anyCount, anyCount, async (list, most, walked, count) => {
        const { length } = list;
        const model = modelOf({ ...list, sizes: learned(most) });
        const there = await look(model, { first: walked });
        expect(there.calls.length).toBeLessThanOrEqual(fewestPages(0, walked, most));
        // None is past the end.
        expect(there.calls.filter(({ page, size }) => page > 1 && (page - 1) * size >= length)).toEqual([]);
        const last = await look(model, { last: count });
        const probed = Math.min(count, most);
        expect(last.calls[0]).toEqual({ page: 1, size: probed });
        const from = Math.max(length - count, 0);
        const unseen = length > probed ? fewestPages(from < probed ? probed - 1 : from, length, most) : 0;
        expect(last.calls).toHaveLength(1 + unseen);
        fc.pre(there.end !== null);
        const anchor = Math.min(walked, length) - 1;
        const forwards = await look(model, { first: count, after: there.end });
        expect(forwards.calls).toHaveLength(fewestPages(anchor, Math.min(anchor + 1 + count, length), most));
        const backwards = await look(model, { last: count, before: there.end });
        expect(backwards.calls).toHaveLength(fewestPages(Math.max(anchor - count, 0), anchor + 1, most));
      }),
    );
  });

  test('are one more in a whole walk, or at the end of a list, where the service gives smaller pages', async () => {
    const anyCounts = fc.array(anyCount, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(anyLength, anyMost, anyMost, anyCounts, async (length, most, cap, counts) => {
        const model = modelOf({ length, serves: { max: cap }, sizes: choosableSizes(most) });
        let [calls, bound, start, end]: [number, number, number, string | null] = [0, 0, 0, null];
        for (let step = 0; step === 0 || start < length; step += 1) {
          const count = counts[step % counts.length] ?? 1;
          const seen: Seen = await look(model, { first: count, after: end });
          const to = step === 0 ? count : Math.min(start + count, length);
          bound += fewestPages(Math.max(start - 1, 0), to, Math.min(most, cap));
          calls += seen.calls.length;
          [start, end] = [start + count, seen.end];
        }
        expect(calls).toBeLessThanOrEqual(bound + 1);
        const [count = 1] = counts;
        const last = await look(modelOf({ length, serves: { max: cap } }), { last: count });
        const probed = Math.min(count, cap);
        const unseen = fewestPages(Math.max(length - count, probed - 1), Math.max(length, probed), cap);
        // The probe itself reveals smaller pages, unless it was small enough to be served as requested.
        expect(last.calls.length).toBeLessThanOrEqual(1 + unseen + (count <= cap ? 1 : 0));
      }),
    );
  });

  test('use the size of a list that takes none, after one wrong guess at most', async () => {
    await fc.assert(
      fc.asyncProperty(anyLength, anySize, anySize, anyCount, async (length, guess, size, count) => {
        const model = modelOf({ length, serves: { min: size, max: size }, sizes: fixedSize(guess) });
        const first = await look(model, { first: count });
        expect(first.calls).toHaveLength(pagesOfSize(0, Math.max(Math.min(count, length), 1), size));
        const last = await look(model, { last: count });
        expect(last.calls).toHaveLength(1 + pagesOfSize(Math.max(length - count, size), length, size));
      }),
    );
  });

  test('stay few where the service ignores the requested size, or raises small ones', async () => {
    const stubborn = modelOf({ length: 45, serves: { min: 10, max: 10 } });
    let end: string | null = null;
    for (let step = 0; step < 45; step += 1) {
      const seen: Seen = await look(stubborn, { first: 1, after: end });
      expect(seen.calls.length).toBeLessThanOrEqual(step === 0 ? 1 : 4);
      end = seen.end;
    }
    const raising = modelOf({ length: 300, serves: { min: 20 } });
    const after = (await look(raising, { first: 1 })).end;
    expect((await look(raising, { first: 1, after })).calls).toEqual([{ page: 1, size: 20 }]);
    expect((await look(raising, { first: 99, after })).calls).toEqual([{ page: 1, size: 100 }]);
  });

  test('are made at the same time once the length is known', async () => {
    const model = modelOf({ length: 300, sizes: learned(25) });
    const { end } = await look(model, { first: 50 });
    const list = model.operation();
    let [open, most] = [0, 0];
    const readPage: typeof list.readPage = async (...request) => {
      most = Math.max(most, (open += 1));
      await Promise.resolve();
      const answer = await list.readPage(...request);
      open -= 1;
      return answer;
    };
    await look(model, { first: 100, after: end }, { readPage });
    expect(most).toBe(5);
  });
});

interface Edit {
  readonly drained: number;
  readonly inserted: number;
  readonly appended: number;
  /** Places from which records are removed, as parts of the length. */
  readonly removed: readonly number[];
}
function apply(model: Model, { drained, inserted, appended, removed }: Edit): void {
  const rest = model.rows.slice(drained);
  for (const part of removed) rest.splice(Math.floor(part * rest.length), 1);
  model.rows = [...model.made(inserted), ...rest, ...model.made(appended)];
}

// Where the record beside the window is now is known to the test, and so is what must come next.
describe('a list that changes between two windows', () => {
  const anyMove = fc.oneof(fc.constant(0), fc.nat(150));
  const anyEdit = fc.record<Edit>({
    drained: anyMove,
    inserted: anyMove,
    appended: anyMove,
    removed: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 6 }),
  });
  const anySetting = fc.record({
    length: fc.integer({ min: 1, max: 400 }),
    most: fc.integer({ min: 5, max: 100 }),
    beyond: anyBeyond,
    count: anyCount,
    next: anyCount,
  });

  /** What must come beside a record, in a direction. */
  function neighbours(way: Way, { rows }: Model, place: number, count: number): number[] {
    return idsOf(
      isForwards(way)
        ? rows.slice(place + 1, place + 1 + count)
        : rows.slice(Math.max(place - count, 0), place),
    );
  }

  test.each(WAYS)(
    'goes on %s right beside its record, wherever in the search range that has moved, and with true facts',
    async (way) => {
      await fc.assert(
        fc.asyncProperty(anySetting, anyEdit, async ({ length, most, beyond, count, next }, edit) => {
          const model = modelOf({ length, beyond, sizes: choosableSizes(most) });
          const cursor = edgeOf(way, await look(model, windowTo(way, count)));
          const position = isForwards(way) ? Math.min(count, length) - 1 : Math.max(length - count, 0);
          const anchor = model.rows[position];
          apply(model, edit);
          const { ids, drifted, total, hasPrevious, hasNext } = await look(
            model,
            windowTo(way, next, cursor),
          );
          const all = idsOf(model.rows);
          const place = all.indexOf(anchor?.id ?? 0);
          const expected = Math.min(Math.max(position + all.length - length, 0), all.length - 1);
          // How far it is from where it would be, had the list changed at its front alone.
          if (place !== -1 && Math.abs(place - expected) <= most) expect(drifted).toBe(false);
          if (place === -1) expect(drifted).toBe(true);
          if (!drifted) expect(ids).toEqual(neighbours(way, model, place, next));
          expect(total).toBe(all.length);
          if (ids.length > 0)
            expect([hasPrevious, hasNext]).toEqual([ids[0] !== all[0], ids.at(-1) !== all.at(-1)]);
        }),
      );
    },
  );

  test('and drains from its front while it is walked is shown to its end, nothing twice', async () => {
    const anyDrains = fc.array(fc.nat(60), { minLength: 1, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(anySetting, anyDrains, async ({ length, most, beyond, count }, drains) => {
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
        if (!hasDrifted) expect(hasRepeats(shown)).toBe(false);
        expect(idsOf(model.rows).filter((id) => !shown.includes(id))).toEqual([]);
      }),
    );
  });

  test('and drained past the record has drifted: what is left comes after it, and nothing before it', async () => {
    const model = modelOf({ length: 60 });
    const [{ end }, { start }] = [await look(model, { first: 10 }), await look(model, { last: 10 })];
    model.rows = model.rows.slice(25);
    const ids = idsOf(model.rows).slice(0, 10);
    expect(await look(model, { first: 10, after: end })).toMatchObject({
      ids,
      drifted: true,
      hasPrevious: false,
    });
    model.rows = model.rows.slice(30);
    expect(await look(model, { last: 10, before: start })).toMatchObject({
      ids: [],
      total: 5,
      drifted: true,
      hasPrevious: false,
      hasNext: true,
    });
  });

  test('skips nothing forwards when the record is gone and the list only lost records', async () => {
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

  test.each(WAYS)(
    'skips nothing %s when the record is gone and new ones came at the far end',
    async (way) => {
      await fc.assert(
        fc.asyncProperty(anySetting, fc.integer({ min: 1, max: 150 }), async (setting, more) => {
          const { length, most, count, next } = setting;
          const model = modelOf({ length, sizes: choosableSizes(most) });
          const seen = await look(model, windowTo(way, count));
          const gone = isForwards(way) ? seen.ids.at(-1) : seen.ids[0];
          const rest = model.rows.filter(({ id }) => id !== gone);
          model.rows = isForwards(way) ? [...rest, ...model.made(more)] : [...model.made(more), ...rest];
          const unseen = idsOf(model.rows).filter((id) => !seen.ids.includes(id));
          const ids = isForwards(way) ? unseen.slice(0, next) : unseen.slice(-next);
          const after = await look(model, windowTo(way, next, edgeOf(way, seen)));
          expect(after).toMatchObject({ drifted: true, ids });
        }),
      );
    },
  );

  test('keeps the place of a record without a readable key only while its length stays the same', async () => {
    const model = modelOf({ length: 60 });
    const own = { keyOf: () => null };
    const { end } = await look(model, { first: 10 }, own);
    const args = { first: 10, after: end };
    const ids = idsOf(model.rows);
    expect(await look(model, args, own)).toMatchObject({ drifted: false, ids: ids.slice(10, 20) });
    model.rows = model.rows.slice(3);
    for (const keys of [own, {}])
      expect(await look(model, args, keys)).toMatchObject({ drifted: true, ids: ids.slice(10, 20) });
  });

  test('is searched for a record that is gone in three further pages', async () => {
    const model = modelOf({ length: 400, sizes: learned(10) });
    const { end, ids } = await look(model, { first: 50 });
    model.rows = [...model.rows.filter(({ id }) => id !== ids.at(-1)), ...model.made(1)];
    const { calls, drifted } = await look(model, { first: 1, after: end });
    expect(drifted).toBe(true);
    expect(calls).toHaveLength(fewestPages(49, 51, 10) + 3);
  });
});

describe('a list that changes between two calls of one window', () => {
  const CHANGES: Readonly<Record<string, (model: Model) => Row[]>> = {
    'grown at its end': ({ rows, made }) => [...rows, ...made(2)],
    'without a record of the middle': ({ rows }) => rows.toSpliced(13, 1),
    'drained as much as it grew at its end': ({ rows, made }) => [...rows.slice(2), ...made(2)],
  };

  test.each(Object.entries(CHANGES))('is read anew when it is %s', async (_name, change) => {
    const model = modelOf({ length: 60, sizes: learned(10) });
    changeBefore(model, 2, () => change(model));
    expect(await look(model, { first: 30 })).toMatchObject({
      ids: idsOf(model.rows).slice(0, 30),
      total: model.rows.length,
      drifted: false,
      calls: { length: 2 * fewestPages(0, 30, 10) },
    });
  });

  test('is read anew also where only a page that the service raises lies across the border of a search', async () => {
    const model = modelOf({ length: 509, serves: { min: 8 }, sizes: learned(40) });
    const { start } = await look(model, { last: 33 });
    model.rows = [...model.made(5), ...model.rows];
    changeBefore(model, 3, () => [...model.rows.slice(1), ...model.made(1)]);
    const seen = await look(model, { last: 37, before: start });
    expect(seen).toMatchObject({ ids: idsOf(model.rows).slice(443, 480), drifted: false });
  });

  // As docs/paging.md says.
  test.each<[string, ModelOptions]>([
    ['has a size of its own', { serves: { min: 10, max: 10 }, sizes: fixedSize(10) }],
    ['ignores the requested size', { serves: { min: 10, max: 10 } }],
    ['gives larger pages than requested', { serves: { min: 20, max: 20 }, sizes: choosableSizes(10) }],
  ])('may lose a record unnoticed where the service %s', async (_name, options) => {
    const model = modelOf({ length: 60, ...options });
    const ids = idsOf(model.rows);
    await look(model, { first: 30 });
    changeBefore(model, 2, () => [...model.rows.slice(2), ...model.made(2)]);
    const seen = await look(model, { first: 30 });
    expect(seen.drifted).toBe(false);
    expect(seen.ids).not.toEqual(ids.slice(0, 30));
  });

  test('again and again is read three times, then shown without repeats, as drifted', async () => {
    const model = modelOf({ length: 60, sizes: learned(10) });
    model.beforeCall = () => void (model.rows = [...model.made(1), ...model.rows]);
    const seen = await look(model, { first: 30 });
    expect(seen).toMatchObject({ drifted: true, calls: { length: 3 * fewestPages(0, 30, 10) } });
    expect(hasRepeats(seen.ids)).toBe(false);
    expect(seen.ids.length).toBeGreaterThan(20);
  });

  test('by growing faster than it is read is not mistaken for one that contradicts itself', async () => {
    const model = modelOf({ sizes: learned(1) });
    model.beforeCall = () => void (model.rows = [...model.rows, ...model.made(2)]);
    const seen = await look(model, { first: 100 });
    expect(seen).toMatchObject({ drifted: true, hasNext: true, hasPrevious: false });
  });

  const anyStep = fc.record({
    call: fc.integer({ min: 1, max: 12 }),
    drained: fc.nat(3),
    inserted: fc.nat(3),
    cut: fc.nat(3),
    appended: fc.nat(3),
  });
  const anyReading = fc.record({
    length: fc.nat(200),
    // Smaller pages may have borders that no other page lies across.
    most: fc.integer({ min: 7, max: 40 }),
    count: anyCount,
    // How many records were shown before; 0 for a window at the list's own end.
    before: fc.nat(60),
    way: fc.constantFrom(...WAYS),
    steps: fc.array(anyStep, { minLength: 1, maxLength: 12 }),
  });

  test('shows nothing twice, and skips no record that it had all the time, or has drifted', async () => {
    await fc.assert(
      fc.asyncProperty(anyReading, async ({ length, most, count, before, way, steps }) => {
        const model = modelOf({ length, sizes: choosableSizes(most) });
        const cursor = before === 0 ? null : edgeOf(way, await look(model, windowTo(way, before)));
        const anchor = idsOf(model.rows).at(isForwards(way) ? Math.min(before, length) - 1 : -before);
        let kept = idsOf(model.rows);
        model.beforeCall = () => {
          for (const step of steps.filter(({ call }) => call === model.calls.length)) {
            const { drained, inserted, cut, appended } = step;
            const rest = model.rows.slice(drained);
            model.rows = [
              ...model.made(inserted),
              ...rest.slice(0, Math.max(rest.length - cut, 0)),
              ...model.made(appended),
            ];
          }
          const now = new Set(idsOf(model.rows));
          kept = kept.filter((id) => now.has(id));
        };
        const { ids, drifted } = await look(model, windowTo(way, count, cursor));
        expect(hasRepeats(ids)).toBe(false);
        expect(ids.length).toBeLessThanOrEqual(count);
        if (drifted) return;
        const shown = ids.filter((id) => kept.includes(id));
        const from = kept.indexOf(shown[0] ?? 0);
        expect(shown).toEqual(shown.length === 0 ? [] : kept.slice(from, from + shown.length));
        if (cursor === null || shown.length === 0 || !kept.includes(anchor ?? 0)) return;
        expect(kept.indexOf(anchor ?? 0)).toBe(isForwards(way) ? from - 1 : from + shown.length);
      }),
    );
  });

  test('is not one that contains a record twice in every reading', async () => {
    const model = modelOf({ length: 30, sizes: learned(10) });
    model.rows = [...model.rows.slice(0, 12), ...model.rows.slice(3, 4), ...model.rows.slice(12)];
    const seen = await look(model, { first: 20 });
    expect(seen).toMatchObject({ ids: idsOf(model.rows).slice(0, 20), total: 31, drifted: false });
    const rest = await look(model, { first: 20, after: seen.end });
    expect(rest).toMatchObject({ ids: idsOf(model.rows).slice(20), drifted: false });
  });

  test('is read anew for a window of one page that shows a record twice, which is then true or gone', async () => {
    const model = modelOf({ length: 30 });
    const settled = model.rows;
    const doubled = [...settled.slice(0, 5), ...settled.slice(3, 28)];
    model.rows = doubled;
    changeBefore(model, 2, () => settled);
    const expected = { drifted: false, calls: { length: 2 } };
    const moved = await look(model, { first: 10 });
    expect(moved).toMatchObject({ ids: idsOf(settled).slice(0, 10), ...expected });
    model.rows = doubled;
    model.beforeCall = () => {};
    const still = await look(model, { first: 10 });
    expect(still).toMatchObject({ ids: idsOf(doubled).slice(0, 10), ...expected });
  });

  test('is read anew where a page has fewer records than it says, and left short only as drifted', async () => {
    const model = modelOf({ length: 30 });
    const shortFor = (calls: number) =>
      changed(model.operation(), (page) =>
        model.calls.length > calls ? page : { ...page, rows: page.rows.slice(2) },
      );
    const once = await look(model, { first: 10 }, shortFor(1));
    expect(once).toMatchObject({ ids: { length: 10 }, drifted: false });
    const always = await look(model, { first: 10 }, shortFor(Infinity));
    expect(always).toMatchObject({ ids: { length: 8 }, drifted: true, hasNext: true });
  });
});

test('a refusal of a page that the list does have is not taken for its end', async () => {
  const model = modelOf({ length: 60, sizes: learned(10) });
  const { end } = await look(model, { first: 20 });
  model.beforeCall = () => {
    if (model.calls.at(-1)?.page !== 1) throw new SourceError('rejected', 'current', 'not today');
  };
  await expect(look(model, { first: 10, after: end })).rejects.toMatchObject({ kind: 'rejected' });
});

test('a refusal past the end is understood also when the operation has seen the list longer', async () => {
  const serves = { min: 10, max: 10 };
  const model = modelOf({ length: 60, sizes: fixedSize(10), serves, beyond: 'rejected' });
  const { end } = await look(model, { first: 40 });
  const list = model.operation();
  await readWindow(list, windowOf({ first: 10 }, list));
  model.rows = model.rows.slice(0, 5);
  const { rows, total, drifted } = await readWindow(list, windowOf({ first: 10, after: end }, list));
  expect([idsOf(rows), total, drifted]).toEqual([idsOf(model.rows), 5, true]);
});
