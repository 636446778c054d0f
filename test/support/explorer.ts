import { resolve } from 'node:path';
import { explorerIn } from '../../src/cli/explorer.ts';

/** GraphiQL as it was built before the tests; read by whom it is asked of. */
export const BUILT_EXPLORER = explorerIn(resolve(import.meta.dirname, '../../dist/explorer'));
