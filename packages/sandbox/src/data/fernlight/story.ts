import type { Story } from '../story.ts';
import { fernlightAccounts, fernlightGroups } from './accounts.ts';
import { fernlightGenerations } from './generations.ts';
import { fernlightLibrary } from './library.ts';
import { fernlightPosts } from './posts.ts';

/** The second owner: a bookshop by a mill bridge, with a story hour on Saturdays. */
export const fernlightStory: Story = {
  credentials: {
    name: 'fernlight',
    apiKey: 'demo-key-fernlight',
    accessToken: 'demo-token-fernlight',
    login: 'fernlight@example.com',
    password: 'lamp-and-page-fernlight',
  },
  ownerId: 9_977,
  companyId: 31_882,
  companyName: 'Fernlight Books',
  email: 'accounts@fernlight.example',
  user: { id: 878, userName: 'Bram', lastName: 'Eddowhistle' },
  plan: { name: 'Solo', price: '19.00', key: 'solo-yearly', id: 305 },
  queueLimit: 40,
  credits: 55,
  accounts: fernlightAccounts,
  groups: fernlightGroups,
  posts: fernlightPosts,
  library: fernlightLibrary,
  generations: fernlightGenerations,
  postEveryMinutes: 240,
};
