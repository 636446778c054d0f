// GraphQL inputs may be null wherever they are optional; nothing is sent to the service then. The exceptions, where
// null is meaningful to the service, are handled where they occur.

/** A value type as given in a GraphQL input: optional fields may also be null. */
export type Loose<T> = T extends readonly (infer E)[]
  ? readonly Loose<E>[]
  : T extends object
    ? { readonly [K in keyof T]: undefined extends T[K] ? Loose<T[K]> | null | undefined : Loose<T[K]> }
    : T;

// Values of undocumented shape, passed on unchanged.
const OPAQUE: ReadonlySet<string> = new Set(['limitAudience', 'regionId', 'adDetails', 'people', 'key']);

/** Removes nulls from an input at every depth; values of undocumented shape are left unchanged. */
export function omitNulls<T>(input: Loose<T>): T {
  return strip(input) as T;
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== null && child !== undefined)
      .map(([name, child]) => [name, OPAQUE.has(name) ? child : strip(child)]),
  );
}
