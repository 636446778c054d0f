import { expect, test } from 'vitest';
import { REDACTED } from '../../src/sources/blank-runs.ts';
import { markup, text as plain } from '../../src/sources/decode.ts';
import { cleanText } from '../../src/sources/redact.ts';
import { NO_SECRETS, secretsIn } from '../../src/sources/secrets.ts';
import { defineView, field, mapOf } from '../../src/sources/view.ts';

/** Addresses that stop working when anything of them is changed. */
const SIGNED = [
  'https://bucket.s3.amazonaws.example/a.jpg?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA0123456789ABCDEF%2F20260301%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Security-Token=IQoJb3JpZ2luX2Vj&X-Amz-Signature=0123456789abcdef0123456789abcdef',
  'https://cdn.example/a.jpg?Policy=eyJTdGF0ZW1lbnQi&Signature=Zm9vYmFyYmF6cXV4&Key-Pair-Id=APKA0123456789ABCDEF',
  'https://storage.googleapis.example/b/a.png?X-Goog-Credential=me%40x.example&X-Goog-Signature=0123456789abcdef',
  'https://storage.googleapis.example/b/a.png?GoogleAccessId=me@x.example&Expires=1790000000&Signature=abc%2Bdef%3D',
  'https://account.blob.example/c/a.mp4?sv=2024-01-01&se=2026-03-01&sig=abcdefghijklmnop%3D',
  'https://firebase.example/v0/b/x/o/a.jpg?alt=media&token=53a0d1a2-0123-4567-89ab-cdef01234567',
  'https://scontent.example/v/a.jpg?_nc_cat=1&oh=00_AfB0123456789&oe=6790ABCD&hash=0123456789abcdef',
  'https://x.example/reset?password=abcdefgh&session_token=abcdefgh&refresh_token=abcdefgh#id_token=abcdefgh',
];

test.each(SIGNED)('the signed address %s stays as it is', (address) => {
  expect(cleanText(address, NO_SECRETS)).toBe(address);
});

test.each([
  ['https://graph.example/1/picture?access_token=', ''],
  ['https://graph.example/1/picture?type=large&page_access_token=', '&width=2'],
  ['https://graph.example/1/picture?accessToken=', '#top'],
  ['https://graph.example/callback#access_token=', '&state=1'],
  ['https://graph.example/callback?x=1#/in?pageAccessToken=', ''],
  ['HTTP://GRAPH.EXAMPLE/1?ACCESS_TOKEN=', ''],
  ['https://graph.example/1?access_token_secret=', '&a=b'],
  ['https://graph.example/1?accessSecret=', '&a=b'],
  ['https://graph.example/1?client_secret=', '&a=b'],
  ['https://graph.example/1?clientSecret=', '&a=b'],
  ['https://graph.example/1?api_key=', '&a=b'],
  ['https://graph.example/1?apikey=', '&a=b'],
  ['https://graph.example/1?x-api-key=', '&a=b'],
  ['https://graph.example/1?maps.api-key=', '&a=b'],
])('in the address %s…%s the parameter is blanked', (before, after) => {
  expect(cleanText(`${before}EAAB0123-_.%2F${after}`, NO_SECRETS)).toBe(`${before}${REDACTED}${after}`);
});

test.each([
  'https://x.example/?access_token=EAAB0123 is how such an address begins',
  'https://x.example/a?token=1234\nand then some prose with signature=abcdef',
  'See https://x.example/?access_token=EAAB0123',
  'access_token=EAAB0123, client_secret=abcdef, password: abcdef',
  'ftp://x.example/?access_token=EAAB0123',
  'https://x.example/?hasaccess_token2=1&access_tokens=abc&api_keyed=abc&tokenaccess=abc',
])('the text %j is no such address and stays as it is', (text) => {
  expect(cleanText(text, NO_SECRETS)).toBe(text);
});

const RECORD = {
  accessToken: 'EAAB/first+token==',
  nested: [{ page_access_token: 'EAAB|second' }],
  apiKey: 'guessed-0123456789abcdef',
};

test('the credentials of a record are blanked in its texts, plain and URL-encoded', () => {
  const secrets = secretsIn(RECORD);
  const [token, page] = [RECORD.accessToken, RECORD.nested[0]?.page_access_token ?? ''];
  expect(cleanText(`by ${token}, or ?t=${encodeURIComponent(page)}&x=1`, secrets)).toBe(
    `by ${REDACTED}, or ?t=${REDACTED}&x=1`,
  );
  expect(cleanText(encodeURIComponent(token), secrets)).toBe(REDACTED);
});

test('a value that is only guessed to be a secret is left in documented texts', () => {
  const text = `https://x.example/${RECORD.apiKey}?key=${RECORD.apiKey}`;
  expect(cleanText(text, secretsIn(RECORD))).toBe(text);
});

test('the words of a failure lose the credentials in addresses, wherever in the text these are', () => {
  const words =
    '<p>https://graph.example/me?access_token=EAAB0123&x=1 failed, so did /v2?client_secret=abc#d</p>';
  const origin = { surface: 'current', endpoint: 'a call', onDrift: () => undefined } as const;
  const failure = defineView({ words: field('words', markup) })({ words }, origin);
  expect(failure.words).toBe(
    `https://graph.example/me?access_token=${REDACTED}&x=1 failed, so did /v2?client_secret=${REDACTED}#d`,
  );
});

test('the keys of a documented map lose the credentials in them', () => {
  const { accessToken } = RECORD;
  const address = 'https://x.example/?access_token=';
  const wire = { accessToken, people: { [`of ${accessToken}`]: 'a', [`${address}EAAB0123`]: 'b', '7': 'c' } };
  const origin = { surface: 'current', endpoint: 'a call', onDrift: () => undefined } as const;
  const { people } = defineView({ people: field('people', mapOf(plain)) })(wire, origin);
  expect(people).toEqual([
    { key: '7', value: 'c' },
    { key: `of ${REDACTED}`, value: 'a' },
    { key: `${address}${REDACTED}`, value: 'b' },
  ]);
});
