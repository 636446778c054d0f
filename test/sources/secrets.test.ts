import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_JSON_DEPTH } from '../../src/sources/json.ts';
import { blankAssignments, blankTokens, REDACTED } from '../../src/sources/secret-texts.ts';
import { removeCredentials, withoutSecrets } from '../../src/sources/secrets.ts';
import { costOf, MOST_GROWTH } from '../support/costs.ts';

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

test.each(LIKELY)('the value of %s is left out at any depth, and blanked where it recurs', (name) => {
  const record = { note: 'fine', deep: [[{ [name]: VALUE, count: 1 }]], said: [`now it is ${VALUE}.`] };
  const clean = { note: 'fine', deep: [[{ count: 1 }]], said: [`now it is ${REDACTED}.`] };
  expect(withoutSecrets(record)).toEqual(clean);
  expect(withoutSecrets({ note: 'fine', [name]: [VALUE, VALUE] })).toEqual({ note: 'fine' });
});

test.each([
  { value: 'hush42', shown: REDACTED },
  // Would blank half of every text.
  { value: 'hush4', shown: 'hush4' },
  { value: 123_456, shown: REDACTED },
  { value: 12_345, shown: '12345' },
])('the value $value of a documented credential recurs as $shown', ({ value, shown }) => {
  const answer = [{ accessToken: value, name: `is ${value}.` }];
  expect(withoutSecrets(answer)).toEqual([{ name: `is ${shown}.` }]);
  removeCredentials(answer);
  expect(answer).toEqual([{ name: `is ${shown}.` }]);
});

test.each([
  ['hush-42', 'hush-42-and-more', 'hush-42-and-more'],
  ['hush-42', 'hush-42/more', 'hush-42%2Fmore'],
  ['42-hush', 'is%2042-hush', 'is%2042-hush'],
  ['hush-42/a', '42/a-more', 'hush-42%2Fa-more'],
  ['hush-%2F', 'unused', 'hush-%2f'],
])('the credentials %s and %s leave nothing of %s', (accessToken, accessSecret, text) => {
  const answer = [{ accessToken, accessSecret, name: `so ${text}.` }];
  removeCredentials(answer);
  expect(answer).toEqual([{ name: `so ${REDACTED}.` }]);
});

test.each(['hush%2F42!é=', 'hush%2f42!%c3%a9%3d', 'hush%2F42%21%C3%a9=', '%68%75sh/42!é='])(
  'a credential is blanked where it is encoded as %s',
  (encoded) => {
    const name = `100 % is ${encoded}, twice ${encoded}.`;
    const answer = [{ accessToken: 'hush/42!é=', name }];
    const shown = `100 % is ${REDACTED}, twice ${REDACTED}.`;
    expect(withoutSecrets(answer)).toEqual([{ name: shown }]);
    removeCredentials(answer);
    expect(answer).toEqual([{ name: shown }]);
  },
);

test('a number that is a credential is blanked in JSON, and kept where it is a number of the account itself', () => {
  const answer = [{ accessToken: 410_201, loginId: 410_201, extraData: { of: [410_201, 410_202] } }];
  expect(withoutSecrets(answer)).toEqual([{ loginId: REDACTED, extraData: { of: [REDACTED, 410_202] } }]);
  removeCredentials(answer);
  expect(answer).toEqual([{ loginId: 410_201, extraData: { of: [REDACTED, 410_202] } }]);
});

test('a name that means something else is kept, whatever its value', () => {
  const names = namesIn(`
    passengers passenger passage compass bypass keyboard keyword monkey turkey author authors authority oauthor
    pinned spinner option signal design sigma sessions obsession seeds salty ticketsSold refreshedAt refreshRate
    secretary publicKey primaryKey foreignKey sortKey clientId appId pageId hash etag reason country state code
    errorCode zipCode mnemonics assertions samples aiToken inputToken outputToken totalToken tokenEncrypted
    paymentKey
  `);
  const record = Object.fromEntries(names.map((name) => [name, VALUE]));
  expect(withoutSecrets({ ...record, inner: record })).toEqual({ ...record, inner: record });
});

test.each<[name: string, kept: readonly unknown[], removed?: unknown]>([
  ['tokenCount', [7], 'EAABsbCS1iHgBO0123'],
  ['token_count', ['7']],
  ['maxTokens', [4096]],
  ['tokenLimit', [4096]],
  ['tokensUsed', [12]],
  ['tokenUsage', [{ prompt: 12, completion: 7 }]],
  ['tokenType', ['bearer'], 'eyJhbGciOiJIUzI1NiJ9.e30.abc'],
  ['token_type', ['Bearer']],
  ['tokenStatus', ['expired']],
  ['tokenExpiresAt', ['2026-03-01T10:00:00Z']],
  ['token_expiry', [1_790_000_000]],
  ['hasPassword', [true]],
  ['passwordRequired', [false]],
  ['isTokenValid', [true]],
  ['cookieConsent', [true]],
  ['session', ['morning', 'Opening-Keynote', 3], 'a81f-22-bc'],
  ['sessions', [['morning', 'evening']]],
  ['pass', [true, 'yes', 'failed'], 'hunter2'],
  ['refresh', ['weekly', 30]],
  ['seed', [42]],
  ['salt', ['Maldon']],
  ['ticket', ['standard']],
  ['oauth', [{ version: 2, network: 'facebook' }], ['1/fFAGRNJru1FTz70BzhT3Zg']],
  ['mfa', ['enabled']],
  ['sig', ['none']],
])('%s may mean something else: %j is kept, and %j is not', (name, kept, removed) => {
  for (const value of kept) expect(withoutSecrets([{ [name]: value }])).toEqual([{ [name]: value }]);
  if (removed !== undefined) expect(withoutSecrets([{ [name]: removed }])).toEqual([{}]);
});

test('names are recognised after thousands of others', () => {
  const names = Array.from({ length: 2_100 }, (_, at) => `plain${at}`);
  expect(withoutSecrets(Object.fromEntries(names.map((name) => [name, 1])))).toHaveProperty(['plain2099'], 1);
  const plain = { note: 'fine', plain7: 1 };
  expect(withoutSecrets({ ...plain, accessToken: VALUE })).toEqual(plain);
});

test('names of features may contain the word token, but not name a credential', () => {
  const features = { 'Social Inbox Tokens': 'Yes', accessToken: 'EAAB-123', inner: { apiKey: 'x' } };
  expect(withoutSecrets({ features, said: 'EAAB-123' })).toEqual({
    features: { 'Social Inbox Tokens': 'Yes', inner: {} },
    said: REDACTED,
  });
});

test('keys that change prototypes are removed', () => {
  const json: unknown = JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}');
  const clean = withoutSecrets(json) as { readonly a: object };
  expect(Object.keys(clean)).toEqual(['a']);
  expect(Object.getPrototypeOf(clean.a)).toBe(Object.prototype);
  expect('polluted' in {}).toBe(false);
});

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

test('a documented credential is removed from the deepest JSON that is shown', () => {
  for (const wrap of [(inner: unknown) => [inner], (inner: unknown) => ({ inner })])
    for (let levels = 60; levels < 70; levels += 1) {
      let extraData: unknown = `now it is ${VALUE}.`;
      for (let level = 0; level < levels; level += 1) extraData = wrap(extraData);
      const account = { accessToken: VALUE, extraData };
      removeCredentials({ response: account });
      const shown = (): string => JSON.stringify(withoutSecrets(account.extraData));
      if (levels > MAX_JSON_DEPTH) expect(shown).toThrow('ordinary depth');
      else expect(shown()).toContain(REDACTED);
    }
});

test('JSON that is nested too deeply or has too many secrets is an error', () => {
  expect(withoutSecrets(nested(64))).toEqual(nested(64));
  for (const depth of [66, 100_000]) expect(() => withoutSecrets(nested(depth))).toThrow('ordinary depth');
  const secrets = Array.from({ length: 2_000 }, (_, at) => `${VALUE}-${at}`);
  expect(() => withoutSecrets({ tokens: secrets })).toThrow('few secrets');
});

test('the JSON of one response is searched for so many secrets only, and that of another one is not affected', () => {
  const tokens = Array.from({ length: 900 }, (_, at) => `${VALUE}-${at}`);
  const json = () => ({ tokens, texts: Array.from({ length: 300 }, () => 'New roast on the shelves.') });
  const response = {};
  const clean = { texts: json().texts };
  for (let count = 0; count < 2; count += 1) expect(withoutSecrets(json(), response)).toEqual(clean);
  expect(() => {
    for (let count = 0; count < 3; count += 1) withoutSecrets(json(), response);
  }).toThrow('few secrets');
  expect(withoutSecrets(json(), {})).toEqual(clean);
});

test('the same JSON is copied once, however often it is read', () => {
  const json = { token: VALUE, text: 'fine' };
  expect(withoutSecrets(json)).toBe(withoutSecrets(json));
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

test('a secret anywhere in JSON is nowhere in the copy, and the original is unchanged', () => {
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

test.each(TEXTS)('the text %j is kept', (text) => {
  expect(withoutSecrets({ apiKey: VALUE, text })).toEqual({ text });
});

// Put together here, so that no scanner of sources takes them for tokens that somebody uses.
const digits = '0123456789abcdefABCDEF';
const TOKENS: Readonly<Record<string, string>> = {
  'Facebook access token': `EAAB${digits}ZDZD`,
  'Instagram access token': `IGQVJ${digits}`,
  'LinkedIn access token': `AQV${digits}${digits}-_x`,
  'Google access token': `ya29.${digits}`,
  'Google refresh token': `1//0${digits}`,
  'Google API key': `AIza${digits}-_x`,
  'AWS access key id': `AKIA${digits.slice(0, 10)}ABCDEF`,
  'Slack token': `xoxb-123456789012-${digits}`,
  'Slack app token': `xapp-1-A0123-${digits}`,
  'GitHub token': `ghp_${digits}`,
  'GitHub fine-grained token': `github_pat_${digits}`,
  'GitLab token': `glpat-${digits}`,
  'npm token': `npm_${digits}`,
  'Stripe key': `sk_live_${digits}`,
  'Stripe restricted key': `rk_test_${digits}`,
  'webhook secret': `whsec_${digits}`,
  'OpenAI key': `sk-proj-${digits}`,
  'SendGrid key': `SG.${digits}.${digits}`,
  'Shopify token': `shpat_${digits}`,
  'JSON web token': `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${digits}`,
  'private key': '-----BEGIN RSA PRIVATE KEY-----\nMIIE0123\nabcd==\n-----END',
};

test.each(Object.entries(TOKENS))('a %s is recognised by its shape, wherever it is', (_name, token) => {
  for (const text of [`The page answered ${token}: try again.`, `"${token}"`, token])
    expect(blankTokens(text)).not.toContain(token.slice(0, 20));
});

test('all lines of a private key are blanked', () => {
  const lines = [`MIIE${digits}`, `Q29kZXg${digits}`, `a2VscGdhdGU${digits}==`];
  const clean = blankTokens(
    `Bad: -----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----`,
  );
  expect(clean).toBe(`Bad: ${REDACTED}`);
});

const UNKNOWN = '4f2a9c0e7b5d4f2a9c0e7b5d';

test.each([
  [`Invalid token ${UNKNOWN}`, `Invalid token ${REDACTED}`],
  [`Invalid token: ${UNKNOWN}.`, `Invalid token: ${REDACTED}`],
  [`Bearer ${UNKNOWN} is not accepted`, `Bearer ${REDACTED} is not accepted`],
  ['Bearer abc123def4 is not accepted', `Bearer ${REDACTED} is not accepted`],
  ['Basic dXNlcjpwYXNzd29yZDE= is not accepted', `Basic ${REDACTED} is not accepted`],
  [`bearer: "${UNKNOWN}"`, `bearer: "${REDACTED}"`],
  [`The key '${UNKNOWN}' has expired`, `The key '${REDACTED}' has expired`],
  [`the secret is ${UNKNOWN}`, `the secret is ${REDACTED}`],
  [`password (${UNKNOWN}) rejected`, `password (${REDACTED}) rejected`],
  [`session id ${UNKNOWN}`, `session id ${REDACTED}`],
  [`tokens <${UNKNOWN}>`, `tokens <${REDACTED}>`],
  [`Invalid token EAAB${digits} for the page`, `Invalid token ${REDACTED} for the page`],
])('%j becomes %j', (words, clean) => {
  expect(blankTokens(words)).toBe(clean);
  expect(blankTokens(clean)).toBe(clean);
});

/** Words of a service that hold no token. */
const ORDINARY = [
  'Invalid token.',
  'Your access token has expired. Reconnect the account.',
  'The token is invalid: session has been invalidated because the user changed the password.',
  'Error validating access token: the session was issued on Tuesday, 03-Mar-26 10:00:00 PST.',
  'Bearer token expected',
  'Bearer error="invalid_token", error_description="The access token expired"',
  'Bearer realm="service"',
  'Basic authentication is not supported',
  'Missing key: postContentType',
  'key accountUsername is required',
  'Unknown key "scheduleDateTimeInUserTimezone"',
  'The key to a good post is a good picture',
  'password must have 12 characters',
  'secret of 2026-03-01 10:00:00',
  'Session 7 of 12 is full',
  'Post 1234567890123456789 was not found on page 17841401234567891',
  'Account 410201 is locked (code 190, subcode 463)',
  '550e8400-e29b-41d4-a716-446655440000 is no id of a post',
  '64b5f0c2a1d3e4f5a6b7c8d9 was removed',
  'See https://developers.example.com/docs/graph-api/guides/error-handling#190',
  'EAAB is not a token',
  'AIzaban is a name',
  'sk-learn and eyJ are words',
  'The picture https://pictures.example.com/harbour/410201.png can’t be read',
  'Rate limit reached: 200 calls within 3600 s, token bucket is empty',
  'invalid_grant: Token has been expired or revoked.',
  '#token #secretgarden #keytothecity',
];

test.each(ORDINARY)('the words %j are kept', (words) => expect(blankTokens(words)).toBe(words));

test.each([
  'GET /me?access_token=planted&x=1',
  '"client_secret": "planted"',
  "refreshToken='planted'",
  'password: planted',
  'api_key=planted',
  'set-cookie: sid=planted; path=/',
  'signature=planted;',
])('the secret in %s is blanked, without being known', (text) => {
  const clean = blankAssignments(text);
  expect(clean).not.toContain('planted');
  expect(clean).toContain(REDACTED);
  expect(blankAssignments(clean)).not.toContain(`${REDACTED}]`);
});

const STUBBORN = ['token', 'a', 'key a', 'token=', '?token', '="', 'authorization: bearer ', 'eyJ', '-'];

test.each(STUBBORN)('a text of nothing but %j takes time in proportion to its size', (piece) => {
  const clean = (chars: number): void => {
    const words = `key ${piece.repeat(chars / piece.length)}`;
    blankTokens(words);
    blankAssignments(words);
  };
  expect(costOf(clean, 32_000).growth).toBeLessThan(MOST_GROWTH);
});
