/**
 * Arguments for a Node that lives for a second, or runs each piece of code a few times. What V8 would optimize at once
 * does not pay in it; what runs often is optimized nevertheless, later. Newer versions wait by themselves, and don't take
 * this option.
 */
export const SHORT_LIVED: readonly string[] = process.version.startsWith('v20.')
  ? ['--interrupt-budget=1000000']
  : [];
