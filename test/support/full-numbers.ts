/** A number for every day, or the full one when asked for by the environment: bench/full-numbers.mjs does. */
export function quickOrFull(quick: number, full: number): number {
  return process.env['FULL_NUMBERS'] ? full : quick;
}
