import { test } from 'vitest';
import * as decode from '../../src/sources/decode.ts';
import { Mismatch } from '../../src/sources/drift.ts';
import { defineView, field, mapOf, record, type Decoder } from '../../src/sources/view.ts';
import { expectMeaning } from '../support/meanings.ts';

const LONG = 'long '.repeat(2_000);
const OBJECT = { a: { b: [1] } };
/** Values of every kind of JSON; each decoder refuses all that it does not list. */
const OF_EVERY_KIND: readonly unknown[] = [0, 'Y', [], {}, LONG, 1e21, true, -1, OBJECT];
const inner = record(defineView({ a: field('a', decode.undocumented) }));

const READABLE: readonly (readonly [
  name: string,
  decoder: Decoder<unknown>,
  rows: readonly (readonly [unknown, unknown])[],
])[] = [
  [
    'text',
    decode.text,
    [
      ['Y', 'Y'],
      [LONG, LONG],
    ],
  ],
  [
    'markup',
    decode.markup,
    [
      ['Y', 'Y'],
      [LONG, LONG],
    ],
  ],
  [
    'id',
    decode.id,
    [
      [0, '0'],
      [-1, '-1'],
      ['Y', 'Y'],
      [LONG, LONG],
    ],
  ],
  [
    'integer',
    decode.integer,
    [
      [0, 0],
      [-1, -1],
    ],
  ],
  [
    'decimal',
    decode.decimal,
    [
      [0, 0],
      [-1, -1],
      [1e21, 1e21],
    ],
  ],
  ['flag', decode.flag, [[true, true]]],
  ['yesNo', decode.yesNo, [['Y', true]]],
  ['url', decode.url, []],
  ['instant', decode.instant, []],
  ['epochMilliseconds', decode.epochMilliseconds, [[0, null]]],
  ['epochSeconds', decode.epochSeconds, [[0, null]]],
  ['epochOfEitherUnit', decode.epochOfEitherUnit, [[0, null]]],
  ['clockTime', decode.clockTime, []],
  ['listOf(text)', decode.listOf(decode.text), [[[], []]]],
  ['undocumented', decode.undocumented, OF_EVERY_KIND.map((value) => [value, value])],
  [
    'undocumentedObject',
    decode.undocumentedObject,
    OF_EVERY_KIND.map((value) => [value, Array.isArray(value) ? null : value]),
  ],
  ['undocumentedPlaces', decode.undocumentedPlaces, [[[], []]]],
  [
    'record',
    (value, origin) => inner(value, origin)?.a ?? null,
    [
      [[], null],
      [{}, null],
      [OBJECT, OBJECT.a],
    ],
  ],
  [
    'mapOf(undocumented)',
    mapOf(decode.undocumented),
    [
      [[], null],
      [{}, []],
      [OBJECT, [{ key: 'a', value: OBJECT.a }]],
    ],
  ],
];

test.each(READABLE)('%s refuses every kind of JSON that it does not read', (...table) => {
  const [name, decoder, rows] = table;
  const meanings = new Map(rows.map(([wire, meaning]) => [JSON.stringify(wire), meaning]));
  for (const wire of OF_EVERY_KIND) {
    const key = JSON.stringify(wire);
    expectMeaning(name, decoder, wire, meanings.has(key) ? meanings.get(key) : Mismatch);
  }
});
