import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REDACTED } from '../../src/sources/secret-texts.ts';
import { withoutSecrets } from '../../src/sources/secrets.ts';

/** Looks like no token of a known service, so that only its name tells. */
const VALUE = 'zq81-hush-0123456789abcdef';

const namesIn = (text: string): string[] => text.trim().split(/\s+/);

/** Names that people give to credentials in JSON. */
const LIKELY = namesIn(`
  pass password passwd passphrase passcode passkey pwd pw pin userPass smtp_pass db_password hashedPassword
  passwordHash secretary_secret token accessToken refresh refreshToken refresh_token idToken id_token csrf
  xsrfToken bearer oauth oauth_token oauthVerifier authToken auth auth_key authorization Authorization
  authCode authorization_code jwt saml SAMLResponse assertion client_assertion codeVerifier deviceCode
  signed_request pat nonce secret clientSecret client_secret appSecret app_secret_proof secretKey sharedSecret
  key apiKey api-key X-Api-Key consumerKey consumer_key consumerSecret appKey privateKey private_key privkey
  accessKey access_key_id secretAccessKey signingKey encryptionKey masterKey webhookKey sshKey accountKey
  streamKey serverKey jwk sig signature hmac sas session sess sessionId session_id sessionKey sid PHPSESSID
  JSESSIONID connect.sid cookie set-cookie Cookies credential creds otp totp mfa mfaCode twoFactorCode
  recoveryCode backup_code verification_code seedPhrase salt ticket pem pfx connectionString page.token tokens
  psk
`);

test.each(LIKELY)('the value of %s is left out, at any depth, and blanked where it recurs', (name) => {
  const record = { note: 'fine', deep: [[{ [name]: VALUE, count: 1 }]], said: [`now it is ${VALUE}.`] };
  expect(withoutSecrets(record)).toEqual({
    note: 'fine',
    deep: [[{ count: 1 }]],
    said: [`now it is ${REDACTED}.`],
  });
});

test.each(LIKELY)('a list of values of %s is left out too', (name) => {
  expect(withoutSecrets({ note: 'fine', [name]: [VALUE, VALUE] })).toEqual({ note: 'fine' });
});

test('control: under another name the value would be shown', () => {
  expect(withoutSecrets({ remark: VALUE })).toEqual({ remark: VALUE });
});

/** What is no secret by its name. */
const HARMLESS_NAMES = namesIn(`
  passengers passenger passage compass bypass keyboard keyword monkey turkey author authors authority oauthor
  pinned spinner option signal design sigma sessions obsession seeds salty ticketsSold refreshedAt refreshRate
  secretary publicKey primaryKey foreignKey sortKey clientId appId pageId hash etag reason country state code
  errorCode zipCode mnemonics assertions samples aiToken inputToken outputToken totalToken tokenEncrypted
  paymentKey
`);

test.each(HARMLESS_NAMES)('%s is kept, whatever it holds', (name) => {
  const record = { [name]: VALUE, inner: { [name]: 7 } };
  expect(withoutSecrets(record)).toEqual(record);
});

/** What is told about secrets, and words that also name other things. */
const HARMLESS_VALUES: readonly (readonly [name: string, value: unknown])[] = [
  ['tokenCount', 7],
  ['token_count', '7'],
  ['maxTokens', 4096],
  ['tokenLimit', 4096],
  ['tokensUsed', 12],
  ['tokenUsage', { prompt: 12, completion: 7 }],
  ['tokenType', 'bearer'],
  ['token_type', 'Bearer'],
  ['tokenStatus', 'expired'],
  ['tokenExpiresAt', '2026-03-01T10:00:00Z'],
  ['token_expiry', 1_790_000_000],
  ['hasPassword', true],
  ['passwordRequired', false],
  ['isTokenValid', true],
  ['cookieConsent', true],
  ['session', 'morning'],
  ['session', 'Opening-Keynote'],
  ['session', 3],
  ['sessions', ['morning', 'evening']],
  ['pass', true],
  ['pass', 'yes'],
  ['pass', 'failed'],
  ['refresh', 'weekly'],
  ['refresh', 30],
  ['seed', 42],
  ['salt', 'Maldon'],
  ['ticket', 'standard'],
  ['oauth', { version: 2, network: 'facebook' }],
  ['mfa', 'enabled'],
  ['sig', 'none'],
];

test.each(HARMLESS_VALUES)('%s with the value %j is kept', (name, value) => {
  const record = { inner: [{ [name]: value }] };
  expect(withoutSecrets(record)).toEqual(record);
});

describe('one that only may name a secret', () => {
  test.each([
    ['tokenCount', 'EAABsbCS1iHgBO0123'],
    ['tokenType', 'eyJhbGciOiJIUzI1NiJ9.e30.abc'],
    ['session', 'a81f-22-bc'],
    ['pass', 'hunter2'],
    ['oauth', ['1/fFAGRNJru1FTz70BzhT3Zg']],
  ])('%s is left out with the value %j', (name, value) => {
    expect(withoutSecrets({ [name]: value })).toEqual({});
  });
});

test('names are still told apart after thousands of others', () => {
  const names = Array.from({ length: 2_100 }, (_, at) => `plain${at}`);
  expect(withoutSecrets(Object.fromEntries(names.map((name) => [name, 1])))).toHaveProperty(['plain2099'], 1);
  expect(withoutSecrets({ note: 'fine', accessToken: VALUE, plain7: 1 })).toEqual({
    note: 'fine',
    plain7: 1,
  });
});

test('names in a map that is written for people may speak of tokens, but not name a credential', () => {
  const features = { 'Social Inbox Tokens': 'Yes', accessToken: 'EAAB-123', inner: { apiKey: 'x' } };
  expect(withoutSecrets({ features, said: 'EAAB-123' })).toEqual({
    features: { 'Social Inbox Tokens': 'Yes', inner: {} },
    said: REDACTED,
  });
});

test('keys that change prototypes are dropped', () => {
  const json: unknown = JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}');
  const clean = withoutSecrets(json) as { readonly a: object };
  expect(Object.keys(clean)).toEqual(['a']);
  expect(Object.getPrototypeOf(clean.a)).toBe(Object.prototype);
  expect('polluted' in {}).toBe(false);
});

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

test('JSON that is nested too deep, or has too many secrets, is not passed on', () => {
  expect(withoutSecrets(nested(64))).toEqual(nested(64));
  for (const depth of [66, 100_000]) expect(() => withoutSecrets(nested(depth))).toThrow('ordinary depth');
  const secrets = Array.from({ length: 2_000 }, (_, at) => `${VALUE}-${at}`);
  expect(() => withoutSecrets({ tokens: secrets })).toThrow('few secrets');
});

const anyJson = fc.jsonValue({ maxDepth: 4 });
const secretName = fc.constantFrom('accessToken', 'access_secret', 'X-Api-Key', 'password', 'cookie');
/** JSON with a secret under its name, and within texts and keys elsewhere. */
const withSecret = fc.tuple(anyJson, anyJson, secretName, fc.string()).map(([one, other, name, text]) => ({
  one,
  list: [
    other,
    { [name]: VALUE, deep: { [text + VALUE]: text + VALUE + text } },
    [[encodeURIComponent(text) + VALUE]],
  ],
}));

test('wherever a secret is in JSON, a copy has it nowhere, and the original is unchanged', () => {
  fc.assert(
    fc.property(withSecret, (json) => {
      const before = JSON.stringify(json);
      const clean = withoutSecrets(json);
      expect(JSON.stringify(clean)).not.toContain(VALUE);
      expect(Object.keys(clean as object)).toEqual(['one', 'list']);
      expect(withoutSecrets(clean)).toEqual(clean);
      expect(JSON.stringify(json)).toBe(before);
    }),
  );
});

/** What people post, and what services name things by. */
const TEXTS = [
  'New roast on the shelves: Kelpgate Espresso, 250 g at £9.50. Come in and try it!',
  'The secret of a good brew? Fresh water, 94 °C, and the key: patience. #secret #token #keynote',
  'Our password for the tasting is “crema” – say it at the bar.',
  'Tokens for the fair: 5 for £10, at the desk. token of love, a secret garden, the key to it',
  'Session 2: “Latte art for beginners”, passes at the door; ticket no. A-1234-5678',
  'Bearer of good news: we are open on Sundays again.',
  'Grüße aus Köln – 新しいコーヒー ☕️ كل يوم',
  '#CoffeeLovers2026 #ThrowbackThursday #EAABrew @kelpgate.roasters @user_1234567890',
  'Call +44 20 7946 0958 or write to hello@kelpgate.example; IBAN GB82 WEST 1234 5698 7654 32',
  '550e8400-e29b-41d4-a716-446655440000',
  'urn:li:share:6844785523593134080, urn:li:organization:2414183',
  '17841401234567891_1234567890123456789',
  '64b5f0c2a1d3e4f5a6b7c8d9',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'dQw4w9WgXcQ and AbCdEfGhIjKlMnOpQrStUvWxYz0123456789',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  'https://www.facebook.example/kelpgate.roasters/posts/pfbid02abcDEFghiJKLmnoPQRstuVWXyz0123456789',
  'https://scontent.example/v/t39.30808-6/123456789_1234567890123456_n.jpg?_nc_cat=1&ccb=1-7&_nc_sid=5f2048&oh=00_AfB0123456789&oe=6790ABCD',
  'https://www.youtube.example/watch?v=dQw4w9WgXcQ&list=PL0123456789ABCDEF&utm_source=newsletter&utm_campaign=spring-2026',
  'https://docs.example/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgVE2upms/edit#gid=0',
  'git clone https://git.example/kelpgate/menu.git && cd menu && npm ci',
  'On 2026-03-01T10:00:00Z (or 10:00 AM GMT+1) we start: v1.2.3-beta.4, #8e24aa, 3/4, 50 %',
  'a=b; c=d & e<f> "quoted" \'single\' `code` \\ back',
];

test.each(TEXTS)('the text %j stays as it is', (text) => {
  expect(withoutSecrets({ apiKey: VALUE, text })).toEqual({ text });
});
