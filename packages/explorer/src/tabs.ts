import { LIVE_TABS, type ExampleTab } from './live-tabs.ts';
import { FRESH_KEY } from './options.ts';

export type { ExampleTab };

/** The page writes a key in its place in each run. */
const NEW_KEY = `${FRESH_KEY}new`;
/** Far enough ahead that the tab works unchanged for years. */
const SCHEDULED_AT = '2035-01-01T09:00';

const CREATE_POST = `  createPost(input: $input) {
    outcome
    replayed
    postIds
    userErrors {
      code
      message
      path
    }
  }`;

const PAUSE_RESULT = `    outcome
    account {
      displayName
      isPaused
    }
    userErrors {
      code
      message
      path
    }`;

/** The initial tabs of the explorer: each teaches one thing, and works unchanged on the sandbox. */
export const EXAMPLE_TABS: readonly ExampleTab[] = [
  {
    query: `# Your accounts, with their groups and health.
# Press the play button or Ctrl-Enter. Use "id"
# in "accountIds" of a post.
query Accounts {
  accounts(first: 10) {
    totalCount
    nodes {
      id
      displayName
      network
      health {
        state
        needsReconnect
      }
      groups {
        name
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`,
  },
  {
    query: `# Lists are paginated. For the next page, copy
# "endCursor" from the response to "after",
# below, under "Variables".
query Paging($first: Int!, $after: String) {
  accounts(
    first: $first
    after: $after
    orderBy: [{ field: DISPLAY_NAME }]
  ) {
    totalCount
    edges {
      cursor
      node {
        displayName
        profileUrl
      }
    }
    pageInfo {
      hasPreviousPage
      hasNextPage
      endCursor
    }
  }
}
`,
    variables: { first: 3, after: null },
  },
  {
    query: `# The posts waiting to be published: the first
# ten and the last three in the queue.
query Queue {
  next: queuedPosts(first: 10) {
    totalCount
    nodes {
      text
      scheduledAtLocal
      account {
        displayName
        network
      }
      failureText
    }
  }
  newest: queuedPosts(last: 3) {
    nodes {
      postId
      text
      scheduledAtLocal
    }
  }
}
`,
  },
  {
    query: `# The post is below, under "Variables", with an
# account of the sandbox; for another, use an
# "id" from the tab "Accounts". Each run has a
# new "idempotencyKey" and publishes a post.
# With a key of your own, a second run only
# returns the result of the first: "replayed".
mutation Publish($input: CreatePostInput!) {
${CREATE_POST}
}
`,
    variables: {
      input: {
        idempotencyKey: NEW_KEY,
        accountIds: ['MWFjOjQxMDIwMQ'],
        timing: { placement: 'QUEUE' },
        variants: [{ variant: 'ORIGINAL', text: 'Hello from GraphQL' }],
      },
    },
  },
  {
    query: `# Publish at a given time (YYYY-MM-DDTHH:mm, on
# the service's clock). The time is below, under
# "Variables"; the tab "Queue" shows the post.
mutation Schedule($input: CreatePostInput!) {
${CREATE_POST}
}
`,
    variables: {
      input: {
        idempotencyKey: NEW_KEY,
        accountIds: ['MWFjOjQxMDIwMQ'],
        timing: { scheduledAtLocal: [SCHEDULED_AT] },
        variants: [{ variant: 'ORIGINAL', text: 'Happy new year from GraphQL' }],
      },
    },
  },
  {
    query: `# Dashboard: six lists and the plan, in one
# request.
query Dashboard {
  accounts(first: 5) {
    totalCount
    nodes {
      displayName
      health {
        state
      }
    }
  }
  accountGroups(first: 5) {
    totalCount
    nodes {
      name
      accounts {
        totalCount
      }
    }
  }
  queuedPosts(first: 5) {
    totalCount
    nodes {
      text
      scheduledAtLocal
      account {
        displayName
      }
    }
  }
  libraryItems(first: 5) {
    totalCount
    nodes {
      title
      kind
      useCount
    }
  }
  aiGenerations(first: 5) {
    totalCount
    nodes {
      prompt
      text
      createdAtLocal
    }
  }
  legacy: accounts(first: 5, surface: LEGACY) {
    totalCount
    nodes {
      displayName
      statusCode
    }
  }
  membership {
    currentPlan {
      name
      queue: feature(key: "Post In scheduling queue") {
        limit
      }
    }
  }
}
`,
  },
  {
    query: `# A slow text: the word "slowly" (below, under
# "Variables") makes the sandbox slow, so the
# status is PENDING. Each run spends a credit.
# To see the text arrive, first run
# "LiveResults" in a second window.
mutation GenerateSlowly($input: GenerateAiTextInput!) {
  generateAiText(input: $input) {
    outcome
    aiGeneration {
      id
      status
      text
      creditsRemaining
    }
    userErrors {
      code
      message
      path
    }
  }
}
`,
    variables: { input: { prompt: 'One line about rain on the harbour, slowly', tone: 'warm' } },
  },
  ...LIVE_TABS,
  {
    query: `# Pauses an account; "WatchHealth" in a second
# window shows it. To resume it, set "resume" to
# true below, under "Variables".
mutation Pause($accountId: ID!, $resume: Boolean!) {
  pauseAccount(input: { accountId: $accountId }) @skip(if: $resume) {
${PAUSE_RESULT}
  }
  resumeAccount(input: { accountId: $accountId }) @include(if: $resume) {
${PAUSE_RESULT}
  }
}
`,
    variables: { accountId: 'MWFjOjQxMDIwMg', resume: false },
  },
  {
    query: `# The legacy surface has its own lists.
# "counterpart" is the same account on the
# other surface.
query LegacySurface {
  surfaces {
    surface
    isConfigured
    hasCredential
  }
  accounts(surface: LEGACY, first: 5) {
    nodes {
      displayName
      statusCode
      counterpart {
        displayName
        queuedPostCount
      }
    }
  }
}
`,
  },
];

/** The initial tab for a caller who has just received an access token, and has no API key. */
export const TOKEN_TAB: ExampleTab = {
  query: `# Your accounts and groups on the legacy
# surface: all that an access token can see.
query MyAccounts {
  accounts(first: 10) {
    totalCount
    nodes {
      displayName
      network
      isPaused
    }
  }
  accountGroups(first: 10) {
    nodes {
      name
      accounts {
        totalCount
      }
    }
  }
}
`,
};
