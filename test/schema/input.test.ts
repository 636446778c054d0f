import type { GraphQLScalarType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { codeOf, onlyError, shareGraph } from '../support/graph.ts';
import { openTransport } from '../support/transports.ts';
import { EXAMPLES, problemsOf, write, type Input, type MutationName } from '../support/writes.ts';

// What somebody is told who wrote a value that an argument does not take: what to write instead, and where.

const graph = shareGraph();

const CREATE = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { outcome } }';
const FORM =
  'Write a LocalDateTime as YYYY-MM-DDTHH:mm, such as 2026-11-22T09:00, without a zone; seconds may only be :00, because the service takes times to the minute.';
const INSTANT_FORM =
  'Write a DateTime as an instant with its offset, such as 2026-11-22T09:00:00Z or 2026-11-22T10:00:00+01:00.';

const postOn = (timing: object): object => ({ accountIds: [], timing, variants: [] });

/** A document that creates a post at a time, which stands in the document as it is given. */
const literal = (timing: string): string =>
  `mutation { createPost(input: { accountIds: [], timing: { ${timing} }, variants: [] }) { outcome } }`;

const errorsOf = async (query: string, variables = {}) => (await graph.query(query, { variables })).errors;

describe('a scalar of another form', () => {
  test.each([
    [
      { scheduledAtLocal: ['2031-05-20T10:00', '2031-05-20T10:00:00Z'] },
      ` "2031-05-20T10:00:00Z" at "input.timing.scheduledAtLocal[1]"; ${FORM}`,
    ],
    [{ scheduledAt: [5] }, ` 5 at "input.timing.scheduledAt[0]"; ${INSTANT_FORM}`],
    [{ scheduledAt: [{ at: 5 }] }, ` { at: 5 } at "input.timing.scheduledAt[0]"; ${INSTANT_FORM}`],
    // A long value would keep its place and the form out of view.
    [{ scheduledAtLocal: ['x'.repeat(100_000)] }, ` at "input.timing.scheduledAtLocal[0]"; ${FORM}`],
  ])('in a variable, as in %.60j, is answered with its place and the form to write', async (timing, told) => {
    const errors = await errorsOf(CREATE, { input: postOn(timing) });
    expect(errors).toMatchObject([
      { message: `Variable "$input" got invalid value${told}`, extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  test.each([
    ['scheduledAtLocal: ["soon"]', `"soon" is not valid. ${FORM}`],
    ['scheduledAtLocal: [2031]', `This value is not valid. ${FORM}`],
    [`scheduledAtLocal: ["${'x'.repeat(41)}"]`, `This value is not valid. ${FORM}`],
    ['scheduledAt: ["2031-05-20T10:00"]', `"2031-05-20T10:00" is not valid. ${INSTANT_FORM}`],
  ])('in the document, as in %s, is told with its location', async (timing, message) => {
    const document = literal(timing);
    const column = document.indexOf('[', document.indexOf('timing')) + 2;
    expect(await errorsOf(document)).toMatchObject([{ message, locations: [{ line: 1, column }] }]);
  });

  test('of the right form is taken as it was', async () => {
    const atInstants = ['2031-05-20T10:00:00.000Z', '2031-05-20T12:00:00+01:00'];
    expect(await errorsOf(CREATE, { input: postOn({ scheduledAt: atInstants }) })).toEqual([]);
    expect(await errorsOf(literal('scheduledAtLocal: ["2031-05-20T10:00"]'))).toEqual([]);
  });
});

test.each([
  ['2030-01-15T09:00', '2030-01-15T09:00'],
  ['2030-01-15T09:00:00', '2030-01-15T09:00'],
])('a LocalDateTime has one form, whether it is given or shown: of %s it is %s', (text, form) => {
  const scalar = schema.getType('LocalDateTime') as GraphQLScalarType;
  expect([scalar.parseValue(text), scalar.serialize(text)]).toEqual([form, form]);
});

describe('a value that an enum does not have', () => {
  test('is answered with those that it has, where it is like none of them', async () => {
    const [inVariable] = await errorsOf(CREATE, { input: postOn({ placement: 'SOMEDAY' }) });
    expect(inVariable?.message).toBe(
      'Variable "$input" got invalid value "SOMEDAY" at "input.timing.placement"; Value "SOMEDAY" does not exist in "PostPlacement" enum. One of QUEUE, NOW, NEXT.',
    );
    const [inDocument] = await errorsOf(literal('placement: SOMEDAY'));
    expect(inDocument?.message).toBe(
      'Value "SOMEDAY" does not exist in "PostPlacement" enum. One of QUEUE, NOW, NEXT.',
    );
    expect(inDocument?.locations).toHaveLength(1);
    const [text] = await errorsOf(literal('placement: "NOTHING"'));
    expect(text?.message).toMatch(/cannot represent non-enum value: "NOTHING"\. One of QUEUE, NOW, NEXT\.$/);
  });

  test('is answered with the one that was meant, and no others, where it is like one', async () => {
    const [error] = await errorsOf(literal('placement: QUEU'));
    expect(error?.message).toMatch(/Did you mean the enum value "QUEUE"\?$/);
  });
});

test.each([
  ['text', '"12"', '12'],
  ['a whole number', '12', '12'],
  ['a whole number beyond 2^53', '9007199254740993', '9007199254740993'],
])('a ServiceId in a document is %s', async (_, value, sent) => {
  await graph.query(`{ libraryItems(filter: { userId: ${value} }) { totalCount } }`);
  expect(graph.sandbox.requests.all[0]?.query).toContainEqual(['filterBy', sent]);
});

test.each([1.5, true, ['12'], {}, 2 ** 53])('a ServiceId is not %j', async (userId) => {
  const query = 'query ($userId: ServiceId) { libraryItems(filter: { userId: $userId }) { totalCount } }';
  const [error] = await errorsOf(query, { userId });
  expect(error?.extensions['code']).toBe('BAD_USER_INPUT');
  expect(error?.message).toContain('Write a ServiceId as text or a whole number');
});

test.each([
  ['accountGroups', 'NAME'],
  ['libraryItems', 'MOST_USED'],
])('%s takes one step, as `order` or in `orderBy`, and refuses a second one', async (list, field) => {
  const ordered = async (args: string) => {
    graph.sandbox.requests.clear();
    const { data, errors } = await graph.query(`{ ${list}(first: 1, ${args}) { pageInfo { endCursor } } }`);
    return { data, errors, sent: graph.sandbox.requests.all.map(({ query }) => String(query)) };
  };
  const step = `{ field: ${field}, direction: DESC }`;
  for (const args of [
    'orderBy: []',
    `orderBy: { field: ${field} }`,
    'order: null',
    `order: { field: ${field} }`,
  ])
    expect((await ordered(args)).errors, args).toEqual([]);
  const one = await ordered(`order: ${step}`);
  expect(one).toMatchObject({ errors: [], sent: [expect.stringContaining('DESC')] });
  expect(await ordered(`order: null, orderBy: [${step}]`)).toEqual(one);
  for (const [args, message] of [
    [`orderBy: [${step}, ${step}]`, 'orderBy must have only one criterion'],
    [`order: ${step}, orderBy: [${step}]`, 'order cannot be combined with orderBy.'],
    [`order: ${step}, orderBy: []`, 'order cannot be combined with orderBy.'],
  ] as const) {
    const { errors, sent } = await ordered(args);
    expect(errors).toMatchObject([{ path: [list], extensions: { code: 'BAD_USER_INPUT' } }]);
    expect([errors[0]?.message, sent]).toEqual([expect.stringContaining(message), []]);
  }
});

// Text with half of a character, such as half an emoji, which strict parsers of JSON refuse whole.

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
