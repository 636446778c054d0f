import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';

// The rules of two linters of schemas, under their names there, over a schema in memory. The linters themselves are not
// installed: @graphql-eslint needs ESLint and 250 packages more, for a project that has another linter, and
// graphql-schema-linter rests on versions of its packages that are no longer maintained.

/** An element of a schema that a rule is about. */
export interface Element {
  readonly kind: 'type' | 'field' | 'argument' | 'input field' | 'enum value' | 'directive';
  /** Where it stands, such as `Account.groups` or `Query.node(id)`. */
  readonly path: string;
  readonly name: string;
  readonly description: string | null | undefined;
  readonly deprecationReason: string | null | undefined;
}

type Parts = readonly Pick<Element, 'name' | 'description' | 'deprecationReason'>[];

/** Every element of a schema that is its own. */
export function elementsOf(schema: GraphQLSchema): Element[] {
  const directives = schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
  return [
    ...ownTypes(schema).flatMap((type) => [...within('type', '', [undeprecated(type)]), ...partsOf(type)]),
    ...within('directive', '@', directives.map(undeprecated)),
  ];
}

const undeprecated = ({ name, description }: Pick<Element, 'name' | 'description'>) => ({
  name,
  description,
  deprecationReason: null,
});

function ownTypes(schema: GraphQLSchema): GraphQLNamedType[] {
  return Object.values(schema.getTypeMap()).filter(
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
export type Rule = (schema: GraphQLSchema) => string[];

/** A rule about each element by itself. */
function each(isWrong: (element: Element) => boolean, ...kinds: Element['kind'][]): Rule {
  return (schema) =>
    elementsOf(schema)
      .filter((element) => (kinds.length === 0 || kinds.includes(element.kind)) && isWrong(element))
      .map(({ path }) => path);
}

/** A rule about each field of each object and interface. */
function eachField(isWrong: (field: Field, type: GraphQLNamedType, schema: GraphQLSchema) => boolean): Rule {
  return (schema) =>
    ownTypes(schema).flatMap((type) =>
      fieldsOf(type)
        .filter((field) => isWrong(field, type, schema))
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

const eachType = (isWrong: (type: GraphQLNamedType, schema: GraphQLSchema) => boolean): Rule => {
  return (schema) => ownTypes(schema).flatMap((type) => (isWrong(type, schema) ? [type.name] : []));
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

const pageInfo: Rule = (schema) =>
  Object.entries(PAGE_INFO)
    .filter(([name, type]) => typeOf(schema.getType('PageInfo'), name) !== type)
    .map(([name]) => `PageInfo.${name}`);

/** Types that no root leads to. */
const unreachable: Rule = (schema) => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
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
    if (isInterfaceType(type)) schema.getPossibleTypes(type).forEach(visit);
    if (isObjectType(type)) type.getInterfaces().forEach(visit);
  };
  for (const root of roots) if (root) visit(root);
  return ownTypes(schema).flatMap((type) => (seen.has(type) ? [] : [type.name]));
};

const isMutation: (type: GraphQLNamedType, schema: GraphQLSchema) => boolean = (type, schema) =>
  type === schema.getMutationType();

const camel = each(({ name }) => !/^[a-z][A-Za-z\d]*$/.test(name), 'field', 'argument', 'input field');
const undescribed = each(isBare);

/** The rules by the linters' names; where both have the same, it stands here once for each. */
export const RULES: Readonly<Record<string, Rule>> = {
  // @graphql-eslint, recommended for schemas
  'naming-convention': (schema) => [
    ...each(({ name }) => !/^[A-Z][A-Za-z\d]*$/.test(name), 'type')(schema),
    ...eachType((type) => {
      const kind = isEnumType(type) ? 'Enum' : isInterfaceType(type) ? 'Interface' : 'Type';
      const isNamed = type.name.startsWith(kind) || type.name.endsWith(kind);
      return isNamed && (kind !== 'Type' || isObjectType(type));
    })(schema),
    ...camel(schema),
    ...each(({ name }) => !/^[A-Z][A-Z\d_]*$/.test(name), 'enum value')(schema),
    ...eachField(({ name }, { name: root }) => {
      if (!/^(?:Query|Mutation|Subscription)$/.test(root)) return false;
      return new RegExp(`^(?:get[A-Z]|${root}|${root.toLowerCase()})|${root}$`).test(name);
    })(schema),
  ],
  'no-hashtag-description': undescribed,
  'no-typename-prefix': eachField(({ name }, type) => name.toLowerCase().startsWith(type.name.toLowerCase())),
  'no-unreachable-types': unreachable,
  'require-deprecation-reason': each(isBadReason),
  'require-description': undescribed,
  'strict-id-in-types': eachType((type, schema) => {
    const isRoot = /^(?:Query|Mutation|Subscription)$/.test(type.name) || type === schema.getQueryType();
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
  'input-name': eachField(({ args }, type, schema) => {
    return isMutation(type, schema) && args.length > 0 && args.map(({ name }) => name).join() !== 'input';
  }),
  'no-scalar-result-type-on-mutation': eachField(({ type: result }, type, schema) => {
    return isMutation(type, schema) && isLeafType(getNamedType(result));
  }),
  'require-deprecation-date': each(
    ({ deprecationReason: reason }) => reason != null && !DEPRECATION.test(reason),
  ),
  'require-field-of-type-query-in-mutation-result': eachField(({ type: result }, type, schema) => {
    return isMutation(type, schema) && typeOf(getNamedType(result), 'query') !== 'Query!';
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
  // graphql-schema-linter
  'arguments-have-descriptions': each(isBare, 'argument'),
  'defined-types-are-used': unreachable,
  'deprecations-have-a-reason': each(isBadReason),
  'descriptions-are-capitalized': each(({ description }) => /^\s*[a-z]/.test(description ?? '')),
  'enum-values-all-caps': each(({ name }) => name !== name.toUpperCase(), 'enum value'),
  'enum-values-have-descriptions': each(isBare, 'enum value'),
  'fields-are-camel-cased': camel,
  'fields-have-descriptions': each(isBare, 'field'),
  'input-object-values-are-camel-cased': each(({ name }) => !/^[a-z][A-Za-z\d]*$/.test(name), 'input field'),
  'input-object-values-have-descriptions': each(isBare, 'input field'),
  'relay-connection-arguments-spec': eachField(isWithoutWindow),
  'relay-connection-types-spec': eachType((type) => isConnection(type) && isNoConnection(type)),
  'relay-page-info-spec': pageInfo,
  'types-are-capitalized': each(({ name }) => !/^[A-Z]/.test(name), 'type'),
  'types-have-descriptions': each(isBare, 'type'),
};
