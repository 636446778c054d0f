import { beforeAll, describe, expect, test, vi } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { timeAndDay } from '../../src/service-time.ts';
import { accountNamed, harbour } from '../support/account-records.ts';
import { callsOf } from '../support/calls.ts';
import { eachCase } from '../support/each-case.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changing, changingEach, MISSING } from '../support/wire-changes.ts';
import { expectForPeople } from '../support/words-for-people.ts';
import { account } from '../support/writes.ts';

// What the queue, the plan and the schedules tell of a post that is to be made.

const graph = shareGraph();

const VALIDATE = `query ($input: CreatePostInput!) { validatePost(input: $input) {
  isValid warnings { code message path accountIds queuedPostIds }
  lookedAt { queueTotal queuedPostCount unreadablePostCount queueLimit scheduleCount notLookedFor }
} }`;

interface Planned {
  readonly accountIds?: readonly string[];
  readonly timing?: object;
  readonly variants?: readonly object[];
}

interface Validated {
  readonly isValid: boolean;
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
  const { data, errors } = await running.query(VALIDATE, { variables: { input: inputOf(planned) } });
  expect(errors).toEqual([]);
  expectForPeople(data.validatePost.warnings);
  return data.validatePost;
}

const codesOf = async (planned: Planned, running = graph): Promise<string[]> =>
  (await validate(planned, running)).warnings.map(({ code, path }) => [code, ...(path ?? [])].join(' '));

/** The first post of the queue, which is of the plain account, and its wall-clock time. */
let text = '';
let time = '';
let id = '';
beforeAll(async () => {
  [{ content: { description: text } = { description: '' } } = {}] = harbour(graph).queue;
  const { data } = await graph.query('{ queuedPosts(first: 1) { nodes { id scheduledAtLocal } } }');
  [{ id, scheduledAtLocal: time }] = data.queuedPosts.nodes;
});

const OUTSIDE = 'TIME_OUTSIDE_SCHEDULE input timing scheduledAtLocal 0';

test('nothing is warned of without a reason, and what was looked at is told', async () => {
  expect(await validate()).toEqual({
    isValid: true,
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
  const { errors } = await graph.query(VALIDATE.replace(/warnings[^]*notLookedFor }/, ''), {
    variables: { input: inputOf({}) },
  });
  expect(errors).toEqual([]);
  expect(callsOf(graph)).toEqual({ 'GET /accounts/view/{loginId}': 1 });
});

describe('a text that waits for the account already', () => {
  test('is warned of, with its account and the post that waits', async () => {
    const { warnings, isValid } = await validate({
      accountIds: [account(landmarks.bigNetworkId), account()],
      variants: [original(`  ${text.replace(' ', '\n')} `)],
    });
    expect(isValid).toBe(true);
    expect(warnings).toEqual([
      {
        code: 'SAME_TEXT_IN_QUEUE',
        message: 'A post with this text is already queued for Kelpgate Roasters.',
        path: ['input', 'variants', '0', 'text'],
        accountIds: [account()],
        queuedPostIds: [id],
      },
    ]);
  });

  test('is told from one of another account, one that differs, and one for another network', async () => {
    const variants = [original(text), { variant: 'FACEBOOK', text: 'Something else.' }];
    await eachCase<readonly [string, Planned]>(
      [
        ['another account', { accountIds: [account(landmarks.bigNetworkId)], variants: [original(text)] }],
        ['another text', { variants: [original(`${text}!`)] }],
        ['in capitals', { variants: [original(text.toUpperCase())] }],
        ['no text', { variants: [{ variant: 'ORIGINAL', mediaIds: ['m1'] }] }],
        ['the network’s own variant', { variants }],
      ],
      async ([, planned]) => {
        expect(await codesOf(planned)).toEqual([]);
      },
    );
    const own = [original('Something else.'), { variant: 'FACEBOOK', text }];
    expect(await codesOf({ variants: own })).toEqual(['SAME_TEXT_IN_QUEUE input variants 1 text']);
  });
});

test('a time at which the account has a post already is warned of, and no other time or account', async () => {
  const { warnings } = await validate({ timing: at('2030-01-04T10:17', time) });
  expect(warnings.filter(({ code }) => code === 'SAME_MINUTE_AS_QUEUED_POST')).toEqual([
    {
      code: 'SAME_MINUTE_AS_QUEUED_POST',
      message: `Another post is already queued for Kelpgate Roasters at ${timeAndDay(time)}.`,
      path: ['input', 'timing', 'scheduledAtLocal', '1'],
      accountIds: [account()],
      queuedPostIds: [id],
    },
  ]);
  const others = { accountIds: [account(landmarks.bigNetworkId)], timing: at(time) };
  expect(await codesOf(others)).toEqual([OUTSIDE]);
});

test('a time that is none of the account’s schedule is warned of, and one that is, or has no schedule, is not', async () => {
  const slots = accountNamed(graph, landmarks.plainId).slots;
  // The 6th of January 2030 is a Sunday.
  expect(slots.Sun).toContain('08:30 AM');
  expect(await codesOf({ timing: at('2030-01-06T08:30') })).toEqual([]);
  expect(await codesOf({ timing: at('2030-01-06T08:31') })).toEqual([OUTSIDE]);
  expect((await validate({ timing: at('2030-01-06T08:31') })).warnings[0]).toMatchObject({
    message: '08:31 on 6 January 2030 is outside the posting schedule of Kelpgate Roasters.',
    accountIds: [account()],
  });
  graph.sandbox.faults.add(changing('GET /accounts/view/{loginId}', 'response.scheduleSlots', {}));
  const { warnings, lookedAt } = await validate({ timing: at('2030-01-06T08:31') });
  expect([warnings, lookedAt]).toMatchObject([[], { scheduleCount: 0, notLookedFor: [] }]);
});

test('a time that is past is refused, and not warned of beside that', async () => {
  const zoned = await startGraph({ environment: { SERVICE_TIME_ZONE: 'UTC' } });
  const { isValid, warnings } = await validate({ timing: at('2020-01-05T08:30') }, zoned);
  expect([isValid, warnings]).toEqual([false, []]);
});

test('a queue near the plan’s limit, or without room for the post, is warned of', async () => {
  const { accounts, queue } = harbour(graph);
  const twelve = accounts.filter(({ surfaces }) => surfaces.current).map(({ loginId }) => account(loginId));
  const LIMIT = ['QUEUE_NEAR_LIMIT'];
  const own = await startGraph();
  const cases: readonly (readonly [limit: number, planned: Planned, codes: string[]])[] = [
    [28, {}, []],
    [27, {}, LIMIT],
    [24, {}, LIMIT],
    [37, { accountIds: twelve }, []],
    [36, { accountIds: twelve }, LIMIT],
    [29, { timing: at('2030-01-06T08:30', '2030-01-06T12:00', '2030-01-13T08:30', '2030-01-13T12:00') }, []],
    [
      28,
      { timing: at('2030-01-06T08:30', '2030-01-06T12:00', '2030-01-13T08:30', '2030-01-13T12:00') },
      LIMIT,
    ],
    [24, { timing: { placement: 'NOW' } }, []],
  ];
  expect(queue).toHaveLength(25);
  await eachCase(cases, async ([limit, planned, codes]) => {
    harbour(own).queueLimit = limit;
    expect(await codesOf(planned, own)).toEqual(codes);
  });
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

/** How often a method of strings was called on one of them. */
const times = ({ mock }: { readonly mock: { readonly contexts: readonly unknown[] } }, wanted: string) =>
  mock.contexts.filter((one) => String(one) === wanted).length;

test('each text of a post is prepared once, however many accounts it is for', async () => {
  const large = await startGraph({ sandbox: { data: 'large' } });
  const { data } = await large.query('{ accounts(first: 100) { nodes { id network } } }');
  const nodes: readonly { id: string; network: string }[] = data.accounts.nodes;
  const networks = new Set(nodes.map(({ network }) => network));
  const variants = [original('Ἀρχή'), { variant: 'X', text: 'Τέλος' }];
  const normalised = vi.spyOn(String.prototype, 'normalize');
  const lowered = vi.spyOn(String.prototype, 'toLowerCase');
  await validate({ accountIds: nodes.map((node) => node.id), variants }, large);
  // X has what it counts normalised as well.
  expect(times(normalised, 'Ἀρχή')).toBe(1);
  expect(times(normalised, 'Τέλος')).toBeLessThanOrEqual(2);
  // The codes of variants are compared with networks, not with accounts.
  expect(nodes.length).toBeGreaterThan(5 * networks.size);
  expect(times(lowered, 'original')).toBeLessThanOrEqual(networks.size);
  vi.restoreAllMocks();
});

const status = (endpoint: 'GET /posts/queued' | 'GET /membership/plan/list') => ({
  kind: 'status' as const,
  status: 500,
  endpoint,
  times: 99,
});

describe('what could not be looked at', () => {
  const planned = { timing: at('2030-01-06T08:30') };
  test('is told: a queue that can’t be read', async () => {
    graph.sandbox.faults.add(status('GET /posts/queued'));
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
    graph.sandbox.faults.add(status('GET /membership/plan/list'));
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
    const labels = { formatedPostDate: 'soon', postDate: 'soon', postDateFormat: '', postTimeFormat: '' };
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
    graph.sandbox.faults.clear();
    graph.sandbox.faults.add(
      changing('GET /accounts/view/{loginId}', 'response.scheduleSlots', {
        Sun: ['08:30 AM'],
        Fri: ['noon'],
      }),
    );
    // The 4th of January 2030 is a Friday.
    expect(await validate({ timing: at('2030-01-04T10:17') })).toMatchObject({
      warnings: [],
      lookedAt: { scheduleCount: 0, notLookedFor: ['TIME_OUTSIDE_SCHEDULE'] },
    });
    graph.sandbox.faults.clear();
    graph.sandbox.faults.add(changingEach('GET /posts/queued', (index) => (index === 2 ? labels : {})));
    expect((await validate(planned)).lookedAt).toMatchObject({
      notLookedFor: ['SAME_MINUTE_AS_QUEUED_POST'],
    });
    expect((await validate()).lookedAt).toMatchObject({ notLookedFor: [] });
  });

  test('is told: a post without an account; one without a time or an id has nothing to be compared', async () => {
    const unscheduled = { formatedPostDate: '', postDate: '', postDateFormat: '', postTimeFormat: '' };
    const damage = [{ postId: MISSING }, { loginId: MISSING }, unscheduled];
    graph.sandbox.faults.add(changingEach('GET /posts/queued', (index) => damage[index] ?? {}));
    const { warnings, lookedAt } = await validate({ variants: [original(text)] });
    expect(warnings).toMatchObject([
      { code: 'SAME_TEXT_IN_QUEUE', accountIds: [account()], queuedPostIds: [] },
    ]);
    expect(lookedAt).toMatchObject({ unreadablePostCount: 1, notLookedFor: ['SAME_TEXT_IN_QUEUE'] });
  });

  test('is told: a queue that is too long to be read, whose length is known all the same', async () => {
    const large = await startGraph({ sandbox: { data: 'large', quirks: { maxLimit: 49 } } });
    expect(await validate({}, large)).toMatchObject({
      isValid: true,
      lookedAt: {
        queueTotal: 1_000,
        queuedPostCount: null,
        queueLimit: 2_000,
        notLookedFor: ['SAME_TEXT_IN_QUEUE'],
      },
    });
    harbour(large).queueLimit = 1_050;
    expect(await codesOf({}, large)).toEqual(['QUEUE_NEAR_LIMIT']);
  });
});
