import { createRequire } from 'node:module';

/**
 * Loads a package as CommonJS, at startup or within the function that first needs it. A server that starts late is
 * replaced late: Yoga, with its 400 files, took twice as long to load as ES modules.
 */
export const load: NodeJS.Require = createRequire(import.meta.url);
