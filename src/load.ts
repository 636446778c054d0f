import { createRequire } from 'node:module';

/**
 * Loads a package as CommonJS, at once or within the function that is the first to need it. A server that listens late
 * is replaced late: Yoga, its 400 files with it, took twice as long to load as ES modules.
 */
export const load: NodeJS.Require = createRequire(import.meta.url);
