import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson } from '../../packages/sandbox/src/wire/json.ts';
import { jsonOf } from '../../src/sources/client.ts';
import { RECORD_READ, type Endpoint } from '../../src/sources/endpoint.ts';
import { HttpAnswer } from '../../src/sources/http-answer.ts';
import { isTooDeep, MAX_JSON_DEPTH, parseJson } from '../../src/sources/json.ts';
import { anyText } from '../support/cases.ts';
import { cases } from '../support/depth.ts';
import { cpuMsOf, costOf, MOST_GROWTH } from '../support/costs.ts';

const ENDPOINT: Endpoint = { name: 'GET /x', surface: 'current', method: 'GET', path: '/x', ...RECORD_READ };
const answerOf = (text: string) => new HttpAnswer({ status: 200, headers: {}, body: Buffer.from(text) });
const parse = (json: string): unknown => parseJson(Buffer.from(json));
const integers = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
const texts = fc.oneof(
  anyText(20),
  fc.constantFrom('12345678901234567890', '"', '\\', '\\"12345678901234567890', '{"a":12345678901234567890}'),
);
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    integers,
    texts,
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      // After a name that ends in `\`, JSON.parse of V8 13.6 (Node 24) takes names with an escape there for the same name.
      fc.oneof(
        fc.constantFrom('loginId', 'page-2', 'v1.id'),
        texts.filter((key) => key !== '__proto__' && !key.endsWith('\\')),
      ),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
}));

/** What is to be read: integers that a double can't hold as their digits, and whole characters. */
function exact(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    return /e/.test(String(value)) ? value : String(value);
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(exact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key.toWellFormed(), exact(child)]));
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const wrapped = fc
  .tuple(values, fc.array(fc.boolean(), { minLength: 55, maxLength: 70 }))
  .map(([value, levels]) =>
    levels.reduce<unknown>((inner, isList) => (isList ? [1, inner, 2] : { a: 1, inner }), exact(value)),
  );

test('a value with more than 64 levels is too deep', () => {
  fc.assert(
    fc.property(wrapped, (value) => {
      expect(isTooDeep(value)).toBe(depthOf(value) > MAX_JSON_DEPTH);
    }),
  );
  expect(isTooDeep(parse('['.repeat(200_000) + ']'.repeat(200_000)))).toBe(true);
});

/** An answer with a long number, and a long text of which each second character is escaped. */
const textOf = (count: number): string => `[17841401234567891,"${'x\\"'.repeat(count)}"]`;

const leastCpuOf = (run: () => unknown): number => Math.min(...[1, 2, 3].map(() => cpuMsOf(run)));

function readOrRefused(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    return String(error);
  }
}

const UNITS = ['\ud83d', '\ud83d\ude00', '\ude00', '\\', 'u', 'ud83d', '\\ude00', '"', 'é', 'a'];
const halfCharacters = fc
  .array(fc.constantFrom(...UNITS, 'D83D', '\u3042'), { maxLength: 12 })
  .map((units) => units.join(''));
const asEscapes = (json: string): string =>
  json.replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
  );

describe('an answer', () => {
  test('with half a character in a text or a name is read with U+FFFD in its place', () => {
    fc.assert(
      fc.property(halfCharacters, (text) => {
        const read = [{ [`name ${text.toWellFormed()}`]: [text.toWellFormed()] }];
        const json = JSON.stringify([{ [`name ${text}`]: [text] }]);
        for (const spelt of [json, asEscapes(json)]) expect(parse(spelt)).toEqual(read);
      }),
    );
    expect(parse(`["${'x'.repeat(1_000_000)}\\ud83d"]`)).toEqual([`${'x'.repeat(1_000_000)}\ufffd`]);
  });

  test('is read to the last digit of its numbers, however large it is', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(parse(toJson(value))).toEqual(exact(value));
      }),
    );
    const blanks = ' '.repeat(1_000_000);
    fc.assert(
      fc.property(fc.oneof(values.map(toJson), wrapped.map(toJson), fc.string()), (text) => {
        expect(readOrRefused(blanks + text)).toEqual(readOrRefused(text));
      }),
      { numRuns: cases(8, 500) },
    );
  });

  test.each([
    [textOf(1_000), ['17841401234567891', 'x"'.repeat(1_000)]],
    [
      '[-17841401234567891,9007199254740991,9007199254740993]',
      ['-17841401234567891', 9_007_199_254_740_991, '9007199254740993'],
    ],
    ['{"17841401234567891":1234567890123456.5}', { '17841401234567891': 1_234_567_890_123_456.5 }],
    [
      '[1e400,1234567890123456e2,0.12345678901234567890]',
      [Infinity, 123_456_789_012_345_600, 0.123_456_789_012_345_68],
    ],
    ['"\\\\\\"17841401234567891"', '\\"17841401234567891'],
    [' [ 17841401234567891 , "17841401234567891" ] ', ['17841401234567891', '17841401234567891']],
    ['{"a":12345678901234567890,"a":1}', { a: 1 }],
    ['{"t":"[9007199254740993]","n":9007199254740993}', { t: '[9007199254740993]', n: '9007199254740993' }],
    // The double is that of both.
    ['[17841401234567891,17841401234567892]', ['17841401234567891', '17841401234567892']],
    ['{"t":",9007199254740992,","n":9007199254740993}', { t: ',9007199254740992,', n: '9007199254740993' }],
    ['{"t":"é","page-2":17841401234567891}', { t: 'é', 'page-2': '17841401234567891' }],
    ['{"t" : -17841401234567891 }', { t: '-17841401234567891' }],
    [
      '{"t":17841401234567891.5,"e":17841401234567891e1}',
      { t: 17_841_401_234_567_892, e: 178_414_012_345_678_900 },
    ],
    [String.raw`{"t":"a\":17841401234567891,"}`, { t: 'a":17841401234567891,' }],
    ['{"t":":17841401234567891,"}', { t: ':17841401234567891,' }],
    ['{"t":"ab:17841401234567891}"}', { t: 'ab:17841401234567891}' }],
    ['{"a":"b","t":"c, 17841401234567891,"}', { a: 'b', t: 'c, 17841401234567891,' }],
    ['{"__proto__":17841401234567891}', JSON.parse('{"__proto__":"17841401234567891"}')],
  ])('%.60s is read as it is meant', (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  test('of any form takes time in proportion to its size', () => {
    const forms = [String.raw`\\`, String.raw`\ud83d`, String.raw`\u3042`];
    for (const unit of forms)
      expect(costOf((count) => parse(`"${unit.repeat(count)}"`), 20_000).growth, unit).toBeLessThan(
        MOST_GROWTH,
      );
    const answers = new Map([100_000, 400_000].map((count) => [count, textOf(count)]));
    expect(costOf((count) => parse(answers.get(count) ?? ''), 400_000).growth).toBeLessThan(MOST_GROWTH);
    const names = Array.from({ length: 50_000 }, (_, index) => `"<!--${index}":""`);
    const text = `{${names.join(',')},"last":17841401234567891}`;
    const plain = leastCpuOf(() => JSON.parse(text));
    expect(leastCpuOf(() => parse(text)) / plain).toBeLessThan(2);
  });

  test.each([
    ['empty objects', `[${'{},'.repeat(600_000)}{}]`],
    ['numbers', `[${'1,'.repeat(1_100_000)}1]`],
  ])('of more than a million %s is refused', (_what, text) => {
    expect(() => parse(text)).toThrow('too many JSON values');
    expect(parse(`[${'{"id":1,"name":"somebody"},'.repeat(100_000)}{}]`)).toHaveLength(100_001);
  });

  test.each(['', '{', 'planted', '{"a":planted}', '[1,]', 'NaN', '{"a":1}x', "{'a':1}", '\u0000'])(
    '%j is not JSON, and the error repeats none of it',
    (text) => {
      expect(() => parse(text)).toThrow(/^not JSON$/);
    },
  );

  test('that many wait for is parsed once, and an equal one by itself', () => {
    const [answer, other] = [answerOf('{"a":[1]}'), answerOf('{"a":[1]}')];
    expect(jsonOf(ENDPOINT, answer)).toBe(jsonOf(ENDPOINT, answer));
    expect(jsonOf(ENDPOINT, other)).not.toBe(jsonOf(ENDPOINT, answer));
    expect(jsonOf(ENDPOINT, other)).toEqual({ a: [1] });
    const broken = answerOf('{');
    expect([jsonOf(ENDPOINT, broken), jsonOf(ENDPOINT, broken)]).toEqual([undefined, undefined]);
  });
});
