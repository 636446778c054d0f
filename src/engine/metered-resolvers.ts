import {
  defaultFieldResolver,
  getNamedType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
} from 'graphql';
import { ABANDONED, type ResultBudget } from './result-budget.ts';

/** What a resolver finds in its context to count with. */
interface Metered {
  readonly budget: ResultBudget;
}

/**
 * Makes every resolver of a schema count its field, and its error if it has one, in the budget of the operation. Once
 * the budget is exceeded, the remaining fields are null at once: the executor cannot be stopped, and the result is
 * discarded.
 */
export function meterResolvers(schema: GraphQLSchema): GraphQLSchema {
  const streams = schema.getSubscriptionType();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) field.resolve = metered(field, type === streams);
  }
  return schema;
}

/** What fields count as that take much more time than others, measured: to read a window, and to sign a cursor. */
const CONNECTION_WEIGHT = 10;
const CURSOR_WEIGHT = 4;
/** What a field counts in addition if it waits for its value. */
const WAITING_WEIGHT = 1;

function weightOf({ name, type }: GraphQLField<unknown, unknown>): number {
  const inner = getNamedType(type);
  if (isObjectType(inner) && 'edges' in inner.getFields()) return CONNECTION_WEIGHT;
  return /cursor$/i.test(name) ? CURSOR_WEIGHT : 1;
}

function metered(
  field: GraphQLField<unknown, unknown>,
  startsResult: boolean,
): GraphQLFieldResolver<unknown, unknown> {
  const { resolve = defaultFieldResolver } = field;
  const isRequired = isNonNullType(field.type);
  const weight = weightOf(field);
  return (source, args, context, info) => {
    const { budget } = context as Metered;
    if (startsResult) budget.reset();
    if (!budget.takeField(weight)) {
      if (isRequired) throw ABANDONED;
      return null;
    }
    try {
      return counted(budget, resolve(source, args, context, info));
    } catch (error) {
      throw budget.takeError(error);
    }
  };
}

// An error may also be the value itself: it then stands in the place of a record.
function counted(budget: ResultBudget, value: unknown): unknown {
  if (value instanceof Promise) {
    budget.takeField(WAITING_WEIGHT);
    return value.catch((error: unknown) => {
      throw budget.takeError(error);
    });
  }
  if (value instanceof Error) throw value;
  return value;
}
