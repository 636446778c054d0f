import { beforeAll, expect, test } from 'vitest';
import { TEXT_LIMITS } from '../../packages/text-length/src/text-length.ts';
import { eachCase } from '../support/each-case.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changing } from '../support/wire-changes.ts';
import { account } from '../support/writes.ts';

// What networks limit is warned of and never refused: the limits are theirs to change.

const graph = shareGraph();

const VALIDATE = `query ($input: CreatePostInput!) { validatePost(input: $input) {
  isValid userErrors { message } warnings { code message path accountIds }
} }`;

/** Ids of the accounts of each network. */
const idsOf = new Map<string, string[]>();
/** Accounts of X that can publish. */
const healthy: string[] = [];

beforeAll(async () => {
  const { data } = await graph.query('{ accounts(first: 100) { nodes { id network health { state } } } }');
  for (const { id, network, health } of data.accounts.nodes) {
    idsOf.set(network, [...(idsOf.get(network) ?? []), id]);
    if (health.state === 'HEALTHY' && network === 'X') healthy.push(id);
  }
});

async function validate(accountIds: readonly string[], variants: readonly object[]) {
  const input = { accountIds, timing: { placement: 'QUEUE' }, variants };
  const { data, errors } = await graph.query(VALIDATE, { variables: { input } });
  expect(errors).toEqual([]);
  return data.validatePost;
}

const idsOn = (...networks: string[]): string[] => networks.flatMap((network) => idsOf.get(network) ?? []);
const original = (text: string): object => ({ variant: 'ORIGINAL', text });

const WAVE = '🌊';
const FAMILY = '👨‍👩‍👧‍👦';
const LINK = 'https://roastery.example.com/a/very/long/address/of/a/page?with=a&query=too';

test('a text as long as each network allows is not warned of, and one that is longer is, by what the network counts', () =>
  eachCase(
    [
      ['X', 'a'.repeat(280), 'a'.repeat(281), 'X has 281 characters as X counts them; X allows 280.'],
      ['X', WAVE.repeat(140), WAVE.repeat(183), 'X has 366 characters as X counts them; X allows 280.'],
      ['X', FAMILY.repeat(140), FAMILY.repeat(141), 'X has 282 characters as X counts them; X allows 280.'],
      [
        'X',
        '珈琲'.repeat(70),
        `${'珈琲'.repeat(70)}!`,
        'X has 281 characters as X counts them; X allows 280.',
      ],
      [
        'X',
        'e\u0301'.repeat(280),
        'e\u0301'.repeat(281),
        'X has 281 characters as X counts them; X allows 280.',
      ],
      [
        'X',
        `${'a'.repeat(256)} ${LINK}`,
        `${'a'.repeat(257)} ${LINK}`,
        'X has 281 characters as X counts them; X allows 280.',
      ],
      [
        'LINKEDIN',
        'é'.repeat(3_000),
        'é'.repeat(3_001),
        'LinkedIn has 3001 characters; LinkedIn allows 3000.',
      ],
      [
        'INSTAGRAM',
        WAVE.repeat(2_200),
        WAVE.repeat(2_201),
        'Instagram has 2201 characters; Instagram allows 2200.',
      ],
      [
        'PINTEREST',
        '珈'.repeat(800),
        '珈'.repeat(801),
        'Pinterest has 801 characters; Pinterest allows 800.',
      ],
      [
        'GOOGLE_BUSINESS',
        'a'.repeat(1_500),
        'a'.repeat(1_501),
        'Google Business has 1501 characters; Google Business allows 1500.',
      ],
      [
        'TIKTOK',
        'a'.repeat(2_200),
        'a'.repeat(2_201),
        'TikTok has 2201 UTF-16 code units; TikTok allows 2200.',
      ],
      [
        'TIKTOK',
        WAVE.repeat(1_100),
        WAVE.repeat(1_101),
        'TikTok has 2202 UTF-16 code units; TikTok allows 2200.',
      ],
    ] as const,
    async ([network, allowed, longer, message]) => {
      const accountIds = idsOn(network);
      expect((await validate(accountIds, [original(allowed)])).warnings).toEqual([]);
      expect((await validate(accountIds, [original(longer)])).warnings).toEqual([
        {
          code: 'TEXT_LONGER_THAN_NETWORK_ALLOWS',
          message: `The text for ${message}`,
          path: ['input', 'variants', '0', 'text'],
          accountIds,
        },
      ]);
    },
  ));

test('a text that no post can hold is refused, and not measured', async () => {
  const { isValid, userErrors, warnings } = await validate(idsOn('X'), [original('a'.repeat(60_001))]);
  expect([isValid, warnings]).toEqual([false, []]);
  expect(userErrors).toMatchObject([{ message: 'The text is too long: 60001 characters (maximum 60000).' }]);
});

test('a post with a warning is valid', async () => {
  expect(healthy).not.toEqual([]);
  expect(await validate(healthy, [original('a'.repeat(281))])).toMatchObject({
    isValid: true,
    userErrors: [],
    warnings: [{ accountIds: healthy }],
  });
});

test('each network with a limit has an account in the sandbox', () => {
  for (const { network } of TEXT_LIMITS) expect(idsOn(network), network).not.toEqual([]);
});

test('the text of the network’s own variant counts, where there is one', async () => {
  const [short, long] = ['Doors at seven.', 'a'.repeat(300)];
  const both = async (text: string, ofX: string) =>
    (await validate(idsOn('X'), [original(text), { variant: 'X', text: ofX }])).warnings;
  expect(await both(long, short)).toEqual([]);
  expect(await both(short, long)).toMatchObject([{ path: ['input', 'variants', '1', 'text'] }]);
});

test('networks are warned of one by one, each with its own accounts', async () => {
  const accountIds = idsOn('FACEBOOK', 'X', 'INSTAGRAM', 'TUMBLR');
  const { warnings } = await validate(accountIds, [original('a'.repeat(2_201))]);
  expect(warnings).toHaveLength(2);
  expect(warnings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ accountIds: idsOn('X') }),
      expect.objectContaining({ accountIds: idsOn('INSTAGRAM') }),
    ]),
  );
});

test('a title of YouTube is limited, and its text is not', async () => {
  const variants = (title: string): object[] => [
    original('Look.'),
    { variant: 'YOUTUBE', title, text: 'a'.repeat(4_000) },
  ];
  const accountIds = idsOn('YOUTUBE');
  expect(accountIds).not.toEqual([]);
  expect((await validate(accountIds, variants('a'.repeat(100)))).warnings).toEqual([]);
  expect((await validate(accountIds, variants('a'.repeat(101)))).warnings).toMatchObject([
    {
      message: 'The title for YouTube has 101 characters; YouTube allows 100.',
      path: ['input', 'variants', '1', 'title'],
    },
  ]);
});

test('accounts that are not there have no network, and warnings stand beside problems', async () => {
  const { isValid, userErrors, warnings } = await validate(
    [account(999), ...idsOn('X')],
    [original('a'.repeat(281))],
  );
  expect(isValid).toBe(false);
  expect(userErrors).toHaveLength(1);
  expect(warnings).toMatchObject([{ accountIds: idsOn('X') }]);
});

test.each([{}, null])(
  'an account whose network is shown as %j is warned of no limit, and refuses nothing',
  async (code) => {
    graph.sandbox.faults.add(changing('GET /accounts/view/{loginId}', 'response.accountType', code));
    const { isValid, warnings } = await validate(healthy, [original('a'.repeat(281))]);
    expect([isValid, warnings]).toEqual([true, []]);
  },
);
