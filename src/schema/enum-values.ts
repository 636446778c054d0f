import {
  GraphQLError,
  isEnumType,
  isIntrospectionType,
  type GraphQLEnumType,
  type GraphQLSchema,
} from 'graphql';

/** Values of larger enums are not listed. */
const MOST_TOLD = 12;

/**
 * Makes the enums of a schema list their values when they reject one, unless graphql has a better suggestion. Callers
 * from whom the schema is hidden never see the list.
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
