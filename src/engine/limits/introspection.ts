import type { GraphQLField, GraphQLSchema } from 'graphql';

/** Elements of a schema that a place in an introspection shows, each with how often it shows it. */
export type ShownElements = ReadonlyMap<unknown, number>;

type Field = GraphQLField<unknown, unknown>;

/**
 * The elements that a field of introspection shows below some others. Found by resolving it once for each different
 * element, which takes no longer however often the elements are repeated.
 */
export function shownBelow(
  schema: GraphQLSchema,
  { resolve }: Field,
  { args, above }: { readonly args: Readonly<Record<string, unknown>>; readonly above: ShownElements },
): ShownElements {
  const shown = new Map<unknown, number>();
  const info = { schema } as Parameters<NonNullable<Field['resolve']>>[3];
  for (const [element, count] of above) {
    const value: unknown = resolve?.(element, args, undefined, info);
    if (value == null) continue;
    for (const one of Array.isArray(value) ? value : [value]) shown.set(one, (shown.get(one) ?? 0) + count);
  }
  return shown;
}

/** How many elements are shown, repeated ones counted each time. */
export function countOf(shown: ShownElements): number {
  let count = 0;
  for (const one of shown.values()) count += one;
  return count;
}
