import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REDACTED, searchBudget } from '../../src/sources/blank-runs.ts';
import { withoutSecrets } from '../../src/sources/redact.ts';
import { SecretFinder } from '../../src/sources/secret-finder.ts';

/** With everything that some encoding writes in another way. */
const TOKEN = `EAAB/s+1|x=4&"q"<'0123456789`;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const lowerEscapes = (text: string): string => text.replaceAll(/%../g, (code) => code.toLowerCase());
const form = (text: string): string => String(new URLSearchParams([['t', text]])).slice(2);
const html = (text: string, quote: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", quote);
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const htmlSafeJson = (text: string): string =>
  json(text)
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('&', String.raw`\u0026`);

const ENCODINGS: readonly (readonly [name: string, encode: (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['URL-encoded', encodeURIComponent],
  ['URL-encoded with small letters', (text) => lowerEscapes(encodeURIComponent(text))],
  ['form-encoded', form],
  ['form-encoded with small letters', (text) => lowerEscapes(form(text))],
  ['HTML-escaped', (text) => html(text, '&#39;')],
  ['HTML-escaped as PHP does', (text) => html(text, '&#039;')],
  ['HTML-escaped with hexadecimal numbers', (text) => html(text, '&#x27;')],
  ['HTML-escaped, the slash as well', (text) => html(text, '&#x27;').replaceAll('/', '&#x2F;')],
  ['in a JSON text', json],
  ['in a JSON text as PHP writes it', (text) => json(text).replaceAll('/', String.raw`\/`)],
  ['in a JSON text that may stand in HTML', htmlSafeJson],
  ['in Base64', base64],
  ['in Base64 without its padding', (text) => base64(text).replaceAll('=', '')],
  ['in Base64 for addresses', base64url],
];

describe.each(ENCODINGS)('a documented credential %s', (_name, encode) => {
  test('is blanked in the texts of the answer, and the text around it stands', () => {
    const said = `before (${encode(TOKEN)}) after`;
    expect(withoutSecrets({ accessToken: TOKEN, said: [said] })).toEqual({
      said: [`before (${REDACTED}) after`],
    });
  });

  test('control: it would be shown if its own field were not there', () => {
    const said = `before (${encode(TOKEN)}) after`;
    expect(withoutSecrets({ said })).toEqual({ said });
  });

  test('is blanked among many other secrets too', () => {
    const others = Array.from({ length: 50 }, (_, index) => ({ accessToken: `another-${index}-of-those` }));
    const said = `before (${encode(TOKEN)}) after`;
    expect(withoutSecrets({ others, accessToken: TOKEN, said })).toMatchObject({
      said: `before (${REDACTED}) after`,
    });
  });
});

test.each([
  ['JSON', `{"user":"x","access":"${TOKEN.replaceAll('"', '')}"}`],
  ['a header', `user:${TOKEN.replaceAll('"', '')}`],
])('Base64 of %s that holds a credential is blanked whole', (_name, text) => {
  const accessToken = TOKEN.replaceAll('"', '');
  const clean = withoutSecrets({ accessToken, said: `Basic ${base64(text)}; x=${base64url(text)}` });
  expect(JSON.stringify(clean)).toBe(JSON.stringify({ said: `Basic ${REDACTED}; x=${REDACTED}` }));
});

// The token above has so much to escape that each of its texts has escapes of several kinds.
test.each(`/+=|&"<>'\\`.split(''))(
  'a credential in which only %s is escaped is blanked in each encoding',
  (character) => {
    const token = `EAAB9kelpgate${character}0123456789`;
    for (const [name, encode] of ENCODINGS) {
      const clean = withoutSecrets({ accessToken: token, said: [`before (${encode(token)}) after`] });
      expect(clean, name).toEqual({ said: [`before (${REDACTED}) after`] });
    }
  },
);

test.each(['', 'x', 'x/', 'v1/', 'api/'])('Base64 of a credential right behind %j is blanked', (before) => {
  const accessToken = 'EAAB9kelpgate0123456789';
  const clean = withoutSecrets({ accessToken, said: [`see ${before}${base64(accessToken)}`] });
  expect(clean).toEqual({ said: [`see ${REDACTED}`] });
});

const tokens = fc.stringMatching(/^[\w.~+/=|-]{8,60}$/);
const around = fc.string({ unit: 'grapheme-ascii', maxLength: 20 });
const encodings = fc.constantFrom(base64, base64url, (text: string) => base64(text).replaceAll('=', ''));

test('whatever comes before and behind it, a secret within Base64 is found', () => {
  fc.assert(
    fc.property(tokens, around, around, encodings, (token, before, behind, encode) => {
      const encoded = encode(before + token + behind);
      const finder = new SecretFinder([token], searchBudget());
      expect(finder.blank(encoded)).toBe(REDACTED);
      // What is written right before it may be of Base64 as well.
      const clean = finder.blank(`x/${encoded}`);
      expect(clean.length).toBeLessThan(REDACTED.length + 4);
    }),
  );
});

test('whatever the secrets and the text are, one finder says the same as one for each of them', () => {
  const words = fc.array(fc.stringMatching(/^[a-c]{6,9}$/), { minLength: 8, maxLength: 40 });
  fc.assert(
    fc.property(words, fc.stringMatching(/^[a-c ]{0,80}$/), (secrets, text) => {
      const clean = new SecretFinder(secrets, searchBudget()).blank(text);
      for (const secret of secrets) expect(clean).not.toContain(secret);
      // All that is left was there, in this order.
      const kept = clean.split(REDACTED);
      let at = 0;
      for (const part of kept) {
        const found = text.indexOf(part, at);
        expect(found).toBeGreaterThanOrEqual(at);
        at = found + part.length;
      }
      if (!secrets.some((secret) => text.includes(secret))) expect(clean).toBe(text);
    }),
  );
});

test.each(['a', 'a+b', '<', '/+=', 'ab'])(
  'a credential as short as %j keeps nobody from an answer',
  (secret) => {
    expect(new SecretFinder([secret], searchBudget()).blank('what else is said')).toBeTypeOf('string');
  },
);
