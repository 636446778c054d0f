import { GraphQLError, type ExecutionResult } from 'graphql';
import { describe, expect, test } from 'vitest';
import { answerOf, MOST_ANSWER_CHARS } from '../src/answer.ts';
import type { Tool } from '../src/tool.ts';
import { ownTools, textsOf } from '../../../test/support/assistants.ts';

const { toolbox } = await ownTools();

function tool(name: string): Tool {
  const found = toolbox.get(name);
  if (!found) throw new Error(`there is no tool ${name}`);
  return found;
}

/** The words of an answer, on one line, and whether it is an error. */
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

describe('what an assistant is told of a post', () => {
  test.each<[string, ExecutionResult, boolean, RegExp]>([
    ['that was made', payload('COMPLETED'), false, /^Done\.$/],
    [
      'that was made before',
      payload('COMPLETED', { replayed: true }),
      false,
      /^Done\. This is the result of an earlier call .* nothing was sent again\.$/,
    ],
    [
      'of which a part was made',
      payload('PARTIAL', problem('LIMIT_REACHED')),
      false,
      /^Only part .* \(LIMIT_REACHED, at timing\) Do not repeat the whole write\..*Quoted text may come/,
    ],
    [
      'that was refused',
      payload('REJECTED', problem('INVALID_INPUT')),
      true,
      /^Rejected; nothing was done: - "So it is\." \(INVALID_INPUT, at timing\) Correct the arguments/,
    ],
    [
      'that may be asked for again',
      payload('REJECTED', problem('RATE_LIMITED', { retryable: true })),
      true,
      /Try again later with the same idempotencyKey and the same arguments\. Quoted text/,
    ],
    [
      'whose key belongs to another',
      payload('REJECTED', problem('IDEMPOTENCY_KEY_REUSED')),
      true,
      /belongs to another write.*a new idempotencyKey only for a write that was never sent\. Quoted text/,
    ],
    [
      'without a credential',
      payload('REJECTED', problem('CREDENTIAL_MISSING')),
      true,
      /Only the user can fix this/,
    ],
    [
      'of which nobody knows',
      payload('UNKNOWN', problem('OUTCOME_UNKNOWN')),
      true,
      /^It is NOT KNOWN.*Do not use a new idempotencyKey.*write_outcome.*list_queue.*the write is not repeated/,
    ],
    [
      'that went wrong on the way back',
      { data: { createPost: null }, errors: [error('INTERNAL_SERVER_ERROR')] },
      true,
      /^It is NOT KNOWN.*- "It went wrong\." \(INTERNAL_SERVER_ERROR\)/,
    ],
    [
      'whose result was too large',
      { data: null, errors: [error('LIMIT_EXCEEDED')] },
      true,
      /^It is NOT KNOWN/,
    ],
    [
      'whose payload could not be read',
      { data: { createPost: null }, errors: [error('BAD_USER_INPUT', ['createPost', 'query'])] },
      true,
      /^It is NOT KNOWN/,
    ],
    [
      'whose input was wrong',
      { data: { createPost: null }, errors: [error('BAD_USER_INPUT', ['createPost'])] },
      true,
      /^Nothing was done/,
    ],
    [
      'that was not executed',
      { errors: [error('BAD_USER_INPUT')] },
      true,
      /^Nothing was done\. Correct these problems: - "It went wrong\." \(BAD_USER_INPUT\)/,
    ],
  ])('%s', (_, result, isError, words) => {
    expect(told('create_post', result)).toEqual([isError, expect.stringMatching(words)]);
  });
});

test('pausing again is safe, since it takes no key', () => {
  const result = { data: { pauseAccount: { outcome: 'UNKNOWN', userErrors: [] } } };
  expect(told('pause_account', result)).toEqual([
    true,
    'It is NOT KNOWN whether the write succeeded. Calling this tool again with the same arguments is safe.',
  ]);
});

test.each([
  [true, 'Try again later.'],
  [false, 'Correct the arguments.'],
])('pausing that is refused is asked for again without a word of keys; later: %s', (retryable, advice) => {
  const result = { data: { pauseAccount: { outcome: 'REJECTED', ...problem('REFUSED', { retryable }) } } };
  const [isError, words] = told('pause_account', result);
  expect([isError, words]).toEqual([true, expect.stringContaining(` ${advice}`)]);
  expect(words).not.toMatch(/key/i);
});

test('a write that was done is told as done, with what of its result could not be read', () => {
  const result = { ...payload('COMPLETED'), errors: [error('UPSTREAM_TIMEOUT', ['createPost', 'post'])] };
  expect(told('create_post', result)).toEqual([
    false,
    expect.stringMatching(
      /^Done\. Part of the result could not be read: - "It went wrong\." \(UPSTREAM_TIMEOUT/,
    ),
  ]);
});

const known = (more: object) => ({ data: { writeOutcome: { mutation: 'createPost', ...more } } });

describe('what an assistant is told that asks for the outcome of a write', () => {
  test.each<[string, ExecutionResult, RegExp]>([
    [
      'that nobody remembers',
      { data: { writeOutcome: null } },
      /^No write with this idempotencyKey is stored.*Do not use a new key\.$/,
    ],
    [
      'that is under way',
      known({ isUnderWay: true, payload: null }),
      /^The write createPost is still in progress/,
    ],
    [
      'that was done',
      known({ isUnderWay: false, payload: { outcome: 'COMPLETED', userErrors: [] } }),
      /^The result of createPost with this key: Done\.$/,
    ],
    [
      'that nobody knows of',
      known({ isUnderWay: false, payload: { outcome: 'UNKNOWN', userErrors: [] } }),
      /Do not use a new idempotencyKey/,
    ],
  ])('%s', (_, result, words) => {
    expect(told('write_outcome', result)).toEqual([false, expect.stringMatching(words)]);
  });
});

test('a result that is too large is left out, and says how to get less', () => {
  const data = { queuedPosts: { nodes: [{ text: 'x'.repeat(MOST_ANSWER_CHARS) }] } };
  const { content, structuredContent, isError } = answerOf(tool('list_queue'), { data });
  expect([isError, structuredContent.data, content.length]).toEqual([true, null, 1]);
  expect(structuredContent.summary).toMatch(
    /^The data has 600\d\d characters \(maximum .*Request fewer records with "first"\.$/,
  );
});

const checked = (more: object) => ({ data: { validatePost: { userErrors: [], warnings: [], ...more } } });

describe('what an assistant is told that reads', () => {
  const page = { nodes: [], totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null } };
  const warnings = [{ code: 'QUEUE_NEAR_LIMIT', message: 'It is nearly full.', path: null }];
  test.each<[string, string, ExecutionResult, boolean, RegExp]>([
    ['a plan', 'show_plan', { data: { membership: {} } }, false, /^The data was read\.$/],
    ['what is not there', 'show_plan', { data: { membership: null } }, false, /^Nothing was found\.$/],
    ['an empty list', 'show_surfaces', { data: { surfaces: [] } }, false, /^Nothing was found\.$/],
    ['an empty page', 'list_queue', { data: { queuedPosts: page } }, false, /^This page shows 0 of 0\.$/],
    [
      'what fails for the moment',
      'list_queue',
      {
        data: { queuedPosts: null },
        errors: [new GraphQLError('No.', { extensions: { code: 'UPSTREAM_TIMEOUT', retryable: true } })],
      },
      true,
      /^The call failed: - "No\." \(UPSTREAM_TIMEOUT\) Try again later\. Quoted text/,
    ],
    ['a valid post', 'validate_post', checked({ isValid: true }), false, /^The post is valid\.$/],
    [
      'a valid post with a doubt',
      'validate_post',
      checked({ isValid: true, warnings, lookedAt: { notLookedFor: ['SAME_TEXT_IN_QUEUE'] } }),
      false,
      /^The post is valid\. Warnings: - "It is nearly full\." \(QUEUE_NEAR_LIMIT\) Not checked: SAME_TEXT_IN_QUEUE\./,
    ],
    [
      'an invalid post',
      'validate_post',
      checked({ isValid: false, ...problem('INVALID_INPUT') }),
      false,
      /^The post is NOT valid: - "So it is\." \(INVALID_INPUT, at timing\) Quoted text/,
    ],
    [
      'a key while the journal is away',
      'write_outcome',
      { data: { writeOutcome: null }, errors: [error('OVERLOADED')] },
      true,
      /^The result could not be looked up, which proves nothing about the write\. Do not use a new key;.*OVERLOADED/,
    ],
  ])('%s', (_, name, result, isError, words) => {
    expect(told(name, result)).toEqual([isError, expect.stringMatching(words)]);
  });
});

test('what became of a write is told, however large its result is', () => {
  const result = payload('COMPLETED', { message: 'x'.repeat(MOST_ANSWER_CHARS) });
  expect(told('create_post', result)).toEqual([false, expect.stringMatching(/^Done\. .*it was omitted\.$/)]);
});

test('a list that could be read in part is shown, and what is missing is said', () => {
  const result = { data: { accounts: { nodes: [{ id: 'a' }] } }, errors: [error('UPSTREAM_TIMEOUT')] };
  const { content, isError } = answerOf(tool('list_accounts'), result);
  expect(isError).toBe(false);
  expect(content.map(({ text }) => text).join('\n')).toMatch(
    /^Part of the data could not be read:\n- "It went wrong\." \(UPSTREAM_TIMEOUT\)\nThis page shows 1\.\n.*\n\{"accounts"/s,
  );
});
