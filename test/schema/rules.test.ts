import {
  buildSchema,
  getNamedType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { expect, test } from 'vitest';
import { printedSchema, schema } from '../../src/schema/index.ts';
import { shareGraph } from '../support/graph.ts';

// The rules of two linters of schemas, under their names there, over a schema in memory. The linters themselves are not
// installed: @graphql-eslint needs ESLint and 250 packages more, for a project that has another linter, and
// graphql-schema-linter rests on versions of its packages that are no longer maintained.

/** An element of a schema that a rule is about. */
interface Element {
  readonly kind: 'type' | 'field' | 'argument' | 'input field' | 'enum value' | 'directive';
  /** Where it stands, such as `Account.groups` or `Query.node(id)`. */
  readonly path: string;
  readonly name: string;
  readonly description: string | null | undefined;
  readonly deprecationReason: string | null | undefined;
}

type Parts = readonly Pick<Element, 'name' | 'description' | 'deprecationReason'>[];

/** Every element of a schema that is its own. */
function elementsOf(whole: GraphQLSchema): Element[] {
  const directives = whole.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
  return [
    ...ownTypes(whole).flatMap((type) => [...within('type', '', [undeprecated(type)]), ...partsOf(type)]),
    ...within('directive', '@', directives.map(undeprecated)),
  ];
}

const undeprecated = ({ name, description }: Pick<Element, 'name' | 'description'>) => ({
  name,
  description,
  deprecationReason: null,
});

function ownTypes(whole: GraphQLSchema): GraphQLNamedType[] {
  return Object.values(whole.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
}

function within(kind: Element['kind'], owner: string, parts: Parts, end = ''): Element[] {
  return parts.map(({ name, description, deprecationReason }) => {
    return { kind, path: `${owner}${name}${end}`, name, description, deprecationReason };
  });
}

function partsOf(type: GraphQLNamedType): Element[] {
  const owner = `${type.name}.`;
  if (isEnumType(type)) return within('enum value', owner, type.getValues());
  if (isInputObjectType(type)) return within('input field', owner, Object.values(type.getFields()));
  return fieldsOf(type).flatMap((field) => [
    ...within('field', owner, [field]),
    ...within('argument', `${owner}${field.name}(`, field.args, ')'),
  ]);
}

type Field = GraphQLField<unknown, unknown>;

function fieldsOf(type: GraphQLNamedType | undefined): Field[] {
  return isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
}

/** Paths of what a rule finds wrong in a schema. */
type Rule = (whole: GraphQLSchema) => string[];

/** A rule about each element by itself. */
function each(isWrong: (element: Element) => boolean, ...kinds: Element['kind'][]): Rule {
  return (whole) =>
    elementsOf(whole)
      .filter((element) => (kinds.length === 0 || kinds.includes(element.kind)) && isWrong(element))
      .map(({ path }) => path);
}

/** A rule about each field of each object and interface. */
function eachField(isWrong: (field: Field, type: GraphQLNamedType, whole: GraphQLSchema) => boolean): Rule {
  return (whole) =>
    ownTypes(whole).flatMap((type) =>
      fieldsOf(type)
        .filter((field) => isWrong(field, type, whole))
        .map(({ name }) => `${type.name}.${name}`),
    );
}

const isBare = ({ description }: Element): boolean => !description?.trim();
const isBadReason = ({ deprecationReason: reason }: Element): boolean =>
  reason != null && (reason.trim() === '' || reason === 'No longer supported');

/** How a deprecation says since when, what to use, and until when at least it stays. */
const DEPRECATION = /^Since \d+\.\d+: .+ Stays until \d{4}-\d\d-\d\d at least\.$/;

const isConnection = (type: GraphQLNamedType): boolean => type.name.endsWith('Connection');
const typeOf = (type: GraphQLNamedType | undefined, name: string): string =>
  String(fieldsOf(type).find((field) => field.name === name)?.type);

function isNoConnection(type: GraphQLNamedType): boolean {
  const edges = fieldsOf(type).find(({ name }) => name === 'edges')?.type;
  const list = isNonNullType(edges) ? edges.ofType : edges;
  return !isObjectType(type) || !isListType(list) || typeOf(type, 'pageInfo') !== 'PageInfo!';
}

function isNoEdge(type: GraphQLNamedType): boolean {
  const node = fieldsOf(type).find(({ name }) => name === 'node')?.type;
  const cursor = typeOf(type, 'cursor');
  return !node || isListType(isNonNullType(node) ? node.ofType : node) || !/^String!?$/.test(cursor);
}

const eachType = (isWrong: (type: GraphQLNamedType, whole: GraphQLSchema) => boolean): Rule => {
  return (whole) => ownTypes(whole).flatMap((type) => (isWrong(type, whole) ? [type.name] : []));
};

const isPaged = ({ type }: Field): boolean => isConnection(getNamedType(type));
const takes = ({ args }: Field, name: string, type: string): boolean =>
  args.some((arg) => arg.name === name && String(arg.type) === type);

function isWithoutWindow(field: Field): boolean {
  if (!isPaged(field)) return false;
  return !(
    takes(field, 'first', 'Int') &&
    takes(field, 'after', 'String') &&
    takes(field, 'last', 'Int') &&
    takes(field, 'before', 'String')
  );
}

const PAGE_INFO = {
  hasNextPage: 'Boolean!',
  hasPreviousPage: 'Boolean!',
  startCursor: 'String',
  endCursor: 'String',
};

const pageInfo: Rule = (whole) =>
  Object.entries(PAGE_INFO)
    .filter(([name, type]) => typeOf(whole.getType('PageInfo'), name) !== type)
    .map(([name]) => `PageInfo.${name}`);

/** Types that no root leads to. */
const unreachable: Rule = (whole) => {
  const roots = [whole.getQueryType(), whole.getMutationType(), whole.getSubscriptionType()];
  const seen = new Set<GraphQLNamedType>();
  const visit = (type: GraphQLNamedType): void => {
    if (seen.has(type)) return;
    seen.add(type);
    for (const { type: result, args } of fieldsOf(type)) {
      visit(getNamedType(result));
      for (const arg of args) visit(getNamedType(arg.type));
    }
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) visit(getNamedType(field.type));
    if (isInterfaceType(type)) whole.getPossibleTypes(type).forEach(visit);
    if (isObjectType(type)) type.getInterfaces().forEach(visit);
  };
  for (const root of roots) if (root) visit(root);
  return ownTypes(whole).flatMap((type) => (seen.has(type) ? [] : [type.name]));
};

const isMutation: (type: GraphQLNamedType, whole: GraphQLSchema) => boolean = (type, whole) =>
  type === whole.getMutationType();

const camel = each(({ name }) => !/^[a-z][A-Za-z\d]*$/.test(name), 'field', 'argument', 'input field');

/** The rules by the linters' names; what both have stands here once. */
const RULES: Readonly<Record<string, Rule>> = {
  // @graphql-eslint, recommended for schemas
  'naming-convention': (whole) => [
    ...each(({ name }) => !/^[A-Z][A-Za-z\d]*$/.test(name), 'type')(whole),
    ...eachType((type) => {
      const kind = isEnumType(type) ? 'Enum' : isInterfaceType(type) ? 'Interface' : 'Type';
      const isNamed = type.name.startsWith(kind) || type.name.endsWith(kind);
      return isNamed && (kind !== 'Type' || isObjectType(type));
    })(whole),
    ...camel(whole),
    ...each(({ name }) => !/^[A-Z][A-Z\d_]*$/.test(name), 'enum value')(whole),
    ...eachField(({ name }, { name: root }) => {
      if (!/^(?:Query|Mutation|Subscription)$/.test(root)) return false;
      return new RegExp(`^(?:get[A-Z]|${root}|${root.toLowerCase()})|${root}$`).test(name);
    })(whole),
  ],
  'no-typename-prefix': eachField(({ name }, type) => name.toLowerCase().startsWith(type.name.toLowerCase())),
  'no-unreachable-types': unreachable,
  'require-deprecation-reason': each(isBadReason),
  'require-description': each(isBare),
  'strict-id-in-types': eachType((type, whole) => {
    const isRoot = /^(?:Query|Mutation|Subscription)$/.test(type.name) || type === whole.getQueryType();
    return isObjectType(type) && !isRoot && typeOf(type, 'id') !== 'ID!';
  }),
  // @graphql-eslint, relay
  'relay-arguments': eachField(isWithoutWindow),
  'relay-connection-types': eachType((type) => isConnection(type) && isNoConnection(type)),
  'relay-edge-types': eachType((type) => type.name.endsWith('Edge') && isNoEdge(type)),
  'relay-edge-types (listTypeCanWrapOnlyEdgeType)': eachField(({ type }) => {
    const list = isNonNullType(type) ? type.ofType : type;
    return isListType(list) && !getNamedType(list).name.endsWith('Edge') && !isLeafType(getNamedType(list));
  }),
  'relay-page-info': pageInfo,
  // @graphql-eslint, of the others
  'input-name': eachField(({ args }, type, whole) => {
    return isMutation(type, whole) && args.length > 0 && args.map(({ name }) => name).join() !== 'input';
  }),
  'no-scalar-result-type-on-mutation': eachField(({ type: result }, type, whole) => {
    return isMutation(type, whole) && isLeafType(getNamedType(result));
  }),
  'require-deprecation-date': each(
    ({ deprecationReason: reason }) => reason != null && !DEPRECATION.test(reason),
  ),
  'require-field-of-type-query-in-mutation-result': eachField(({ type: result }, type, whole) => {
    return isMutation(type, whole) && typeOf(getNamedType(result), 'query') !== 'Query!';
  }),
  'require-nullable-fields-with-oneof': eachType(
    (type) =>
      isInputObjectType(type) &&
      type.isOneOf &&
      Object.values(type.getFields()).some((field) => isNonNullType(field.type)),
  ),
  'require-nullable-result-in-root': eachField(({ type: result }, { name }) => {
    return /^(?:Query|Mutation|Subscription)$/.test(name) && isNonNullType(result);
  }),
  // graphql-schema-linter; its other rules say what those above say already
  'descriptions-are-capitalized': each(({ description }) => /^\s*[a-z]/.test(description ?? '')),
};

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
