import {
  isObjectType,
  type GraphQLField,
  type GraphQLSchema,
  GraphQLError,
  isEnumType,
  isIntrospectionType,
  type GraphQLEnumType,
  isInputObjectType,
  isInterfaceType,
} from 'graphql';
import { HALF_A_CHARACTER } from '../writes/problems.ts';
import { InputError } from './errors.ts';

/**
 * Makes every field with arguments refuse text that JSON can't carry, before it is sent. The problems of an `input` are
 * reported with those of its other contents.
 */
export function refuseBrokenText(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields()))
      if (field.args.some(({ name }) => name !== 'input')) refuseIn(field);
  }
  return schema;
}

type Field = GraphQLField<unknown, unknown, Readonly<Record<string, unknown>>>;

function refuseIn(field: Field): void {
  const { resolve, subscribe } = field;
  if (subscribe)
    field.subscribe = (source, args, context, info) => {
      check(args);
      return subscribe(source, args, context, info);
    };
  else if (resolve)
    field.resolve = (source, args, context, info) => {
      check(args);
      return resolve(source, args, context, info);
    };
}

function check({ input: _input, ...args }: Readonly<Record<string, unknown>>): void {
  const place = brokenTextIn(args);
  if (place !== null) throw new InputError(`${place} ${HALF_A_CHARACTER}`);
}

/** Returns the place of the first text with a lone surrogate, such as `filter.text`; null if there is none. */
function brokenTextIn(value: unknown, place = ''): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : place;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, child] of Object.entries(value)) {
    const found = brokenTextIn(child, place === '' ? name : `${place}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

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

// The order in which introspection, and so the docs panel, completion and the reference, show the graph.

/** What leads a type and what ends it, whatever the order of declaration. */
interface Ends {
  readonly first: readonly string[];
  readonly last: readonly string[];
}

const FIELDS: Ends = { first: ['id', 'nodes'], last: ['pageInfo', 'query'] };
const QUERY_FIELDS: Ends = { first: ['viewer', 'surfaces', 'accounts', 'account'], last: ['node', 'nodes'] };
const ARGUMENTS: Ends = { first: [], last: ['first', 'after', 'last', 'before'] };

/**
 * Sorts types by name, and leaves their members in the order of declaration, except that fields which the service does
 * not document follow the others, and that some names always lead or end a type.
 */
export function orderMembers(schema: GraphQLSchema): GraphQLSchema {
  const types = schema.getTypeMap();
  for (const type of Object.values(types)) {
    if (isInputObjectType(type)) reorder(type.getFields(), inOrder(Object.values(type.getFields()), FIELDS));
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const fields = Object.values(type.getFields());
    reorder(type.getFields(), inOrder(fields, type === schema.getQueryType() ? QUERY_FIELDS : FIELDS));
    for (const field of fields) field.args = inOrder(field.args, ARGUMENTS);
  }
  reorder(
    types,
    Object.values(types).toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1)),
  );
  return schema;
}

// Loading the rules of a language, for `localeCompare`, would take a twentieth of the start.
const sortKey = ({ name }: { readonly name: string }): string => name.toLowerCase();

interface Member {
  readonly name: string;
  readonly description?: string | null | undefined;
}

function inOrder<T extends Member>(members: readonly T[], ends: Ends): T[] {
  return members.toSorted((one, other) => rankOf(one, ends) - rankOf(other, ends));
}

function rankOf({ name, description }: Member, { first, last }: Ends): number {
  if (first.includes(name)) return first.indexOf(name) - first.length;
  if (last.includes(name)) return 2 + last.indexOf(name);
  return description?.endsWith('Undocumented by the service.') === true ? 1 : 0;
}

function reorder<T extends Member>(byName: Record<string, T>, ordered: readonly T[]): void {
  for (const { name } of ordered) delete byName[name];
  for (const member of ordered) byName[member.name] = member;
}
