import { GraphQLError, locatedError, type FieldNode, type GraphQLErrorOptions } from 'graphql';

/** The location of an error in the document. */
export type Place = Pick<GraphQLError, 'nodes' | 'source' | 'positions' | 'locations'>;

/**
 * Creates an error at a known location. `GraphQLError` itself would count the lines of the document up to there, which
 * takes a millisecond in a document that consists of line breaks.
 */
export function errorAt(
  message: string,
  { nodes, source, positions, locations }: Place,
  options: Pick<GraphQLErrorOptions, 'path' | 'originalError' | 'extensions'>,
): GraphQLError {
  return Object.assign(new GraphQLError(message, options), { nodes, source, positions, locations });
}

const places = new WeakMap<readonly FieldNode[], Place>();

/**
 * Locates an error thrown by a field like graphql-js's `locatedError`, but finds the field in the document only once.
 *
 * @param nodes the same array for all errors of a field
 */
export function locatedAt(
  thrown: unknown,
  nodes: readonly FieldNode[],
  path: readonly (string | number)[],
): GraphQLError {
  if (!(thrown instanceof Error) || hasPlace(thrown)) return locatedError(thrown, nodes, path);
  return errorAt(thrown.message, placeOf(nodes), { path, originalError: thrown });
}

function hasPlace(error: Partial<GraphQLError>): boolean {
  return (error.nodes ?? error.source ?? error.positions ?? error.path) !== undefined;
}

function placeOf(nodes: readonly FieldNode[]): Place {
  const known = places.get(nodes);
  if (known) return known;
  const place = new GraphQLError('', { nodes });
  places.set(nodes, place);
  return place;
}
