import { test } from 'vitest';
import * as decode from '../../src/sources/decode.ts';
import { Mismatch } from '../../src/sources/drift.ts';
import { type Decoder } from '../../src/sources/view.ts';
import { expectMeaning } from '../support/meanings.ts';

/** Pairs of wire values and what they mean; `Mismatch` for what means nothing. */
const TABLES: readonly (readonly [
  name: string,
  decoder: Decoder<unknown>,
  rows: readonly (readonly [unknown, unknown])[],
])[] = [
  [
    'text',
    decode.text,
    [
      ['a', 'a'],
      [1, Mismatch],
      [true, Mismatch],
      [{}, Mismatch],
    ],
  ],
  [
    'id',
    decode.id,
    [
      ['7', '7'],
      [7, '7'],
      [-1, '-1'],
      [1.5, Mismatch],
      [2 ** 53, Mismatch],
      [Number.NaN, Mismatch],
      [[], Mismatch],
    ],
  ],
  [
    'integer',
    decode.integer,
    [
      [7, 7],
      ['7', 7],
      ['-7', -7],
      ['7.0', Mismatch],
      ['7e2', Mismatch],
      [1.5, Mismatch],
      [2 ** 31, Mismatch],
      ['', Mismatch],
      [true, Mismatch],
    ],
  ],
  [
    'decimal',
    decode.decimal,
    [
      [1.5, 1.5],
      [0, 0],
      [Number.POSITIVE_INFINITY, Mismatch],
      ['1.5', Mismatch],
    ],
  ],
  [
    'flag',
    decode.flag,
    [
      [true, true],
      [false, false],
      [0, Mismatch],
      [1, Mismatch],
      ['true', Mismatch],
      ['N', Mismatch],
    ],
  ],
  [
    'yesNo',
    decode.yesNo,
    [
      ['Y', true],
      ['N', false],
      ['y', Mismatch],
      ['Yes', Mismatch],
      [true, Mismatch],
      ['toString', Mismatch],
      ['__proto__', Mismatch],
    ],
  ],
  [
    'url',
    decode.url,
    [
      ['https://x.example/a b', 'https://x.example/a b'],
      ['null', null],
      ['x.example', Mismatch],
      ['//x', Mismatch],
      [7, Mismatch],
    ],
  ],
  [
    'instant',
    decode.instant,
    [
      ['2026-03-01T09:30:00.000Z', new Date('2026-03-01T09:30:00Z')],
      ['2026-03-01T09:30:00+05:30', new Date('2026-03-01T04:00:00Z')],
      ['2026-03-01T09:30Z', new Date('2026-03-01T09:30:00Z')],
      ['0000-00-00 00:00:00', null],
      ['null', null],
      ['2026-03-01T09:30:00', Mismatch],
      ['2026-03-01', Mismatch],
      ['2026-13-01T00:00:00Z', Mismatch],
      ['2026-02-31T00:00:00Z', Mismatch],
      ['2026-03-01T25:00:00Z', Mismatch],
      ['yesterday', Mismatch],
      ['3 hours ago', Mismatch],
      ['2026-03-01 09:30:00+00:00', new Date('2026-03-01T09:30:00Z')],
      ['20-Nov-2026 03:19 PM', Mismatch],
      ['1795161600000', Mismatch],
      [1_772_357_400_000, Mismatch],
    ],
  ],
  [
    'epochMilliseconds',
    decode.epochMilliseconds,
    [
      ['1772357400000', new Date(1_772_357_400_000)],
      [1_772_357_400_000, new Date(1_772_357_400_000)],
      [0, null],
      ['0', null],
      [1_772_357_400, Mismatch],
      ['soon', Mismatch],
      [1e21, Mismatch],
    ],
  ],
  [
    'epochSeconds',
    decode.epochSeconds,
    [
      [1_772_357_400, new Date(1_772_357_400_000)],
      ['4294967296', new Date(4_294_967_296_000)],
      [0, null],
      [12, Mismatch],
    ],
  ],
  [
    'epochOfEitherUnit',
    decode.epochOfEitherUnit,
    [
      [1_772_357_400, new Date(1_772_357_400_000)],
      [1_772_357_400_000, new Date(1_772_357_400_000)],
      [0, null],
      [7, Mismatch],
    ],
  ],
  [
    'clockTime',
    decode.clockTime,
    [
      ['12:00 AM', '00:00'],
      ['12:59 AM', '00:59'],
      ['12:00 PM', '12:00'],
      ['01:05 PM', '13:05'],
      ['9:30 am', '09:30'],
      [' 11:59 PM ', '23:59'],
      ['13:00 PM', Mismatch],
      ['00:30 AM', Mismatch],
      ['09:60 AM', Mismatch],
      ['09:30', Mismatch],
    ],
  ],
  [
    'listOf(text)',
    decode.listOf(decode.text),
    [
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
      [[], []],
      [
        ['a', null, 'b'],
        ['a', 'b'],
      ],
      ['null', null],
      [['a', 1], Mismatch],
      ['a', Mismatch],
      [{}, Mismatch],
    ],
  ],
  [
    'undocumentedPlaces',
    decode.undocumentedPlaces,
    [
      ['null', null],
      [
        ['a', null, { b: 1 }],
        ['a', '', { b: 1 }],
      ],
      ['a', Mismatch],
    ],
  ],
  [
    'markup',
    decode.markup,
    [
      ['<b>a</b>', 'a'],
      ['<br>', null],
      [7, Mismatch],
    ],
  ],
];

test.each(TABLES)('%s reads each value as what it means, and refuses what means nothing', (...table) => {
  const [name, decoder, rows] = table;
  for (const [wire, meaning] of rows) expectMeaning(name, decoder, wire, meaning);
});
