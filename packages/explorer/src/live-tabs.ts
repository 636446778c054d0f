/** A tab that the explorer initially shows. */
export interface ExampleTab {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The tabs with subscriptions. */
export const LIVE_TABS: readonly ExampleTab[] = [
  {
    query: `# Switching tabs stops this: use two windows.
# Run this, and "GenerateSlowly" in the second
# one: texts generated with your API key appear
# when they are ready. The same button stops it.
# For a single text, starting with its current
# state: aiGenerationUpdated(id: "…")
subscription LiveResults {
  aiGenerationFinished {
    id
    status
    prompt
    text
  }
}
`,
  },
  {
    query: `# Switching tabs stops this: use two windows.
# Run this, and "Publish" in the second one:
# each change in the queue appears within
# seconds. The first event is the current queue.
subscription WatchQueue {
  queueChanged {
    kind
    totalCount
    changedFields
    queuedPost {
      text
      scheduledAtLocal
      account {
        displayName
      }
    }
  }
}
`,
  },
  {
    query: `# Switching tabs stops this: use two windows.
# Shows when an account loses its connection or
# is paused, locked or blocked. Run "Pause" in
# the second one, or press "Disconnect" on the
# page of the sandbox.
subscription WatchHealth {
  accountHealthChanged {
    kind
    totalCount
    stateCounts {
      state
      count
    }
    account {
      displayName
    }
    before {
      state
    }
    after {
      state
      unknownFlags
    }
  }
}
`,
  },
];
