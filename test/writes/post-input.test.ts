import { describe, expect, test } from 'vitest';
import { shareGraph } from '../support/shared-graph.ts';
import { account, EXAMPLES, idOf, legacyAccount, problemsOf, write, type Input } from '../support/writes.ts';

const graph = shareGraph({ environment: { SERVICE_TIME_ZONE: 'Europe/Paris' } });

const ORIGINAL = { variant: 'ORIGINAL', text: 'Hi' };

/** The problems of a post; nothing is sent for any. */
async function problemsFor(changes: Input): Promise<string[]> {
  const payload = await write(graph, 'createPost', { ...EXAMPLES.createPost, ...changes });
  expect(payload).toMatchObject({ outcome: 'REJECTED', replayed: false, postIds: null });
  expect(graph.sandbox.requests.count()).toBe(0);
  expect(payload.userErrors.every(({ retryable }) => !retryable)).toBe(true);
  return problemsOf(payload);
}

test('every problem is reported at once, each with its path, and nothing is sent', async () => {
  const problems = await problemsFor({
    idempotencyKey: '',
    accountIds: [legacyAccount(), idOf('QueuedPost', 'current', 'q1'), 'garbage', account(), account()],
    timing: { scheduledAtLocal: ['2031-02-30T10:00', '2020-01-01T10:00', '2031-03-30T02:30'] },
    variants: [
      ORIGINAL,
      { ...ORIGINAL, title: 'T', mentions: [{ key: 'a' }, { key: 'a' }] },
      { variant: 'X', longText: 'L' },
    ],
  });
  expect(problems).toEqual([
    'INVALID_INPUT input.accountIds.0',
    'INVALID_INPUT input.accountIds.1',
    'INVALID_INPUT input.accountIds.2',
    'INVALID_INPUT input.accountIds.4',
    'INVALID_INPUT input.idempotencyKey',
    'INVALID_INPUT input.timing.scheduledAtLocal.0',
    'INVALID_INPUT input.timing.scheduledAtLocal.1',
    'INVALID_INPUT input.timing.scheduledAtLocal.2',
    'INVALID_INPUT input.variants.1.mentions',
    'INVALID_INPUT input.variants.1.title',
    'INVALID_INPUT input.variants.1.variant',
    'INVALID_INPUT input.variants.2.longText',
  ]);
});

test('an account that is given by its number, or twice, is told so in words', async () => {
  const accountIds = ['410201', account(), account()];
  const { userErrors } = await write(graph, 'createPost', { ...EXAMPLES.createPost, accountIds });
  expect(userErrors.map(({ message }) => message)).toEqual([
    'The same account was chosen twice.',
    '"410201" is not the ID of an account; use the ID from this API, not the number in the service.',
  ]);
});

const raw = (text: string): string => Buffer.from(text).toString('base64url');

describe('the accounts', () => {
  test.each([
    ['an id of the legacy surface', legacyAccount()],
    ['the id of another type', idOf('AccountGroup', 'current', 5_101)],
    ['the id of a post', idOf('QueuedPost', 'current', 'abc')],
    ['garbage', 'garbage'],
    ['an empty id', ''],
    ['a number', '410201'],
    ['an id with a damaged end', `${account()}%`],
    ['an id of another version', raw('9ac:410201')],
    ['an id beyond 2^53', account('9007199254740993')],
    ['2^53 itself, which is no safe integer', account('9007199254740992')],
    ['an id that is no number', account('410201x')],
    ['a negative id', account('-1')],
    ['zero', account('0')],
    ['a number in another form', account('4.10201e5')],
    ['a hexadecimal number', account('0x64249')],
    ['digits of another script', account('４１０２０１')],
    ['a way out of the path', account('410201/../1')],
    ['blanks around the number', account(' 410201 ')],
  ])('must be none of these: %s', async (_, id) => {
    expect(await problemsFor({ accountIds: [account(410_202), id] })).toEqual([
      'INVALID_INPUT input.accountIds.1',
    ]);
  });

  test('must be at least one', async () => {
    expect(await problemsFor({ accountIds: [] })).toEqual(['INVALID_INPUT input.accountIds']);
  });

  test('must be at most 250', async () => {
    const accountIds = Array.from({ length: 251 }, (_, index) => account(1_000 + index));
    expect(await problemsFor({ accountIds })).toEqual(['INVALID_INPUT input.accountIds']);
  });

  test('must stand there once each', async () => {
    const accountIds = [account(1), account(2), account(1), account(2), account(1)];
    expect(await problemsFor({ accountIds })).toEqual([
      'INVALID_INPUT input.accountIds.2',
      'INVALID_INPUT input.accountIds.3',
      'INVALID_INPUT input.accountIds.4',
    ]);
  });

  test.each([
    ['a leading zero', account('0410201')],
    ['unused bits of its last letter', `${account().slice(0, -1)}${nextLetter(account().at(-1) ?? '')}`],
  ])('count as the same when an id differs only by %s', async (_, other) => {
    expect(await problemsFor({ accountIds: [account(), other] })).toEqual([
      'INVALID_INPUT input.accountIds.1',
    ]);
  });
});

/** The letter after this one in base64url; at the end of a text of this length it has bits that nothing uses. */
function nextLetter(letter: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return letters.charAt(letters.indexOf(letter) + 1);
}

describe('the variants', () => {
  test('must be at least one', async () => {
    expect(await problemsFor({ variants: [] })).toEqual(['INVALID_INPUT input.variants']);
  });

  test.each(['ORIGINAL', 'FACEBOOK', 'X', 'LINKEDIN', 'GOOGLE_BUSINESS', 'YOUTUBE'])(
    'must hold %s once',
    async (variant) => {
      const variants = [{ variant, text: 'x' }, { variant }, { variant }];
      expect(await problemsFor({ variants })).toEqual([
        'INVALID_INPUT input.variants.1.variant',
        'INVALID_INPUT input.variants.2.variant',
      ]);
    },
  );

  test.each(['ORIGINAL', 'FACEBOOK', 'X', 'LINKEDIN'])(
    '%s takes no title, no link and no long text',
    async (variant) => {
      const variants = [{ variant, title: 'T', linkUrl: 'https://a.example', longText: '' }];
      expect(await problemsFor({ variants })).toEqual([
        'INVALID_INPUT input.variants.0.linkUrl',
        'INVALID_INPUT input.variants.0.longText',
        'INVALID_INPUT input.variants.0.title',
      ]);
    },
  );

  test('must name tags by numbers that can be sent exactly', async () => {
    const variants = [{ ...ORIGINAL, tagIds: ['1', '9007199254740993', 'x', '', '-3'] }];
    expect(await problemsFor({ variants })).toEqual([
      'INVALID_INPUT input.variants.0.tagIds.1',
      'INVALID_INPUT input.variants.0.tagIds.2',
      'INVALID_INPUT input.variants.0.tagIds.3',
      'INVALID_INPUT input.variants.0.tagIds.4',
    ]);
  });

  test.each<[what: string, variants: Input[]]>([
    ['nothing', [{ variant: 'ORIGINAL' }]],
    [
      'blanks',
      [
        { variant: 'ORIGINAL', text: ' \n', mediaIds: [] },
        { variant: 'X', text: '' },
      ],
    ],
    ['a title alone', [{ variant: 'YOUTUBE', title: 'A film' }]],
  ])('must not hold %s', async (_what, variants) => {
    expect(await problemsFor({ variants })).toEqual(['INVALID_INPUT input.variants']);
  });

  test.each<[what: string, variants: Input[]]>([
    ['media alone', [{ variant: 'ORIGINAL', mediaIds: ['m-1'] }]],
    ['a text for one network', [{ variant: 'ORIGINAL' }, { variant: 'X', text: 'x' }]],
    ['a link alone', [{ variant: 'GOOGLE_BUSINESS', linkUrl: 'https://example.com' }]],
  ])('may hold %s', async (_what, variants) => {
    expect((await write(graph, 'createPost', { ...EXAMPLES.createPost, variants })).outcome).toBe(
      'COMPLETED',
    );
  });

  test('must name media by what can be an id', async () => {
    const mediaIds = ['m-1', '', ' ', 'a b', 'https://example.com/1.png', '//x', 'm'.repeat(256)];
    const variants = [{ ...ORIGINAL, mediaIds }];
    expect(await problemsFor({ variants })).toEqual(
      [1, 2, 3, 4, 5, 6].map((index) => `INVALID_INPUT input.variants.0.mediaIds.${index}`),
    );
  });

  test('must not ask for people who are older than the oldest', async () => {
    const variants = [{ ...ORIGINAL, facebookAudience: { minAge: 30, maxAge: 29 } }];
    expect(await problemsFor({ variants })).toEqual([
      'INVALID_INPUT input.variants.0.facebookAudience.minAge',
    ]);
  });

  test.each<[string, Input]>([
    ['tagIds', { tagIds: Array.from({ length: 251 }, (_, index) => String(index + 1)) }],
    ['mediaIds', { mediaIds: Array.from({ length: 251 }, (_, index) => `m${index}`) }],
    ['altTexts', { altTexts: Array.from({ length: 251 }, () => '') }],
    ['mentions', { mentions: Array.from({ length: 251 }, (_, index) => ({ key: `k${index}` })) }],
  ])('must not hold more than 250 %s', async (name, changes) => {
    const variants = [{ ...ORIGINAL, ...changes }];
    expect(await problemsFor({ variants })).toEqual([`INVALID_INPUT input.variants.0.${name}`]);
  });
});
