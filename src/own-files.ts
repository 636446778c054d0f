import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// The server is built into `dist`, where this module then is; before that, it is in `src`.
const PACKAGE = dirname(import.meta.dirname);

/** The folder into which GraphiQL is built. */
export const BUILT_EXPLORER = join(PACKAGE, 'dist/explorer');
/** The folder into which Desk is built. */
export const BUILT_DESK = join(PACKAGE, 'dist/desk');
/** The operation files of this package's tools for assistants. */
export const OWN_TOOLS = join(PACKAGE, 'dist/mcp/tools');

/** Returns the version of this package. */
export function ownVersion(): string {
  const manifest = readFileSync(join(PACKAGE, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
