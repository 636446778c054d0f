// What the contestants are asked: one operation a workload, with other variables at each turn.

/** A post to two accounts, different at each turn. */
const postTo = (turn, accountIds) => ({
  accountIds: [0, 1].map((next) => accountIds[(turn + next) % accountIds.length]),
  timing: { placement: 'QUEUE' },
  variants: [{ variant: 'ORIGINAL', text: `Post ${turn} of the bench` }],
});

const CREATE_POST = `mutation ($input: CreatePostInput!) {
  createPost(input: $input) { outcome postIds createdCount replayed userErrors { code message } }
}`;

/**
 * `turns` is how many different variables there are; `variables` makes those of a turn. `place(list, offset)` is what a
 * contestant goes on from to leave out so many records of a list; `accountIds` are ids of the graph.
 */
export const workloads = [
  {
    name: 'typename',
    about: 'nothing but the server itself',
    callsService: false,
    turns: 1,
    document: '{ __typename }',
    variables: () => ({}),
  },
  {
    name: 'accounts',
    about: '10 accounts with 8 fields and their groups',
    callsService: true,
    turns: 25,
    document: `query ($after: String) {
      accounts(first: 10, after: $after) {
        totalCount
        pageInfo { hasNextPage }
        nodes {
          id displayName network profileUrl avatarUrl color isPaused queuedPostCount
          groups { name }
        }
      }
    }`,
    variables: (turn, { place }) => ({ after: place('accounts', 10 * turn) }),
  },
  {
    name: 'queue',
    about: '50 queued posts over 12 accounts, with a field of each account that takes a call of its own',
    callsService: true,
    turns: 20,
    document: `query ($after: String) {
      queuedPosts(first: 50, after: $after) {
        totalCount
        pageInfo { hasNextPage }
        nodes { id text scheduledAtLocal status account { id displayName network connectedAt } }
      }
    }`,
    variables: (turn, { place }) => ({ after: place('queuedPosts', 50 * turn) }),
  },
  {
    name: 'dashboard',
    about: 'the beginnings of five lists, and the membership',
    callsService: true,
    turns: 7,
    document: `query ($count: Int!) {
      accounts(first: $count) { nodes { id displayName network } }
      accountGroups(first: $count) { nodes { id name } }
      queuedPosts(first: $count) { nodes { id text scheduledAtLocal } }
      libraryItems(first: $count) { nodes { id title kind } }
      aiGenerations(first: $count) { nodes { id prompt text createdAtLocal } }
      membership { currentPlan { name price } connectedAccountCount }
    }`,
    variables: (turn) => ({ count: 6 + turn }),
  },
  {
    name: 'deepPage',
    about: '20 library items across the border of two of the service’s pages, deep in the list',
    callsService: true,
    turns: 23,
    document: `query ($after: String) {
      libraryItems(first: 20, after: $after) {
        totalCount
        pageInfo { hasNextPage }
        nodes { id title kind tags useCount content { text } }
      }
    }`,
    // Three records into a page of twelve: twenty records reach into the next page, and no further.
    variables: (turn, { place }) => ({ after: place('libraryItems', 300 + 12 * turn + 3) }),
  },
  {
    name: 'createPost',
    about: 'a post to two accounts',
    callsService: true,
    isWrite: true,
    turns: Infinity,
    document: CREATE_POST,
    variables: (turn, { accountIds }) => ({ input: postTo(turn, accountIds) }),
  },
  {
    name: 'keyedPost',
    about: 'the same with an idempotency key, which ours stores on disk',
    callsService: true,
    isWrite: true,
    isKeyed: true,
    turns: Infinity,
    document: CREATE_POST,
    variables: (turn, { accountIds }) => ({
      input: { idempotencyKey: `bench-${turn}`, ...postTo(turn, accountIds) },
    }),
  },
];

/** Lists that the workloads go on in, and how many of their records they leave out at most. */
export const WALKED = { accounts: 240, queuedPosts: 950, libraryItems: 567 };
