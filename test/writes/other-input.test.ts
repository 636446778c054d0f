import { describe, expect, test } from 'vitest';
import { send } from '../support/raw-http.ts';
import { shareGraph } from '../support/shared-graph.ts';
import {
  account,
  documentOf,
  EXAMPLES,
  idOf,
  KEYED,
  legacyAccount,
  legacyGroup,
  problemsOf,
  write,
  type Input,
  type MutationName,
} from '../support/writes.ts';

const graph = shareGraph({ environment: { SERVICE_TIME_ZONE: 'Europe/Paris' } });

const TOO_LONG = 'x'.repeat(60_001);

/** The problems of an input; nothing is sent for any. */
async function problemsFor(name: keyof typeof EXAMPLES, changes: Input): Promise<string[]> {
  const payload = await write(graph, name, { ...EXAMPLES[name], ...changes });
  expect(payload.outcome).toBe('REJECTED');
  expect(graph.sandbox.requests.count()).toBe(0);
  return problemsOf(payload);
}

describe('a status update', () => {
  test('is refused with every problem at once', async () => {
    const problems = await problemsFor('createStatusUpdate', {
      idempotencyKey: 'a b',
      text: ' \n\t',
      accountIds: [account(), legacyAccount(), legacyAccount(), 'garbage', legacyGroup(1)],
      accountGroupIds: [legacyAccount(), idOf('AccountGroup', 'current', 5_101)],
      timing: { scheduledAtLocal: '2020-01-01T10:00' },
      preview: { title: 'T' },
      imageUrl: 'https://pictures.example.com/ferry.jpg',
    });
    expect(problems).toEqual([
      'INVALID_INPUT input.accountGroupIds.0',
      'INVALID_INPUT input.accountGroupIds.1',
      'INVALID_INPUT input.accountIds.0',
      'INVALID_INPUT input.accountIds.2',
      'INVALID_INPUT input.accountIds.3',
      'INVALID_INPUT input.accountIds.4',
      'INVALID_INPUT input.idempotencyKey',
      'INVALID_INPUT input.preview',
      'INVALID_INPUT input.text',
      'INVALID_INPUT input.timing.scheduledAtLocal',
    ]);
  });

  test.each<[string, Input, string]>([
    ['accounts or groups', { accountIds: null }, 'input.accountIds'],
    ['an account in its list', { accountIds: [] }, 'input.accountIds'],
    ['a group in its list', { accountGroupIds: [] }, 'input.accountGroupIds'],
    ['ids of the legacy surface', { accountIds: [account()] }, 'input.accountIds.0'],
    [
      'a time of the calendar',
      { timing: { scheduledAtLocal: '2031-02-30T10:00' } },
      'input.timing.scheduledAtLocal',
    ],
    [
      'a time that is no clock change',
      { timing: { scheduledAtLocal: '2031-03-30T02:30' } },
      'input.timing.scheduledAtLocal',
    ],
    ['a whole minute', { timing: { scheduledAt: '2031-05-20T10:00:01Z' } }, 'input.timing.scheduledAt'],
    ['a text that is not too long', { text: 'x'.repeat(60_001) }, 'input.text'],
  ])('needs %s', async (_, changes, path) => {
    expect(await problemsFor('createStatusUpdate', changes)).toEqual([`INVALID_INPUT ${path}`]);
  });

  test('takes at most 250 accounts', async () => {
    const accountIds = Array.from({ length: 251 }, (_, index) => legacyAccount(1_000 + index));
    expect(await problemsFor('createStatusUpdate', { accountIds })).toEqual([
      'INVALID_INPUT input.accountIds',
    ]);
  });

  test('names strangers one by one, and sends nothing for the others', async () => {
    const payload = await write(graph, 'createStatusUpdate', {
      text: 'Hi',
      accountIds: [legacyAccount(), legacyAccount(999), legacyAccount('9007199254740993')],
      accountGroupIds: [legacyGroup(5_101), legacyGroup(77)],
    });
    expect([payload.outcome, ...problemsOf(payload)]).toEqual([
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
    expect(graph.sandbox.requests.count('POST /oauth/post/update')).toBe(0);
  });

  test('to a group without accounts is refused', async () => {
    const payload = await write(graph, 'createStatusUpdate', {
      text: 'Hi',
      accountGroupIds: [legacyGroup(5_104)],
    });
    expect(problemsOf(payload)).toEqual(['UNKNOWN_ACCOUNT input.accountGroupIds']);
    expect(graph.sandbox.requests.count('POST /oauth/post/update')).toBe(0);
  });
});

describe('a draft', () => {
  test.each<[string, Input, string]>([
    ['an account', { accountIds: [] }, 'input.accountIds'],
    ['accounts of the current surface', { accountIds: [legacyAccount()] }, 'input.accountIds.0'],
    ['ids that can be sent exactly', { accountIds: [account('9007199254740993')] }, 'input.accountIds.0'],
    ['each account once', { accountIds: [account(), account()] }, 'input.accountIds.1'],
    [
      'each variant once',
      { variants: [{ variant: 'X' }, {}, {}, { variant: 'X' }] },
      'input.variants.3.variant',
    ],
    [
      'each image tagged once',
      {
        variants: [
          {
            taggedPeople: ['a', 'b', 'a'].map((name) => ({
              imageUrl: `https://pictures.example.com/${name}`,
              people: [],
            })),
          },
        ],
      },
      'input.variants.0.taggedPeople',
    ],
  ])('needs %s', async (_, changes, path) => {
    expect(await problemsFor('createDraft', changes)).toEqual([`INVALID_INPUT ${path}`]);
  });

  test('takes at most 250 variants', async () => {
    const variants = Array.from({ length: 251 }, () => ({}));
    expect(await problemsFor('createDraft', { variants })).toEqual(['INVALID_INPUT input.variants']);
  });
});

test('data of undocumented shape is not nested without end', async () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  const rest = JSON.stringify({
    query: documentOf('createDraft'),
    variables: { input: EXAMPLES.createDraft },
  });
  const body = rest.replace(/"variants":\[.*?\]/, `"variants":[{"adDetails":{"a":${deep}}}]`);
  const headers = { 'content-type': 'application/json', ...graph.caller.key };
  const answer = await send(`${graph.url}/graphql`, { method: 'POST', headers, body });
  expect(answer.text).toMatch(/INVALID_INPUT|BAD_USER_INPUT|LIMIT_EXCEEDED/);
  expect(answer.text).not.toContain('INTERNAL_SERVER_ERROR');
  expect(graph.sandbox.requests.count()).toBe(0);
});

describe('a library item', () => {
  test.each<[string, Input, string]>([
    ['a title', { title: ' ' }, 'input.title'],
    ['a variant', { variants: [] }, 'input.variants'],
    ['each variant once', { variants: [{ variant: 'X' }, { variant: 'X' }] }, 'input.variants.1.variant'],
  ])('needs %s', async (_, changes, path) => {
    expect(await problemsFor('createLibraryItem', changes)).toEqual([`INVALID_INPUT ${path}`]);
  });

  test('takes at most 250 tags', async () => {
    const tags = Array.from({ length: 251 }, (_, index) => `t${index}`);
    expect(await problemsFor('createLibraryItem', { tags })).toEqual(['INVALID_INPUT input.tags']);
  });
});

test('a text to generate needs words and a tone', async () => {
  expect(await problemsFor('generateAiText', { prompt: '', tone: '\u00a0' })).toEqual([
    'INVALID_INPUT input.prompt',
    'INVALID_INPUT input.tone',
  ]);
});

test.each<[keyof typeof EXAMPLES, Input, string]>([
  ['createPost', { variants: [{ variant: 'X', text: 'x', comment: TOO_LONG }] }, 'input.variants.0.comment'],
  ['createDraft', { variants: [{ text: TOO_LONG }] }, 'input.variants.0.text'],
  ['createLibraryItem', { title: TOO_LONG }, 'input.title'],
  ['createStatusUpdate', { preview: { description: TOO_LONG } }, 'input.preview.description'],
  ['generateAiText', { prompt: TOO_LONG }, 'input.prompt'],
])('%s takes no text of more than 60,000 characters', async (name, changes, path) => {
  expect(await problemsFor(name, changes)).toEqual([`INVALID_INPUT ${path}`]);
});

describe('a key', () => {
  const BAD = [
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a line break', 'a\r\nb'],
    ['that ends in a line break', 'a\n'],
    ['with a blank', 'a b'],
    ['not in ASCII', 'schlüssel'],
    ['with a control character', 'a\u0007'],
    ['with DEL', 'a\u007f'],
  ];
  test('is refused by every mutation that takes one when it is malformed', async () => {
    for (const name of KEYED)
      for (const [what, idempotencyKey] of BAD)
        expect([name, what, await problemsFor(name, { idempotencyKey })]).toEqual([
          name,
          what,
          ['INVALID_INPUT input.idempotencyKey'],
        ]);
  });

  test('may have 1 to 255 visible characters', async () => {
    for (const idempotencyKey of ['!', '~'.repeat(255)]) {
      const { outcome } = await write(graph, 'createDraft', { ...EXAMPLES.createDraft, idempotencyKey });
      expect(outcome).toBe('COMPLETED');
    }
  });
});

describe('an action on an account or a group', () => {
  test.each<[MutationName & keyof typeof EXAMPLES, string, string]>([
    ['pauseAccount', 'input.accountId', legacyGroup(5_101)],
    ['resumeAccount', 'input.accountId', 'garbage'],
    ['deleteAccount', 'input.accountId', idOf('QueuedPost', 'current', 'q1')],
    ['deleteAccountGroup', 'input.accountGroupId', legacyAccount()],
  ])('%s refuses what is no such id', async (name, path, id) => {
    const field = path.slice('input.'.length);
    expect(await problemsFor(name, { [field]: id })).toEqual([`INVALID_INPUT ${path}`]);
  });
});
