import { visit, type DocumentNode, type FieldNode } from 'graphql';

/** The spelling of graphql 15, from before the specification defined the field. */
const OLD_NAME = 'specifiedByUrl';
const NAME = 'specifiedByURL';

/** Renames the introspection field of graphql 15 in a document to its current name, with the old name as alias. */
export function withPresentNames(document: DocumentNode, text: string): DocumentNode {
  return text.includes(OLD_NAME) ? visit(document, { Field: presentField }) : document;
}

// No field of this schema has the old name.
function presentField(node: FieldNode): FieldNode | undefined {
  const { alias, name } = node;
  if (name.value !== OLD_NAME) return undefined;
  return { ...node, alias: alias ?? name, name: { ...name, value: NAME } };
}
