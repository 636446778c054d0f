import { array, integer, oneof, string, type Arbitrary } from 'fast-check';

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
