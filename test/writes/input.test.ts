import type { GraphQLScalarType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { MAX_LIST, MAX_PROBLEMS, Problems } from '../../src/writes/problems.ts';
import { shareGraph } from '../support/graph.ts';
import {
  expectForPeople,
  account,
  EXAMPLES,
  idOf,
  KEYED,
  legacyAccount,
  legacyGroup,
  verdictOf,
  write,
  type Input,
} from '../support/writes.ts';

// All problems of an input are told at once, each with its path and a sentence for people, and nothing is sent.

const graph = shareGraph({ environment: { SERVICE_TIME_ZONE: 'Europe/Paris' } });
const bare = shareGraph();

type Name = keyof typeof EXAMPLES;

const ORIGINAL = { variant: 'ORIGINAL', text: 'Hi' };
const TOO_LONG = 'x'.repeat(60_001);
const times = <T>(count: number, valueOf: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => valueOf(index));

const ANY: unknown = expect.any(String);
/** What is told of each place of an input, of which nothing is sent. */
async function refusalOf(name: Name, changes: Input): Promise<Record<string, string>> {
  const payload = await write(graph, name, { ...EXAMPLES[name], ...changes });
  const { outcome, replayed = false, postIds = null, userErrors } = payload;
  expect({ outcome, replayed, postIds }).toEqual({ outcome: 'REJECTED', replayed: false, postIds: null });
  expect(userErrors.filter(({ code, retryable }) => code !== 'INVALID_INPUT' || retryable)).toEqual([]);
  expect(graph.sandbox.requests.count()).toBe(0);
  return Object.fromEntries(userErrors.map(({ path, message }) => [path?.slice(1).join('.'), message]));
}

const places = (names: string): Record<string, unknown> =>
  Object.fromEntries(names.split(' ').map((name) => [name, ANY]));

const placesOf = (list: string, ...indexes: readonly number[]) =>
  places(indexes.map((index) => `${list}.${index}`).join(' '));

test('an account of a post is named by its id of the current surface, exactly and once', async () => {
  const own = account();
  // The last letter of an id of this length has bits that nothing uses.
  const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const sameBits = own.slice(0, -1) + LETTERS.charAt(LETTERS.indexOf(own.slice(-1)) + 1);
  const others = [idOf('AccountGroup', 'current', 5_101), Buffer.from('9ac:410201').toString('base64url')];
  const garbage = ['garbage', '', `${own}%`, sameBits];
  const beyond = ['9007199254740993', '9007199254740992', '-1', '0'];
  const spelt = ['410201x', '0410201', '4.10201e5', '0x64249', '４１０２０１', '410201/../1', ' 410201 '];
  const wrong = [...others, ...garbage, ...[...beyond, ...spelt].map((rawId) => account(rawId))];
  const named = placesOf('accountIds', ...wrong.map((_, at) => at + 1));
  expect(await refusalOf('createPost', { accountIds: [own, ...wrong] })).toEqual(named);
});

const queuedPost = idOf('QueuedPost', 'current', 'q');
const NO_CONTENT = { variants: 'The post has no text and no media.' };
const local = (...scheduledAtLocal: readonly string[]): Input => ({ timing: { scheduledAtLocal } });
const localTime = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 16);
const updateAt = (scheduledAtLocal: string): Input => ({ timing: { scheduledAtLocal } });
/** A time beside a good one. */
const second = (at: string): Input => local('2031-05-20T10:00', at);
const at1 = (message: RegExp): Refusal => ({ 'timing.scheduledAtLocal.1': expect.stringMatching(message) });
const secondInstant = (at: string): Input => ({ timing: { scheduledAt: ['2031-05-20T08:00:00Z', at] } });
const variants = (...all: readonly Input[]): Input => ({ variants: all });
const X_TWICE = [{ variant: 'X' }, { variant: 'X' }];
const tagged = ['a', 'b', 'a'].map((name) => ({ imageUrl: `https://a.example/${name}`, people: [] }));
const LONG_ACTION = { callToAction: TOO_LONG, linkUrl: 'https://a.example' };
const lists251 = {
  tagIds: times(251, (index) => String(index + 1)),
  mediaIds: times(251, (index) => `m${index}`),
  altTexts: times(251, () => ''),
  mentions: times(251, (index) => ({ key: `k${index}` })),
};

type Refusal = Readonly<Record<string, unknown>>;

type Row = readonly [what: string, changes: Input, problems: string | Refusal];

/** Refuses each input for the places that it names, with their sentences where they are given. */
function testRefusals(name: Name, rows: readonly Row[]): void {
  test.each(rows)(`${name} refuses %s`, async (_what, changes, problems) => {
    const expected = typeof problems === 'string' ? places(problems) : problems;
    expect(await refusalOf(name, changes)).toEqual(expected);
  });
}

testRefusals('createPost', [
  [
    'every problem at once',
    {
      idempotencyKey: '',
      accountIds: [legacyAccount(), account(), account()],
      ...local('2031-02-30T10:00', '2020-01-01T10:00', '2031-03-30T02:30'),
      ...variants(
        ORIGINAL,
        { ...ORIGINAL, title: 'T', mentions: [{ key: 'a' }, { key: 'a' }] },
        { variant: 'X', longText: 'L' },
      ),
    },
    [
      'accountIds.0 accountIds.2 idempotencyKey',
      ...[0, 1, 2].map((at) => `timing.scheduledAtLocal.${at}`),
      'variants.1.mentions variants.1.title variants.1.variant variants.2.longText',
    ].join(' '),
  ],
  [
    'empty lists',
    { accountIds: [], variants: [] },
    { accountIds: 'Choose at least one account.', variants: 'Choose at least one variant.' },
  ],
  [
    'ids of other things, and accounts chosen twice',
    { accountIds: [...[1, 2, 1, 2, 1].map((id) => account(id)), '410201', queuedPost, legacyAccount(7)] },
    {
      ...places('accountIds.3 accountIds.4'),
      'accountIds.2': 'The same account was chosen twice.',
      'accountIds.5':
        '"410201" is not the ID of an account; use the ID from this API, not the number in the service.',
      'accountIds.6': `"${queuedPost}" is the ID of a queued post; choose an account.`,
      'accountIds.7': 'The account "7" is on the legacy surface; choose one of the current surface.',
    },
  ],
  [
    'the last of 250 accounts, chosen twice',
    { accountIds: [...times(249, (index) => account(1_000 + index)), account(1_003)] },
    'accountIds.249',
  ],
  ['empty variants', variants({ variant: 'X' }), NO_CONTENT],
  ['blanks alone', variants({ ...ORIGINAL, text: ' \n', mediaIds: [] }), NO_CONTENT],
  ['a title alone', variants({ variant: 'YOUTUBE', title: 'A film' }), NO_CONTENT],
  [
    'a variant that occurs twice',
    variants({ variant: 'X', text: 'x' }, ...X_TWICE),
    {
      'variants.1.variant': 'The variant for X occurs twice; each network can have only one variant.',
      ...places('variants.2.variant'),
    },
  ],
  [
    'a title, a link or a long text for a network without them',
    variants(
      ...['ORIGINAL', 'FACEBOOK', 'X', 'LINKEDIN'].map((variant) => ({
        variant,
        text: 'x',
        title: 'T',
        linkUrl: 'https://a.example',
        longText: '',
      })),
    ),
    times(4, (at) => `variants.${at}.linkUrl variants.${at}.longText variants.${at}.title`).join(' '),
  ],
  [
    'ids that cannot be sent exactly, and ages in the wrong order',
    variants({
      ...ORIGINAL,
      tagIds: ['1', '9007199254740993', 'x', '', '-3'],
      mediaIds: ['m-1', '', ' ', 'a b', 'https://a.example/1', '//x', 'm'.repeat(256)],
      facebookAudience: { minAge: 30, maxAge: 29 },
    }),
    {
      ...placesOf('variants.0.tagIds', 1, 2, 3, 4),
      ...placesOf('variants.0.mediaIds', 1, 2, 3, 5, 6),
      'variants.0.mediaIds.4':
        '"https://a.example/1" is a URL; use the media id that the service assigned to the file.',
      ...places('variants.0.facebookAudience.minAge'),
    },
  ],
  [
    'lists and texts beyond their limits',
    {
      accountIds: times(251, (index) => account(1_000 + index)),
      ...variants({
        variant: 'YOUTUBE',
        comment: TOO_LONG,
        longText: TOO_LONG,
        ...lists251,
        action: LONG_ACTION,
      }),
    },
    {
      ...places('accountIds variants.0.altTexts variants.0.comment variants.0.mediaIds variants.0.mentions'),
      ...places('variants.0.action.callToAction'),
      'variants.0.longText': 'The long text is too long: 60001 characters (maximum 60000).',
      'variants.0.tagIds': 'There are too many tag IDs: 251 (maximum 250).',
    },
  ],
  ['no time at all', local(), 'timing.scheduledAtLocal'],
  ['a time chosen twice', second('2031-05-20T10:00'), 'timing.scheduledAtLocal.1'],
  [
    '251 times',
    local(...times(251, (index) => localTime(Date.UTC(2031, 4, 1 + index, 10)))),
    'timing.scheduledAtLocal',
  ],
  ...(
    [
      ['past', '2020-01-01T10:00', /past: on the service’s clock \(Europe\/Paris\) it is \d\d:\d\d on \d/],
      ['on 30 February', '2031-02-30T10:00', /^2031-02-30 10:00 is not a date on the/],
      ['skipped', '2031-03-30T02:30', /^02:30 on 30 March 2031 is skipped or repeated when/],
      ['repeated', '2031-10-26T02:30', /^02:30 on 26 October 2031 is skipped or repeated/],
    ] as const
  ).map(([what, at, message]): Row => [`a time that is ${what}`, second(at), at1(message)]),
  ...[
    ['that is past', '2020-01-01T10:00:00Z'],
    ['of no whole minute', '2031-05-20T10:00:30Z'],
    ['of no whole minute by a thousandth', '2031-05-20T10:00:00.001Z'],
    ['of an hour that the service’s clock has twice', '2031-10-26T00:30:00Z'],
    ['of that hour’s second time', '2031-10-26T01:30:00Z'],
    ['that is the same as another, in another time zone', '2031-05-20T10:00:00+02:00'],
  ].map(([what, at = '']): Row => [`an instant ${what}`, secondInstant(at), 'timing.scheduledAt.1']),
]);
testRefusals('createStatusUpdate', [
  [
    'every problem at once',
    {
      idempotencyKey: 'a b',
      text: ' \n\t',
      accountIds: [account(), legacyAccount(), legacyAccount(), 'garbage', legacyGroup(1)],
      accountGroupIds: [legacyAccount(), idOf('AccountGroup', 'current', 5_101)],
      ...updateAt('2020-01-01T10:00'),
      preview: { title: 'T' },
      imageUrl: 'https://pictures.example.com/ferry.jpg',
    },
    'accountGroupIds.0 accountGroupIds.1 accountIds.0 accountIds.2 accountIds.3 accountIds.4 idempotencyKey preview text timing.scheduledAtLocal',
  ],
  ['no account and no group', { accountIds: null }, { accountIds: 'Choose at least one account or group.' }],
  ['empty lists', { accountIds: [], accountGroupIds: [] }, 'accountIds accountGroupIds'],
  [
    'lists and texts beyond their limits',
    {
      accountIds: times(251, (index) => legacyAccount(1_000 + index)),
      text: TOO_LONG,
      preview: { description: TOO_LONG },
    },
    'accountIds text preview.description',
  ],
  ['a time off the calendar', updateAt('2031-02-30T10:00'), 'timing.scheduledAtLocal'],
  ['a time that is skipped', updateAt('2031-03-30T02:30'), 'timing.scheduledAtLocal'],
  ['an instant between minutes', { timing: { scheduledAt: '2031-05-20T10:00:01Z' } }, 'timing.scheduledAt'],
]);
testRefusals('createDraft', [
  ['no account', { accountIds: [] }, 'accountIds'],
  [
    'accounts that cannot be chosen',
    { accountIds: [legacyAccount(), account('9007199254740993'), account(), account()] },
    'accountIds.0 accountIds.1 accountIds.3',
  ],
  [
    'a variant that occurs twice, an image tagged twice and a text that is too long',
    variants({ variant: 'X' }, { taggedPeople: tagged }, { text: TOO_LONG }, { variant: 'X' }),
    'variants.3.variant variants.1.taggedPeople variants.2.text',
  ],
  ['251 variants', variants(...times(251, () => ({}))), 'variants'],
  ['an action that is too long', variants({ action: LONG_ACTION }), 'variants.0.action.callToAction'],
]);
testRefusals('createLibraryItem', [
  [
    'a blank title and nothing else',
    { title: ' ', variants: [], tags: times(251, (index) => `t${index}`) },
    { title: 'The title is blank.', ...places('variants tags') },
  ],
  [
    'a title that is too long, and a variant that occurs twice',
    { title: TOO_LONG, variants: X_TWICE },
    'title variants.1.variant',
  ],
]);
testRefusals('generateAiText', [
  ['blanks', { prompt: '', tone: '\u00a0' }, { prompt: 'The prompt is blank.', tone: ANY }],
  ['a prompt that is too long', { prompt: TOO_LONG }, 'prompt'],
]);
testRefusals('pauseAccount', [['the id of a group', { accountId: legacyGroup(5_101) }, 'accountId']]);
testRefusals('resumeAccount', [['garbage', { accountId: 'garbage' }, 'accountId']]);
testRefusals('deleteAccount', [['the id of a post', { accountId: queuedPost }, 'accountId']]);
testRefusals('deleteAccountGroup', [
  ['the id of an account', { accountGroupId: legacyAccount() }, 'accountGroupId'],
]);

test.each<[name: Name, what: string, changes: Input]>([
  ['createPost', 'media alone', variants({ variant: 'ORIGINAL', mediaIds: ['m-1'] })],
  ['createPost', 'a text for one network', variants({ variant: 'ORIGINAL' }, { variant: 'X', text: 'x' })],
  ['createPost', 'a link alone', variants({ variant: 'GOOGLE_BUSINESS', linkUrl: 'https://example.com' })],
  ['createPost', 'times right before a clock change', local('2031-03-30T01:59', '2031-10-26T01:59')],
  ['createPost', 'times right after a clock change', local('2031-03-30T03:00', '2031-10-26T03:00')],
  ['createPost', '29 February of a leap year', local('2032-02-29T10:00')],
  ['createDraft', 'a key of one character', { idempotencyKey: '!' }],
  ['createDraft', 'a key of 255 characters', { idempotencyKey: '~'.repeat(255) }],
])('%s takes %s', async (name, _what, changes) => {
  expect((await write(graph, name, { ...EXAMPLES[name], ...changes })).outcome).toBe('COMPLETED');
});

test.each([
  ['empty', ''],
  ['of 256 characters', 'k'.repeat(256)],
  ['that ends in a line break', 'a\n'],
  ['with a blank', 'a b'],
  ['not in ASCII', 'schlüssel'],
  ['with DEL', 'a\u007f'],
])('an idempotency key %s is refused by every mutation that takes one', async (_what, idempotencyKey) => {
  for (const name of KEYED)
    expect(await refusalOf(name, { idempotencyKey }), name).toEqual(places('idempotencyKey'));
});

test('a status update to strangers is refused for each, and not sent to the others', async () => {
  const payload = await write(graph, 'createStatusUpdate', {
    text: 'Hi',
    accountIds: [legacyAccount(), legacyAccount(999), legacyAccount('9007199254740993')],
    accountGroupIds: [legacyGroup(5_101), legacyGroup(77)],
  });
  expect(verdictOf(payload)).toEqual([
    'REJECTED',
    'UNKNOWN_ACCOUNT input.accountGroupIds.1',
    'UNKNOWN_ACCOUNT input.accountIds.1',
    'UNKNOWN_ACCOUNT input.accountIds.2',
  ]);
  expect(payload.userErrors.map(({ message }) => message)).toEqual([
    'Account 999 was not found on the legacy surface.',
    'Account 9007199254740993 was not found on the legacy surface.',
    'Group 77 was not found on the legacy surface.',
  ]);
  const toNobody = { text: 'Hi', accountGroupIds: [legacyGroup(5_104)] };
  expect(verdictOf(await write(graph, 'createStatusUpdate', toNobody))).toEqual([
    'REJECTED',
    'UNKNOWN_ACCOUNT input.accountGroupIds',
  ]);
  expect(graph.sandbox.requests.count('POST /oauth/post/update')).toBe(0);
});

describe('of many problems', () => {
  const junk = (count: number): string[] => times(count, (index) => `x${index}`);

  test('only fifty are listed, and the last one says that there are others', async () => {
    const few = await refusalOf('createPost', { accountIds: junk(MAX_PROBLEMS - 1) });
    expect(Object.keys(few)).toHaveLength(MAX_PROBLEMS - 1);
    const many = await refusalOf('createPost', { accountIds: junk(MAX_LIST) });
    expect(Object.keys(many)).toHaveLength(MAX_PROBLEMS + 1);
    expect(many['']).toBe('There are more than 50 problems; the others are not listed.');
  });

  test('no more than that are searched for in an input or in a list', () => {
    const reads = { texts: 0, ids: 0 };
    const item = {
      get text() {
        reads.texts += 1;
        return TOO_LONG;
      },
    };
    new Problems().limits({ items: times(MAX_LIST, () => item) });
    const ids = new Proxy(junk(10 * MAX_LIST), {
      get(of, name, self) {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads.ids += 1;
        return Reflect.get(of, name, self) as unknown;
      },
    });
    new Problems().numbers(['tagIds'], ids, 'tag');
    expect(reads).toEqual({ texts: MAX_PROBLEMS + 1, ids: MAX_LIST });
  });
});

test('problems and warnings of a post name its accounts by their labels', async () => {
  const seed = { state: 'paused', username: 'On holiday' } as const;
  const { loginId } = bare.sandbox.state.owner('harbour').insertAccount(0, seed);
  const input = {
    accountIds: [account(loginId), account(), account(999_999)],
    timing: { scheduledAtLocal: ['2031-11-25T03:17'] },
    variants: [ORIGINAL],
  };
  const { data } = await bare.query(
    'query ($input: CreatePostInput!) { of: validatePost(input: $input) { userErrors { message } warnings { message } } }',
    { variables: { input } },
  );
  const messages = [...data.of.userErrors, ...data.of.warnings] as { readonly message: string }[];
  expectForPeople(messages);
  expect(messages.map(({ message }) => message)).toEqual([
    'On holiday cannot publish because it is paused.',
    'Account 999999 was not found.',
    '03:17 on 25 November 2031 is outside the posting schedule of On holiday and Kelpgate Roasters.',
  ]);
});

const hoursAgo = (hours: number): string => localTime(Date.now() - hours * 3_600_000);

test.each([
  '2031-05-20 10:00',
  '2031-05-20T10:00:01',
  '2031-05-20T10:00:00.000',
  '2031-05-20T10:00:00Z',
  '2031-05-20T10:00:',
  '2031-05-20T24:00',
  '2031-13-01T10:00',
  '2031-05-20',
  'soon',
])('a time of the service’s own clock has no other form, such as %s', (at) => {
  const scalar = schema.getType('LocalDateTime') as GraphQLScalarType;
  expect(() => scalar.parseValue(at)).toThrow('Write a LocalDateTime as');
});

describe('without the time zone of the service', () => {
  const FIRST_TIME = ['REJECTED', 'INVALID_INPUT input.timing.scheduledAtLocal.0'];
  const create = (changes: Input) => write(bare, 'createPost', { ...EXAMPLES.createPost, ...changes });

  test('no instant can be told', async () => {
    const instant = '2031-05-20T10:00:00Z';
    for (const name of ['createPost', 'createStatusUpdate'] as const) {
      const timing = { scheduledAt: name === 'createPost' ? [instant] : instant };
      const payload = await write(bare, name, { ...EXAMPLES[name], timing });
      expect(verdictOf(payload)).toEqual(['REJECTED', 'INVALID_INPUT input.timing.scheduledAt']);
      expect(payload.userErrors[0]?.message).toContain('the service’s time zone is not configured');
    }
    expect(bare.sandbox.requests.count()).toBe(0);
  });

  test('a time is past only where it is past everywhere', async () => {
    expect((await create(local(hoursAgo(11)))).outcome).toBe('COMPLETED');
    const past = await create(local(hoursAgo(13)));
    expect(verdictOf(past)).toEqual(FIRST_TIME);
    expect(past.userErrors[0]?.message).toMatch(/^\d\d:\d\d on \d.* is in the past in every time zone\.$/);
  });

  test('no clock change is known, but the calendar is', async () => {
    expect((await create(local('2031-03-30T02:30', '2031-10-26T02:30'))).outcome).toBe('COMPLETED');
    expect(verdictOf(await create(local('2031-02-30T02:30')))).toEqual(FIRST_TIME);
  });
});

test.each(['PostTimingInput', 'StatusUpdateTimingInput'])('%s takes one of its fields', (name) => {
  expect(schema.getType(name)).toMatchObject({ isOneOf: true });
});
