import type { SecretBook } from '../secret-book.ts';
import { buildOwner } from './build-owner.ts';
import { fernlightStory } from './fernlight/story.ts';
import { harbourStory } from './harbour/story.ts';
import { largeHarbourStory } from './large.ts';
import type { Owner } from './model.ts';
import { createRandom } from './random.ts';
import type { Random } from './random.ts';

/** Both owners, and the chance that ids made later are drawn from. */
export interface World {
  readonly owners: readonly [Owner, Owner];
  readonly random: Random;
}

/** The world at its start; `large` makes the first owner big. */
export function createWorld(data: 'small' | 'large', startedAt: number, book: SecretBook): World {
  const first = data === 'large' ? largeHarbourStory() : harbourStory;
  return {
    owners: [buildOwner(first, startedAt, book), buildOwner(fernlightStory, startedAt, book)],
    random: createRandom('ids made later'),
  };
}
