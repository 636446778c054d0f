import { GRAPHIQL_HANDOVER_KEY } from './options.ts';

const PREFIX = 'graphiql:';
const EDITION = `${PREFIX}edition`;

/** What is remembered of tabs; it gives way to a new set of examples. */
const OF_TABS = ['tabState', 'query', 'variables', 'operationName'];
/** What holds headers within it, which GraphiQL would have remembered. */
const WITH_HEADERS = ['tabState', 'queries', 'favorites'];
/** What would be nothing but headers, or the wish to keep them. */
const HEADERS_ONLY = ['headers', 'shouldPersistHeaders'];

/** Takes the headers that another page of this server left for this one; null if there are none. */
export function takeHandover(): string | null {
  try {
    const headers = sessionStorage.getItem(GRAPHIQL_HANDOVER_KEY);
    sessionStorage.removeItem(GRAPHIQL_HANDOVER_KEY);
    return headers;
  } catch {
    return null;
  }
}

/**
 * What GraphiQL remembers in this browser: tabs, history, theme and the sizes of its panes, and never a header. Tabs that
 * were remembered beside another edition of the examples are forgotten; the history is not. Null if the browser allows no
 * storage: then GraphiQL remembers nothing.
 */
export function openStorage(edition: string): Storage | null {
  try {
    forgetOtherEdition(edition);
  } catch {
    return null;
  }
  return {
    get length() {
      return ownKeys().length;
    },
    key: (index) => ownKeys()[index] ?? null,
    getItem: (key) => localStorage.getItem(key),
    setItem: (key, value) => remember(key, value),
    removeItem: (key) => localStorage.removeItem(key),
    clear: () => ownKeys().forEach((key) => localStorage.removeItem(key)),
  };
}

function forgetOtherEdition(edition: string): void {
  if (localStorage.getItem(EDITION) === edition) return;
  for (const name of OF_TABS) localStorage.removeItem(PREFIX + name);
  localStorage.setItem(EDITION, edition);
}

function remember(key: string, value: string): void {
  const name = key.slice(PREFIX.length);
  if (HEADERS_ONLY.includes(name)) return;
  localStorage.setItem(key, WITH_HEADERS.includes(name) ? withoutHeaders(value) : value);
}

function withoutHeaders(json: string): string {
  return JSON.stringify(JSON.parse(json, (key, value: unknown) => (key === 'headers' ? null : value)));
}

function ownKeys(): string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
}
