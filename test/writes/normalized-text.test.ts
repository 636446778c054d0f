import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalized } from '../../packages/text-length/src/text-length.ts';
import { plainText } from '../../src/writes/queue.ts';
import { anyText } from '../support/any-text.ts';
import { costOf, MOST_GROWTH } from '../support/cpu.ts';
import { eachCase } from '../support/each-case.ts';

/** Marks that normalisation puts into another order. */
const MARKS = '\u0301\u0316';

test('a text is normalised as Unicode says, however its characters are spelt', () => {
  fc.assert(
    fc.property(anyText(40), (text) => {
      expect(normalized(text)).toBe(text.normalize('NFC'));
    }),
  );
  for (const text of ['Café', 'Cafe\u0301', '\u1112\u1161\u11ab', `a${MARKS.repeat(14)}`, 'Ω'])
    expect(normalized(text)).toBe(text.normalize('NFC'));
});

test('a text that is compared takes time in proportion to its length, whatever it consists of', () =>
  eachCase(
    ['a', ' ', ' \n', '漢', 'İ', MARKS, `a${MARKS}`, '\u0344', '\u1100\u1161\u11a8', '👩\u200d'],
    (part) => {
      const compare = (length: number) => plainText(part.repeat(length / part.length));
      expect(costOf(compare, 60_000).growth).toBeLessThan(MOST_GROWTH);
    },
  ));
