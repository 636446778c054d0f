import type { ExplorerOptions, StartingHeaders } from './options.ts';
import type { ExampleTab } from './tabs.ts';

/** A tab as GraphiQL takes it. */
export interface TabText {
  readonly query: string;
  readonly variables: string;
}

/** What the page opens with. */
export interface Opening {
  readonly headers: StartingHeaders;
  /** False where the headers are complete, so that their editor is folded away. */
  readonly showsHeaders: boolean;
  /** The tab that is shown first, beside those that the browser remembers; null for none but them. */
  readonly first: TabText | null;
  /** The tabs of a browser that remembers none. */
  readonly tabs: readonly TabText[];
}

const HANDED_OVER = ['Your access token, for the legacy surface.', 'It is not stored: a reload forgets it.'];

/**
 * Decides what the page opens with: the examples; before them the text that the address holds, which is shown and never
 * run by itself; or, with headers that another page handed over, what can be done with those.
 */
export function openingOf(options: ExplorerOptions, address: URL, handedOver: string | null): Opening {
  const examples = options.examples.map(textOfTab);
  const first = handedOver === null ? tabInAddress(address) : textOfTab(options.handoverTab);
  const headers = handedOver === null ? options.headers : handedOverHeaders(handedOver);
  return {
    headers,
    showsHeaders: headers.toFillIn || handedOver !== null,
    first,
    tabs: first === null ? examples : [first, ...examples],
  };
}

function textOfTab({ query, variables }: ExampleTab): TabText {
  return { query, variables: variables === undefined ? '' : JSON.stringify(variables, null, 2) };
}

// Desk puts it after the #: a text may be longer than what the server takes as an address.
function tabInAddress({ hash, search }: URL): TabText | null {
  const searchParams = new URLSearchParams(hash.slice(1) || search);
  const query = searchParams.get('query');
  return query === null ? null : { query, variables: searchParams.get('variables') ?? '' };
}

function handedOverHeaders(text: string): StartingHeaders {
  const values = JSON.parse(text) as Record<string, string>;
  return { note: HANDED_OVER, values, toFillIn: false };
}
