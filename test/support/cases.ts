import { array, integer, oneof, string, type Arbitrary } from 'fast-check';

/** Checks cases that differ in data alone, one after the other; a failure says which case it was. */
export async function eachCase<const Case>(cases: readonly Case[], check: (one: Case) => unknown) {
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

/**
 * Texts of any code points, halves of characters among them, and of ASCII, with names that mean something in JavaScript.
 * `string({ unit: 'binary' })` of fast-check takes more than a second of the processor's time when it is first made, and
 * keeps a map of a million characters.
 */
export function anyText(maxLength: number): Arbitrary<string> {
  const points = array(integer({ min: 0, max: 0x10_ff_ff }), { maxLength });
  return oneof(
    points.map((some) => String.fromCodePoint(...some)),
    string({ maxLength }),
  );
}
