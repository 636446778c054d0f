import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findText } from '../src/find-text.ts';
import { costOf, MOST_GROWTH } from './support/costs.ts';

/** Texts of few characters, so that parts of them occur again, or nearly do. */
const anyText = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', '\u{1F600}'), minLength, maxLength });

test('long and short parts are found where they are', () => {
  fc.assert(
    fc.property(anyText(0, 600), anyText(1, 400), anyText(0, 50), fc.nat(100), (text, part, end, from) => {
      const period = `${part}${end}`.repeat(3);
      for (const whole of [text, text + part + end, period])
        for (const wanted of [part, part + end + part])
          expect(findText(whole, wanted, from)).toBe(whole.indexOf(wanted, from));
    }),
  );
});

function findWhatNearlyOccurs(size: number): void {
  findText('a'.repeat(size), `${'a'.repeat(size / 8)}b${'a'.repeat(size / 8)}`);
}

test('a part that nearly occurs everywhere takes time in proportion to the text', () => {
  expect(costOf(findWhatNearlyOccurs, 400_000).growth).toBeLessThan(MOST_GROWTH);
});

function findSeveralInShortTexts(size: number): void {
  const parts = ['a', 'b'].map((letter) => letter.repeat(size));
  for (let index = 0; index < size; index += 100) for (const part of parts) findText('abc', part);
}

test('long parts that are longer than the texts take no time for each of these', () => {
  expect(costOf(findSeveralInShortTexts, 100_000).growth).toBeLessThan(MOST_GROWTH);
});
