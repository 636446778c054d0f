/** Returns the items of a list that could be read. */
export function present<T>(items: readonly (T | null)[]): T[] {
  return items.filter((item) => item !== null);
}
