import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { callsOf } from '../support/calls.ts';
import { eachCase } from '../support/each-case.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
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

// Inputs of mutations, checked without sending them.

const graph = shareGraph();

const INPUTS = {
  validateDraft: 'createDraft',
  validateLibraryItem: 'createLibraryItem',
  validateStatusUpdate: 'createStatusUpdate',
} as const;
type Validation = keyof typeof INPUTS;

async function validate(name: Validation, input: Input, running = graph) {
  const mutation = INPUTS[name];
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  return await running.query(
    `query ($input: ${type}!) { ${name}(input: $input) { isValid userErrors { code message path retryable } } }`,
    { variables: { input } },
  );
}

test('an input that the mutation takes is valid, and nothing that has an effect is sent', async () => {
  for (const name of Object.keys(INPUTS) as Validation[]) {
    const { data, errors } = await validate(name, EXAMPLES[INPUTS[name]]);
    expect(errors).toEqual([]);
    expect(data[name]).toEqual({ isValid: true, userErrors: [] });
  }
  expect(callsOf(graph)).toEqual({ 'GET /oauth/accounts': 1 });
});

const variants = [
  { variant: 'X', mediaIds: ['https://pictures.example.com/1.png'] },
  { variant: 'X', text: 'Twice.' },
];

const BAD: readonly (readonly [Validation, Input])[] = [
  ['validateDraft', { accountIds: [], variants }],
  ['validateDraft', { accountIds: [account(), account(), legacyAccount(), 'garbage'] }],
  ['validateDraft', { accountIds: [account()], idempotencyKey: 'not visible' }],
  ['validateLibraryItem', { title: ' ', kind: 'POST', variants: [] }],
  ['validateLibraryItem', { title: 'Twice', kind: 'HASHTAG', variants }],
  ['validateStatusUpdate', { text: ' ' }],
  ['validateStatusUpdate', { text: 'On.', accountIds: [], accountGroupIds: [legacyGroup(1), account()] }],
  [
    'validateStatusUpdate',
    { text: 'On.', accountIds: [legacyAccount()], timing: { scheduledAtLocal: '2020-01-01T10:00' } },
  ],
  [
    'validateStatusUpdate',
    { text: 'On.', accountIds: [legacyAccount(1)], accountGroupIds: [legacyGroup(GROUP_ID), legacyGroup(1)] },
  ],
];

test('the problems of an input are those with which the mutation refuses it', () =>
  eachCase(BAD, async ([name, input]) => {
    const { data, errors } = await validate(name, input);
    expect(errors).toEqual([]);
    const refused = await write(graph, INPUTS[name], input);
    expect(refused.outcome).toBe('REJECTED');
    expect(data[name].isValid).toBe(false);
    expect(data[name].userErrors).toEqual(refused.userErrors);
    expect(problemsOf(refused)).not.toEqual([]);
  }));

test('accounts and groups of a status update are looked up where nothing else is wrong, each list once', async () => {
  const accountIds = [legacyAccount(1), legacyAccount()];
  const { data } = await validate('validateStatusUpdate', {
    text: 'On.',
    accountIds,
    accountGroupIds: [legacyGroup(1)],
  });
  const problems = data.validateStatusUpdate.userErrors as WriteError[];
  expect(problems.map(({ code, path }) => [code, path?.join('.')])).toEqual([
    ['UNKNOWN_ACCOUNT', 'input.accountIds.0'],
    ['UNKNOWN_ACCOUNT', 'input.accountGroupIds.0'],
  ]);
  expect(callsOf(graph)).toEqual({ 'GET /oauth/accounts': 1, 'GET /oauth/groups': 1 });
  graph.sandbox.requests.clear();
  await validate('validateStatusUpdate', { text: ' ', accountIds });
  expect(callsOf(graph)).toEqual({});
});

test('a look-up that fails is an error, and no verdict', async () => {
  const own = await startGraph();
  own.sandbox.faults.add({ kind: 'status', status: 503, endpoint: 'GET /oauth/accounts' });
  const answer = await validate('validateStatusUpdate', EXAMPLES.createStatusUpdate, own);
  expect(errorsOf(answer)).toEqual(['validateStatusUpdate SURFACE_UNAVAILABLE']);
  expect(answer.data.validateStatusUpdate).toBeNull();
});
