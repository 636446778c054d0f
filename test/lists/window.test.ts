import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeCursor, fingerprintOf } from '../../src/lists/cursor.ts';
import { PagingError } from '../../src/lists/errors.ts';
import { windowOf, type WindowArguments } from '../../src/lists/window.ts';
import { anyBeyond, idsOf, look, modelOf } from './model-list.ts';

const LIST = fingerprintOf('accounts', {});
const anchor = { position: 4, key: '17', total: 9 };
const cursor = encodeCursor(anchor, LIST);

function codeOf(args: WindowArguments): string {
  try {
    windowOf(args, { fingerprint: LIST });
    return 'none';
  } catch (error) {
    if (error instanceof PagingError) return error.code;
    throw error;
  }
}

test('left out, the window is the first twenty', () => {
  const window = { direction: 'forward', count: 20, anchor: null };
  expect(windowOf({}, { fingerprint: LIST })).toEqual(window);
  expect(windowOf({ first: null, after: null, last: null, before: null }, { fingerprint: LIST })).toEqual(
    window,
  );
});

test('either direction takes a count, a cursor, both or, backwards, a cursor alone', () => {
  expect(windowOf({ first: 7 }, { fingerprint: LIST })).toEqual({
    direction: 'forward',
    count: 7,
    anchor: null,
  });
  expect(windowOf({ after: cursor }, { fingerprint: LIST })).toEqual({
    direction: 'forward',
    count: 20,
    anchor,
  });
  expect(windowOf({ first: 100, after: cursor }, { fingerprint: LIST })).toEqual({
    direction: 'forward',
    count: 100,
    anchor,
  });
  expect(windowOf({ last: 1 }, { fingerprint: LIST })).toEqual({
    direction: 'backward',
    count: 1,
    anchor: null,
  });
  expect(windowOf({ before: cursor }, { fingerprint: LIST })).toEqual({
    direction: 'backward',
    count: 20,
    anchor,
  });
  expect(windowOf({ last: 7, before: cursor, first: null }, { fingerprint: LIST })).toEqual({
    direction: 'backward',
    count: 7,
    anchor,
  });
});

test.each<[WindowArguments, WindowArguments]>([
  [{ after: '' }, {}],
  [{ before: '' }, {}],
  [{ first: 7, after: '', before: '' }, { first: 7 }],
  [{ last: 7, after: '', before: '' }, { last: 7 }],
  [{ after: '', before: cursor }, { before: cursor }],
])('an empty cursor is none: %j', (given, meant) => {
  expect(windowOf(given, { fingerprint: LIST })).toEqual(windowOf(meant, { fingerprint: LIST }));
});

test('a count outside 0 to 100 is refused', () => {
  const outside = fc.oneof(
    fc.integer({ max: -1 }),
    fc.integer({ min: 101 }),
    fc.double({ noInteger: true }),
    fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY),
  );
  fc.assert(
    fc.property(outside, (count) => {
      expect([codeOf({ first: count }), codeOf({ last: count })]).toEqual([
        'BAD_USER_INPUT',
        'BAD_USER_INPUT',
      ]);
    }),
  );
});

test.each<[string, WindowArguments]>([
  ['first with last', { first: 1, last: 1 }],
  ['first with before', { first: 1, before: cursor }],
  ['last with after', { last: 1, after: cursor }],
  ['after with before', { after: cursor, before: cursor }],
  ['all four', { first: 1, after: cursor, last: 1, before: cursor }],
])('%s is refused', (_name, args) => {
  expect(codeOf(args)).toBe('BAD_USER_INPUT');
});

test('an error names the argument that it is about', () => {
  expect(() => windowOf({ last: 101 }, { fingerprint: LIST })).toThrow('last must be from 0 to 100');
  expect(() => windowOf({ first: 1, before: cursor }, { fingerprint: LIST })).toThrow(
    'before cannot be combined with first or after',
  );
  expect(() => windowOf({ last: 1, after: cursor }, { fingerprint: LIST })).toThrow(
    'after cannot be combined with last or before',
  );
  expect(() => windowOf({ before: 'x' }, { fingerprint: LIST })).toThrow('before is not a valid cursor');
});

test.each<[string, WindowArguments, string]>([
  ['first: 101', { first: 101 }, 'BAD_USER_INPUT'],
  ['first: -1', { first: -1 }, 'BAD_USER_INPUT'],
  ['first and last', { first: 1, last: 1 }, 'BAD_USER_INPUT'],
  ['a foreign cursor', { first: 1, after: cursor }, 'INVALID_CURSOR'],
  ['a broken cursor', { last: 1, before: '%%%' }, 'INVALID_CURSOR'],
])('%s is refused before the list is asked', async (_name, args, code) => {
  const model = modelOf({ length: 10 });
  await expect(look(model, args)).rejects.toMatchObject({ code });
  expect(model.calls).toEqual([]);
});

test('a made-up cursor that passes for one leads to some window of the list, never to a failure', async () => {
  const anyNumber = fc.oneof(fc.nat(50), fc.maxSafeNat());
  await fc.assert(
    fc.asyncProperty(
      anyNumber,
      anyNumber,
      fc.option(fc.nat(50).map(String)),
      fc.nat(40),
      anyBeyond,
      async (one, other, key, length, beyond) => {
        const model = modelOf({ length, beyond });
        const forged = { position: Math.min(one, other), key, total: Math.max(one, other) };
        fc.pre(forged.position < forged.total);
        const text = encodeCursor(forged, model.operation().fingerprint);
        const forwards = await look(model, { first: 10, after: text });
        const backwards = await look(model, { last: 10, before: text });
        for (const { ids, total } of [forwards, backwards]) {
          const from = ids.length === 0 ? 0 : idsOf(model.rows).indexOf(ids[0] ?? 0);
          expect(ids).toEqual(idsOf(model.rows).slice(from, from + ids.length));
          expect(total).toBe(length);
        }
      },
    ),
  );
});
