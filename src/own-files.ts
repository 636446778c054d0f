import { dirname, join } from 'node:path';

// The server is built into one folder, where this is the folder of every file; in the sources it is the one above most.
const OWN_FOLDER = import.meta.dirname;

/** The description of this package, whose name and version it tells. */
export const OWN_PACKAGE = join(dirname(OWN_FOLDER), 'package.json');
/** Where GraphiQL is built, beside the server. */
export const BUILT_EXPLORER = join(OWN_FOLDER, 'explorer');
/** The operation files of this package's tools for assistants. */
export const OWN_TOOLS = join(OWN_FOLDER, 'mcp/tools');
