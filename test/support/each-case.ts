/** Checks cases that differ in data alone, one after the other; a failure says which case it was. */
export async function eachCase<const Case>(
  cases: readonly Case[],
  check: (one: Case) => unknown,
): Promise<void> {
  for (const one of cases) {
    try {
      await check(one);
    } catch (error) {
      const name = JSON.stringify(Array.isArray(one) ? (one[0] as unknown) : one) ?? 'undefined';
      if (error instanceof Error) error.message = `${name.slice(0, 200)}: ${error.message}`;
      throw error;
    }
  }
}
