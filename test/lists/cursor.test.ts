import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor, fingerprintOf, type Cursor } from '../../src/lists/cursor.ts';
import { PagingError } from '../../src/lists/errors.ts';
import { anyText } from '../support/any-text.ts';

const LIST = fingerprintOf('accounts', {});

const anyCursor: fc.Arbitrary<Cursor> = fc
  .record({
    total: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    part: fc.double({ min: 0, max: 0.999, noNaN: true }),
    key: fc.option(anyText(40)),
  })
  .map(({ total, part, key }) => ({ total, position: Math.floor(part * total), key }));

/** What decoding a text gives: a cursor, or the code of the error; any other error is thrown. */
function outcome(text: string, fingerprint = LIST): Cursor | string {
  try {
    return decodeCursor(text, fingerprint, 'after');
  } catch (error) {
    if (error instanceof PagingError) return error.code;
    throw error;
  }
}

const textOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a cursor comes back as it was made', () => {
  fc.assert(
    fc.property(anyCursor, (cursor) => {
      expect(outcome(encodeCursor(cursor, LIST))).toEqual(cursor);
    }),
  );
});

test('a cursor is one word that needs no escaping in a URL', () => {
  fc.assert(
    fc.property(anyCursor, (cursor) => {
      expect(encodeCursor(cursor, LIST)).toMatch(/^[\w-]+$/);
    }),
  );
});

test('a cursor is never longer than what is accepted, however long the key of its record', () => {
  const cursor = { position: 3, key: '\u0000'.repeat(5_000), total: 9 };
  const text = encodeCursor(cursor, LIST);
  expect(text.length).toBeLessThan(2_049);
  expect(outcome(text)).toEqual({ ...cursor, key: null });
});

test('a truncated cursor is invalid, wherever it was cut', () => {
  fc.assert(
    fc.property(anyCursor, fc.double({ min: 0, max: 0.999, noNaN: true }), (cursor, part) => {
      const text = encodeCursor(cursor, LIST);
      expect(outcome(text.slice(0, Math.floor(part * text.length)))).toBe('INVALID_CURSOR');
    }),
  );
});

test('a cursor with one character changed is invalid, whichever it is', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. "\u0000é'.split('');
  fc.assert(
    fc.property(anyCursor, fc.nat(), fc.constantFrom(...alphabet), (cursor, place, character) => {
      const text = encodeCursor(cursor, LIST);
      const index = place % text.length;
      fc.pre(text[index] !== character);
      expect(outcome(text.slice(0, index) + character + text.slice(index + 1))).toBe('INVALID_CURSOR');
    }),
  );
});

test('a cursor with one bit of its content flipped is invalid', () => {
  fc.assert(
    fc.property(anyCursor, fc.nat(), fc.nat(7), (cursor, place, bit) => {
      const bytes = Buffer.from(encodeCursor(cursor, LIST), 'base64url');
      const index = place % bytes.length;
      bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
      expect(outcome(bytes.toString('base64url'))).toBe('INVALID_CURSOR');
    }),
  );
});

test('any text that was not made here is invalid', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.jsonValue().map(textOf)), (text) => {
      expect(outcome(text)).toBe('INVALID_CURSOR');
    }),
  );
});

test('a cursor of another list, filter, order or surface is invalid', () => {
  const cursor = { position: 4, key: '17', total: 9 };
  const others = [
    fingerprintOf('groups', {}),
    fingerprintOf('legacy accounts', {}),
    fingerprintOf('accounts', { name: 'a' }),
    fingerprintOf('accounts', { sortBy: [['loginId', 'ASC']] }),
  ];
  for (const other of others) {
    const text = encodeCursor(cursor, other);
    expect(outcome(text)).toBe('INVALID_CURSOR');
    expect(() => decodeCursor(text, LIST, 'after')).toThrow(
      'after is a cursor for a different list, filter or order',
    );
  }
});

// Forgeries carry a true check, as if somebody had read the code, and still have to make sense.
const forged: readonly (readonly [string, Cursor])[] = [
  ['a position that is no safe number', { position: 1e308, key: '17', total: 9 }],
  ['a position beyond what counts exactly', { position: 2 ** 53, key: '17', total: 2 ** 53 + 2 }],
  ['a negative position', { position: -1, key: '17', total: 9 }],
  ['half a position', { position: 0.5, key: '17', total: 9 }],
  ['no number for a position', { position: Number.NaN, key: '17', total: 9 }],
  ['a position outside its list', { position: 9, key: '17', total: 9 }],
  ['a negative length', { position: 0, key: '17', total: -1 }],
  ['a length without end', { position: 0, key: '17', total: Number.POSITIVE_INFINITY }],
];

test.each(forged)('a cursor with %s is invalid', (_name, cursor) => {
  expect(outcome(encodeCursor(cursor, LIST))).toBe('INVALID_CURSOR');
});

test('content of the wrong kind is invalid, and reaches nobody’s prototype', () => {
  const texts = [
    ...[null, {}, [], 'text', 7, [1], [1, LIST], { __proto__: [1, LIST, 0, 'k', 1] }].map(textOf),
    ...['[1,"__proto__",0,"k",1]', '{"__proto__":{"position":0}}', '{"constructor":1,"length":6}'].map(
      (json) => Buffer.from(json).toString('base64url'),
    ),
    textOf([1, LIST, '0', '17', 9, '']),
    textOf([1, LIST, 0, { toString: 'x' }, 9, '']),
    textOf([1, LIST, 0, '17', 9]),
    textOf([1, LIST, null, null, null, null]),
  ];
  for (const text of texts) expect(outcome(text)).toBe('INVALID_CURSOR');
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test.each(['__proto__', 'constructor', 'toString', '', '"', '\uD800'])(
  'a record may have the key %j',
  (key) => {
    const cursor = { position: 0, key, total: 1 };
    expect(outcome(encodeCursor(cursor, LIST))).toEqual(cursor);
  },
);

test('a cursor of a future version is invalid, and says so', () => {
  const future = textOf([2, LIST, 0, '17', 9, 'whatever', 'comes']);
  expect(() => decodeCursor(future, LIST, 'before')).toThrow('before is a cursor of a different version');
});

test('a huge text is refused without being read', () => {
  expect(outcome('A'.repeat(5_000_000))).toBe('INVALID_CURSOR');
  expect(outcome(textOf('['.repeat(1_000)))).toBe('INVALID_CURSOR');
  expect(outcome(Buffer.from('['.repeat(1_500)).toString('base64url'))).toBe('INVALID_CURSOR');
});

test('the same arguments give the same fingerprint, in any order, with what is null left out or not', () => {
  const anyArgs = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string()), fc.constant(null)));
  fc.assert(
    fc.property(anyArgs, (args) => {
      const entries = Object.entries(args);
      expect(fingerprintOf('accounts', Object.fromEntries(entries.toReversed()))).toBe(
        fingerprintOf('accounts', args),
      );
      const given = entries.filter(([, value]) => value !== null);
      expect(fingerprintOf('accounts', Object.fromEntries(given))).toBe(fingerprintOf('accounts', args));
    }),
  );
});
