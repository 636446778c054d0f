import {
  buildSchema,
  getNamedType,
  GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  printSchema,
  validateSchema,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLType,
} from 'graphql';
import { expect, test } from 'vitest';
import { printedSchema, schema } from '../../src/schema/index.ts';
import { shareGraph } from '../support/graph.ts';

// The rules of two linters of schemas, under their names there, over a schema in memory. The linters themselves are not
// installed: @graphql-eslint needs ESLint and 250 packages more, for a project that has another linter, and
// graphql-schema-linter rests on versions of its packages that are no longer maintained.
//
// Two rules were decided against. strict-id-in-types: only what can be read again by its id has one; the rule would give
// an id to connections, payloads and parts of records, which caches would then mix up. relay-edge-types with
// listTypeCanWrapOnlyEdgeType: short lists that come whole with their record, such as the groups of an account, are lists,
// and connections have nodes beside edges.

/** What has a name and a description in a schema. */
interface Part {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
}

/** An element of a schema that a rule is about, and where it stands, such as `Account.groups` or `Query.node(id)`. */
interface Element extends Part {
  readonly kind: 'type' | 'field' | 'argument' | 'input field' | 'enum value' | 'directive';
  readonly path: string;
  /** The type of a field or an argument. */
  readonly type: string;
  /** The same without lists and exclamation marks. */
  readonly named: string;
}

const element = (
  kind: Element['kind'],
  path: string,
  { name, description, deprecationReason, type }: Part & { readonly type?: GraphQLType },
): Element => {
  const named = type ? getNamedType(type).name : '';
  return { kind, path, name, description, deprecationReason, type: type ? String(type) : '', named };
};

const ownTypes = (whole: GraphQLSchema): GraphQLNamedType[] =>
  Object.values(whole.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );

type Field = GraphQLField<unknown, unknown>;

const fieldsOf = (type: GraphQLNamedType | null | undefined): Field[] =>
  isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];

/** Every element of a schema that is its own. */
function elementsOf(whole: GraphQLSchema): Element[] {
  const directives = whole.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
  return [
    ...directives.map((directive) => element('directive', `@${directive.name}`, directive)),
    ...ownTypes(whole).flatMap((type) => {
      const path = (part: Part, end = '') => `${type.name}.${part.name}${end}`;
      const values = isEnumType(type) ? type.getValues() : [];
      const inputs = isInputObjectType(type) ? Object.values(type.getFields()) : [];
      return [
        element('type', type.name, type),
        ...values.map((value) => element('enum value', path(value), value)),
        ...inputs.map((input) => element('input field', path(input), input)),
        ...fieldsOf(type).flatMap((field) => [
          element('field', path(field), field),
          ...field.args.map((arg) => element('argument', path(field, `(${arg.name})`), arg)),
        ]),
      ];
    }),
  ];
}

/** Paths of what a rule finds wrong in a schema. */
type Rule = (whole: GraphQLSchema) => string[];

/** A rule about each element of some kinds. */
const each =
  (isWrong: (element: Element) => boolean, ...kinds: Element['kind'][]): Rule =>
  (whole) =>
    elementsOf(whole).flatMap((one) =>
      (kinds.length === 0 || kinds.includes(one.kind)) && isWrong(one) ? [one.path] : [],
    );

/** A rule about each field of each object and interface. */
const eachField =
  (isWrong: (field: Field, type: GraphQLNamedType, whole: GraphQLSchema) => boolean): Rule =>
  (whole) =>
    ownTypes(whole).flatMap((type) =>
      fieldsOf(type).flatMap((field) => (isWrong(field, type, whole) ? [`${type.name}.${field.name}`] : [])),
    );

const eachType =
  (isWrong: (type: GraphQLNamedType) => boolean): Rule =>
  (whole) =>
    ownTypes(whole).flatMap((type) => (isWrong(type) ? [type.name] : []));

/** A rule about each mutation. */
const eachMutation = (isWrong: (field: Field) => boolean): Rule =>
  eachField((field, type, whole) => type === whole.getMutationType() && isWrong(field));

/** True if a type has all of these fields, or a field all of these arguments, with types that match. */
function has(
  parts: readonly { readonly name: string; readonly type: unknown }[],
  wanted: Readonly<Record<string, RegExp>>,
) {
  const types = new Map(parts.map(({ name, type }) => [name, String(type)]));
  return Object.entries(wanted).every(([name, type]) => type.test(types.get(name) ?? ''));
}

/** A rule about the fields of each type with such a name. */
const eachNamed = (name: RegExp, wanted: Readonly<Record<string, RegExp>>): Rule =>
  eachType((type) => name.test(type.name) && !has(fieldsOf(type), wanted));

/** How a deprecation says since when, what to use, and until when at least it stays. */
const DEPRECATION = /^Since \d+\.\d+: .+ Stays until \d{4}-\d\d-\d\d at least\.$/;
const ROOT = /^(?:Query|Mutation|Subscription)$/;

/** The rules by the linters' names; what both have, or a test below says, stands here once. */
const RULES: Readonly<Record<string, Rule>> = {
  // @graphql-eslint, recommended for schemas
  'naming-convention': (whole) => [
    ...each(({ name }) => !/^[A-Z][A-Za-z\d]*$/.test(name), 'type')(whole),
    ...each(({ name }) => !/^[a-z][A-Za-z\d]*$/.test(name), 'field', 'argument', 'input field')(whole),
    ...each(({ name }) => !/^[A-Z][A-Z\d_]*$/.test(name), 'enum value')(whole),
    ...eachType((type) => {
      const kind = isEnumType(type) ? 'Enum' : isInterfaceType(type) ? 'Interface' : 'Type';
      return (isObjectType(type) || kind !== 'Type') && new RegExp(`^${kind}|${kind}$`).test(type.name);
    })(whole),
    ...eachField(({ name }, { name: root }) => {
      return ROOT.test(root) && new RegExp(`^(?:get[A-Z]|${root}|${root.toLowerCase()})|${root}$`).test(name);
    })(whole),
  ],
  'no-typename-prefix': eachField(({ name }, type) => name.toLowerCase().startsWith(type.name.toLowerCase())),
  'no-unreachable-types': (whole) => {
    const types = ownTypes(whole).filter((type) => isObjectType(type) && type.getInterfaces().length > 0);
    const { query, mutation, subscription } = whole.toConfig();
    const reached = new GraphQLSchema({ query, mutation, subscription, types }).getTypeMap();
    return eachType(({ name }) => !(name in reached))(whole);
  },
  // @graphql-eslint, relay
  'relay-arguments': eachField(
    ({ type, args }) =>
      getNamedType(type).name.endsWith('Connection') &&
      !has(args, { first: /^Int$/, after: /^String$/, last: /^Int$/, before: /^String$/ }),
  ),
  // A record in a list may be missing, so that nodes are nullable.
  'relay-connection-types': eachNamed(/Connection$/, {
    edges: /^\[\w+Edge!?\]!?$/,
    nodes: /^\[\w+\]!?$/,
    pageInfo: /^PageInfo!$/,
  }),
  'relay-edge-types': eachNamed(/Edge$/, { node: /^\w+$/, cursor: /^String!?$/ }),
  'relay-page-info': eachNamed(/^PageInfo$/, {
    hasNextPage: /^Boolean!$/,
    hasPreviousPage: /^Boolean!$/,
    startCursor: /^String$/,
    endCursor: /^String$/,
  }),
  // @graphql-eslint, of the others
  'input-name': eachMutation(
    ({ args }) => args.length > 0 && args.map(({ name }) => name).join() !== 'input',
  ),
  'no-scalar-result-type-on-mutation': eachMutation(({ type }) => isLeafType(getNamedType(type))),
  'require-deprecation-date': each(
    ({ deprecationReason: reason }) => reason != null && !DEPRECATION.test(reason),
  ),
  'require-field-of-type-query-in-mutation-result': eachMutation(
    ({ type }) => !has(fieldsOf(getNamedType(type)), { query: /^Query!$/ }),
  ),
  'require-nullable-result-in-root': eachField(
    ({ type }, { name }) => ROOT.test(name) && isNonNullType(type),
  ),
};

/** What was decided otherwise than a rule has it, and why. */
const DECIDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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
  enum ThingEnum { value }
  input OneInput { Value: Int! thing: ThingEnum }
`,
);

test.each(Object.entries(RULES))('the schema keeps to the rule %s', (name, rule) => {
  expect(rule(BAD).length, 'the rule finds what is wrong').toBeGreaterThan(0);
  expect(rule(schema).toSorted()).toEqual(Object.keys(DECIDED[name] ?? {}).toSorted());
});

test('what graphql can check of a schema, it accepts; the committed one is sorted, with descriptions in blocks', () => {
  expect(validateSchema(schema)).toEqual([]);
  const committed = buildSchema(printedSchema());
  expect(printedSchema().trim()).toBe(printSchema(lexicographicSortSchema(committed)).trim());
  expect(printedSchema()).not.toMatch(/^ *"[^"]/m);
});

test('a root is a type of its own: Mutation and Subscription stand nowhere else, Query in payloads only', () => {
  const leading = eachField(({ type }) => ROOT.test(getNamedType(type).name))(schema);
  expect(leading.length).toBeGreaterThan(10);
  expect(leading.filter((path) => !/^\w+Payload\.query$/.test(path))).toEqual([]);
});

const ELEMENTS = elementsOf(schema);
const FILLERS = new Set('a an the of its it this is which whether s in'.split(' '));

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

test('no element has a credential of a connected account, or a misspelling of the service', () => {
  const named = ELEMENTS.filter(({ name }) => /(?:page)?access_?token|access_?secret/i.test(name));
  // The access token of the service itself is what the caller asked for.
  expect(named.filter(({ path }) => !path.startsWith('ExchangeAuthorizationCode'))).toEqual([]);
  expect(printedSchema()).not.toMatch(/pralType|palnType|praposed|Audiance|formatedPost|Runing/);
});

// What the names and types of the graph promise to a client's cache and to its compiler.

const SLOTS = ELEMENTS.filter(({ type }) => type !== '');
const pathOf = ({ path, type }: Element): string => `${path}: ${type}`;
const fieldsIn = (owner: string): Element[] =>
  SLOTS.filter(({ kind, path, name }) => kind !== 'argument' && path === `${owner}.${name}`);

test('only nodes have a field id', () => {
  const node = schema.getType('Node');
  if (!isInterfaceType(node)) throw new Error('no Node');
  const nodes = ['Node', ...schema.getPossibleTypes(node).map(({ name }) => name)];
  const ids = SLOTS.filter(({ kind, name }) => name === 'id' && kind !== 'argument');
  expect(ids.map(pathOf).toSorted()).toEqual(nodes.map((name) => `${name}.id: ID!`).toSorted());
});

/** Where a name ends as those of ids do, and there is no id. */
const NO_IDS: Readonly<Record<string, string>> = {
  'Account.platformId': 'the number of a kind of account, not of a record',
  'AccountFilter.platformIds': 'the same',
  'FacebookCityInput.regionId': 'a number or a text, which the service tells apart',
};

const isCalledId = ({ name }: Element): boolean => /(?:^i|I)ds?$/.test(name);
const isId = ({ named }: Element): boolean => named === 'ID' || named === 'ServiceId';

test('what is called an id is an ID of this graph or a ServiceId, and nothing else is', () => {
  const wrong = SLOTS.filter((slot) => isCalledId(slot) !== isId(slot));
  expect(wrong.map(({ path }) => path).toSorted()).toEqual(Object.keys(NO_IDS).toSorted());
});

test('an id of one name is of one kind wherever it stands, in outputs and inputs', () => {
  const kinds = new Map<string, Set<string>>();
  for (const { name, named } of SLOTS.filter(isId)) {
    const one = name.replace(/s$/, '');
    kinds.set(one, (kinds.get(one) ?? new Set()).add(named));
  }
  expect([...kinds].filter(([, named]) => named.size > 1)).toEqual([]);
  const nodeIds = [...kinds].filter(([, named]) => named.has('ID')).map(([name]) => name);
  expect(nodeIds.toSorted()).toEqual([
    'accountGroupId',
    'accountId',
    'deletedAccountGroupId',
    'deletedAccountId',
    'id',
    'queuedPostId',
  ]);
});

test('what is called an address is a URL, and every URL is called one', () => {
  const wrong = SLOTS.filter(({ name, named }) => /(?:^u|U)r[il]s?$/.test(name) !== (named === 'URL'));
  expect(wrong.map(pathOf)).toEqual([]);
  expect(SLOTS.filter(({ name }) => /^(?:link|href|address|image|picture|avatar)$/.test(name))).toEqual([]);
});

test('every order is a list of steps of one form, or one step: a field of an enum, and a direction', () => {
  const orders = SLOTS.filter(({ name }) => name === 'orderBy' || name === 'order');
  expect(orders.length).toBeGreaterThan(6);
  for (const { name, type, named } of orders) expect(type).toBe(name === 'order' ? named : `[${named}!]`);
  for (const { named } of orders)
    expect(fieldsIn(named).map(pathOf).toSorted()).toEqual([
      `${named}.direction: OrderDirection`,
      `${named}.field: ${named}Field!`,
    ]);
});

/** An output and the inputs that are about the same; every field of an input is one of the output, if not told here. */
const PAIRS: readonly (readonly [output: string, input: string, others: string])[] = [
  ['Mention', 'MentionInput', ''],
  ['Place', 'PlaceInput', ''],
  ['TaggedPeople', 'TaggedPeopleInput', ''],
  [
    'Account',
    'AccountFilter',
    'accountGroupIds clientId healthStates multiFilter networks platformIds teamIds',
  ],
  ['AccountGroup', 'AccountGroupFilter', ''],
  [
    'QueuedPost',
    'QueuedPostFilter',
    'accountIds networks scheduledFrom scheduledFromLocal scheduledUntil scheduledUntilLocal',
  ],
  ['QueuedPost', 'PostingSlot', ''],
  ['QueuedPost', 'PostTimingInput', 'placement'],
  ['QueuedPost', 'StatusUpdateTimingInput', 'placement'],
  ['LibraryItem', 'LibraryItemFilter', 'text userId'],
  ['LibraryItem', 'CreateLibraryItemInput', 'activeTab idempotencyKey variants'],
  ['AiGeneration', 'GenerateAiTextInput', 'idempotencyKey'],
];

test.each(PAIRS)('what %s shows and %s takes has one name', (output, input, others) => {
  const shown = new Set(fieldsIn(output).map(({ name }) => name));
  const taken = fieldsIn(input).map(({ name }) => name);
  const beside = taken.filter((name) => !shown.has(name));
  expect(beside.toSorted().join(' ')).toBe(others);
});

test('the same part of a post has one name and one kind of value where it is shown and where it is written', () => {
  const shown = ['QueuedPost', 'LibraryContent'].flatMap(fieldsIn);
  const written = ['PostVariantInput', 'DraftVariantInput'].flatMap(fieldsIn);
  const both = written.flatMap((slot) =>
    shown.filter(({ name }) => name === slot.name).map((other) => [slot, other] as const),
  );
  expect(both.length).toBeGreaterThan(12);
  const differing = both.filter(([one, other]) => one.named.replace(/Input$/, '') !== other.named);
  // The library shows alternative texts in a shape that is not documented.
  const paths = differing.map(([, other]) => pathOf(other));
  expect(paths.filter((path) => !path.includes('altTexts'))).toEqual([]);
});

test('no two fields of a type differ in one letter', () => {
  const places = new Set(SLOTS.map(({ path }) => path.replace(')', '')));
  const close = SLOTS.filter(({ path }) => /s\)?$/.test(path) && places.has(path.replace(/s\)?$/, ''))).map(
    pathOf,
  );
  // Those that show, or act on, one record and those that do so with several are read as what they are.
  const lists = ['account', 'accountGroup', 'aiGeneration', 'libraryItem', 'node', 'queuedPost'];
  const known = [...lists, 'pauseAccount', 'resumeAccount'];
  expect(
    close
      .map((path) => path.replace(/^(?:Query|Mutation)\.(\w+)s: .*$/, '$1'))
      .filter((name) => !known.includes(name)),
  ).toEqual(['AccountHealthEvent.accounts: [ObservedAccount!]', 'MembershipPlan.features: [PlanFeature!]']);
});

const graph = shareGraph();

interface Named {
  readonly name: string;
}

test.each([
  ['Account', ['id'], ['adminData', 'extraData', 'extraParameters']],
  ['QueuedPost', ['id', 'postId', 'account', 'title', 'text', 'scheduledAtLocal'], ['spamData']],
  ['AccountConnection', ['nodes', 'edges', 'totalCount'], ['pageInfo']],
  ['CreatePostPayload', ['outcome', 'userErrors', 'replayed', 'postIds'], ['customResponse', 'query']],
  ['PlaceInput', ['name'], ['placeId']],
  ['AccountHealthState', ['DELETED'], ['UNKNOWN']],
  ['Query', [], ['node', 'nodes']],
  ['Mutation', ['createPost', 'createDraft'], ['exchangeAuthorizationCode']],
])('introspection lists the members of %s in order of importance', async (type, first, last) => {
  const { data } = await graph.query(
    `{ shown: __type(name: "${type}") { fields { name } inputFields { name } enumValues { name } } }`,
  );
  const { fields, inputFields, enumValues } = data.shown as Record<string, readonly Named[] | null>;
  const names = (fields ?? inputFields ?? enumValues ?? []).map(({ name }) => name);
  expect(names.slice(0, first.length)).toEqual(first);
  expect(names.slice(names.length - last.length)).toEqual(last);
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
