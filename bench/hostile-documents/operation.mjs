// An operation as a tree of the fields that it selects.
import { graphql } from '../graphql.mjs';
import { VARIABLE_TYPES } from './arguments.mjs';

const { getNamedType, isCompositeType, Kind, parse, print, SchemaMetaFieldDef } = graphql;

/** What is sent of an operation: its text, with the variables that it uses. */
export function sentOf({ caller, roots, variables }) {
  const body = `{ ${roots.map(printed).join(' ')} }`;
  const used = Object.keys(VARIABLE_TYPES).filter((name) => new RegExp(`\\$${name}\\b`).test(body));
  const declared = used.map((name) => `$${name}: ${VARIABLE_TYPES[name]}`).join(', ');
  return {
    caller,
    query: declared === '' ? body : `query (${declared}) ${body}`,
    variables: Object.fromEntries(used.map((name) => [name, variables[name]])),
  };
}

/** The tree of an operation's text; fragments are put where they are spread. */
export function treeOf(schema, { caller, query, variables = {} }) {
  const { definitions } = parse(query);
  const [operation, ...fragments] = definitions;
  const named = new Map(fragments.map((node) => [node.name.value, node]));
  const fieldsIn = ({ selections }, type) => selections.flatMap((node) => nodesOf(node, type));
  const nodesOf = (node, type) => {
    if (node.kind !== Kind.FIELD) return fieldsIn((named.get(node.name?.value) ?? node).selectionSet, type);
    const field = type.getFields()[node.name.value] ?? SchemaMetaFieldDef;
    const children = node.selectionSet ? fieldsIn(node.selectionSet, getNamedType(field.type)) : [];
    const args = node.arguments.map((argument) => print(argument));
    return [{ field, alias: node.alias?.value ?? null, args, on: null, children }];
  };
  return { caller, roots: fieldsIn(operation.selectionSet, schema.getQueryType()), variables };
}

function printed({ field, alias, args, children, on }) {
  const name = `${alias === null ? '' : `${alias}: `}${field.name}`;
  const given = args.length === 0 ? '' : `(${args.join(', ')})`;
  if (!isRecord(field)) return name + given;
  const inside = children.length === 0 ? '__typename' : children.map(printed).join(' ');
  return `${name}${given} { ${on === null ? inside : `... on ${on.name} { ${inside} }`} }`;
}

/** True for a field that something is selected of. */
export function isRecord({ type }) {
  return isCompositeType(getNamedType(type));
}

/** A copy of a field with all below it. */
export function cloned(node) {
  return { ...node, children: node.children.map(cloned) };
}

/** Fields with all below them. */
export function allNodes(nodes) {
  return nodes.flatMap((node) => [node, ...allNodes(node.children)]);
}

/** The list that a field stands in. */
export function siblingsOf(nodes, wanted) {
  if (nodes.includes(wanted)) return nodes;
  for (const { children } of nodes) {
    const found = siblingsOf(children, wanted);
    if (found) return found;
  }
  return null;
}
