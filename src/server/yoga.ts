import type * as Yoga from 'graphql-yoga';
import { load } from '../load.ts';

/**
 * Loads Yoga, 400 files with all that it needs, as CommonJS, which takes half as long as ES modules. A server needs it for
 * the first request that is not a plain POST.
 */
export function loadYoga(): typeof Yoga {
  return load('graphql-yoga') as typeof Yoga;
}
