/** Thrown by a decoder. States what was expected, never what was received. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';

  // A response may cause a million of these, and an unused stack costs twenty times as much as the rest.
  constructor(expected: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(expected);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
