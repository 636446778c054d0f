import type { Story } from '../story.ts';
import { harbourAccounts, harbourGroups } from './accounts.ts';
import { harbourGenerations } from './generations.ts';
import { harbourLibrary } from './library.ts';
import { harbourPosts } from './posts.ts';

/** The first owner: a coffee roaster by a harbour, moving into a net loft. */
export const harbourStory: Story = {
  credentials: {
    name: 'harbour',
    apiKey: 'demo-key-harbour',
    accessToken: 'demo-token-harbour',
    login: 'harbour@example.com',
    password: 'slow-roast-harbour',
  },
  ownerId: 9_031,
  companyId: 20_417,
  companyName: 'Kelpgate Roasters',
  email: 'billing@kelpgate.example',
  user: { id: 641, userName: 'Ottoline', lastName: 'Marsk' },
  plan: { name: 'Small Team', price: '42.50', key: 'small-team-monthly', id: 318 },
  queueLimit: 60,
  credits: 180,
  accounts: harbourAccounts,
  groups: harbourGroups,
  posts: harbourPosts,
  library: harbourLibrary,
  generations: harbourGenerations,
  postEveryMinutes: 185,
};
