/** Whether tests of properties and of numbers run with the large figures: `TEST_DEPTH=full`, as `npm run test:deep` sets. */
export const isDeep = process.env['TEST_DEPTH'] === 'full';

/** How many cases a test runs: as many as show the point, or the large figure of `npm run test:deep`. */
export function cases(usual: number, deep: number): number {
  return isDeep ? deep : usual;
}
