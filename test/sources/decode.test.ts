import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import * as decode from '../../src/sources/decode.ts';
import { Mismatch } from '../../src/sources/drift.ts';
import { mapOf, SourceRecord, type Decoder } from '../../src/sources/view.ts';

// The forms in which one kind of value comes. What a field shows of a value of another kind is in test/conformance.

type Row = readonly [
  name: string,
  decoder: Decoder<unknown>,
  reads: readonly (readonly [wire: unknown, meaning: unknown])[],
  refuses: readonly unknown[],
];

const MARCH_MS = 1_772_357_400_000;
const MARCH_S = MARCH_MS / 1_000;
const MARCH = new Date(MARCH_MS);
/** The same meaning for several forms. */
const all = (forms: readonly unknown[], meaning: unknown) => forms.map((wire) => [wire, meaning] as const);
const same = (...values: readonly unknown[]) => values.map((value) => [value, value] as const);
/** Texts, each with its own meaning. */
const texts = (meanings: Readonly<Record<string, unknown>>) => Object.entries(meanings);

const NO_INSTANTS = [
  ...'2026-03-01T09:30:00 2026-03-01 2026-13-01T00:00:00Z 2026-02-31T00:00:00Z 2026-03-01T25:00:00Z'.split(
    ' ',
  ),
  '3 hours ago',
  '20-Nov-2026 03:19 PM',
  String(MARCH_MS),
  MARCH_MS,
];

const NO_INTEGERS = ['7.0', '7e2', 1.5, 2 ** 31, '', true];

const DECODERS: readonly Row[] = [
  ['id', decode.id, [...same('7', 'Y'), [7, '7'], [0, '0'], [-1, '-1']], [1.5, 2 ** 53, Number.NaN]],
  ['integer', decode.integer, [...same(7, 0, -1), ['7', 7], ['-7', -7]], NO_INTEGERS],
  ['decimal', decode.decimal, same(1.5, 0, -1, 1e21), [Number.POSITIVE_INFINITY, '1.5']],
  ['yesNo', decode.yesNo, texts({ Y: true, N: false }), ['y', 'Yes', true, 'toString', '__proto__']],
  ['url', decode.url, [...same('https://x.example/a b'), ['null', null]], ['x.example', '//x', 7]],
  ['privateUrl', decode.privateUrl, [...same('https://x.example/a'), ['null', null]], ['x.example', 7]],
  [
    'instant',
    decode.instant,
    [
      ...all(['2026-03-01T09:30:00.000Z', '2026-03-01T09:30Z', '2026-03-01 09:30:00+00:00'], MARCH),
      ['2026-03-01T15:00:00+05:30', MARCH],
      ...all(['0000-00-00 00:00:00', 'null'], null),
    ],
    NO_INSTANTS,
  ],
  [
    'epochMilliseconds',
    decode.epochMilliseconds,
    [...all([String(MARCH_MS), MARCH_MS], MARCH), ...all([0, '0'], null)],
    [MARCH_S, 'soon', 1e21],
  ],
  [
    'epochSeconds',
    decode.epochSeconds,
    [...all([MARCH_S], MARCH), ['4294967296', new Date(4_294_967_296_000)], [0, null]],
    [12],
  ],
  ['epochOfEitherUnit', decode.epochOfEitherUnit, [...all([MARCH_S, MARCH_MS], MARCH), [0, null]], [7]],
  [
    'clockTime',
    decode.clockTime,
    [
      ...texts({ '12:00 AM': '00:00', '12:59 AM': '00:59', '12:00 PM': '12:00', '01:05 PM': '13:05' }),
      ...texts({ '9:30 am': '09:30', ' 11:59 PM ': '23:59' }),
    ],
    ['13:00 PM', '00:30 AM', '09:60 AM', '09:30'],
  ],
  [
    'listOf(text)',
    decode.listOf(decode.text),
    [...same([], ['a']), ...all([['a', null, 'b']], ['a', 'b']), ['null', null]],
    [['a', 1], 'a', {}],
  ],
  [
    'undocumentedPlaces',
    decode.undocumentedPlaces,
    [...same([]), ['null', null], ...all([['a', null, { b: 1 }]], ['a', '', { b: 1 }])],
    ['a'],
  ],
  [
    'mapOf(undocumented)',
    mapOf(decode.undocumented),
    [...all([[]], null), ...all([{}], []), ...all([{ a: 1 }], [{ key: 'a', value: 1 }])],
    ['a'],
  ],
];

const HOLDER = new SourceRecord(
  {},
  { surface: 'current', endpoint: 'GET /accounts/list', onDrift: () => undefined },
);

test.each(DECODERS)(
  '%s reads each form as what it means, and refuses others',
  (_name, decoder, reads, refuses) => {
    for (const [wire, meaning] of reads) expect(decoder(wire, HOLDER), inspect(wire)).toEqual(meaning);
    for (const wire of refuses) expect(() => decoder(wire, HOLDER), inspect(wire)).toThrow(Mismatch);
  },
);

const twoDigits = (number: number) => String(number).padStart(2, '0');

test('each day of a year but the leap day is taken as it is written, and none that is not on the calendar', () => {
  for (const year of [2027, 2028]) {
    const instants = Array.from({ length: 14 * 33 }, (_, at) => {
      const date = `${year}-${twoDigits(Math.floor(at / 33))}-${twoDigits(at % 33)}`;
      return `${date}T17:06:26.352Z`;
    });
    const taken = instants.filter((instant) => decode.instant.plain?.(instant) === instant);
    expect(taken).toHaveLength(365);
    expect(taken.map((instant) => new Date(instant).toISOString())).toEqual(taken);
  }
});
