import type { ExampleTab } from './tabs.ts';

/** Where the files of the explorer are; its page is shown where the graph is asked. */
export const EXPLORER_PATH = '/explorer/';

/**
 * Where another page of this server leaves the headers that the explorer is to open with, in the tab's own storage; the
 * explorer takes them away.
 */
export const GRAPHIQL_HANDOVER_KEY = 'graphiql-headers';

/** Headers that the explorer opens with, and what is said of them above them. */
export interface StartingHeaders {
  readonly note: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  /** True where the values only show what belongs there, and are to be replaced. */
  readonly toFillIn: boolean;
}

/** What the server tells the explorer's page, as JSON within it; nothing of the request is ever among it. */
export interface ExplorerOptions {
  /** Path that operations are sent to. */
  readonly endpoint: string;
  readonly headers: StartingHeaders;
  readonly examples: readonly ExampleTab[];
  /** What somebody opens with whose headers were handed over. */
  readonly handoverTab: ExampleTab;
  /** Changes when the examples do. */
  readonly edition: string;
}
