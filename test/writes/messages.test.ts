import { expect, test } from 'vitest';
import { eachCase } from '../support/each-case.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { expectForPeople } from '../support/words-for-people.ts';
import {
  account,
  EXAMPLES,
  idOf,
  legacyAccount,
  legacyGroup,
  write,
  type Input,
  type MutationName,
} from '../support/writes.ts';

// The sentences that people read. `write` also checks the messages of every other test.

const graph = shareGraph();

type Example = Exclude<MutationName, 'exchangeAuthorizationCode'>;
const ORIGINAL = { variant: 'ORIGINAL', text: 'Hi' };

const SENTENCES: readonly (readonly [Example, Input, string])[] = [
  ['createPost', { accountIds: [] }, 'Choose at least one account.'],
  ['createPost', { accountIds: [account(), account()] }, 'The same account was chosen twice.'],
  [
    'createPost',
    { accountIds: [idOf('QueuedPost', 'current', 'q')] },
    `"${idOf('QueuedPost', 'current', 'q')}" is the ID of a queued post; choose an account.`,
  ],
  [
    'createPost',
    { accountIds: [legacyAccount(7)] },
    'The account "7" is on the legacy surface; choose one of the current surface.',
  ],
  ['createPost', { variants: [] }, 'Choose at least one variant.'],
  ['createPost', { variants: [{ variant: 'ORIGINAL' }] }, 'The post has no text and no media.'],
  [
    'createPost',
    {
      variants: [
        { ...ORIGINAL, variant: 'X' },
        { ...ORIGINAL, variant: 'X' },
      ],
    },
    'The variant for X occurs twice; each network can have only one variant.',
  ],
  [
    'createPost',
    { variants: [{ ...ORIGINAL, title: 'T' }] },
    'The title can only be used for Google Business and YouTube.',
  ],
  [
    'createPost',
    { variants: [{ ...ORIGINAL, mediaIds: ['https://a.example/1.png'] }] },
    '"https://a.example/1.png" is a URL; use the media id that the service assigned to the file.',
  ],
  [
    'createPost',
    { variants: [{ ...ORIGINAL, longText: 'x'.repeat(60_001), variant: 'YOUTUBE' }] },
    'The long text is too long: 60001 characters (maximum 60000).',
  ],
  [
    'createPost',
    { variants: [{ ...ORIGINAL, tagIds: Array.from({ length: 251 }, (_, index) => `${index + 1}`) }] },
    'There are too many tag IDs: 251 (maximum 250).',
  ],
  [
    'createPost',
    { variants: [{ ...ORIGINAL, text: '\uD83D' }] },
    'The text contains half of a character, such as half an emoji (a lone surrogate).',
  ],
  [
    'createPost',
    { timing: { scheduledAtLocal: ['2020-11-25T15:20'] } },
    '15:20 on 25 November 2020 is in the past in every time zone.',
  ],
  ['createLibraryItem', { title: ' ' }, 'The title is blank.'],
  ['generateAiText', { prompt: '' }, 'The prompt is blank.'],
  ['createStatusUpdate', { accountIds: null }, 'Choose at least one account or group.'],
  [
    'createStatusUpdate',
    { accountGroupIds: [legacyGroup(7)] },
    'Group 7 was not found on the legacy surface.',
  ],
  ['pauseAccount', { accountId: legacyAccount(7) }, 'Account 7 was not found on the legacy surface.'],
];

test('each problem is a sentence for the person who wrote the post', () =>
  eachCase(SENTENCES, async ([name, changes, sentence]) => {
    const { userErrors } = await write(graph, name, { ...EXAMPLES[name], ...changes });
    expect(userErrors.map(({ message }) => message)).toContain(sentence);
  }));

const VALIDATE = `query ($input: CreatePostInput!) { validatePost(input: $input) {
  userErrors { message } warnings { message } } }`;

test('problems and warnings of a post name its accounts by their labels', async () => {
  const seed = { state: 'paused', username: 'On holiday' } as const;
  const { loginId } = graph.sandbox.state.owner('harbour').insertAccount(0, seed);
  const input = {
    accountIds: [account(loginId), account(), account(999_999)],
    timing: { scheduledAtLocal: ['2031-11-25T03:17'] },
    variants: [ORIGINAL],
  };
  const { data } = await graph.query(VALIDATE, { variables: { input } });
  const { userErrors, warnings } = data.validatePost;
  expectForPeople([...userErrors, ...warnings]);
  expect([...userErrors, ...warnings].map(({ message }: { readonly message: string }) => message)).toEqual([
    'On holiday cannot publish because it is paused.',
    'Account 999999 was not found.',
    '03:17 on 25 November 2031 is outside the posting schedule of On holiday and Kelpgate Roasters.',
  ]);
});
