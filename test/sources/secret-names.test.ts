import { describe, expect, test } from 'vitest';
import { REDACTED } from '../../src/sources/blank-runs.ts';
import { withoutSecrets } from '../../src/sources/redact.ts';

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

test('there are more names than the 52 that were asked for, each once', () => {
  expect(LIKELY.length).toBeGreaterThan(100);
  expect(new Set(LIKELY).size).toBe(LIKELY.length);
});

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
