import { buildSchema, getNamedType, isObjectType, lexicographicSortSchema, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { printedSchema, schema } from '../../src/schema/index.ts';
import { elementsOf, RULES } from '../support/schema-rules.ts';
import { shareGraph } from '../support/shared-graph.ts';

/** What was decided otherwise than a rule has it, and why. */
const DECIDED: Readonly<Record<string, Readonly<Record<string, string>> | string>> = {
  'strict-id-in-types':
    'Only what can be read again by its id has one: the rule would give an id to connections, payloads and parts of records, which caches would then mix up.',
  'relay-edge-types (listTypeCanWrapOnlyEdgeType)':
    'Short lists that come whole with their record, such as the groups of an account, are lists, and connections have nodes beside edges.',
  'no-typename-prefix': {
    'Mention.mentionAccountId': 'accountId alone is the id of an Account everywhere',
    'Mention.mentionedId': 'the id of who is mentioned; id alone is a node’s',
    'Place.placeId': 'id alone is a node’s',
  },
  'require-nullable-result-in-root': {
    'Query.nodes': 'the Relay specification has it so; each element is nullable',
    'Query.viewer': 'is answered without asking anybody, and each of its fields fails alone',
    'Query.surfaces': 'is answered without asking anybody, and can’t fail',
  },
};

/** A schema in which every rule finds something. */
const BAD = buildSchema(
  `
  type Query { getIt(Arg: Int): String! items(first: Int): ItemConnection old: Int @deprecated(reason: "") }
  type Mutation { do(it: OneInput): Int make: Made }
  type Made { madeBy: [Made] }
  type ItemConnection { edges: Int }
  type ItemEdge { node: [Int] }
  type PageInfo { hasNextPage: Boolean }
  type lost { Wrong_Name: Int }
  "lower case" enum ThingEnum { value }
  input OneInput @oneOf { Value: Int! thing: ThingEnum }
`,
  { assumeValid: true },
);

test.each(Object.entries(RULES))('the schema keeps to the rule %s', (name, rule) => {
  expect(rule(BAD).length, 'the rule finds what is wrong').toBeGreaterThan(0);
  const found = rule(schema);
  const decided = DECIDED[name] ?? {};
  if (typeof decided === 'string') expect(found.length).toBeGreaterThan(0);
  else expect(found.toSorted()).toEqual(Object.keys(decided).toSorted());
});

test('what was decided otherwise is of a rule that there is, with a reason', () => {
  expect(Object.keys(DECIDED).filter((name) => !(name in RULES))).toEqual([]);
  const reasons = Object.values(DECIDED).flatMap((decided) =>
    typeof decided === 'string' ? [decided] : Object.values(decided),
  );
  expect(reasons.filter((reason) => reason.length < 20)).toEqual([]);
});

// Of @graphql-eslint: known-argument-names, known-directives, known-type-names, lone-schema-definition,
// possible-type-extension, provided-required-arguments and the seven unique-*, which graphql checks itself.
test('what graphql can check of a schema definition, it accepts', () => {
  expect(() => buildSchema(printedSchema())).not.toThrow();
  expect(() => buildSchema('type Query { a: Unknown }')).toThrow('Unknown type');
});

// Of @graphql-eslint: alphabetize and description-style; of graphql-schema-linter: the four that end in
// sorted-alphabetically.
test('the committed schema is sorted, with descriptions in blocks', () => {
  expect(printedSchema().trim()).toBe(
    printSchema(lexicographicSortSchema(buildSchema(printedSchema()))).trim(),
  );
  expect(printedSchema()).not.toMatch(/^ *"[^"]/m);
});

test('a root is a type of its own: Mutation and Subscription stand nowhere else, Query in payloads only', () => {
  const leading = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).flatMap((field) =>
          /^(?:Query|Mutation|Subscription)!?$/.test(String(field.type))
            ? [`${type.name}.${field.name}`]
            : [],
        )
      : [],
  );
  expect(leading.length).toBeGreaterThan(10);
  expect(leading.filter((path) => !/^\w+Payload\.query$/.test(path))).toEqual([]);
});

const ELEMENTS = elementsOf(schema);

const FILLERS = new Set(['a', 'an', 'the', 'of', 'its', 'it', 'this', 'is', 'which', 'whether', 's', 'in']);

function wordsOf(text: string): string[] {
  const words = text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? []).filter((word) => !FILLERS.has(word));
}

test('descriptions are sentences that say more than the name of their element', () => {
  expect(ELEMENTS.length).toBeGreaterThan(150);
  for (const { path, name, description } of ELEMENTS) {
    expect(description, path).toMatch(/^[A-Z`“].*[.!?)]$/s);
    expect(description, path).not.toMatch(/TODO|FIXME|\bundefined\b|\bGET \/|\/oauth\//);
    const ofName = new Set(wordsOf(name));
    const others = wordsOf(description ?? '').filter((word) => !ofName.has(word));
    expect(others, path).not.toEqual([]);
  }
});

test('each flag of the queue is described as a flag of its queue entry', () => {
  const flags = ELEMENTS.filter(({ path }) =>
    /^QueuedPost\.(?:is(?!UrlShortening)|needs|canMove|publishes)/.test(path),
  );
  expect(flags).toHaveLength(16);
  for (const { path, description } of flags)
    expect(description, path).toMatch(/^Whether the queue entry (?:is flagged|flags)\b/);
});

test('a record in a list may be missing: nodes of connections are nullable', () => {
  const connections = Object.values(schema.getTypeMap()).filter(({ name }) => name.endsWith('Connection'));
  expect(connections.length).toBeGreaterThan(4);
  for (const type of connections) {
    const { nodes, edges } = isObjectType(type) ? type.getFields() : {};
    expect(String(nodes?.type), type.name).toMatch(/^\[\w+\]!?$/);
    const edge = edges && getNamedType(edges.type);
    expect(isObjectType(edge) && String(edge.getFields()['node']?.type)).toMatch(/^\w+$/);
  }
});

test('no element has a credential of a connected account, or a misspelling of the service', () => {
  const named = ELEMENTS.filter(({ name }) => /(?:page)?access_?token|access_?secret/i.test(name));
  // The access token of the service itself is what the caller asked for.
  expect(named.filter(({ path }) => !path.startsWith('ExchangeAuthorizationCode'))).toEqual([]);
  expect(printedSchema()).not.toMatch(/pralType|palnType|praposed|Audiance|formatedPost|Runing/);
});

const graph = shareGraph();

interface Named {
  readonly name: string;
}

/** The names of a type's members, as introspection lists them. */
async function membersOf(type: string): Promise<string[]> {
  const { data } = await graph.query(
    `{ shown: __type(name: "${type}") { fields { name } inputFields { name } enumValues { name } } }`,
  );
  const { fields, inputFields, enumValues } = data.shown as Record<string, readonly Named[] | null>;
  return (fields ?? inputFields ?? enumValues ?? []).map(({ name }) => name);
}

test.each([
  ['Account', ['id'], ['adminData', 'extraData', 'extraParameters']],
  ['QueuedPost', ['id', 'postId', 'account', 'title', 'text', 'scheduledAtLocal'], ['spamData']],
  ['AccountConnection', ['nodes', 'edges', 'totalCount'], ['pageInfo']],
  ['WritePayload', ['outcome', 'userErrors'], ['query']],
  ['CreatePostPayload', ['outcome', 'userErrors', 'replayed', 'postIds'], ['customResponse', 'query']],
  ['PlaceInput', ['name'], ['placeId']],
  ['Weekday', ['MONDAY', 'TUESDAY'], ['SATURDAY', 'SUNDAY']],
  ['WriteOutcome', ['COMPLETED', 'PARTIAL', 'REJECTED', 'UNKNOWN'], []],
  ['AccountHealthState', ['DELETED'], ['UNKNOWN']],
  ['Query', [], ['node', 'nodes']],
  ['Mutation', ['createPost', 'createDraft'], ['exchangeAuthorizationCode']],
  ['Subscription', ['queueChanged', 'accountHealthChanged'], ['aiGenerationFinished']],
])('introspection lists the members of %s in order of importance', async (type, first, last) => {
  const names = await membersOf(type);
  expect(names.slice(0, first.length)).toEqual(first);
  expect(names.slice(names.length - last.length)).toEqual(last);
});

test.each([
  ['Account', ['displayName', 'network', 'health', 'isPaused', 'loginId', 'avatarUrl', 'pageId']],
  ['Query', ['surfaces', 'accounts', 'account', 'node']],
])('introspection lists some members of %s before others: %j', async (type, some) => {
  const names = await membersOf(type);
  expect(names.filter((name) => some.includes(name))).toEqual(some);
});

test('introspection lists types by name, and the filter of a list before its window', async () => {
  const { data } = await graph.query(
    '{ shown: __schema { types { name } queryType { fields { name args { name } } } } }',
  );
  const names = (data.shown.types as Named[]).map(({ name }) => name);
  expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other)));
  const fields = data.shown.queryType.fields as (Named & { readonly args: readonly Named[] })[];
  const args = fields.find(({ name }) => name === 'accounts')?.args.map(({ name }) => name);
  expect(args).toEqual(['filter', 'orderBy', 'surface', 'first', 'after', 'last', 'before']);
});
