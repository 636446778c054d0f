import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// The server is built into one folder, where this module is; before that, it is the root of the sources.
const OWN_FOLDER = import.meta.dirname;

/** The folder into which GraphiQL is built, next to the server. */
export const BUILT_EXPLORER = join(OWN_FOLDER, 'explorer');
/** The folder into which Desk is built. */
export const BUILT_DESK = join(OWN_FOLDER, 'desk');
/** The operation files of this package's tools for assistants. */
export const OWN_TOOLS = join(OWN_FOLDER, 'mcp/tools');

/** Returns the version of this package. */
export function ownVersion(): string {
  const manifest = readFileSync(join(dirname(OWN_FOLDER), 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
