import * as fc from 'fast-check';
import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { resultError, resultSize } from '../../../src/engine/limits/result.ts';

const jsonBytes = (value: unknown, most: number): number => resultSize(value, most).bytes;

const textBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

test('the size of text, lists and objects is that of their JSON, but for escapes and scalars', () => {
  for (const value of [
    '',
    'abc',
    'ä€😀',
    ['a', 'b'],
    { name: 'value' },
    [],
    {},
    [{ a: ['x'.repeat(5_000)] }],
  ]) {
    expect(jsonBytes(value, Infinity)).toBeGreaterThanOrEqual(textBytes(value));
    expect(jsonBytes(value, Infinity)).toBeLessThanOrEqual(textBytes(value) + 2 + textBytes(value) / 2);
  }
});

test('a random value is counted to within its escapes and its short scalars', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
      const bytes = jsonBytes(value, Infinity);
      expect(bytes).toBeLessThanOrEqual(8 * textBytes(value) + 8);
      expect(textBytes(value)).toBeLessThanOrEqual(6 * bytes + 32);
    }),
  );
});

/** A list that counts how many of its elements are read. */
function watched(length: number): { readonly list: readonly string[]; readonly read: () => number } {
  let reads = 0;
  const list = Array.from({ length }, () => 'x'.repeat(98));
  const get = (of: readonly string[], name: string | symbol): unknown => {
    if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
    return Reflect.get(of, name) as unknown;
  };
  return { list: new Proxy(list, { get }), read: () => reads };
}

test('counting stops soon after the limit; without one it goes to the end', () => {
  const bounded = watched(10_000);
  expect(jsonBytes([bounded.list], 1_000)).toBeGreaterThan(1_000);
  expect(bounded.read()).toBeLessThan(20);
  const unbounded = watched(10_000);
  expect(jsonBytes([unbounded.list], Infinity)).toBeGreaterThan(1_000_000);
  expect(unbounded.read()).toBe(10_000);
});

test('a result with far too many fields is refused as soon as that is known', () => {
  let reads = 0;
  const names = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`name${index}`, 'x'.repeat(500)]),
  );
  const watchedNames = new Proxy(names, {
    get: (of, name) => {
      reads += 1;
      return Reflect.get(of, name) as unknown;
    },
  });
  const limits = { resultFields: 1_000, resultErrors: 10, resultBytes: 2_000_000 };
  const refusal = resultError({ data: { names: watchedNames } }, limits);
  expect(refusal?.message).toContain('fields of the result: 1001 (maximum 1000)');
  expect(reads).toBeLessThan(1_100);
});

test('what is left of a large result is counted too, where its bytes turn out to be fewer than they might be', () => {
  const wide = {
    texts: ['ä'.repeat(2_000)],
    ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}`, 1])),
  };
  const bytes = { resultBytes: 5_500, resultErrors: 10 };
  expect(resultError({ data: wide }, { ...bytes, resultFields: 20 })?.message).toContain(
    'fields of the result',
  );
  expect(resultError({ data: wide }, { ...bytes, resultFields: 100 })).toBeNull();
});

test('errors of a result are counted before anything of it is measured', () => {
  const limits = { resultFields: 1_000, resultErrors: 2, resultBytes: 1_000 };
  const errors = Array.from({ length: 3 }, (_, at) => new GraphQLError(`error ${at}`));
  expect(resultError({ errors }, limits)?.message).toContain('errors of the result: 3 (maximum 2)');
  expect(resultError({ errors: errors.slice(1) }, limits)).toBeNull();
});
