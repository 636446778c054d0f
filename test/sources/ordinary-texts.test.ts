import { expect, test } from 'vitest';
import { cleanText, withoutSecrets } from '../../src/sources/redact.ts';
import { secretsIn } from '../../src/sources/secrets.ts';

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

/** Documented credentials as the networks make them, short ones too. */
const PAGE = [
  { accessToken: 'EAABsbCS1iHgBO0123456789ZDZD/+x=', pageAccessToken: 'EAABsbCS1iHgBO9876543210ZDZD' },
  { access_token: '12345-abcdef', accessSecret: 'qwerty-98765' },
  { accessToken: 'AQVabcdefghijklmnopqrstuvwxyz0123456789-_' },
];

test.each(TEXTS)('the text %j stays as it is, in documented fields and in undocumented JSON', (text) => {
  expect(cleanText(text, secretsIn(PAGE))).toBe(text);
  expect(withoutSecrets({ page: PAGE, text })).toEqual({ page: [{}, {}, {}], text });
});

test('control: the same texts with a credential in them do not', () => {
  for (const text of TEXTS) {
    const said = `${text} ${PAGE[0]?.accessToken}`;
    expect(cleanText(said, secretsIn(PAGE))).toBe(`${text} [redacted]`);
  }
});
