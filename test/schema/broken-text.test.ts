import { expect, test } from 'vitest';
import { codeOf, onlyError, shareGraph } from '../support/graph.ts';
import { openTransport } from '../support/transports.ts';
import { EXAMPLES, problemsOf, write, type Input, type MutationName } from '../support/writes.ts';

// Text with half of a character, such as half an emoji, which strict parsers of JSON refuse whole.

const graph = shareGraph();
const HALF = 'Tide \uD83D';

const VARIANT = { variant: 'ORIGINAL', text: 'a', comment: 'b', mediaIds: ['1'], altTexts: ['c'] };
const AUDIENCE = { limitAudience: { name: 'd', parts: ['e', { key: 'f' }] } };

/** Inputs beside the examples, for what these do not have. */
const MORE: Readonly<Record<string, Input>> = {
  createPost: {
    ...EXAMPLES.createPost,
    variants: [{ ...VARIANT, facebookAudience: AUDIENCE }],
    utmParameters: [{ parameter: 'a', type: 'b', value: 'c' }],
  },
};

/** Each copy of an input in which one of its texts is broken, with its path; enum values stay as they are. */
function brokenIn(value: unknown, path: readonly string[] = ['input']): [path: string, input: unknown][] {
  if (typeof value === 'string') return /^[A-Z]+$/.test(value) ? [] : [[path.join('.'), HALF]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]: [string, unknown]) =>
    brokenIn(child, [...path, name]).map(([place, broken]): [string, unknown] => [
      place,
      Array.isArray(value)
        ? value.map((one: unknown, at) => (String(at) === name ? broken : one))
        : { ...value, [name]: broken },
    ]),
  );
}

test.each(Object.entries(EXAMPLES).filter(([, example]) => Object.keys(example).length > 0))(
  '%s names the text of its input that is broken, and sends nothing',
  async (name, example) => {
    for (const [path, input] of brokenIn(MORE[name] ?? example)) {
      const payload = await write(graph, name as MutationName, input as Input);
      expect([path, payload.outcome, problemsOf(payload)]).toEqual([
        path,
        'REJECTED',
        expect.arrayContaining([`INVALID_INPUT ${path}`]),
      ]);
    }
    expect(graph.sandbox.requests.count()).toBe(0);
  },
);

test('a key, and the name of a field of JSON, are texts as well', async () => {
  const facebookAudience = { limitAudience: { parts: { [HALF]: 1 } } };
  const payload = await write(graph, 'createPost', {
    ...EXAMPLES.createPost,
    idempotencyKey: HALF,
    variants: [{ ...VARIANT, facebookAudience }],
  });
  expect(new Set(problemsOf(payload))).toEqual(
    new Set([
      'INVALID_INPUT input.idempotencyKey',
      'INVALID_INPUT input.variants.0.facebookAudience.limitAudience.parts',
    ]),
  );
});

test('a check of an input says the same as its write', async () => {
  const { data, errors } = await graph.query(
    'query ($input: CreatePostInput!) { validatePost(input: $input) { isValid userErrors { code path message } } }',
    { variables: { input: { ...EXAMPLES.createPost, variants: [{ variant: 'ORIGINAL', text: HALF }] } } },
  );
  expect(errors).toEqual([]);
  expect(data.validatePost.userErrors).toEqual([
    {
      code: 'INVALID_INPUT',
      path: ['input', 'variants', '0', 'text'],
      message: expect.stringContaining('contains half of a character') as unknown,
    },
  ]);
});

test.each([
  ['String', 'accounts(filter: { displayName: $text }) { totalCount }', 'filter.displayName'],
  [
    'String',
    'accounts(surface: LEGACY, filter: { displayName: $text }) { totalCount }',
    'filter.displayName',
  ],
  ['ServiceId', 'accounts(filter: { teamIds: [$text] }) { totalCount }', 'filter.teamIds.0'],
  ['String', 'accounts(after: $text) { totalCount }', 'after'],
  ['String', 'accounts(first: 0, after: $text) { nodes { id } }', 'after'],
  ['String', 'queuedPosts(filter: { text: $text }) { totalCount }', 'filter.text'],
  ['String', 'accountGroups(filter: { name: $text }) { totalCount }', 'filter.name'],
  ['ID', 'account(id: $text) { id }', 'id'],
  ['ID', 'nodes(ids: ["a", $text]) { id }', 'ids.1'],
  ['String', 'writeOutcome(idempotencyKey: $text) { mutation }', 'idempotencyKey'],
])('a %s that is broken in %s is refused by name, and nothing is sent', async (type, field, place) => {
  const answer = await graph.query(`query ($text: ${type}!) { ${field} }`, { variables: { text: HALF } });
  const error = onlyError(answer);
  expect([codeOf(error), error.message]).toEqual([
    'BAD_USER_INPUT',
    `${place} contains half of a character, such as half an emoji (a lone surrogate).`,
  ]);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a broken id of a subscription is refused before it starts', async () => {
  const run = openTransport('WebSocket', graph.url, graph.caller.both);
  const query = 'subscription ($text: ID!) { aiGenerationUpdated(id: $text) { id } }';
  const { errors } = await run({ query, variables: { text: HALF } });
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^id contains half of a character/),
  ]);
});
