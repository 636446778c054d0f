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

const error = (code: string, path?: string[]) =>
  new GraphQLError('It went wrong.', { extensions: { code }, ...(path && { path }) });
const problem = (code: string, more: object = {}) => ({
  userErrors: [{ code, message: 'So it is.', path: ['input', 'timing'], retryable: false, ...more }],
});
const created = (outcome: string, more: object = {}) => ({
  data: { createPost: { outcome, replayed: false, userErrors: [], ...more } },
});
const post = (data: unknown, ...errors: GraphQLError[]) => ({ data: { createPost: data }, errors });
const paused = (outcome: string, more: object = { userErrors: [] }) => ({
  data: { pauseAccount: { outcome, ...more } },
});
const aiGeneration = { id: 'a', status: 'EXPIRED' };
const late = { data: { generateAiText: { outcome: 'COMPLETED', userErrors: [], aiGeneration } } };
const known = (payload: object | null, isUnderWay = false) => ({
  data: { writeOutcome: { mutation: 'createPost', isUnderWay, payload } },
});
const recorded = (outcome: string) => known({ outcome, userErrors: [] });
const checked = (more: object) => ({ data: { validatePost: { userErrors: [], warnings: [], ...more } } });
const read = (field: string, value: unknown, ...errors: GraphQLError[]) => ({
  data: { [field]: value },
  errors,
});

const retryable = { retryable: true };
const replayed = created('COMPLETED', { replayed: true });
const pausedLater = paused('REJECTED', problem('REFUSED', retryable));
const timeout = new GraphQLError('No.', { extensions: { code: 'UPSTREAM_TIMEOUT', ...retryable } });
const page = { nodes: [], totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null } };
const warnings = [{ code: 'QUEUE_NEAR_LIMIT', message: 'It is nearly full.', path: null }];
const large = 'x'.repeat(MOST_ANSWER_CHARS);
const unreadable = { errors: [error('UPSTREAM_TIMEOUT', ['createPost', 'post'])] };
const warned = { isValid: true, warnings, lookedAt: { notLookedFor: ['SAME_TEXT_IN_QUEUE'] } };

type Row = readonly [what: string, result: ExecutionResult, isError: boolean, words: RegExp];
const TOLD: Readonly<Record<string, readonly Row[]>> = {
  create_post: [
    ['was made', created('COMPLETED'), false, /^Done\.$/],
    ['was made before', replayed, false, /^Done\. .* nothing was sent again\.$/],
    ['was made in part', created('PARTIAL', problem('LIMIT')), false, /^Only part .* Do not repeat .*Quoted/],
    [
      'was rejected',
      created('REJECTED', problem('INVALID_INPUT')),
      true,
      /^Rejected; nothing was done: - "So it is\." \(INVALID_INPUT, at timing\) Correct the arguments/,
    ],
    [
      'may be repeated later',
      created('REJECTED', problem('RATE_LIMITED', retryable)),
      true,
      /Try again later with the same idempotencyKey and the same arguments\. Quoted text/,
    ],
    [
      'has the key of another write',
      created('REJECTED', problem('IDEMPOTENCY_KEY_REUSED')),
      true,
      /belongs to another write.*a new idempotencyKey only for a write that was never sent\. Quoted text/,
    ],
    [
      'can’t be recorded now',
      created('REJECTED', problem('IDEMPOTENCY_UNAVAILABLE', retryable)),
      true,
      /an earlier call with this idempotencyKey, which may have succeeded\. Try again later with the same/,
    ],
    ['has no credential', created('REJECTED', problem('CREDENTIAL_MISSING')), true, /Only the user can fix/],
    [
      'has an unknown outcome',
      created('UNKNOWN', problem('OUTCOME_UNKNOWN')),
      true,
      /^It is NOT KNOWN.*Do not use a new idempotencyKey.*write_outcome.*list_queue.*the write is not repeated/,
    ],
    [
      'failed after it was sent',
      post(null, error('INTERNAL_SERVER_ERROR')),
      true,
      /^It is NOT KNOWN.*- "It went wrong\." \(INTERNAL_SERVER_ERROR\)/,
    ],
    ['is too large', { data: null, errors: [error('LIMIT_EXCEEDED')] }, true, /^It is NOT KNOWN/],
    ['can’t be read', post(null, error('BAD_USER_INPUT', ['createPost', 'query'])), true, /^It is NOT KNOWN/],
    ['is invalid', post(null, error('BAD_USER_INPUT', ['createPost'])), true, /^Nothing was done/],
    ['was not executed', { errors: [error('BAD_USER_INPUT')] }, true, /^Nothing was done\. Correct .*\(BAD_/],
    [
      'was made, but could not be read in full',
      { ...created('COMPLETED'), ...unreadable },
      false,
      /^Done\. Part of the result could not be read: - "It went wrong\." \(UPSTREAM_TIMEOUT/,
    ],
    ['can’t be shown', created('COMPLETED', { message: large }), false, /^Done\. .*it was omitted\.$/],
  ],
  generate_text: [
    ['is late', late, false, /^The text was requested, but did not arrive in time \(status EXPIRED\)/],
  ],
  pause_account: [
    [
      'may be repeated, since it takes no key',
      paused('UNKNOWN'),
      true,
      /^It is NOT KNOWN .* Calling this tool again with the same arguments is safe\.$/,
    ],
    ['may be repeated later', pausedLater, true, /^(?!.*[Kk]ey).* later\./],
    [
      'has no surface',
      paused('REJECTED', problem('SURFACE_NOT_CONFIGURED')),
      true,
      /Only the user can fix this, by changing the settings of this server\. Quoted text/,
    ],
    ['was rejected', paused('REJECTED', problem('REFUSED')), true, /^(?!.*[Kk]ey).* Correct the arguments\./],
  ],
  write_outcome: [
    ['is not stored', read('writeOutcome', null), false, /^No write .* is stored.*Do not use a new key\.$/],
    ['is in progress', known(null, true), false, /^The write createPost is still in progress/],
    ['is done', recorded('COMPLETED'), false, /^The result of createPost with this key: Done\.$/],
    ['is unknown', recorded('UNKNOWN'), false, /Do not use a new idempotencyKey/],
    [
      'could not be looked up',
      read('writeOutcome', null, error('OVERLOADED')),
      true,
      /^The result could not be looked up, which proves nothing .* Do not use a new key;.*OVERLOADED/,
    ],
  ],
  show_plan: [
    ['was read', read('membership', {}), false, /^The data was read\.$/],
    ['is not there', read('membership', null), false, /^Nothing was found\.$/],
  ],
  show_surfaces: [['found none', read('surfaces', []), false, /^Nothing was found\.$/]],
  list_queue: [
    ['found none', read('queuedPosts', page), false, /^This page shows 0 of 0\.$/],
    [
      'failed for the moment',
      read('queuedPosts', null, timeout),
      true,
      /^The call failed: - "No\." \(UPSTREAM_TIMEOUT\) Try again later\. Quoted text/,
    ],
    [
      'failed, over a connection',
      JSON.parse(JSON.stringify(read('queuedPosts', null, timeout))) as ExecutionResult,
      true,
      /^The call failed: - "No\." \(UPSTREAM_TIMEOUT\) Try again later\./,
    ],
    [
      'is too large',
      read('queuedPosts', { nodes: [{ text: large }] }),
      true,
      /^The data has 600\d\d characters \(maximum .*Request fewer records with "first"\.$/,
    ],
  ],
  list_accounts: [
    [
      'was read in part',
      read('accounts', { nodes: [{ id: 'a' }] }, error('UPSTREAM_TIMEOUT')),
      false,
      /^Part of the data could not be read: - "It went wrong\." \(UPSTREAM_TIMEOUT\) This page shows 1\./,
    ],
  ],
  validate_post: [
    ['found nothing', checked({ isValid: true }), false, /^The post is valid\.$/],
    [
      'has warnings',
      checked(warned),
      false,
      /^The post is valid\. Warnings: - "It is .*" \(QUEUE_NEAR_LIMIT\) Not checked: SAME_TEXT_IN_QUEUE\./,
    ],
    [
      'found a problem',
      checked({ isValid: false, ...problem('INVALID_INPUT') }),
      false,
      /^The post is NOT valid: - "So it is\." \(INVALID_INPUT, at timing\) Quoted text/,
    ],
  ],
};

test.each(Object.entries(TOLD).flatMap(([name, rows]) => rows.map((row) => [name, ...row] as const)))(
  'the answer of %s says that it %s',
  (name, _what, result, isError, words) => {
    const { content, structuredContent, ...answer } = answerOf(tool(name), result);
    expect(content.map(({ text }) => text)).toEqual(textsOf(structuredContent));
    expect(answer).toEqual({ isError });
    expect(structuredContent.summary.replaceAll('\n', ' ')).toMatch(words);
    if (JSON.stringify(result).length > MOST_ANSWER_CHARS && isError)
      expect(structuredContent.data).toBeNull();
  },
);
