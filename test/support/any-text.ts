import { array, integer, type Arbitrary } from 'fast-check';

/**
 * Texts of any code points, halves of characters among them. `string({ unit: 'binary' })` of fast-check blocks the process
 * for more than half a second when it is first made, on a busy machine for longer than connections are kept.
 */
export function anyText(maxLength: number): Arbitrary<string> {
  return array(integer({ min: 0, max: 0x10_ff_ff }), { maxLength }).map((points) =>
    String.fromCodePoint(...points),
  );
}
