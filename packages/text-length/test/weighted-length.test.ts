import { expect, test } from 'vitest';
import { weightedLengthOf } from '../src/text-length.ts';
import { costOf, MOST_GROWTH } from '../../../test/support/costs.ts';
import { eachCase } from '../../../test/support/cases.ts';
import recorded from './weighted-lengths.json' with { type: 'json' };

// How X counts. `twitter-text` itself brings 10 MB of packages and has not been maintained since 2020, so its results
// are recorded; its emoji end with Unicode 11.

test('a text has the weighted length that twitter-text 3.1.0 gives it', () =>
  eachCase(recorded, ([text, length]) => {
    expect(weightedLengthOf(String(text))).toBe(length);
  }));

test('an emoji counts as two, also one that is newer than twitter-text, or spelt with less', () =>
  eachCase(['🫠', '🫱🏻‍🫲🏿', '👩🏽‍🤝‍👩🏻', '🧑‍🦰', '⛹‍♀', '1⃣', '❤️‍🔥', '🏴‍☠️', '👁️‍🗨️'], (emoji) => {
    expect(weightedLengthOf(emoji)).toBe(2);
    expect(weightedLengthOf(`a ${emoji}${emoji} b`)).toBe(8);
  }));

test('a link counts as 23 up to where it ends', () =>
  eachCase(
    [
      ['https://example.com/a(b)c', 23],
      ['https://example.com/a(b', 25],
      ['https://example.com/a?b=c!', 24],
      [`https://example.com/${'a'.repeat(4_068)}`, 23],
      [`https://example.com/${'a'.repeat(4_069)}`, 4_089],
      [`https://${'a'.repeat(64)}.com`, 76],
      ['example.com:8080', 28],
      ['example.com:8080/x', 23],
      ['first.last@example.com', 22],
      ['https://例え.com/例え', 27],
    ] as const,
    ([text, length]) => expect(weightedLengthOf(text)).toBe(length),
  ));

test('a text is measured in time in proportion to its length, whatever it consists of', () =>
  eachCase(
    [
      'a',
      '漢',
      '👨\u200d',
      '🇫',
      '\u0301\u0316',
      '1\uFE0F',
      '\u{1F3F4}\u{E0067}',
      'a.',
      'a-',
      'https://',
      'https://a',
    ].concat(['a.co/(', 'a.co/((', 'a.co?(', 'a.co/-!', 'a.co/..', 'a.co/(x(y)', 'x y.com ', 'a@b.co ']),
    (part) => {
      const measured = (length: number) => weightedLengthOf(part.repeat(length / part.length));
      expect(costOf(measured, 60_000).growth).toBeLessThan(MOST_GROWTH);
    },
  ));
