/** One tab that the explorer opens with. */
export interface ExampleTab {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** What the explorer opens with: each tab teaches one thing, and runs as it stands on the sandbox. */
export const EXAMPLE_TABS: readonly ExampleTab[] = [
  {
    query: `# Your accounts, with their groups and their health.
# Press the button with the triangle, or Ctrl-Enter.
query Accounts {
  accounts(first: 10) {
    totalCount
    nodes {
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
    query: `# A list is read by windows. To go on, put "endCursor" of
# the last answer into "after", among the variables below.
query Paging($first: Int!, $after: String) {
  accounts(first: $first, after: $after, orderBy: [{ field: DISPLAY_NAME }]) {
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
    query: `# What waits to be published, and where.
query Queue {
  queuedPosts(first: 10) {
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
}
`,
  },
  {
    query: `# Publish, safely: the same key does the same thing once,
# however often you press the button. The account is one
# of the sandbox; elsewhere, take an id from "accounts".
mutation Publish($input: CreatePostInput!) {
  createPost(input: $input) {
    outcome
    replayed
    postIds
    userErrors {
      code
      message
      path
    }
  }
}
`,
    variables: {
      input: {
        idempotencyKey: 'my-first-post',
        accountIds: ['MWFjOjQxMDIwMQ'],
        timing: { placement: 'QUEUE' },
        variants: [{ variant: 'ORIGINAL', text: 'Hello from GraphQL' }],
      },
    },
  },
  {
    query: `# Everything at one look: six lists and the plan, in one
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
    query: `# A text that takes its time: "slowly" makes the sandbox
# slow, and the answer says PENDING. Each run spends a
# credit. To see the text arrive, run the next tab in a
# second window of your browser first.
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
    variables: { input: { content: 'One line about rain on the harbour, slowly', tone: 'warm' } },
  },
  {
    query: `# Live: what your API key generates, as it becomes ready;
# stop it with the same button. Run this, and then
# "GenerateSlowly" in a second window of your browser.
# For one text alone, with its present state first:
# aiGenerationUpdated(id: "…")
subscription LiveResults {
  aiGenerationsUpdated {
    id
    status
    prompt
    text
  }
}
`,
  },
  {
    query: `# The legacy side keeps its own lists. "counterpart" is
# the same account on the other side.
query LegacySide {
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

/** What the explorer opens with for somebody who has just got an access token, and has no API key. */
export const TOKEN_TAB: ExampleTab = {
  query: `# Your accounts and groups on the legacy side: all that
# an access token alone can see.
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
