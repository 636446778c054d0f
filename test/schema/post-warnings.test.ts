import { beforeAll, describe, expect, test } from 'vitest';
import { TEXT_LIMITS } from '../../packages/text-length/src/text-length.ts';
import { timeAndDay } from '../../src/service-time.ts';
import { MAX_TEXT } from '../../src/writes/problems.ts';
import { accountNamed, harbour } from '../support/accounts.ts';
import { onlyError, startGraph, shareGraph } from '../support/graph.ts';
import { callsOf } from '../support/calls.ts';
import { eachCase } from '../support/cases.ts';
import { landmarks } from '../support/landmarks.ts';
import { changing, changingEach, MISSING, onlyFaults, queueLabels } from '../support/sandbox.ts';
import { expectForPeople, account } from '../support/writes.ts';

// What a post is warned of: the limits of networks, the queue, the plan and the schedules. Nothing of that is refused.

const graph = shareGraph();
/** A graph whose queue has more than twenty pages. */
const endless = shareGraph({ sandbox: { data: 'large', quirks: { maxLimit: 49 } } });

const VALIDATE = `query ($input: CreatePostInput!) { validatePost(input: $input) {
  isValid userErrors { message } warnings { code message path accountIds queuedPostIds }
  lookedAt { queueTotal queuedPostCount unreadablePostCount queueLimit scheduleCount notLookedFor }
} }`;

interface Planned {
  readonly accountIds?: readonly string[];
  readonly timing?: object;
  readonly variants?: readonly object[];
}

interface Validated {
  readonly isValid: boolean;
  readonly userErrors: readonly { readonly message: string }[];
  readonly warnings: readonly { readonly code: string; readonly path: readonly string[] | null }[];
  readonly lookedAt: Readonly<Record<string, unknown>>;
}

const original = (text: string): object => ({ variant: 'ORIGINAL', text });
const QUEUE = { placement: 'QUEUE' };
const at = (...scheduledAtLocal: string[]): object => ({ scheduledAtLocal });

function inputOf({ accountIds = [account()], timing = QUEUE, variants = [original('Quite new.')] }: Planned) {
  return { accountIds, timing, variants };
}

async function validate(planned: Planned = {}, running = graph): Promise<Validated> {
  const data = await running.dataOf(VALIDATE, { variables: { input: inputOf(planned) } });
  expectForPeople(data.validatePost.warnings);
  return data.validatePost;
}

const codesOf = async (planned: Planned, running = graph): Promise<string[]> =>
  (await validate(planned, running)).warnings.map(({ code, path }) => [code, ...(path ?? [])].join(' '));

/** The first post of the queue, which is of the plain account, and its wall-clock time. */
let queuedText = '';
let queuedTime = '';
let queuedId = '';

/** Ids of the accounts of each network. */
const idsOf = new Map<string, string[]>();
/** Accounts of X that can publish. */
const healthy: string[] = [];

beforeAll(async () => {
  [{ content: { description: queuedText } = { description: '' } } = {}] = harbour(graph).queue;
  const { data } = await graph.query(
    `{ queuedPosts(first: 1) { nodes { id scheduledAtLocal } }
       accounts(first: 100) { nodes { id network health { state } } } }`,
  );
  [{ id: queuedId, scheduledAtLocal: queuedTime }] = data.queuedPosts.nodes;
  for (const { id, network, health } of data.accounts.nodes) {
    idsOf.set(network, [...(idsOf.get(network) ?? []), id]);
    if (health.state === 'HEALTHY' && network === 'X') healthy.push(id);
  }
});

const idsOn = (...networks: string[]): string[] => networks.flatMap((network) => idsOf.get(network) ?? []);

const validateTexts = (accountIds: readonly string[], variants: readonly object[]) =>
  validate({ accountIds, variants });

const [WAVE, FAMILY] = ['🌊', '👨‍👩‍👧‍👦'];
const LINK = 'https://roastery.example.com/a/very/long/address/of/a/page?with=a&query=too';
/** How often a network allows a piece of text, and how the length of one more is told; a text may begin otherwise. */
const AT_LIMIT: readonly (readonly [
  network: string,
  piece: string,
  most: number,
  message: string,
  start?: string,
])[] = [
  ['X', 'a', 280, 'X has 281 characters as X counts them; X allows 280.'],
  ['X', FAMILY, 140, 'X has 282 characters as X counts them; X allows 280.'],
  ['X', 'a', 256, 'X has 281 characters as X counts them; X allows 280.', `${LINK} `],
  ['LINKEDIN', 'é', 3_000, 'LinkedIn has 3001 characters; LinkedIn allows 3000.'],
  ['INSTAGRAM', WAVE, 2_200, 'Instagram has 2201 characters; Instagram allows 2200.'],
  ['PINTEREST', '珈', 800, 'Pinterest has 801 characters; Pinterest allows 800.'],
  ['GOOGLE_BUSINESS', 'a', 1_500, 'Google Business has 1501 characters; Google Business allows 1500.'],
  ['TIKTOK', WAVE, 1_100, 'TikTok has 2202 UTF-16 code units; TikTok allows 2200.'],
];

test('a text longer than its network allows is warned of, by what the network counts', () =>
  eachCase(AT_LIMIT, async ([network, piece, most, message, start = '']) => {
    const accountIds = idsOn(network);
    expect(accountIds).not.toEqual([]);
    const warningsOf = async (count: number) =>
      (await validateTexts(accountIds, [original(start + piece.repeat(count))])).warnings;
    expect(await warningsOf(most)).toEqual([]);
    expect(await warningsOf(most + 1)).toMatchObject([
      {
        code: 'TEXT_LONGER_THAN_NETWORK_ALLOWS',
        message: `The text for ${message}`,
        path: ['input', 'variants', '0', 'text'],
        accountIds,
      },
    ]);
  }));

test('a text that no post can hold is refused, and not measured', async () => {
  const { isValid, userErrors, warnings } = await validateTexts(idsOn('X'), [original('a'.repeat(60_001))]);
  expect([isValid, warnings]).toEqual([false, []]);
  expect(userErrors).toMatchObject([{ message: 'The text is too long: 60001 characters (maximum 60000).' }]);
});

test('the text of the network’s own variant counts, where there is one', async () => {
  const [short, long] = ['Doors at seven.', 'a'.repeat(300)];
  const both = async (text: string, ofX: string) =>
    (await validateTexts(idsOn('X'), [original(text), { variant: 'X', text: ofX }])).warnings;
  expect(await both(long, short)).toEqual([]);
  expect(await both(short, long)).toMatchObject([{ path: ['input', 'variants', '1', 'text'] }]);
});

test('a title of YouTube is limited, and its text is not', async () => {
  const variants = (title: string): object[] => [
    original('Look.'),
    { variant: 'YOUTUBE', title, text: 'a'.repeat(4_000) },
  ];
  const accountIds = idsOn('YOUTUBE');
  expect(accountIds).not.toEqual([]);
  expect((await validateTexts(accountIds, variants('a'.repeat(100)))).warnings).toEqual([]);
  expect((await validateTexts(accountIds, variants('a'.repeat(101)))).warnings).toMatchObject([
    {
      message: 'The title for YouTube has 101 characters; YouTube allows 100.',
      path: ['input', 'variants', '1', 'title'],
    },
  ]);
});

test('a warning refuses nothing: it names the accounts of its network, if that is known', async () => {
  const accountIds = [account(999), ...idsOn('FACEBOOK', 'X', 'INSTAGRAM')];
  const mixed = await validateTexts(accountIds, [original('a'.repeat(281))]);
  // The account that is not there has no network, and is a problem beside the warnings.
  expect([mixed.isValid, mixed.userErrors]).toMatchObject([false, { length: 1 }]);
  expect(mixed.warnings).toMatchObject([{ accountIds: idsOn('X') }]);
  const one = await validateTexts(healthy, [original('a'.repeat(281))]);
  expect([one.isValid, one.warnings]).toMatchObject([true, [{ accountIds: healthy }]]);
  for (const code of [{}, null]) {
    onlyFaults(graph.sandbox, changing('GET /accounts/view/{loginId}', 'response.accountType', code));
    const { isValid, warnings } = await validateTexts(healthy, [original('a'.repeat(281))]);
    expect([isValid, warnings]).toEqual([true, []]);
  }
});

const OUTSIDE = 'TIME_OUTSIDE_SCHEDULE input timing scheduledAtLocal 0';

test('nothing is warned of without a reason, and what was looked at is told', async () => {
  expect(await validate()).toEqual({
    isValid: true,
    userErrors: [],
    warnings: [],
    lookedAt: {
      queueTotal: 25,
      queuedPostCount: 25,
      unreadablePostCount: 0,
      queueLimit: 60,
      scheduleCount: 1,
      notLookedFor: [],
    },
  });
  expect(callsOf(graph)).toEqual({
    'GET /accounts/view/{loginId}': 1,
    'GET /posts/queued': 1,
    'GET /membership/plan/list': 1,
  });
});

test('without warnings, neither the queue nor the plan is read', async () => {
  await graph.dataOf(VALIDATE.replace(/warnings[^]*notLookedFor }/, ''), {
    variables: { input: inputOf({}) },
  });
  expect(callsOf(graph)).toEqual({ 'GET /accounts/view/{loginId}': 1 });
});

describe('a text that waits for the account already', () => {
  test('is warned of, with its account and the post that waits', async () => {
    const { warnings, isValid } = await validate({
      accountIds: [account(landmarks.bigNetworkId), account()],
      variants: [original(`  ${queuedText.replace(' ', '\n')} `)],
    });
    expect(isValid).toBe(true);
    expect(warnings).toEqual([
      {
        code: 'SAME_TEXT_IN_QUEUE',
        message: 'A post with this text is already queued for Kelpgate Roasters.',
        path: ['input', 'variants', '0', 'text'],
        accountIds: [account()],
        queuedPostIds: [queuedId],
      },
    ]);
  });

  test('is told from one of another account, one that differs, and one for another network', async () => {
    const variants = [original(queuedText), { variant: 'FACEBOOK', text: 'Something else.' }];
    await eachCase<Planned>(
      [
        { accountIds: [account(landmarks.bigNetworkId)], variants: [original(queuedText)] },
        { variants: [original(`${queuedText}!`)] },
        { variants: [original(queuedText.toUpperCase())] },
        { variants: [{ variant: 'ORIGINAL', mediaIds: ['m1'] }] },
        { variants },
      ],
      async (planned) => expect(await codesOf(planned)).toEqual([]),
    );
    const own = [original('Something else.'), { variant: 'FACEBOOK', text: queuedText }];
    expect(await codesOf({ variants: own })).toEqual(['SAME_TEXT_IN_QUEUE input variants 1 text']);
  });
});

test('a time at which the account has a post already is warned of, and no other time or account', async () => {
  const { warnings } = await validate({ timing: at('2030-01-04T10:17', queuedTime) });
  expect(warnings.filter(({ code }) => code === 'SAME_MINUTE_AS_QUEUED_POST')).toEqual([
    {
      code: 'SAME_MINUTE_AS_QUEUED_POST',
      message: `Another post is already queued for Kelpgate Roasters at ${timeAndDay(queuedTime)}.`,
      path: ['input', 'timing', 'scheduledAtLocal', '1'],
      accountIds: [account()],
      queuedPostIds: [queuedId],
    },
  ]);
  const others = { accountIds: [account(landmarks.bigNetworkId)], timing: at(queuedTime) };
  expect(await codesOf(others)).toEqual([OUTSIDE]);
});

test('a time that is none of the account’s schedule is warned of, and one that is, or has no schedule, is not', async () => {
  const slots = accountNamed(graph, landmarks.plainId).slots;
  // The 6th of January 2030 is a Sunday.
  expect(slots.Sun).toContain('08:30 AM');
  expect(await codesOf({ timing: at('2030-01-06T08:30') })).toEqual([]);
  expect(await codesOf({ timing: at('2030-01-06T08:31') })).toEqual([OUTSIDE]);
  expect(await codesOf({ timing: at('2030-02-30T08:31') })).toEqual([]);
  expect((await validate({ timing: at('2030-01-06T08:31') })).warnings[0]).toMatchObject({
    message: '08:31 on 6 January 2030 is outside the posting schedule of Kelpgate Roasters.',
    accountIds: [account()],
  });
  graph.sandbox.faults.add(changing('GET /accounts/view/{loginId}', 'response.scheduleSlots', {}));
  const { warnings, lookedAt } = await validate({ timing: at('2030-01-06T08:31') });
  expect([warnings, lookedAt]).toMatchObject([[], { scheduleCount: 0, notLookedFor: [] }]);
});

test.each(['1 other account', '2 other accounts'])('ten accounts are named, and %s', async (others) => {
  const own = await startGraph();
  const added = Array.from({ length: 10 + parseInt(others) }, () => harbour(own).insertAccount(0));
  const accountIds = added.map(({ loginId }) => account(loginId));
  const { warnings } = await validate({ accountIds, timing: at('2030-01-06T08:31') }, own);
  const message = expect.stringMatching(RegExp(`of (?:[^,]+, ){9}[^,]+ and ${others}\\.$`));
  expect(warnings).toMatchObject([{ code: 'TIME_OUTSIDE_SCHEDULE', message, accountIds }]);
});

test('a queue near the plan’s limit, or without room for the post, is warned of', async () => {
  const { accounts, queue } = harbour(graph);
  const twelve = accounts.filter(({ surfaces }) => surfaces.current).map(({ loginId }) => account(loginId));
  const LIMIT = ['QUEUE_NEAR_LIMIT'];
  const own = await startGraph();
  const timing = at('2030-01-06T08:30', '2030-01-06T12:00', '2030-01-13T08:30', '2030-01-13T12:00');
  expect(queue).toHaveLength(25);
  await eachCase<readonly [limit: number, planned: Planned, codes: string[]]>(
    [
      [28, {}, []],
      [27, {}, LIMIT],
      [24, {}, LIMIT],
      [37, { accountIds: twelve }, []],
      [36, { accountIds: twelve }, LIMIT],
      [29, { timing }, []],
      [28, { timing }, LIMIT],
      [24, { timing: { placement: 'NOW' } }, []],
    ],
    async ([limit, planned, codes]) => {
      harbour(own).queueLimit = limit;
      expect(await codesOf(planned, own)).toEqual(codes);
    },
  );
  harbour(own).queueLimit = 27;
  expect((await validate({}, own)).warnings).toEqual([
    {
      code: 'QUEUE_NEAR_LIMIT',
      message: 'The queue has 25 of the 27 posts that the plan allows; this post adds 1.',
      path: null,
      accountIds: [],
      queuedPostIds: [],
    },
  ]);
});

const FAILED = { kind: 'status', status: 500, times: 99 } as const;

describe('what could not be looked at', () => {
  const planned = { timing: at('2030-01-06T08:30') };
  test('is told: a queue that can’t be read', async () => {
    graph.sandbox.faults.add({ ...FAILED, endpoint: 'GET /posts/queued' });
    expect(await validate(planned)).toMatchObject({
      isValid: true,
      warnings: [],
      lookedAt: {
        queueTotal: null,
        queuedPostCount: null,
        unreadablePostCount: null,
        queueLimit: 60,
        notLookedFor: ['SAME_TEXT_IN_QUEUE', 'SAME_MINUTE_AS_QUEUED_POST', 'QUEUE_NEAR_LIMIT'],
      },
    });
  });

  test('is told: a plan that can’t be read, or that names no number', async () => {
    const nothing = { queueLimit: null, queueTotal: 25, notLookedFor: ['QUEUE_NEAR_LIMIT'] };
    graph.sandbox.faults.add({ ...FAILED, endpoint: 'GET /membership/plan/list' });
    expect((await validate()).lookedAt).toMatchObject(nothing);
    for (const value of ['Unlimited', '', 1.5, -1, true]) {
      graph.sandbox.faults.clear();
      const features = { 'Post In scheduling queue': value };
      graph.sandbox.faults.add(
        changing('GET /membership/plan/list', 'response.currentPlan.features', features),
      );
      expect((await validate()).lookedAt, String(value)).toMatchObject(nothing);
    }
    expect((await validate({ timing: { placement: 'NOW' } })).lookedAt).toMatchObject({ notLookedFor: [] });
  });

  test('is told: posts that show no account, text or time, and a schedule that is damaged', async () => {
    const labels = queueLabels('soon');
    const damage = [{ loginId: {} }, { postDesc: {} }, labels];
    graph.sandbox.faults.add(changingEach('GET /posts/queued', (index) => damage[index] ?? {}));
    graph.sandbox.faults.add(
      changing('GET /accounts/view/{loginId}', 'response.scheduleSlots', { Mon: ['noon'] }),
    );
    expect((await validate(planned)).lookedAt).toMatchObject({
      queuedPostCount: 25,
      unreadablePostCount: 3,
      scheduleCount: 0,
      notLookedFor: ['SAME_TEXT_IN_QUEUE', 'SAME_MINUTE_AS_QUEUED_POST', 'TIME_OUTSIDE_SCHEDULE'],
    });
    onlyFaults(
      graph.sandbox,
      changingEach('GET /posts/queued', (index) => (index === 2 ? labels : {})),
    );
    expect((await validate(planned)).lookedAt).toMatchObject({
      notLookedFor: ['SAME_MINUTE_AS_QUEUED_POST'],
    });
    expect((await validate()).lookedAt).toMatchObject({ notLookedFor: [] });
  });

  test('is told: a post without an account; one without a time or an id has nothing to be compared', async () => {
    const damage = [{ postId: MISSING }, { loginId: MISSING }, queueLabels('')];
    graph.sandbox.faults.add(changingEach('GET /posts/queued', (index) => damage[index] ?? {}));
    const { warnings, lookedAt } = await validate({ variants: [original(queuedText)] });
    expect(warnings).toMatchObject([
      { code: 'SAME_TEXT_IN_QUEUE', accountIds: [account()], queuedPostIds: [] },
    ]);
    expect(lookedAt).toMatchObject({ unreadablePostCount: 1, notLookedFor: ['SAME_TEXT_IN_QUEUE'] });
  });

  test('is told: a queue that is too long to be read, whose length is known all the same', async () => {
    expect(await validate({}, endless)).toMatchObject({
      isValid: true,
      lookedAt: {
        queueTotal: 1_000,
        queuedPostCount: null,
        queueLimit: 2_000,
        notLookedFor: ['SAME_TEXT_IN_QUEUE'],
      },
    });
    harbour(endless).queueLimit = 1_050;
    expect(await codesOf({}, endless)).toEqual(['QUEUE_NEAR_LIMIT']);
  });
});

const LIMITS = `query ($text: String) { textLimits(text: $text) { network field unit max length } }`;

async function lengthsOf(text?: string | null): Promise<readonly (number | null)[]> {
  const data = await graph.dataOf(LIMITS, { variables: { text } });
  return (data.textLimits as { length: number | null }[]).map(({ length }) => length);
}

const countsOf = (weighted: number, points: number, units: number): number[] =>
  TEXT_LIMITS.map(
    ({ unit }) => ({ WEIGHTED_CHARACTERS: weighted, CHARACTERS: points, UTF16_UNITS: units })[unit],
  );

test('the limits are those of the warnings, without a length if no text is given, and without a credential', async () => {
  const { data } = await graph.query(LIMITS, { headers: {} });
  expect(data.textLimits).toEqual(
    TEXT_LIMITS.map(({ field, ...limit }) => ({ ...limit, field: field.toUpperCase(), length: null })),
  );
  expect(await lengthsOf(null)).toEqual(TEXT_LIMITS.map(() => null));
});

test.each<[text: string, weighted: number, points: number, units: number]>([
  ['', 0, 0, 0],
  ['https://kelpgate.example.com/menu', 23, 33, 33],
  ['👋🏽', 2, 2, 4],
  ['e\u0301', 1, 2, 2],
])('the length of %j is given in the unit of each limit', async (text, ...counts) => {
  expect(await lengthsOf(text)).toEqual(countsOf(...counts));
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a text is measured up to the length that a post can hold; a longer or broken one is refused', async () => {
  expect(await lengthsOf('a'.repeat(MAX_TEXT))).toEqual(countsOf(MAX_TEXT, MAX_TEXT, MAX_TEXT));
  for (const text of ['a'.repeat(MAX_TEXT + 1), 'a\ud83d']) {
    const answer = await graph.query(LIMITS, { variables: { text } });
    expect(onlyError(answer)).toMatchObject({ path: ['textLimits'], extensions: { code: 'BAD_USER_INPUT' } });
    expect(onlyError(answer).message).toMatch(/^text /);
    expect(answer.data).toEqual({ textLimits: null });
  }
});

test('measuring long texts under many aliases is refused before it is done', async () => {
  const lengths = Array.from({ length: 30 }, (_, index) => `a${index}: length`).join(' ');
  const query = `query ($text: String) { textLimits(text: $text) { ${lengths} } }`;
  const answer = await graph.query(query, { variables: { text: 'a'.repeat(MAX_TEXT) } });
  expect(onlyError(answer).extensions['code']).toBe('LIMIT_EXCEEDED');
});
