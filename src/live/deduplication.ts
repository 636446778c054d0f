import { LRUCache } from 'lru-cache';
import type { KnownGeneration } from './generations.ts';

/** Ends that are remembered as told. */
const MAX_TOLD = 2_000;

/** Tells what is new to those who follow: several processes may tell of one end, and it is told once. */
export function createDeduplication(): (known: KnownGeneration) => boolean {
  const told = new LRUCache<string, KnownGeneration['status']>({ max: MAX_TOLD });
  return ({ contentId, status }) => {
    const isNew = told.get(contentId) !== status;
    told.set(contentId, status);
    return isNew;
  };
}
