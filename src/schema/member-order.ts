import { isInputObjectType, isInterfaceType, isObjectType, type GraphQLSchema } from 'graphql';

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
    Object.values(types).toSorted((one, other) => one.name.localeCompare(other.name)),
  );
  return schema;
}

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
