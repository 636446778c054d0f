// The graph of the two contestants that are GraphQL servers with resolvers written by hand: of ours, the part that the
// workloads ask for.
import { openCalls } from './calls.mjs';
import { globalId, localTime, networkOf, newPost, placeOf, textOf, TYPE } from './shaping.mjs';

export const typeDefs = `
  enum SocialNetwork {
    FACEBOOK X LINKEDIN INSTAGRAM PINTEREST GOOGLE_BUSINESS YOUTUBE TUMBLR TIKTOK UNKNOWN
  }
  enum PostStatus { QUEUED UNKNOWN }
  enum LibraryItemKind { POST HASHTAG UNKNOWN }
  enum PostPlacement { QUEUE NOW NEXT }
  enum PostVariant { ORIGINAL FACEBOOK TWITTER LINKEDIN GOOGLE_BUSINESS YOUTUBE }
  enum WriteOutcome { COMPLETED PARTIAL REJECTED UNKNOWN }

  type PageInfo { hasNextPage: Boolean! }

  type Account {
    id: ID!
    displayName: String
    network: SocialNetwork!
    profileUrl: String
    avatarUrl: String
    color: String
    isPaused: Boolean
    queuedPostCount: Int
    connectedAt: String
    groups: [AccountGroup!]
  }
  type AccountConnection { totalCount: Int! pageInfo: PageInfo! nodes: [Account]! }

  type AccountGroup { id: ID! name: String }
  type AccountGroupConnection { nodes: [AccountGroup]! }

  type QueuedPost {
    id: ID!
    text: String
    scheduledAtLocal: String
    status: PostStatus
    account: Account
  }
  type QueuedPostConnection { totalCount: Int! pageInfo: PageInfo! nodes: [QueuedPost]! }

  type LibraryContent { text: String }
  type LibraryItem {
    id: ID!
    title: String
    kind: LibraryItemKind
    tags: [String!]
    useCount: Int
    content: LibraryContent
  }
  type LibraryItemConnection { totalCount: Int! pageInfo: PageInfo! nodes: [LibraryItem]! }

  type AiGeneration { id: ID! prompt: String text: String createdAtLocal: String }
  type AiGenerationConnection { nodes: [AiGeneration]! }

  type MembershipPlan { name: String price: String }
  type Membership { currentPlan: MembershipPlan connectedAccountCount: Int }

  type Query {
    accounts(first: Int!, after: String): AccountConnection
    accountGroups(first: Int!, after: String): AccountGroupConnection
    queuedPosts(first: Int!, after: String): QueuedPostConnection
    libraryItems(first: Int!, after: String): LibraryItemConnection
    aiGenerations(first: Int!, after: String): AiGenerationConnection
    membership: Membership
  }

  input PostTimingInput { placement: PostPlacement }
  input PostVariantInput { variant: PostVariant! text: String }
  input CreatePostInput {
    idempotencyKey: String
    accountIds: [ID!]!
    timing: PostTimingInput!
    variants: [PostVariantInput!]!
  }
  type UserError { code: String! message: String! }
  type CreatePostPayload {
    outcome: WriteOutcome!
    postIds: [ID!]
    createdCount: Int
    replayed: Boolean!
    userErrors: [UserError!]!
  }
  type Mutation { createPost(input: CreatePostInput!): CreatePostPayload! }
`;

const list =
  (name) =>
  async (_root, { first, after }, { calls }) => {
    const { total, hasNext, rows } = await calls[name](first, placeOf(after));
    return { totalCount: total, pageInfo: { hasNextPage: hasNext }, nodes: rows };
  };

export const resolvers = {
  Query: {
    accounts: list('accounts'),
    accountGroups: list('groups'),
    queuedPosts: list('queue'),
    libraryItems: list('library'),
    aiGenerations: list('history'),
    membership: (_root, _args, { calls }) => calls.membership(),
  },
  Mutation: {
    async createPost(_root, { input }, { calls }) {
      const { postIds, postCreatedCount } = await calls.createPosts(newPost(input));
      return {
        outcome: 'COMPLETED',
        postIds,
        createdCount: postCreatedCount,
        replayed: false,
        userErrors: [],
      };
    },
  },
  Account: {
    id: ({ loginId }) => globalId(TYPE.account, loginId),
    displayName: ({ accountUsername }) => textOf(accountUsername),
    // The list of accounts and the queue spell the code of the platform in two ways.
    network: ({ accountType, scenario }) => networkOf(accountType ?? scenario),
    profileUrl: ({ accountUrl }) => textOf(accountUrl),
    avatarUrl: ({ profilePicture }) => textOf(profilePicture),
    color: ({ color }) => textOf(color),
    isPaused: ({ isPaused }) => isPaused === 'Y',
    queuedPostCount: ({ queued }) => queued,
    connectedAt: async ({ loginId }, _args, { accountDetail }) => (await accountDetail(loginId)).createdOn,
  },
  AccountGroup: {
    id: ({ groupId }) => globalId(TYPE.group, groupId),
    // The list of groups and the accounts spell the name in two ways.
    name: ({ groupName, group_name: nameInAccount }) => textOf(groupName ?? nameInAccount),
  },
  QueuedPost: {
    id: ({ postId }) => globalId(TYPE.post, postId),
    text: ({ postDesc }) => textOf(postDesc),
    scheduledAtLocal: ({ postDate }) => localTime(postDate),
    status: ({ postStatus }) => (postStatus === 'N' ? 'QUEUED' : 'UNKNOWN'),
    account: (row) => row,
  },
  LibraryContent: { text: ({ postDesc }) => textOf(postDesc) },
  LibraryItem: {
    id: ({ id }) => globalId(TYPE.item, id),
    title: ({ title }) => textOf(title),
    kind: ({ type }) => type.toUpperCase(),
    useCount: ({ totalUsed }) => totalUsed,
  },
  AiGeneration: {
    id: ({ contentId }) => globalId(TYPE.generation, contentId),
    prompt: ({ userInput }) => textOf(userInput),
    text: ({ aiResponse }) => textOf(aiResponse),
    createdAtLocal: ({ createdOn }) => localTime(createdOn),
  },
  Membership: { connectedAccountCount: ({ ownerConnectedAccounts }) => ownerConnectedAccounts },
  MembershipPlan: { name: ({ planName }) => planName },
};

const callsOf = openCalls(process.env.SERVICE_URL);

/** What one request carries: its user's calls, and each account's detail once. */
export function contextOf({ headers }) {
  const calls = callsOf(headers['x-api-key']);
  const details = new Map();
  const accountDetail = (loginId) => {
    const known = details.get(loginId) ?? calls.account(loginId);
    details.set(loginId, known);
    return known;
  };
  return { calls, accountDetail };
}
