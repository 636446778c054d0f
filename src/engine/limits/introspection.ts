import type { GraphQLField, GraphQLSchema } from 'graphql';

/** Schema elements shown at one position of an introspection, with the number of times each is shown. */
export type ShownElements = ReadonlyMap<unknown, number>;

type Field = GraphQLField<unknown, unknown>;

/**
 * Returns the elements that an introspection field shows below others. Each distinct element is resolved once, so
 * repeated elements take no extra time.
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

/** Returns the number of elements shown, counting repeated ones each time. */
export function countOf(shown: ShownElements): number {
  let count = 0;
  for (const one of shown.values()) count += one;
  return count;
}
