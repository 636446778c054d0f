import type { GraphQLResolveInfo } from 'graphql';

/** A response position as a linked list, from the field or list item towards the root. */
export type Path = GraphQLResolveInfo['path'];

/** Returns the keys of a path, starting at the root. An undefined path is the root itself. */
export function pathToArray(path: Path | undefined): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.prev) keys.push(at.key);
  return keys.toReversed();
}
