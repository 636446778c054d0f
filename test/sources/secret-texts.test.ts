import { expect, test } from 'vitest';
import { blankAssignments, blankTokens, REDACTED } from '../../src/sources/secret-texts.ts';
import { costOf, MOST_GROWTH } from '../support/cpu.ts';

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

test.each(Object.entries(TOKENS))('a %s is blanked by its shape, wherever it stands', (_name, token) => {
  expect(blankTokens(`The page answered ${token}: try again.`)).not.toContain(token.slice(0, 20));
  expect(blankTokens(`"${token}"`)).not.toContain(token.slice(0, 20));
  expect(blankTokens(token)).not.toContain(token.slice(0, 20));
});

test('a private key of several lines is blanked whole', () => {
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

test.each(ORDINARY)('the words %j stay as they are', (words) => {
  expect(blankTokens(words)).toBe(words);
});

test.each([
  'GET /me?access_token=planted&x=1',
  '"client_secret": "planted"',
  "refreshToken='planted'",
  'password: planted',
  'api_key=planted',
  'set-cookie: sid=planted; path=/',
  'signature=planted;',
])('in the text %s the secret is blanked, without knowing it', (text) => {
  const clean = blankAssignments(text);
  expect(clean).not.toContain('planted');
  expect(clean).toContain(REDACTED);
  expect(blankAssignments(clean)).not.toContain(`${REDACTED}]`);
});

const STUBBORN = [
  'token',
  'a',
  'key a',
  'token=',
  '?token',
  '="',
  'token=a',
  'authorization: bearer ',
  'eyJ',
  '-',
];

test.each(STUBBORN)('a text of nothing but %j takes time in proportion to its size', (piece) => {
  const clean = (chars: number): void => {
    const words = `key ${piece.repeat(chars / piece.length)}`;
    blankTokens(words);
    blankAssignments(words);
  };
  expect(costOf(clean, 64_000).growth).toBeLessThan(MOST_GROWTH);
});
