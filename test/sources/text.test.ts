import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../src/sources/json.ts';
import { MAX_MESSAGE_CHARS } from '../../src/cut-text.ts';
import { messageText, plainText } from '../../src/sources/plain-text.ts';
import { blankSecrets, cleanText, withoutSecrets } from '../../src/sources/redact.ts';
import { NO_SECRETS } from '../../src/sources/secrets.ts';
import { costOf, MOST_GROWTH } from '../support/cpu.ts';

test.each([
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['17841401234567891', '17841401234567891'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
  ['9007199254740991', 9_007_199_254_740_991],
  ['1234567890123456', 1_234_567_890_123_456],
  ['0', 0],
  ['1e21', 1e21],
  ['0.1234567890123456789', 0.123_456_789_012_345_68],
  ['1234567890.1234567890', 1_234_567_890.123_456_7],
])('the number %s is read as %j', (text, value) => {
  expect(parseJson(text)).toBe(value);
  expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [value] });
});

test('a message or a page that is cut within a character ends in a whole one', () => {
  const words = `a${' '.repeat(16_382)}😀`;
  expect(messageText(words)).toBe('a \ufffd');
  expect(plainText(`<p>${'x'.repeat(16_380)}😀`).isWellFormed()).toBe(true);
  expect(plainText('<p>&#xd83d;</p>')).toBe('\ufffd');
});

test('digits within texts are left alone', () => {
  expect(parseJson('{"id":"17841401234567891","n":1,"t":"a 12345678901234567 b"}')).toEqual({
    id: '17841401234567891',
    n: 1,
    t: 'a 12345678901234567 b',
  });
});

test('what the fast way reads, the exact way reads alike', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      const fast = parseJson(JSON.stringify({ value }));
      const exact = parseJson(JSON.stringify({ value, long: '1234567890123456' }));
      expect((exact as { value: unknown }).value).toEqual((fast as { value: unknown }).value);
    }),
  );
});

test.each(['', '{', 'planted', '{"a":planted}', '[1,]', 'NaN', '{"a":1}x', "{'a':1}", '\u0000'])(
  'the text %j is no JSON, and the error repeats none of it',
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
    expect(() => parseJson(text)).toThrow(/^not JSON$/);
  },
);

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

test('nesting is bounded, however deep it goes', () => {
  expect(() => parseJson(nested(60))).not.toThrow();
  expect(() => parseJson(nested(70))).toThrow('JSON nested too deep');
  expect(() => parseJson(nested(200_000))).toThrow(SyntaxError);
});

test('of a key that comes twice the last value counts, in either way of reading', () => {
  expect(parseJson('{"a":1,"a":2}')).toEqual({ a: 2 });
  expect(parseJson('{"a":1,"a":12345678901234567890}')).toEqual({ a: '12345678901234567890' });
});

test('a key that changes prototypes changes none, in either way of reading', () => {
  for (const text of ['{"__proto__":{"polluted":1}}', '{"__proto__":{"polluted":12345678901234567890}}']) {
    const value = parseJson(text) as object;
    expect('polluted' in value).toBe(false);
    expect('polluted' in {}).toBe(false);
  }
});

test.each([
  ['<p>Fish &amp; chips</p>', 'Fish & chips'],
  ['<ul><li>One</li><li>Two</li></ul>', 'One Two'],
  ['<a href="https://x.example/?token=1">here</a>', 'here'],
  ['<h1>Bad gateway</h1>', 'Bad gateway'],
  ['<script>alert(1)</script>Down<style>p{}</style>', 'Down'],
  ['a < b > c', 'a b c'],
  ['1 < 2 & 3 > 2', '1 2 & 3 2'],
  ['no &nbsp; break', 'no break'],
  ['  spaces\n\tand\r\nlines  ', 'spaces and lines'],
  ['\u0007bell\u001b[0m', 'bell [0m'],
  ['', ''],
])('%j becomes the message %j', (words, text) => expect(messageText(words)).toBe(text));

const PIECES = [
  '<',
  '>',
  '&lt;',
  '&#60;',
  '&amp;',
  '<b>',
  '</div>',
  '<!--',
  '-->',
  '"',
  '\n',
  'word',
  '☕',
  '\u0000',
];

test('whatever it is made of, a message has no markup, one line, and is no longer than it may be', () => {
  const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 400 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 800 }), pieces), (words) => {
      const text = messageText(words);
      expect(text).not.toMatch(/[<>\p{Cc}]/u);
      expect(text.length).toBeLessThanOrEqual(MAX_MESSAGE_CHARS);
    }),
  );
});

test('a long message ends in a whole character and says that it was cut', () => {
  for (const shift of ['', 'x']) {
    const text = messageText(shift + '🎉'.repeat(400));
    expect(text.endsWith('…')).toBe(true);
    expect(text).not.toContain('\ufffd');
    expect(Buffer.from(text).toString()).toBe(text);
  }
});

const STUBBORN = [
  '<div>',
  '<p',
  '<p ',
  '<a href="',
  '</b ',
  '&lt;',
  '&',
  '<!--',
  'token',
  'a',
  'key a',
  'token=',
  '?token',
  '="',
  'token=a',
  'authorization: bearer ',
  '?access_token',
  '&api_key=&',
  '?client-',
];

test.each(STUBBORN)('a text of nothing but %j takes time in proportion to its size', (piece) => {
  const clean = (chars: number): void => {
    const words = `key ${piece.repeat(chars / piece.length)}`;
    messageText(words);
    plainText(words);
    blankSecrets(words, ['the-key']);
    withoutSecrets({ words, accessToken: 'the-key' });
    cleanText(`https://x.example/?a=${words}`, NO_SECRETS);
    cleanText(`https://x.example/?a=${words.replaceAll(' ', '')}`, NO_SECRETS);
  };
  // Messages are cut at 16 KiB before they are converted, other texts are not cut.
  for (const chars of [16_000, 64_000]) expect(costOf(clean, chars).growth).toBeLessThan(MOST_GROWTH);
});
