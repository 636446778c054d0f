import { GraphQLError, type ExecutionResult } from 'graphql';
import { expect, test } from 'vitest';
import { answerOf, MOST_ANSWER_CHARS } from '../src/answer.ts';
import type { Tool } from '../src/tool.ts';
import { ownTools, textsOf } from '../../../test/support/assistants.ts';

const { toolbox } = await ownTools();

function tool(name: string): Tool {
  const found = toolbox.get(name);
  if (!found) throw new Error(`there is no tool ${name}`);
  return found;
}

/** Whether an answer is an error, and its words on one line. */
function told(name: string, result: ExecutionResult): [isError: boolean, words: string] {
  const { content, structuredContent, isError } = answerOf(tool(name), result);
  expect(content.map(({ text }) => text)).toEqual(textsOf(structuredContent));
  return [isError, structuredContent.summary.replaceAll('\n', ' ')];
}

const payload = (outcome: string, more: object = {}) => ({
  data: { createPost: { outcome, replayed: false, userErrors: [], ...more } },
});

const problem = (code: string, more: object = {}) => ({
  userErrors: [{ code, message: 'So it is.', path: ['input', 'timing'], retryable: false, ...more }],
});

const error = (code: string, path?: string[]) =>
  new GraphQLError('It went wrong.', { extensions: { code }, ...(path && { path }) });

const known = (more: object) => ({
  data: { writeOutcome: { mutation: 'createPost', isUnderWay: false, ...more } },
});
const paused = (outcome: string, more: object = { userErrors: [] }) => ({
  data: { pauseAccount: { outcome, ...more } },
});
const checked = (more: object) => ({ data: { validatePost: { userErrors: [], warnings: [], ...more } } });
const post = (data: unknown, ...errors: GraphQLError[]) => ({ data: { createPost: data }, errors });
const timeout = new GraphQLError('No.', { extensions: { code: 'UPSTREAM_TIMEOUT', retryable: true } });
const page = { nodes: [], totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null } };
const warnings = [{ code: 'QUEUE_NEAR_LIMIT', message: 'It is nearly full.', path: null }];

const WRITTEN: readonly (readonly [string, ExecutionResult, boolean, RegExp])[] = [
  ['was made', payload('COMPLETED'), false, /^Done\.$/],
  [
    'was made before',
    payload('COMPLETED', { replayed: true }),
    false,
    /^Done\. This is the result of an earlier call .* nothing was sent again\.$/,
  ],
  [
    'was made in part',
    payload('PARTIAL', problem('LIMIT_REACHED')),
    false,
    /^Only part .* \(LIMIT_REACHED, at timing\) Do not repeat the whole write\..*Quoted text may come/,
  ],
  [
    'was rejected',
    payload('REJECTED', problem('INVALID_INPUT')),
    true,
    /^Rejected; nothing was done: - "So it is\." \(INVALID_INPUT, at timing\) Correct the arguments/,
  ],
  [
    'may be repeated later',
    payload('REJECTED', problem('RATE_LIMITED', { retryable: true })),
    true,
    /Try again later with the same idempotencyKey and the same arguments\. Quoted text/,
  ],
  [
    'has the key of another write',
    payload('REJECTED', problem('IDEMPOTENCY_KEY_REUSED')),
    true,
    /belongs to another write.*a new idempotencyKey only for a write that was never sent\. Quoted text/,
  ],
  [
    'has no credential',
    payload('REJECTED', problem('CREDENTIAL_MISSING')),
    true,
    /Only the user can fix this/,
  ],
  [
    'has an unknown outcome',
    payload('UNKNOWN', problem('OUTCOME_UNKNOWN')),
    true,
    /^It is NOT KNOWN.*Do not use a new idempotencyKey.*write_outcome.*list_queue.*the write is not repeated/,
  ],
  [
    'failed after it was sent',
    post(null, error('INTERNAL_SERVER_ERROR')),
    true,
    /^It is NOT KNOWN.*- "It went wrong\." \(INTERNAL_SERVER_ERROR\)/,
  ],
  ['has too large a result', { data: null, errors: [error('LIMIT_EXCEEDED')] }, true, /^It is NOT KNOWN/],
  [
    'has an unreadable payload',
    post(null, error('BAD_USER_INPUT', ['createPost', 'query'])),
    true,
    /^It is NOT KNOWN/,
  ],
  ['has invalid input', post(null, error('BAD_USER_INPUT', ['createPost'])), true, /^Nothing was done/],
  [
    'was not executed',
    { errors: [error('BAD_USER_INPUT')] },
    true,
    /^Nothing was done\. Correct these problems: - "It went wrong\." \(BAD_USER_INPUT\)/,
  ],
  [
    'was made, but could not be read in full',
    { ...payload('COMPLETED'), errors: [error('UPSTREAM_TIMEOUT', ['createPost', 'post'])] },
    false,
    /^Done\. Part of the result could not be read: - "It went wrong\." \(UPSTREAM_TIMEOUT/,
  ],
  [
    'was made, but is too large to show',
    payload('COMPLETED', { message: 'x'.repeat(MOST_ANSWER_CHARS) }),
    false,
    /^Done\. .*it was omitted\.$/,
  ],
];

test.each(WRITTEN)('an assistant learns that its post %s', (_, result, isError, words) => {
  expect(told('create_post', result)).toEqual([isError, expect.stringMatching(words)]);
});

test.each<[string, string, ExecutionResult, boolean, RegExp]>([
  [
    'that pausing again is safe, since it takes no key',
    'pause_account',
    paused('UNKNOWN'),
    true,
    /^It is NOT KNOWN whether the write succeeded\. Calling this tool again with the same arguments is safe\.$/,
  ],
  [
    'when to repeat a pause, without a word of keys',
    'pause_account',
    paused('REJECTED', problem('REFUSED', { retryable: true })),
    true,
    /^(?!.*[Kk]ey).* Try again later\./,
  ],
  [
    'what to correct in a pause, without a word of keys',
    'pause_account',
    paused('REJECTED', problem('REFUSED')),
    true,
    /^(?!.*[Kk]ey).* Correct the arguments\./,
  ],
  [
    'that no outcome is stored',
    'write_outcome',
    { data: { writeOutcome: null } },
    false,
    /^No write with this idempotencyKey is stored.*Do not use a new key\.$/,
  ],
  [
    'that a write is in progress',
    'write_outcome',
    known({ isUnderWay: true, payload: null }),
    false,
    /^The write createPost is still in progress/,
  ],
  [
    'that a write is done',
    'write_outcome',
    known({ payload: { outcome: 'COMPLETED', userErrors: [] } }),
    false,
    /^The result of createPost with this key: Done\.$/,
  ],
  [
    'that an outcome is unknown',
    'write_outcome',
    known({ payload: { outcome: 'UNKNOWN', userErrors: [] } }),
    false,
    /Do not use a new idempotencyKey/,
  ],
  [
    'that an outcome could not be looked up',
    'write_outcome',
    { data: { writeOutcome: null }, errors: [error('OVERLOADED')] },
    true,
    /^The result could not be looked up, which proves nothing about the write\. Do not use a new key;.*OVERLOADED/,
  ],
  ['that a plan was read', 'show_plan', { data: { membership: {} } }, false, /^The data was read\.$/],
  ['that nothing is there', 'show_plan', { data: { membership: null } }, false, /^Nothing was found\.$/],
  ['that a list is empty', 'show_surfaces', { data: { surfaces: [] } }, false, /^Nothing was found\.$/],
  [
    'that a page is empty',
    'list_queue',
    { data: { queuedPosts: page } },
    false,
    /^This page shows 0 of 0\.$/,
  ],
  [
    'that a call failed for the moment',
    'list_queue',
    { data: { queuedPosts: null }, errors: [timeout] },
    true,
    /^The call failed: - "No\." \(UPSTREAM_TIMEOUT\) Try again later\. Quoted text/,
  ],
  [
    'that a list is shown in part',
    'list_accounts',
    { data: { accounts: { nodes: [{ id: 'a' }] } }, errors: [error('UPSTREAM_TIMEOUT')] },
    false,
    /^Part of the data could not be read: - "It went wrong\." \(UPSTREAM_TIMEOUT\) This page shows 1\./,
  ],
  ['that a post is valid', 'validate_post', checked({ isValid: true }), false, /^The post is valid\.$/],
  [
    'what to consider in a valid post',
    'validate_post',
    checked({ isValid: true, warnings, lookedAt: { notLookedFor: ['SAME_TEXT_IN_QUEUE'] } }),
    false,
    /^The post is valid\. Warnings: - "It is nearly full\." \(QUEUE_NEAR_LIMIT\) Not checked: SAME_TEXT_IN_QUEUE\./,
  ],
  [
    'that a post is invalid',
    'validate_post',
    checked({ isValid: false, ...problem('INVALID_INPUT') }),
    false,
    /^The post is NOT valid: - "So it is\." \(INVALID_INPUT, at timing\) Quoted text/,
  ],
])('an assistant learns %s', (_, name, result, isError, words) => {
  expect(told(name, result)).toEqual([isError, expect.stringMatching(words)]);
});

test('a result that is too large is omitted, with advice how to get less', () => {
  const data = { queuedPosts: { nodes: [{ text: 'x'.repeat(MOST_ANSWER_CHARS) }] } };
  const { content, structuredContent, isError } = answerOf(tool('list_queue'), { data });
  expect([isError, structuredContent.data, content.length]).toEqual([true, null, 1]);
  expect(structuredContent.summary).toMatch(
    /^The data has 600\d\d characters \(maximum .*Request fewer records with "first"\.$/,
  );
});
