import {
  getNamedType,
  getNullableType,
  GraphQLID,
  isInputObjectType,
  isListType,
  type GraphQLArgument,
  type GraphQLInputType,
} from 'graphql';

/** The size of an operation's arguments, counted at every use of a variable. */
export interface ArgumentSize {
  /** List elements, input object fields and the arguments themselves; a long string counts as several values. */
  values: number;
  /** Elements of lists of ids. */
  ids: number;
  /** Length of the longest argument that is a list of ids. */
  longestIdList: number;
}

/** Adds the size of one field's arguments to that of the operation. */
export function addArguments(
  size: ArgumentSize,
  declared: readonly GraphQLArgument[],
  given: Readonly<Record<string, unknown>>,
): void {
  for (const { name, type } of declared) {
    const value = given[name];
    if (value === undefined) continue;
    if (Array.isArray(value) && getNamedType(type) === GraphQLID)
      size.longestIdList = Math.max(size.longestIdList, value.length);
    addValue(size, type, value);
  }
}

/** Text of this length takes about as long as another value: it is copied, searched, hashed and sent. */
const CHARS_PER_VALUE = 100;

function weightOf(value: unknown): number {
  return typeof value === 'string' ? 1 + Math.floor(value.length / CHARS_PER_VALUE) : 1;
}

function addValue(size: ArgumentSize, declared: GraphQLInputType, value: unknown): void {
  size.values += weightOf(value);
  if (typeof value !== 'object' || value === null) return;
  const type = getNullableType(declared);
  if (isListType(type)) addList(size, type.ofType, value as readonly unknown[]);
  else if (isInputObjectType(type)) addFields(size, Object.values(type.getFields()), value);
  else addUntyped(size, value);
}

// The contents of a scalar such as JSON.
function addUntyped(size: ArgumentSize, value: unknown): void {
  size.values += weightOf(value);
  if (typeof value !== 'object' || value === null) return;
  for (const child of Object.values(value)) addUntyped(size, child);
}

function addList(size: ArgumentSize, type: GraphQLInputType, values: readonly unknown[]): void {
  if (getNamedType(type) === GraphQLID) size.ids += values.length;
  for (const value of values) addValue(size, type, value);
}

function addFields(
  size: ArgumentSize,
  fields: readonly { readonly name: string; readonly type: GraphQLInputType }[],
  object: object,
): void {
  for (const { name, type } of fields) {
    const value = (object as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) addValue(size, type, value);
  }
}
