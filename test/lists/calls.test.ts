import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestPageSize, choosableSizes, fixedSize, learn } from '../../src/lists/pages.ts';
import { encodeCursor } from '../../src/lists/cursor.ts';
import { readWindow } from '../../src/lists/reader.ts';
import { windowOf } from '../../src/lists/window.ts';
import {
  anyBeyond,
  anyCount,
  anyLength,
  fewestPages,
  idsOf,
  look,
  modelOf,
  type Model,
  type Seen,
} from './model-list.ts';

// The bound, everywhere: a window costs the fewest aligned pages of one size, none larger than the service allows, that
// hold the window and the record that it lies beside. On top comes, without a cursor, what can't be known beforehand:
// `last` pays the probe that tells the length; `first` can't know that the list ends before the window does.

const anyMost = fc.integer({ min: 1, max: 100 });
const learned = (most: number) => learn(choosableSizes(most), most, most);
const isBeyondTheEnd = (model: Model, { page, size }: Seen['calls'][number]) =>
  page > 1 && (page - 1) * Math.min(size, model.memory.sizes.max) >= model.rows.length;

test('the page size for a range is the smallest of those with which the fewest pages cover it', () => {
  fc.assert(
    fc.property(fc.nat(2_000), anyCount, anyMost, (from, length, most) => {
      const pagesOf = (size: number) => fewestPages(from, from + length, size, size);
      const fewest = fewestPages(from, from + length, most);
      const sizes = Array.from({ length: most }, (_, index) => index + 1);
      const range = { from, to: from + length };
      expect(bestPageSize(range, choosableSizes(most))).toBe(sizes.find((size) => pagesOf(size) === fewest));
    }),
  );
});

test('a window beside a cursor costs exactly the fewest pages that hold it and its cursor', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyLength,
      anyMost,
      anyCount,
      anyCount,
      anyBeyond,
      async (length, most, walked, count, beyond) => {
        const model = modelOf({ length, beyond, sizes: learned(most) });
        const there = await look(model, { first: walked });
        fc.pre(there.end !== null);
        const anchor = Math.min(walked, length) - 1;
        const forwards = await look(model, { first: count, after: there.end });
        expect(forwards.calls).toHaveLength(fewestPages(anchor, Math.min(anchor + 1 + count, length), most));
        const backwards = await look(model, { last: count, before: there.end });
        expect(backwards.calls).toHaveLength(fewestPages(Math.max(anchor - count, 0), anchor + 1, most));
      },
    ),
  );
});

test('a window at the start costs the fewest pages for its length, and asks for none past the end', async () => {
  await fc.assert(
    fc.asyncProperty(anyLength, anyMost, anyCount, async (length, most, count) => {
      const model = modelOf({ length, sizes: learned(most) });
      const { calls } = await look(model, { first: count });
      expect(calls.length).toBeLessThanOrEqual(fewestPages(0, count, most));
      expect(calls.filter((call) => isBeyondTheEnd(model, call))).toEqual([]);
    }),
  );
});

test('a window at the end costs one probe, and the fewest pages for what the probe did not show', async () => {
  await fc.assert(
    fc.asyncProperty(anyLength, anyMost, anyCount, async (length, most, count) => {
      const model = modelOf({ length, sizes: learned(most) });
      const { calls } = await look(model, { last: count });
      const probed = Math.min(count, most);
      expect(calls[0]).toEqual({ page: 1, size: probed });
      expect(calls).toHaveLength(1 + fewestPages(Math.max(length - count, probed), length, most));
    }),
  );
});

test('the last window of a list that fits on one page costs that page alone', async () => {
  const model = modelOf({ length: 60 });
  expect((await look(model, { last: 60 })).calls).toEqual([{ page: 1, size: 60 }]);
  expect((await look(model, { last: 100 })).calls).toEqual([{ page: 1, size: 100 }]);
});

test('learning that the service gives smaller pages costs one call in a whole walk', async () => {
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
    }),
  );
});

test('learning that the service gives smaller pages costs one call at the end of a list too', async () => {
  await fc.assert(
    fc.asyncProperty(anyLength, anyMost, anyCount, async (length, cap, count) => {
      const model = modelOf({ length, serves: { max: cap } });
      const { calls } = await look(model, { last: count });
      const probed = Math.min(count, cap);
      const unseen = fewestPages(Math.max(length - count, probed), length, cap);
      // The probe itself tells of the smaller pages, unless it was small enough to be served as asked.
      expect(calls.length).toBeLessThanOrEqual(1 + unseen + (count <= cap ? 1 : 0));
    }),
  );
});

test('a smaller page size, once learned, is asked for from the start', async () => {
  const model = modelOf({ length: 250, serves: { max: 25 } });
  const first = await look(model, { last: 100 });
  const second = await look(model, { last: 100 });
  expect(first.calls.map(({ size }) => size)).toEqual([100, 25, 25, 25, 25]);
  expect(second.calls.map(({ size }) => size)).toEqual([25, 25, 25, 25, 25]);
  const { calls } = await look(model, { first: 24, after: first.start });
  expect(calls).toEqual([{ page: 7, size: 25 }]);
});

test('a size that was never served is tried on one page before others are asked for', async () => {
  const model = modelOf({ length: 250, serves: { max: 20 } });
  const after = encodeCursor({ position: 149, key: '150', total: 250 }, model.operation().fingerprint);
  const { ids, calls } = await look(model, { first: 100, after });
  expect(ids).toEqual(idsOf(model.rows).slice(150));
  expect(calls).toHaveLength(1 + fewestPages(149, 250, 20));
});

test('no page larger than the maximum is ever asked for, whatever sizes come back', async () => {
  const anyServes = fc.record({ min: fc.integer({ min: 1, max: 150 }), more: fc.nat(100) });
  await fc.assert(
    fc.asyncProperty(
      anyLength,
      anyMost,
      anyServes,
      anyCount,
      anyBeyond,
      async (length, most, { min, more }, count, beyond) => {
        const serves = { min, max: min + more };
        const model = modelOf({ length, beyond, serves, sizes: choosableSizes(most) });
        const there = await look(model, { last: count });
        const calls = [...there.calls];
        for (const args of [
          { first: count },
          { last: count, before: there.start },
          { first: count, after: there.start },
        ]) {
          calls.push(...(await look(model, args)).calls);
        }
        expect(calls.filter(({ size }) => size > most)).toEqual([]);
      },
    ),
  );
});

test('a look-up that meets pages larger than the maximum learns nothing of them', () => {
  expect(learn(choosableSizes(100), 100, 150)).toEqual(choosableSizes(100));
});

test('one answer with pages larger than the maximum does not spoil the rest of its window, or the next', async () => {
  const model = modelOf({ length: 500 });
  const list = model.operation();
  const odd = {
    ...list,
    async readPage(page: number, size: number, fresh: boolean) {
      const answer = await list.readPage(page, size, fresh);
      return model.calls.length > 1 ? answer : { ...answer, size: 150, rows: model.rows.slice(0, 150) };
    },
  };
  const { rows } = await readWindow(odd, windowOf({ last: 100 }, list));
  expect(idsOf(rows)).toEqual(idsOf(model.rows).slice(-100));
  expect((await look(model, { first: 3 })).calls).toEqual([{ page: 1, size: 3 }]);
});

test('a list that takes no page size is read with the size that comes back, after one wrong guess at most', async () => {
  await fc.assert(
    fc.asyncProperty(anyLength, anyMost, anyMost, anyCount, async (length, guess, size, count) => {
      const model = modelOf({ length, serves: { min: size, max: size }, sizes: fixedSize(guess) });
      const first = await look(model, { first: count });
      expect(first.calls.length).toBeLessThanOrEqual(
        fewestPages(0, Math.max(Math.min(count, length), 1), size, size),
      );
      const { calls } = await look(model, { last: count });
      const probe = Math.max(length - count, size);
      expect(calls.length).toBe(1 + fewestPages(probe, length, size, size));
    }),
  );
});

test('a service that pays no heed to the size asked for is read with the size that it uses', async () => {
  const model = modelOf({ length: 45, serves: { min: 10, max: 10 } });
  let cursor: string | null = null;
  const ids: number[] = [];
  for (let step = 0; step < 45; step += 1) {
    const seen: Seen = await look(model, { first: 1, after: cursor });
    expect(seen.calls.length).toBeLessThanOrEqual(step === 0 ? 1 : 4);
    ids.push(...seen.ids);
    cursor = seen.end;
  }
  expect(ids).toEqual(model.rows.map(({ id }) => id));
});

test('a service that raises small sizes only is still asked for large ones', async () => {
  const model = modelOf({ length: 300, serves: { min: 20 } });
  const { end } = await look(model, { first: 1 });
  expect((await look(model, { first: 1, after: end })).calls).toEqual([{ page: 1, size: 20 }]);
  expect((await look(model, { first: 99, after: end })).calls).toEqual([{ page: 1, size: 100 }]);
});

test('pages of one window are asked for at the same time once the length is known', async () => {
  const model = modelOf({ length: 300, sizes: learned(25) });
  const { end } = await look(model, { first: 50 });
  const list = model.operation();
  let [open, most] = [0, 0];
  const slow = {
    ...list,
    async readPage(page: number, size: number, fresh: boolean) {
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      const answer = await list.readPage(page, size, fresh);
      open -= 1;
      return answer;
    },
  };
  await readWindow(slow, windowOf({ first: 100, after: end }, list));
  expect(most).toBe(5);
});
