import { describe, expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { harbour } from '../support/accounts.ts';
import { errorsOf, startGraph, type RunningGraph, shareGraph } from '../support/graph.ts';
import { callsOf } from '../support/calls.ts';
import { eachCase } from '../support/cases.ts';
import { changingRecord } from '../support/sandbox.ts';
import {
  account,
  EXAMPLES,
  GROUP_ID,
  legacyAccount,
  legacyGroup,
  problemsOf,
  verdictOf,
  write,
  type Input,
  type WriteError,
} from '../support/writes.ts';

// What becomes of posts, drafts and status updates. Their requests, and what is refused of them, is in test/writes.

const QUEUE = `{ queuedPosts(first: 100) { totalCount nodes {
  postId text title linkUrl longText comment tagIds instagramPostType scheduledAt imageUrls
  place { placeId name } mentions { key name } account { loginId }
} } }`;

interface Shown {
  readonly postId: string;
  readonly account: { readonly loginId: string };
}

async function queueOf(graph: RunningGraph): Promise<readonly Shown[]> {
  const { data } = await graph.query(QUEUE);
  return data.queuedPosts.nodes;
}

const createPost = (graph: RunningGraph, changes: Input) =>
  write(graph, 'createPost', { ...EXAMPLES.createPost, ...changes });

describe('a post', () => {
  test('by the queue comes at its end, with its content', async () => {
    const graph = await startGraph();
    const before = await queueOf(graph);
    const content = {
      text: 'Doors at seven.',
      comment: 'First!',
      tagIds: ['7', '12'],
      instagramPostType: 'STORY',
      place: { placeId: 'p1', name: 'Net Loft Lane' },
      mentions: [{ key: '@[1]', name: 'Ottoline' }],
    };
    const payload = await createPost(graph, { variants: [{ variant: 'ORIGINAL', ...content }] });
    expect(payload).toMatchObject({
      outcome: 'COMPLETED',
      userErrors: [],
      replayed: false,
      createdCount: 1,
      isScheduledLimitReached: false,
      customResponse: [],
      message: 'Posts accepted.',
    });
    const [postId] = payload['postIds'] as string[];
    const after = await queueOf(graph);
    expect(after.slice(0, -1)).toEqual(before);
    expect(after.at(-1)).toMatchObject({
      postId,
      ...content,
      account: { loginId: String(landmarks.plainId) },
    });
  });

  test('has for each account the variant of its network, or else the original', async () => {
    const graph = await startGraph();
    await createPost(graph, {
      accountIds: [account(410_201), account(410_206), account(410_208)],
      variants: [
        { variant: 'ORIGINAL', text: 'For all' },
        { variant: 'FACEBOOK', text: 'For Facebook' },
        { variant: 'GOOGLE_BUSINESS', title: 'Hours', linkUrl: 'https://kelpgate.example', longText: 'Long' },
      ],
    });
    const made = (await queueOf(graph)).slice(-3);
    expect(Object.fromEntries(made.map((post) => [post.account.loginId, post]))).toMatchObject({
      410201: { text: 'For Facebook' },
      410206: { title: 'Hours', linkUrl: 'https://kelpgate.example', longText: 'Long' },
      410208: { text: 'For all' },
    });
  });

  test('with the placement NEXT comes before all others', async () => {
    const graph = await startGraph();
    const { postIds } = await createPost(graph, { timing: { placement: 'NEXT' } });
    expect([(await queueOf(graph))[0]?.postId]).toEqual(postIds);
  });

  test('with the placement NOW is published and does not wait', async () => {
    const graph = await startGraph();
    const { postIds } = await createPost(graph, { timing: { placement: 'NOW' } });
    expect((await queueOf(graph)).map(({ postId }) => postId)).not.toContain((postIds as string[])[0]);
    expect(harbour(graph).published.map(({ postId }) => postId)).toEqual(postIds);
  });

  test.each<[timing: object, zone: string, utcOffsetMinutes: number, due: string[]]>([
    [
      { scheduledAtLocal: ['2031-05-20T00:00', '2031-05-20T13:05'] },
      'UTC',
      0,
      ['2031-05-20T00:00:00.000Z', '2031-05-20T13:05:00.000Z'],
    ],
    [{ scheduledAt: ['2031-05-20T06:30:00+02:00'] }, 'Asia/Kolkata', 330, ['2031-05-20T04:30:00.000Z']],
  ])('with %j by a clock in %s waits for each time', async (timing, zone, utcOffsetMinutes, due) => {
    const graph = await startGraph({
      environment: { SERVICE_TIME_ZONE: zone },
      sandbox: { quirks: { utcOffsetMinutes } },
    });
    expect(await createPost(graph, { timing })).toMatchObject({ createdCount: due.length });
    const made = harbour(graph).queue.slice(-due.length);
    expect(made.map(({ dueAt }) => new Date(dueAt).toISOString())).toEqual(due);
    const shown = (await queueOf(graph)).slice(-due.length);
    expect(shown).toMatchObject(due.map((scheduledAt) => ({ scheduledAt })));
  });

  test('to an account that the current surface does not have is refused by the service', async () => {
    const graph = await startGraph();
    const payload = await createPost(graph, { accountIds: [account(999)] });
    expect(verdictOf(payload)).toEqual(['REJECTED', 'UPSTREAM_REJECTED']);
    expect(payload.userErrors[0]?.message).toContain(
      'loginIds must contain ids of your accounts; 999 is not one.',
    );
  });

  test('needs the key of the current surface', async () => {
    const graph = await startGraph();
    const payload = await write(graph, 'createPost', EXAMPLES.createPost, { headers: graph.caller.token });
    expect(verdictOf(payload)).toEqual(['REJECTED', 'CREDENTIAL_MISSING']);
    expect(graph.sandbox.requests.count()).toBe(0);
  });
});

describe('a draft', () => {
  test('is stored under the id that the payload has', async () => {
    const graph = await startGraph();
    const payload = await write(graph, 'createDraft', EXAMPLES.createDraft);
    const { drafts } = harbour(graph);
    expect(drafts).toHaveLength(1);
    expect(payload).toMatchObject({
      outcome: 'COMPLETED',
      userErrors: [],
      replayed: false,
      draftId: drafts[0]?.draftId,
      message: 'Draft saved.',
    });
  });

  test('may be without content', async () => {
    const graph = await startGraph();
    const { outcome } = await write(graph, 'createDraft', { accountIds: [account()] });
    expect(outcome).toBe('COMPLETED');
    expect(harbour(graph).drafts[0]?.body).not.toHaveProperty('posts');
  });

  test('is not stored if the service rejects the key', async () => {
    const graph = await startGraph();
    const headers = { 'x-api-key': 'no' };
    const payload = await write(graph, 'createDraft', EXAMPLES.createDraft, { headers });
    expect(verdictOf(payload)).toEqual(['REJECTED', 'CREDENTIAL_REJECTED']);
    expect(harbour(graph).drafts).toEqual([]);
  });
});

const UPDATE = 'POST /oauth/post/update';
const update = (graph: RunningGraph, changes: Input, headers = graph.caller.both) =>
  write(graph, 'createStatusUpdate', { ...EXAMPLES.createStatusUpdate, ...changes }, { headers });

describe('a status update', () => {
  test.each<[changes: Input, shown: object]>([
    [
      {
        preview: {
          title: 'Timetable',
          url: 'https://ferry.example',
          imagePath: 'https://ferry.example/boat.jpg',
        },
      },
      {
        title: 'Timetable',
        linkUrl: 'https://ferry.example',
        imageUrls: ['https://ferry.example/boat.jpg'],
      },
    ],
    [
      { imageUrl: 'https://pictures.example.com/ferry.jpg' },
      { title: null, imageUrls: ['https://pictures.example.com/ferry.jpg'] },
    ],
  ])('with %j waits in the queue of the current surface', async (changes, shown) => {
    const graph = await startGraph();
    const payload = await update(graph, changes);
    expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [], replayed: false });
    expect((await queueOf(graph)).at(-1)).toMatchObject({
      postId: payload['postId'],
      text: 'The ferry is late.',
      ...shown,
      account: { loginId: '410201' },
    });
  });

  test('is published at once, or waits for its time', async () => {
    const graph = await startGraph();
    await update(graph, { timing: { placement: 'NOW' } });
    const { published } = harbour(graph);
    expect(published.map(({ content }) => content.description)).toEqual(['The ferry is late.']);
    await update(graph, { timing: { scheduledAtLocal: '2031-05-20T13:05' } });
    expect(harbour(graph).queue.at(-1)?.dueAt).toBe(Date.UTC(2031, 4, 20, 13, 5));
  });

  test('goes to every account of a group once, also to one that is named beside the group', async () => {
    const graph = await startGraph();
    const { queue } = harbour(graph);
    await update(graph, {
      accountIds: [legacyAccount(410_202)],
      accountGroupIds: [legacyGroup(5_101), legacyGroup(5_103)],
    });
    const made = harbour(graph).queue.filter((post) => !queue.includes(post));
    expect(made.map((post) => post.account.loginId).toSorted((a, b) => a - b)).toEqual([
      410_201, 410_202, 410_203, 410_206, 410_207, 410_209,
    ]);
  });

  test('to a group with a member without an id is refused as a whole', async () => {
    const graph = await startGraph();
    graph.sandbox.faults.add(changingRecord('GET /oauth/groups', 'accounts.0.id', null));
    const payload = await update(graph, { accountIds: null, accountGroupIds: [legacyGroup(5_101)] });
    expect([payload.outcome, payload.userErrors[0]?.code]).toEqual(['REJECTED', 'SURFACE_UNAVAILABLE']);
    expect(graph.sandbox.requests.count(UPDATE)).toBe(0);
  });

  test('needs the token of the legacy surface', async () => {
    const graph = await startGraph();
    expect(verdictOf(await update(graph, {}, graph.caller.token))).toEqual(['COMPLETED']);
    expect(verdictOf(await update(graph, {}, graph.caller.key))).toEqual(['REJECTED', 'CREDENTIAL_MISSING']);
    expect(graph.sandbox.requests.count(UPDATE)).toBe(1);
  });

  test('is completed without an id if the service has none', async () => {
    const graph = await startGraph();
    graph.sandbox.faults.add({
      kind: 'rewrite',
      endpoint: UPDATE,
      change: () => ({ error: 0, msg: 'Done', is_break: false, data: { post_id: '' } }),
    });
    expect(await update(graph, {})).toMatchObject({ outcome: 'COMPLETED', userErrors: [], postId: null });
  });
});

describe('the validation of an input', () => {
  const graph = shareGraph();
  const MUTATIONS = {
    validatePost: 'createPost',
    validateDraft: 'createDraft',
    validateLibraryItem: 'createLibraryItem',
    validateStatusUpdate: 'createStatusUpdate',
  } as const;
  type Validation = keyof typeof MUTATIONS;
  const NAMES = Object.keys(MUTATIONS) as Validation[];

  async function validate(name: Validation, input: Input) {
    const mutation = MUTATIONS[name];
    const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
    const more = name === 'validatePost' ? 'accounts { loginId }' : '';
    const answer = await graph.query(
      `query ($input: ${type}!) { ${name}(input: $input) { isValid userErrors { code message path retryable } ${more} } }`,
      { variables: { input } },
    );
    return { answer, result: answer.data[name] as { isValid: boolean; userErrors: WriteError[] } | null };
  }

  test('finds the examples valid, and sends nothing that has an effect', async () => {
    for (const name of NAMES)
      expect((await validate(name, EXAMPLES[MUTATIONS[name]])).result).toMatchObject({
        isValid: true,
        userErrors: [],
      });
    expect(callsOf(graph)).toEqual({ 'GET /oauth/accounts': 1, 'GET /accounts/view/{loginId}': 1 });
  });

  const variants = [
    { variant: 'X', mediaIds: ['https://pictures.example.com/1.png'] },
    { variant: 'X', text: 'Twice.' },
  ];
  const strangers = {
    text: 'On.',
    accountIds: [legacyAccount(1)],
    accountGroupIds: [legacyGroup(GROUP_ID), legacyGroup(1)],
  };

  test('finds the problems for which the mutation refuses the input', () =>
    eachCase<readonly [Validation, Input]>(
      [
        ['validateDraft', { accountIds: [], variants }],
        ['validateDraft', { accountIds: [account(), account(), legacyAccount(), 'garbage'] }],
        ['validateDraft', { accountIds: [account()], idempotencyKey: 'not visible' }],
        ['validateLibraryItem', { title: ' ', kind: 'POST', variants: [] }],
        ['validateLibraryItem', { title: 'Twice', kind: 'HASHTAG', variants }],
        ['validateStatusUpdate', { text: ' ' }],
        [
          'validateStatusUpdate',
          { text: 'On.', accountIds: [], accountGroupIds: [legacyGroup(1), account()] },
        ],
        [
          'validateStatusUpdate',
          { text: 'On.', accountIds: [legacyAccount()], timing: { scheduledAtLocal: '2020-01-01T10:00' } },
        ],
        ['validateStatusUpdate', strangers],
      ],
      async ([name, input]) => {
        const { answer, result } = await validate(name, input);
        expect(answer.errors).toEqual([]);
        const refused = await write(graph, MUTATIONS[name], input);
        expect(refused.outcome).toBe('REJECTED');
        expect(problemsOf(refused)).not.toEqual([]);
        expect(result).toEqual({ isValid: false, userErrors: refused.userErrors });
      },
    ));

  test('of a post also finds accounts that cannot publish or do not exist', async () => {
    const { result } = await validate('validatePost', {
      ...EXAMPLES.createPost,
      accountIds: [account(), account(landmarks.blockedId), account(999)],
      timing: { scheduledAtLocal: ['2020-01-01T10:00'] },
    });
    expect(result).toMatchObject({
      isValid: false,
      userErrors: [
        { code: 'INVALID_INPUT', path: ['input', 'timing', 'scheduledAtLocal', '0'] },
        { code: 'ACCOUNT_UNAVAILABLE', path: ['input', 'accountIds', '1'] },
        { code: 'UNKNOWN_ACCOUNT', path: ['input', 'accountIds', '2'] },
      ],
      accounts: [{ loginId: String(landmarks.plainId) }, { loginId: String(landmarks.blockedId) }, null],
    });
    expect(graph.sandbox.requests.count('POST /posts/create')).toBe(0);
  });

  test('of a status update looks up its accounts and groups if nothing else is wrong', async () => {
    await validate('validateStatusUpdate', strangers);
    expect(callsOf(graph)).toEqual({ 'GET /oauth/accounts': 1, 'GET /oauth/groups': 1 });
    graph.sandbox.requests.clear();
    await validate('validateStatusUpdate', { ...strangers, text: ' ' });
    expect(callsOf(graph)).toEqual({});
  });

  test('is null with an error if a look-up fails', async () => {
    graph.sandbox.faults.add({ kind: 'status', status: 503, endpoint: 'GET /oauth/accounts' });
    const { answer, result } = await validate('validateStatusUpdate', EXAMPLES.createStatusUpdate);
    expect(errorsOf(answer)).toEqual(['validateStatusUpdate SURFACE_UNAVAILABLE']);
    expect(result).toBeNull();
  });
});
