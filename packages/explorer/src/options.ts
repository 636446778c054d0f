import type { ExampleTab } from './live-tabs.ts';

/** Path of the explorer's files; its page is served at the GraphQL endpoint. */
export const EXPLORER_PATH = '/explorer/';

/** Beginning of an idempotency key that the explorer replaces by a new one in each run. */
export const FRESH_KEY = 'graphiql-';

/** Session storage key under which another page of this server leaves headers for the explorer, which removes them. */
export const GRAPHIQL_HANDOVER_KEY = 'graphiql-headers';

/** Headers that the explorer initially shows, with a comment above them. */
export interface StartingHeaders {
  readonly note: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  /** True if the values are placeholders to be replaced. */
  readonly toFillIn: boolean;
}

/** The options that the server embeds as JSON in the explorer's page. They contain nothing from the request. */
export interface ExplorerOptions {
  /** Path that operations are sent to. */
  readonly endpoint: string;
  /** Path of Desk; null if this server does not serve it. */
  readonly desk: string | null;
  readonly headers: StartingHeaders;
  readonly examples: readonly ExampleTab[];
  /** The tab shown if headers were handed over. */
  readonly handoverTab: ExampleTab;
  /** Changes when the examples do. */
  readonly edition: string;
}
