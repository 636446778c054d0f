import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAbsoluteUrl } from '../../src/sources/absolute-url.ts';
import { anyText } from '../support/cases.ts';
import { cases } from '../support/depth.ts';

// What addresses are made of, and what they may not be made of.
const SCHEMES = 'http:// https:// HTTP:// ftp:// mailto: //'.split(' ');
const WORDS = 'a example xn-- xn--p1ai - _ . com de 127 0x7f 256 1e3 [::1] path a=b&c ü 😀'.split(' ');
const SIGNS = '/ ? # : :80 :99999 @ % %41 %zz \\ < | ^'.split(' ');
const parts = fc.constantFrom(...SCHEMES, ...WORDS, ...SIGNS, '', ' ', '\n', '\t', '\ud800', '\u00ad');
const texts = fc.array(parts, { maxLength: 9 }).map((some) => some.join(''));
const addresses = fc
  .tuple(fc.constantFrom('http://', 'https://'), fc.array(parts, { maxLength: 7 }))
  .map(([scheme, some]) => scheme + some.join(''));

// `webUrl` of fast-check takes a second of the processor's time when it is first made.
const segments = fc.array(
  fc.oneof(anyText(8).map(encoded), fc.stringMatching(/^[\w.~!$&'()*+,;=:@-]{0,8}$/)),
);
const ordinary = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), segments)
  .map(([scheme, host, path]) => [`${scheme}://${host}`, ...path].join('/'));

function encoded(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, ''));
}

function isParsed(text: string): boolean {
  try {
    return Boolean(new URL(text));
  } catch {
    return false;
  }
}

test('a text is an absolute URL exactly if the platform can parse it', () => {
  fc.assert(
    fc.property(fc.oneof(texts, addresses, ordinary, anyText(20)), (text) => {
      expect(isAbsoluteUrl(text)).toBe(isParsed(text));
    }),
    { numRuns: cases(300, 20_000) },
  );
});

test('an internationalised name is recognised after any number of other URLs', () => {
  for (let asked = 0; asked < 100_000; asked += 1) isAbsoluteUrl(`https://127.0.0.1/${asked}`);
  expect(isAbsoluteUrl('https://müller.example/')).toBe(true);
});
