import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import * as decode from '../../src/sources/decode.ts';
import { Mismatch } from '../../src/sources/drift.ts';
import { defineView, field, mapOf, record, SourceRecord, type Decoder } from '../../src/sources/view.ts';

const LONG = 'long '.repeat(2_000);
const OBJECT = { a: { b: [1] } };
/** Values of every kind of JSON. A decoder refuses those of them that its row does not list. */
const OF_EVERY_KIND: readonly unknown[] = [0, 'Y', [], {}, LONG, 1e21, true, -1, OBJECT];
const inner = record(defineView({ a: field('a', decode.undocumented) }));

interface Meanings {
  /** Values that are read as they are. */
  readonly same?: readonly unknown[];
  readonly reads?: readonly (readonly [wire: unknown, meaning: unknown])[];
  readonly refuses?: readonly unknown[];
}

const at = (time: string): Date => new Date(time);
const MARCH_MS = 1_772_357_400_000;
const MARCH = new Date(MARCH_MS);

const DECODERS: Readonly<Record<string, readonly [Decoder<unknown>, Meanings]>> = {
  text: [decode.text, { same: ['a', 'Y', LONG], refuses: [1, true, {}] }],
  markup: [
    decode.markup,
    {
      same: ['Y', LONG],
      reads: [
        ['<b>a</b>', 'a'],
        ['<br>', null],
      ],
      refuses: [7],
    },
  ],
  id: [
    decode.id,
    {
      same: ['7', 'Y', LONG],
      reads: [
        [7, '7'],
        [0, '0'],
        [-1, '-1'],
      ],
      refuses: [1.5, 2 ** 53, Number.NaN, []],
    },
  ],
  integer: [
    decode.integer,
    {
      same: [7, 0, -1],
      reads: [
        ['7', 7],
        ['-7', -7],
      ],
      refuses: ['7.0', '7e2', 1.5, 2 ** 31, '', true],
    },
  ],
  decimal: [decode.decimal, { same: [1.5, 0, -1, 1e21], refuses: [Number.POSITIVE_INFINITY, '1.5'] }],
  flag: [decode.flag, { same: [true, false], refuses: [0, 1, 'true', 'N'] }],
  yesNo: [
    decode.yesNo,
    {
      reads: [
        ['Y', true],
        ['N', false],
      ],
      refuses: ['y', 'Yes', true, 'toString', '__proto__'],
    },
  ],
  url: [
    decode.url,
    { same: ['https://x.example/a b'], reads: [['null', null]], refuses: ['x.example', '//x', 7] },
  ],
  instant: [
    decode.instant,
    {
      reads: [
        ['2026-03-01T09:30:00.000Z', MARCH],
        ['2026-03-01T09:30:00+05:30', at('2026-03-01T04:00:00Z')],
        ['2026-03-01T09:30Z', MARCH],
        ['2026-03-01 09:30:00+00:00', MARCH],
        ['0000-00-00 00:00:00', null],
        ['null', null],
      ],
      refuses: [
        '2026-03-01T09:30:00',
        '2026-03-01',
        '2026-13-01T00:00:00Z',
        '2026-02-31T00:00:00Z',
        '2026-03-01T25:00:00Z',
        'yesterday',
        '3 hours ago',
        '20-Nov-2026 03:19 PM',
        String(MARCH_MS),
        MARCH_MS,
      ],
    },
  ],
  epochMilliseconds: [
    decode.epochMilliseconds,
    {
      reads: [
        [String(MARCH_MS), MARCH],
        [MARCH_MS, MARCH],
        [0, null],
        ['0', null],
      ],
      refuses: [MARCH_MS / 1_000, 'soon', 1e21],
    },
  ],
  epochSeconds: [
    decode.epochSeconds,
    {
      reads: [
        [MARCH_MS / 1_000, MARCH],
        ['4294967296', new Date(4_294_967_296_000)],
        [0, null],
      ],
      refuses: [12],
    },
  ],
  epochOfEitherUnit: [
    decode.epochOfEitherUnit,
    {
      reads: [
        [MARCH_MS / 1_000, MARCH],
        [MARCH_MS, MARCH],
        [0, null],
      ],
      refuses: [7],
    },
  ],
  clockTime: [
    decode.clockTime,
    {
      reads: [
        ['12:00 AM', '00:00'],
        ['12:59 AM', '00:59'],
        ['12:00 PM', '12:00'],
        ['01:05 PM', '13:05'],
        ['9:30 am', '09:30'],
        [' 11:59 PM ', '23:59'],
      ],
      refuses: ['13:00 PM', '00:30 AM', '09:60 AM', '09:30'],
    },
  ],
  'listOf(text)': [
    decode.listOf(decode.text),
    {
      same: [['a', 'b'], []],
      reads: [
        [
          ['a', null, 'b'],
          ['a', 'b'],
        ],
        ['null', null],
      ],
      refuses: [['a', 1], 'a', {}],
    },
  ],
  undocumented: [decode.undocumented, { same: OF_EVERY_KIND }],
  undocumentedObject: [
    decode.undocumentedObject,
    { same: OF_EVERY_KIND.filter((value) => !Array.isArray(value)), reads: [[[], null]] },
  ],
  undocumentedPlaces: [
    decode.undocumentedPlaces,
    {
      same: [[]],
      reads: [
        ['null', null],
        [
          ['a', null, { b: 1 }],
          ['a', '', { b: 1 }],
        ],
      ],
      refuses: ['a'],
    },
  ],
  record: [
    (value, origin) => inner(value, origin)?.a ?? null,
    {
      reads: [
        [[], null],
        [{}, null],
        [OBJECT, OBJECT.a],
      ],
    },
  ],
  'mapOf(undocumented)': [
    mapOf(decode.undocumented),
    {
      reads: [
        [[], null],
        [{}, []],
        [OBJECT, [{ key: 'a', value: OBJECT.a }]],
      ],
    },
  ],
};

const HOLDER = new SourceRecord(
  {},
  { surface: 'current', endpoint: 'GET /accounts/list', onDrift: () => undefined },
);

test.each(Object.entries(DECODERS))(
  '%s reads each value as what it means, and refuses all others',
  (_name, [decoder, { same = [], reads = [], refuses = [] }]) => {
    const meanings = [...same.map((value) => [value, value] as const), ...reads];
    for (const [wire, meaning] of meanings) expect(decoder(wire, HOLDER), inspect(wire)).toEqual(meaning);
    const listed = new Set(meanings.map(([wire]) => JSON.stringify(wire)));
    const others = OF_EVERY_KIND.filter((wire) => !listed.has(JSON.stringify(wire)));
    for (const wire of [...refuses, ...others])
      expect(() => decoder(wire, HOLDER), inspect(wire)).toThrow(Mismatch);
  },
);
