import type { SecretBook } from '../secret-book.ts';
import { buildOwner } from './build-owner.ts';
import { fernlightStory } from './fernlight/story.ts';
import { harbourStory } from './harbour/story.ts';
import { largeHarbourStory } from './large.ts';
import { neighbourStories } from './neighbours.ts';
import type { Owner } from './model.ts';
import { createRandom } from './random.ts';
import type { Random } from './random.ts';

/** The owners, and the chance that ids made later are drawn from. */
export interface World {
  readonly owners: readonly [Owner, Owner, ...Owner[]];
  readonly random: Random;
}

/** How the world is at its start: `large` makes the first owner big, and there are so many owners beside the two. */
export interface WorldSize {
  readonly data: 'small' | 'large';
  readonly moreOwners: number;
}

/** The world at its start. */
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
