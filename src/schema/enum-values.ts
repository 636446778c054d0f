import {
  GraphQLError,
  isEnumType,
  isIntrospectionType,
  type GraphQLEnumType,
  type GraphQLSchema,
} from 'graphql';

/** An enum with more values is told without them. */
const MOST_TOLD = 12;

/**
 * Lets the enums of a schema answer a value that is none of theirs with those that they have, where graphql has no better
 * idea of what was meant; never to a caller from whom the schema is hidden.
 */
export function tellEnumValues(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isEnumType(type) && !isIntrospectionType(type) && type.getValues().length <= MOST_TOLD) tell(type);
  }
  return schema;
}

function tell(type: GraphQLEnumType): void {
  const names = type.getValues().map(({ name }) => name);
  const hint = ` One of ${names.join(', ')}.`;
  const [parseValue, parseLiteral] = [type.parseValue.bind(type), type.parseLiteral.bind(type)];
  type.parseValue = (value, hides) => withHint(hides === true ? '' : hint, () => parseValue(value, hides));
  type.parseLiteral = (node, variables, hides) =>
    withHint(hides === true ? '' : hint, () => parseLiteral(node, variables, hides));
}

function withHint<T>(hint: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof GraphQLError) || error.message.includes('Did you mean')) throw error;
    throw new GraphQLError(error.message + hint, { nodes: error.nodes ?? null });
  }
}
