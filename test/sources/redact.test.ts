import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { REDACTED } from '../../src/sources/blank-runs.ts';
import { blankSecrets, withoutSecrets } from '../../src/sources/redact.ts';
import { namesSecret } from '../../src/sources/secret-names.ts';
import { secretsIn } from '../../src/sources/secrets.ts';

test.each([
  'accessToken',
  'pageAccessToken',
  'access_token',
  'ACCESS-TOKEN',
  'accessSecret',
  'clientSecret',
  'client_secret',
  'refreshToken',
  'id_token',
  'password',
  'passwd',
  'pwd',
  'passphrase',
  'apiKey',
  'X-Api-Key',
  'private_key',
  'accessKey',
  'authorization',
  'Authorization',
  'cookie',
  'set-cookie',
  'credentials',
  'bearer',
  'sessionId',
  'signature',
  'jwt',
  'key',
  'auth',
  'tokens',
  'page.token',
])('%s names a secret', (key) => expect(namesSecret(key)).toBe(true));

test.each([
  'tokenEncrypted',
  'aiToken',
  'inputToken',
  'outputToken',
  'totalToken',
  'paymentKey',
  'accountUsername',
  'keyword',
  'monkey',
  'author',
  'reason',
  'session',
  'country',
  'https://x.example/token/1',
])('%s names none', (key) => expect(namesSecret(key)).toBe(false));

test('secrets are dropped at every depth, and blanked wherever else in the record they stand', () => {
  const record = {
    name: 'by s3cr3t-value-of-the-page',
    accessToken: 's3cr3t-value-of-the-page',
    list: [
      {
        deep: [
          { apiKey: 'other-secret-of-somebody' },
          'other-secret-of-somebody and s3cr3t-value-of-the-page',
        ],
      },
    ],
    's3cr3t-value-of-the-page': 1,
  };
  expect(withoutSecrets(record)).toEqual({
    name: `by ${REDACTED}`,
    list: [{ deep: [{}, `${REDACTED} and ${REDACTED}`] }],
    [REDACTED]: 1,
  });
});

test('what stands within a credential is secret by any name, and blanked elsewhere too', () => {
  const record = {
    accessToken: { value: 'of the page', token: 'of the user', parts: [{ first: 'of nobody' }] },
    said: 'of the page, of the user, of nobody',
  };
  expect(withoutSecrets(record)).toEqual({ said: `${REDACTED}, ${REDACTED}, ${REDACTED}` });
});

test('a credential is blanked where it recurs URL-encoded, longer spellings first', () => {
  const accessToken = 'EAAB/+b4 c|d==';
  const clean = withoutSecrets({
    accessToken,
    note: `?t=${encodeURIComponent(accessToken)}&u=${accessToken}`,
  });
  expect(clean).toEqual({ note: `?t=${REDACTED}&u=${REDACTED}` });
});

test('a credential that no address can hold is blanked as it is', () => {
  expect(withoutSecrets({ accessToken: 'EAAB/\ud800', note: 'by EAAB/\ud800' })).toEqual({
    note: `by ${REDACTED}`,
  });
});

test('a documented credential below a key that only sounds like one counts as documented', () => {
  const record = { credentials: { page: [{ access_token: 'short-1' }], note: 'fine' }, by: 'short-1' };
  expect(secretsIn(record)).toEqual({ documented: ['short-1'], all: ['short-1'] });
  expect(withoutSecrets(record)).toEqual({ by: REDACTED });
});

test('what is written for people may speak of tokens, but holds no documented credential', () => {
  const features = {
    'Social Inbox Tokens': 'Yes',
    accessToken: 'EAAB-123',
    inner: { apiKey: 'x' },
    by: 'EAAB-123',
  };
  expect(withoutSecrets({ features, said: 'EAAB-123' })).toEqual({
    features: { 'Social Inbox Tokens': 'Yes', inner: {}, by: REDACTED },
    said: REDACTED,
  });
});

test('a secret that comes a hundred times is looked for once', () => {
  const accounts = Array.from({ length: 100 }, () => ({
    accessToken: 'abc-def',
    apiKey: 'ghi-jkl-mno-pqr-stu',
  }));
  expect(secretsIn({ accounts })).toEqual({
    documented: ['abc-def'],
    all: ['ghi-jkl-mno-pqr-stu', 'abc-def'],
  });
});

test('a secret beside a nested one is blanked with it', () => {
  const record = { accessToken: 'secret-1', a: { note: 'secret-1', token: 'x' }, list: ['by secret-1'] };
  expect(withoutSecrets(record)).toEqual({ a: { note: REDACTED }, list: [`by ${REDACTED}`] });
});

test('a value too short to be a secret is no reason to blank every text that holds it', () => {
  expect(withoutSecrets({ accessToken: 'Y', color: 'Yellow' })).toEqual({ color: 'Yellow' });
});

test('secrets that hold one another are blanked whole', () => {
  const clean = withoutSecrets({
    accessToken: 'abcdef',
    accessSecret: 'abcdef-ghijkl-mnopqr',
    note: 'x abcdef-ghijkl-mnopqr y abcdef',
  });
  expect(JSON.stringify(clean)).not.toMatch(/abcdef|ghijkl|mnopqr/);
});

test.each([
  'GET /me?access_token=planted&x=1',
  '"client_secret": "planted"',
  "refreshToken='planted'",
  'password: planted',
  'api_key=planted',
  'signature=planted;',
])('in the text %s the secret is blanked, without knowing it', (text) => {
  const clean = blankSecrets(text, []);
  expect(clean).not.toContain('planted');
  expect(clean).toContain(REDACTED);
});

test('prototype-changing keys are dropped', () => {
  const record: unknown = JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}');
  const clean = withoutSecrets(record) as { readonly a: object };
  expect(Object.keys(clean)).toEqual(['a']);
  expect(Object.getPrototypeOf(clean.a)).toBe(Object.prototype);
  expect('polluted' in {}).toBe(false);
});

const SECRET = 'planted-9d1aa9ecaff99985';
const anyJson = fc.jsonValue({ maxDepth: 4 });
const secretName = fc.constantFrom(
  'accessToken',
  'access_secret',
  'X-Api-Key',
  'authorization',
  'password',
  'cookie',
);

/** A record with the secret under its name somewhere, and within texts and keys elsewhere. */
const records = fc.tuple(anyJson, anyJson, secretName, fc.string()).map(([one, other, name, text]) => ({
  one,
  list: [
    other,
    { [name]: SECRET, deep: { [`${text}${SECRET}`]: `${text}${SECRET}${text}` } },
    [[`${SECRET}${text}`]],
  ],
}));

test('whatever a record looks like, a secret in it is gone afterwards, and the rest is left', () => {
  fc.assert(
    fc.property(records, (record) => {
      const clean = JSON.stringify(withoutSecrets(record));
      expect(clean).not.toContain(SECRET);
      expect(Object.keys(withoutSecrets(record) as object)).toEqual(['one', 'list']);
    }),
  );
});

test('a record without a secret comes out as it went in', () => {
  const harmless = fc.dictionary(
    fc.constantFrom('name', 'url', 'count', 'inner'),
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.lorem()),
  );
  fc.assert(
    fc.property(fc.array(harmless), (record) => {
      expect(withoutSecrets(record)).toEqual(record);
    }),
  );
});

test('a copy of a copy is the same', () => {
  const passedOn = fc.constantFrom(
    `access_token=${SECRET}`,
    `authorization: Bearer ${SECRET}`,
    `set-cookie: sid=${SECRET}; path=/`,
    `https://x.example/?token=${SECRET}&x=1`,
    `"client_secret": "${SECRET}"`,
  );
  fc.assert(
    fc.property(records, fc.array(passedOn), (record, texts) => {
      const clean = withoutSecrets({ record, texts });
      expect(withoutSecrets(clean)).toEqual(clean);
      expect(JSON.stringify(clean)).not.toContain(SECRET);
    }),
  );
});

test('a record is left as it was when its secrets are taken out of a copy', () => {
  fc.assert(
    fc.property(records, (record) => {
      const before = JSON.stringify(record);
      withoutSecrets(record);
      expect(JSON.stringify(record)).toBe(before);
    }),
    { numRuns: 50 },
  );
});

test.each(['text', 7, null, undefined, [], {}])('%j holds no secret and stays as it is', (value) => {
  expect(secretsIn(value)).toEqual({ documented: [], all: [] });
  expect(withoutSecrets(value)).toEqual(value);
});
