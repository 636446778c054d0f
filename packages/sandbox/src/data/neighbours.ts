import { fernlightStory } from './fernlight/story.ts';
import type { Story } from './story.ts';

const FIRST_OWNER_ID = 20_001;
const FIRST_COMPANY_ID = 60_001;
const CREDITS = 100_000;

/** Builds further owners with only their credits, for tests of many callers: `neighbour-1` and so on. */
export function neighbourStories(count: number): Story[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `neighbour-${index + 1}`;
    return {
      ...fernlightStory,
      credentials: {
        name,
        apiKey: `demo-key-${name}`,
        accessToken: `demo-token-${name}`,
        login: `${name}@example.com`,
        password: `next-door-${name}`,
      },
      ownerId: FIRST_OWNER_ID + index,
      companyId: FIRST_COMPANY_ID + index,
      email: `accounts@${name}.example`,
      credits: CREDITS,
      accounts: [],
      groups: [],
      posts: [],
      library: [],
      generations: [],
    };
  });
}
