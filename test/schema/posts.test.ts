import { describe, expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { harbour } from '../support/accounts.ts';
import { errorsOf, startGraph, shareGraph } from '../support/graph.ts';
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

const graph = shareGraph();

const QUEUE = `{ queuedPosts(first: 100) { totalCount nodes {
  postId text title linkUrl longText comment tagIds instagramPostType scheduledAt imageUrls
  place { placeId name } mentions { key name } account { loginId }
} } }`;

interface Shown {
  readonly postId: string;
  readonly account: { readonly loginId: string };
}

async function queueOf(running = graph): Promise<readonly Shown[]> {
  const { data } = await running.query(QUEUE);
  return data.queuedPosts.nodes;
}

const createPost = (changes: Input, running = graph) =>
  write(running, 'createPost', { ...EXAMPLES.createPost, ...changes });

describe('a post', () => {
  test('by the queue comes at its end, with its content', async () => {
    const before = await queueOf();
    const content = {
      text: 'Doors at seven.',
      comment: 'First!',
      tagIds: ['7', '12'],
      instagramPostType: 'STORY',
      place: { placeId: 'p1', name: 'Net Loft Lane' },
      mentions: [{ key: '@[1]', name: 'Ottoline' }],
    };
    const payload = await createPost({ variants: [{ variant: 'ORIGINAL', ...content }] });
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
    const after = await queueOf();
    expect(after.slice(0, -1)).toEqual(before);
    expect(after.at(-1)).toMatchObject({
      postId,
      ...content,
      account: { loginId: String(landmarks.plainId) },
    });
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
    const zoned = await startGraph({
      environment: { SERVICE_TIME_ZONE: zone },
      sandbox: { quirks: { utcOffsetMinutes } },
    });
    expect(await createPost({ timing }, zoned)).toMatchObject({ createdCount: due.length });
    const made = harbour(zoned).queue.slice(-due.length);
    expect(made.map(({ dueAt }) => new Date(dueAt).toISOString())).toEqual(due);
    const shown = (await queueOf(zoned)).slice(-due.length);
    expect(shown).toMatchObject(due.map((scheduledAt) => ({ scheduledAt })));
  });
});

describe('a draft', () => {
  test('is stored under the id that the payload has', async () => {
    const payload = await write(graph, 'createDraft', EXAMPLES.createDraft);
    const { drafts } = harbour(graph);
    expect(payload).toMatchObject({
      outcome: 'COMPLETED',
      userErrors: [],
      replayed: false,
      draftId: drafts.at(-1)?.draftId,
      message: 'Draft saved.',
    });
  });

  test('may be without content', async () => {
    const { outcome } = await write(graph, 'createDraft', { accountIds: [account()] });
    expect(outcome).toBe('COMPLETED');
    expect(harbour(graph).drafts.at(-1)?.body).not.toHaveProperty('posts');
  });
});

const UPDATE = 'POST /oauth/post/update';
const update = (changes: Input, headers = graph.caller.both) =>
  write(graph, 'createStatusUpdate', { ...EXAMPLES.createStatusUpdate, ...changes }, { headers });

describe('a status update', () => {
  test('waits in the queue of the current surface', async () => {
    const imageUrl = 'https://pictures.example.com/ferry.jpg';
    const payload = await update({ imageUrl });
    expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [], replayed: false });
    expect((await queueOf()).at(-1)).toMatchObject({
      postId: payload['postId'],
      text: 'The ferry is late.',
      title: null,
      imageUrls: [imageUrl],
      account: { loginId: String(landmarks.plainId) },
    });
  });

  test('to a group with a member without an id is refused as a whole', async () => {
    graph.sandbox.faults.add(changingRecord('GET /oauth/groups', 'accounts.0.id', null));
    const payload = await update({ accountIds: null, accountGroupIds: [legacyGroup(5_101)] });
    expect([payload.outcome, payload.userErrors[0]?.code]).toEqual(['REJECTED', 'SURFACE_UNAVAILABLE']);
    expect(graph.sandbox.requests.count(UPDATE)).toBe(0);
  });

  test('needs the token of the legacy surface', async () => {
    expect(verdictOf(await update({}, graph.caller.token))).toEqual(['COMPLETED']);
    expect(verdictOf(await update({}, graph.caller.key))).toEqual(['REJECTED', 'CREDENTIAL_MISSING']);
    expect(graph.sandbox.requests.count(UPDATE)).toBe(1);
  });

  test('is completed without an id if the service has none', async () => {
    graph.sandbox.faults.add({
      kind: 'rewrite',
      endpoint: UPDATE,
      change: () => ({ error: 0, msg: 'Done', is_break: false, data: { post_id: '' } }),
    });
    expect(await update({})).toMatchObject({ outcome: 'COMPLETED', userErrors: [], postId: null });
  });
});

describe('the validation of an input', () => {
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
