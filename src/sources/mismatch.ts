/** Thrown by a decoder; says what was expected, never what was received. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';

  // One answer may hold a million of them, and a stack, which nobody reads, costs twenty times as much as the rest.
  constructor(expected: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(expected);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
