import { getNamedType, getNullableType, isInterfaceType, isListType, isObjectType } from 'graphql';
import { schema } from '../../src/schema/index.ts';

/**
 * The selection that reads the given places of a record, such as `account.platformCode` or `mentions.0.name`: dotted
 * names of fields, with an index or a key after each list. Entries of maps are read with their keys.
 */
export function selectionOf(type: string, paths: readonly string[]): string {
  const keys = 'key' in fieldsOf(type) ? ['key'] : [];
  const names = [...new Set([...keys, ...paths.map((path) => path.split('.')[0] ?? '')])];
  return names
    .map((name) => {
      const inner = paths
        .filter((path) => path.startsWith(`${name}.`))
        .map((path) => afterSelector(type, path));
      return inner.length === 0 ? name : `${name} { ${selectionOf(typeOfField(type, name), inner)} }`;
    })
    .join(' ');
}

/** Fields that are selected in their own way: lists of other records, and what needs an argument. */
const OWN_WAYS: Readonly<Record<string, string>> = {
  'Account.queuedPosts': 'queuedPosts { totalCount nodes { id } }',
  'AccountGroup.queuedPosts': 'queuedPosts { totalCount nodes { id } }',
  'Account.nextFreeSlots': 'nextFreeSlots(afterLocal:"2030-01-01T00:00") { scheduledAtLocal scheduledAt }',
  // Left out: below a list of accounts it may cost more calls than an operation has, and it shows what accounts do.
  'AccountGroup.nextFreeSlots': '__typename',
};

/**
 * Every field of a type, down to its leaves; of a type that it lies in already, and of the lists of other records, only
 * the id, so that the selection ends.
 */
export function wholeSelection(type: string, within: readonly string[] = []): string {
  return Object.values(fieldsOf(type))
    .map((field) => {
      const own = OWN_WAYS[`${type}.${field.name}`];
      if (own !== undefined) return own;
      const inner = getNamedType(field.type).name;
      const args = field.args.some(({ name }) => name === 'key') ? '(key: "Team Members")' : '';
      if (!isObjectType(schema.getType(inner))) return field.name + args;
      const isTooDeep = [type, ...within].includes(inner) || within.length > 4;
      return isTooDeep
        ? `${field.name} { __typename }`
        : `${field.name}${args} { ${wholeSelection(inner, [...within, type])} }`;
    })
    .join(' ');
}

/** The field that a place of a record names, as `Type.field`; throws for a field that is not in the graph. */
export function fieldAt(type: string, path: string): string {
  const [name = ''] = path.split('.');
  const inner = typeOfField(type, name);
  const rest = path === name ? '' : afterSelector(type, path);
  return rest === '' ? `${type}.${name}` : fieldAt(inner, rest);
}

// What stands behind the first field of a path, without the index or key that follows a list.
function afterSelector(type: string, path: string): string {
  const [name = '', ...rest] = path.split('.');
  return rest.slice(isListType(getNullableType(fieldOf(type, name).type)) ? 1 : 0).join('.');
}

function typeOfField(type: string, name: string): string {
  return getNamedType(fieldOf(type, name).type).name;
}

function fieldOf(type: string, name: string) {
  const field = fieldsOf(type)[name];
  if (!field) throw new Error(`the graph has no ${type}.${name}`);
  return field;
}

function fieldsOf(type: string) {
  const definition = schema.getType(type);
  return isObjectType(definition) || isInterfaceType(definition) ? definition.getFields() : {};
}
