import { describe, expect, test } from 'vitest';
import { errorsOf, shareGraph } from '../support/graph.ts';
import { callsOf } from '../support/calls.ts';
import { eachCase } from '../support/cases.ts';
import { landmarks } from '../support/landmarks.ts';
import {
  account,
  EXAMPLES,
  GROUP_ID,
  legacyAccount,
  legacyGroup,
  problemsOf,
  write,
  type Input,
  type WriteError,
} from '../support/writes.ts';

// What becomes of status updates, and validations. Their requests, and what is refused of them, is in test/writes.

const graph = shareGraph();

test('a status update waits in the queue of the current surface, also where the caller has the token alone', async () => {
  const imageUrl = 'https://pictures.example.com/ferry.jpg';
  const input = { ...EXAMPLES.createStatusUpdate, imageUrl };
  const payload = await write(graph, 'createStatusUpdate', input, { headers: graph.caller.token });
  expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [], replayed: false });
  const { data } = await graph.query(
    '{ queuedPosts(last: 1) { nodes { postId text title imageUrls account { loginId } } } }',
  );
  expect(data.queuedPosts.nodes).toEqual([
    {
      postId: payload['postId'],
      text: 'The ferry is late.',
      title: null,
      imageUrls: [imageUrl],
      account: { loginId: String(landmarks.plainId) },
    },
  ]);
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
      accountIds: [account(), account(landmarks.blockedId), account(999), 'garbage'],
      timing: { scheduledAtLocal: ['2020-01-01T10:00'] },
    });
    expect(result).toMatchObject({
      isValid: false,
      userErrors: [
        { code: 'INVALID_INPUT', path: ['input', 'accountIds', '3'] },
        { code: 'INVALID_INPUT', path: ['input', 'timing', 'scheduledAtLocal', '0'] },
        { code: 'ACCOUNT_UNAVAILABLE', path: ['input', 'accountIds', '1'] },
        { code: 'UNKNOWN_ACCOUNT', path: ['input', 'accountIds', '2'] },
      ],
      accounts: [{ loginId: `${landmarks.plainId}` }, { loginId: `${landmarks.blockedId}` }, null, null],
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
