import { resolve } from 'node:path';
import { pageIn } from '../../src/cli/built-pages.ts';

/** GraphiQL as it was built before the tests; read by whom it is asked of. */
export const BUILT_EXPLORER = pageIn(resolve(import.meta.dirname, '../../dist/explorer'));

/** Desk as it was built before the tests. */
export const BUILT_DESK = pageIn(resolve(import.meta.dirname, '../../dist/desk'));
