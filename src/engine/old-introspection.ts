import { visit, type DocumentNode, type FieldNode } from 'graphql';

/** As graphql 15 spelt it, before the specification had the field. */
const OLD_NAME = 'specifiedByUrl';
const NAME = 'specifiedByURL';

/** A document in which what graphql 15 asks of a schema is asked for by its present name, and answered under the old one. */
export function withPresentNames(document: DocumentNode, text: string): DocumentNode {
  return text.includes(OLD_NAME) ? visit(document, { Field: presentField }) : document;
}

// No field of this graph has the old name.
function presentField(node: FieldNode): FieldNode | undefined {
  const { alias, name } = node;
  if (name.value !== OLD_NAME) return undefined;
  return { ...node, alias: alias ?? name, name: { ...name, value: NAME } };
}
