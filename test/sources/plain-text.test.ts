import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_MESSAGE_CHARS } from '../../src/cut-text.ts';
import { messageText, plainText } from '../../src/sources/plain-text.ts';
import { costOf, MOST_GROWTH } from '../support/costs.ts';

test.each([
  ['<p>Fish &amp; chips</p>', 'Fish & chips'],
  ['<ul><li>One</li><li>Two</li></ul>', 'One Two'],
  ['<a href="https://x.example/?token=1">here</a>', 'here'],
  ['<script>alert(1)</script>Down<style>p{}</style>', 'Down'],
  ['a < b > c', 'a b c'],
  ['1 < 2 & 3 > 2', '1 2 & 3 2'],
  ['no &nbsp; break', 'no break'],
  ['  spaces\n\tand\r\nlines  ', 'spaces and lines'],
  ['', ''],
])('%j becomes the message %j', (words, text) => expect(messageText(words)).toBe(text));

const PIECES = [...'< > &lt; &#60; &amp; <b> </div> <!-- --> " word ☕'.split(' '), '\n', '\0'];

test('any text becomes a message without markup, of one line and limited length', () => {
  const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 400 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 800 }), pieces), (words) => {
      const text = messageText(words);
      expect(text).not.toMatch(/[<>\p{Cc}]/u);
      expect(text.length).toBeLessThanOrEqual(MAX_MESSAGE_CHARS);
    }),
  );
});

test('a text is cut between characters, and a long message says that it was cut', () => {
  for (const shift of ['', 'x']) {
    const text = messageText(shift + '🎉'.repeat(400));
    expect([text.endsWith('…'), text.includes('\ufffd'), text.isWellFormed()]).toEqual([true, false, true]);
  }
  expect(messageText(`a${' '.repeat(16_382)}😀`)).toBe('a \ufffd');
  expect(plainText(`<p>${'x'.repeat(16_380)}😀`).isWellFormed()).toBe(true);
  expect(plainText('<p>&#xd83d;</p>')).toBe('\ufffd');
});

const STUBBORN = ['<div>', '<p', '<p ', '<a href="', '</b ', '&lt;', '&', '<!--', '="'];

test.each(STUBBORN)('a text that repeats %j takes time in proportion to its size', (piece) => {
  const convert = (chars: number): void => {
    const words = piece.repeat(chars / piece.length);
    messageText(words);
    plainText(words);
  };
  // Messages are cut at 16 KiB before they are converted, other texts are not cut.
  for (const chars of [16_000, 64_000]) expect(costOf(convert, chars).growth).toBeLessThan(MOST_GROWTH);
});
