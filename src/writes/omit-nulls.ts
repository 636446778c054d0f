// GraphQL inputs may say null for anything optional; the service is told nothing then. The exceptions, where null means
// something to the service, are kept by those who know them.

/** A value type as a GraphQL input gives it: what is optional may also be null. */
export type Loose<T> = T extends readonly (infer E)[]
  ? readonly Loose<E>[]
  : T extends object
    ? { readonly [K in keyof T]: undefined extends T[K] ? Loose<T[K]> | null | undefined : Loose<T[K]> }
    : T;

// Values of undocumented shape, passed on as they are.
const OPAQUE: ReadonlySet<string> = new Set(['limitAudience', 'regionId', 'adDetails', 'people', 'key']);

/** The input without what is null, at every depth; values of undocumented shape are left as they are. */
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
