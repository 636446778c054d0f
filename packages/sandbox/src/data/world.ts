import type { SecretBook } from '../secret-book.ts';
import { buildOwner } from './build-owner.ts';
import { fernlightStory } from './fernlight/story.ts';
import { harbourStory } from './harbour/story.ts';
import { largeHarbourStory } from './large.ts';
import { neighbourStories } from './neighbours.ts';
import type { Owner } from './model.ts';
import { createRandom } from './random.ts';
import type { Random } from './random.ts';

/** The owners, and the random generator for ids created later. */
export interface World {
  readonly owners: readonly [Owner, Owner, ...Owner[]];
  readonly random: Random;
}

/** The initial world: `large` makes the first owner big; `moreOwners` is the number besides the two. */
export interface WorldSize {
  readonly data: 'small' | 'large';
  readonly moreOwners: number;
}

/** Builds the initial world. */
export function createWorld({ data, moreOwners }: WorldSize, startedAt: number, book: SecretBook): World {
  const first = data === 'large' ? largeHarbourStory() : harbourStory;
  return {
    owners: [
      buildOwner(first, startedAt, book),
      buildOwner(fernlightStory, startedAt, book),
      ...neighbourStories(moreOwners).map((story) => buildOwner(story, startedAt, book)),
    ],
    random: createRandom('ids made later'),
  };
}
