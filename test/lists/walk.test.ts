import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { choosableSizes, fixedSize } from '../../src/lists/pages.ts';
import {
  anyBeyond,
  anyCount,
  anyLength,
  idsOf,
  look,
  modelOf,
  type Model,
  type ModelOptions,
  type Seen,
} from './model-list.ts';

const anySize = fc.integer({ min: 1, max: 120 });

// What a service may make of the size that it is asked for, and what the reader believes at first.
const anySizing: fc.Arbitrary<ModelOptions> = fc.oneof(
  fc.record({ most: anyCount }).map(({ most }) => ({ sizes: choosableSizes(most) })),
  fc.record({ most: anyCount, max: anySize }).map(({ most, max }) => ({
    sizes: choosableSizes(most),
    serves: { max },
  })),
  fc.record({ most: anyCount, min: anySize, more: fc.nat(50) }).map(({ most, min, more }) => ({
    sizes: choosableSizes(most),
    serves: { min, max: min + more },
  })),
  fc.record({ guess: anySize, size: anySize }).map(({ guess, size }) => ({
    sizes: fixedSize(guess),
    serves: { min: size, max: size },
  })),
);

const anyModel = fc
  .record({ sizing: anySizing, length: anyLength, beyond: anyBeyond })
  .map(({ sizing, ...rest }) => ({ ...sizing, ...rest }));
const anyCounts = fc.array(anyCount, { minLength: 1, maxLength: 5 });

async function walk(model: Model, counts: readonly number[], way: 'forwards' | 'backwards'): Promise<Seen[]> {
  const windows: Seen[] = [];
  let cursor: string | null = null;
  for (let step = 0; step === 0 || cursor !== null; step += 1) {
    const count = counts[step % counts.length] ?? 1;
    const seen: Seen = await look(
      model,
      way === 'forwards' ? { first: count, after: cursor } : { last: count, before: cursor },
    );
    expect(seen.ids.length).toBeLessThanOrEqual(count);
    windows.push(seen);
    const goesOn = way === 'forwards' ? seen.hasNext : seen.hasPrevious;
    cursor = goesOn ? (way === 'forwards' ? seen.end : seen.start) : null;
    if (goesOn && cursor === null) throw new Error('there is more, but no cursor to it');
  }
  return windows;
}

function expectTrueFacts({ ids, hasPrevious, hasNext, total, drifted }: Seen, rows: readonly number[]): void {
  const [first, last] = [ids[0], ids.at(-1)];
  expect({ total, drifted, hasPrevious, hasNext }).toEqual({
    total: rows.length,
    drifted: false,
    hasPrevious: first !== undefined && first !== rows[0],
    hasNext: last !== undefined && last !== rows.at(-1),
  });
}

test('windows walked forwards give the whole list, once, in order, whatever the pages are like', async () => {
  await fc.assert(
    fc.asyncProperty(anyModel, anyCounts, async (options, counts) => {
      const model = modelOf(options);
      const all = idsOf(model.rows);
      const windows = await walk(model, counts, 'forwards');
      expect(windows.flatMap(({ ids }) => ids)).toEqual(all);
      for (const seen of windows) expectTrueFacts(seen, all);
    }),
  );
});

test('windows walked backwards give the whole list, once, in order, whatever the pages are like', async () => {
  await fc.assert(
    fc.asyncProperty(anyModel, anyCounts, async (options, counts) => {
      const model = modelOf(options);
      const all = idsOf(model.rows);
      const windows = await walk(model, counts, 'backwards');
      expect(windows.toReversed().flatMap(({ ids }) => ids)).toEqual(all);
      for (const seen of windows) expectTrueFacts(seen, all);
    }),
  );
});

test('only the last window of a walk is shorter than asked for', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyModel,
      anyCount,
      fc.constantFrom('forwards', 'backwards'),
      async (options, count, way) => {
        const windows = await walk(modelOf(options), [count], way);
        expect(windows.slice(0, -1).every(({ ids }) => ids.length === count)).toBe(true);
      },
    ),
  );
});

test('a cursor from one direction leads back in the other', async () => {
  await fc.assert(
    fc.asyncProperty(anyModel, anyCount, anyCount, async (options, count, back) => {
      const model = modelOf(options);
      const there = await look(model, { first: count });
      const here = await look(model, { last: back, before: there.end });
      expect(here.ids).toEqual(there.ids.slice(0, -1).slice(-back));
      expect(here.hasPrevious).toBe(here.ids.length < there.ids.length - 1);
      expect(here.hasNext).toBe(here.total > 0);
    }),
  );
});

test('an empty list has no rows, no cursors and nothing on either side', async () => {
  for (const args of [{ first: 5 }, { last: 5 }, {}]) {
    expect(await look(modelOf(), args)).toMatchObject({
      ids: [],
      total: 0,
      hasPrevious: false,
      hasNext: false,
      start: null,
      end: null,
      drifted: false,
      calls: [{ page: 1 }],
    });
  }
});

test('a cursor keeps its place when the page size has changed meanwhile', async () => {
  const model = modelOf({ length: 90 });
  const first = await look(model, { first: 33 });
  model.memory.sizes = choosableSizes(7);
  const second = await look(model, { first: 33, after: first.end });
  expect(second.ids).toEqual(idsOf(model.rows).slice(33, 66));
});

test('a row without a readable key still has its place', async () => {
  const model = modelOf({ length: 30 });
  const first = await look(model, { first: 10 }, () => null);
  const second = await look(model, { first: 10, after: first.end }, () => null);
  expect(second).toMatchObject({ ids: idsOf(model.rows).slice(10, 20), drifted: false });
});
