import { Kind, OperationTypeNode, type DocumentNode, type GraphQLError } from 'graphql';
import type { DocumentLimits } from '../../config.ts';
import { limitError } from './limit-error.ts';
import { measure, type Extent, type MeasuredDefinition } from './measure.ts';
import { mostNames } from './names.ts';

/** Returns one error for each limit that the shape of a document exceeds. */
export function shapeErrors(document: DocumentNode, limits: DocumentLimits): GraphQLError[] {
  const measured = measure(document);
  const most = (of: (extent: Extent) => number): number => Math.max(0, ...measured.map(of));
  const sum = (of: (extent: Extent) => number): number =>
    measured.reduce((total, extent) => total + of(extent), 0);
  // Execution runs one operation, but validation visits the whole document.
  const rows: readonly (readonly [what: string, allowed: number, found: number])[] = [
    ['depth of fields', limits.depth, most(({ depth }) => depth)],
    [
      'depth of introspection',
      limits.introspectionDepth,
      most(({ introspectionDepth }) => introspectionDepth),
    ],
    ['directives', limits.directives, sum(({ directives }) => directives)],
    ['selections, with fragments expanded', limits.selections, sum(({ selections }) => selections)],
    [
      'selections of introspection, with fragments expanded',
      limits.selections,
      sum(({ introspectionSelections }) => introspectionSelections),
    ],
    ['fields at the root of a query', limits.rootFields, rootFieldsOf(measured, false)],
    ['fields at the root of a mutation', limits.mutationFields, rootFieldsOf(measured, true)],
  ];
  const refusals = rows
    .filter(([, allowed, found]) => found > allowed)
    .map(([what, allowed, found]) => limitError(what, allowed, found));
  // Names are counted only in documents whose expanded fragments are within the limits.
  return refusals.length > 0 ? refusals : nameErrors(document, measured, limits);
}

function nameErrors(
  document: DocumentNode,
  measured: readonly MeasuredDefinition[],
  { aliases }: DocumentLimits,
): GraphQLError[] {
  const found = measured.map(({ node, selections, introspectionSelections }) =>
    node.kind === Kind.OPERATION_DEFINITION
      ? mostNames(document, node, selections + introspectionSelections)
      : 0,
  );
  const most = Math.max(0, ...found);
  return most > aliases ? [limitError('aliases of one field of one parent', aliases, most)] : [];
}

function rootFieldsOf(measured: readonly MeasuredDefinition[], ofMutations: boolean): number {
  const counts = measured.flatMap(({ node, rootFields }) => {
    if (node.kind !== Kind.OPERATION_DEFINITION) return [];
    return (node.operation === OperationTypeNode.MUTATION) === ofMutations ? [rootFields] : [];
  });
  return Math.max(0, ...counts);
}
