import { SEPARATOR, visibleIn } from './cells.ts';
import { PAGE_INFO, readList, type Graph, type ListDocument } from './graph.ts';
import { quoted } from './text.ts';

/** The account to which a cell refers, by its id in the graph, or why there is none. */
export type FoundAccount = { readonly id: string } | { readonly problem: string };

/** Finds accounts of the owner by the names people use for them. */
export interface AccountDirectory {
  /**
   * Finds the accounts of a cell, each by its id in the graph, its `loginId`, the address of its profile, or its label. A
   * label may contain the separator: the longest one counts.
   */
  find(cell: string): FoundAccount[];
  /** Returns the label of an account by its id; the id itself for an unknown account. */
  labelOf(id: string): string;
}

interface Entry {
  readonly id: string;
  readonly loginId: string;
  readonly label: string;
  readonly network: string;
  readonly profileUrl: string | null;
}

const ACCOUNTS = `query ($after: String) { list: accounts(first: 100, after: $after) {
  nodes { id loginId label network profileUrl } ${PAGE_INFO} } }` as ListDocument<Entry>;
const MAX_CANDIDATES = 10;

/** Reads the account list, once. */
export async function readAccounts(graph: Graph): Promise<AccountDirectory> {
  const { nodes } = await readList(graph, ACCOUNTS);
  const byId = new Map(nodes.map((entry) => [entry.id, entry]));
  const labels = new Set(nodes.flatMap(({ label }) => (label.includes(SEPARATOR) ? folded(label) : [])));
  return {
    find: (cell) =>
      referencesIn(cell, labels).map((reference) =>
        byId.has(reference) ? { id: reference } : findIn(nodes, reference),
      ),
    labelOf: (id) => byId.get(id)?.label ?? id,
  };
}

/** Splits a cell into references, except within the labels given. */
function referencesIn(cell: string, labels: ReadonlySet<string>): string[] {
  const parts = cell.split(SEPARATOR);
  const longest = Math.max(1, ...[...labels].map((label) => label.split(SEPARATOR).length));
  const references: string[] = [];
  for (let start = 0, length = 0; start < parts.length; start += length) {
    const joined = (): string => parts.slice(start, start + length).join(SEPARATOR);
    length = longest;
    while (length > 1 && !labels.has(folded(joined()))) length -= 1;
    references.push(visibleIn(joined()));
  }
  return references.filter((reference) => reference !== '');
}

function findIn(entries: readonly Entry[], reference: string): FoundAccount {
  const address = profileOf(reference);
  const found = entries.filter(({ label, loginId, profileUrl }) => {
    // A label may look like an address.
    if (loginId === reference || folded(label) === folded(reference)) return true;
    return address !== null && profileUrl !== null && profileOf(profileUrl) === address;
  });
  const only = found.find(({ loginId }) => loginId === reference) ?? (found.length === 1 ? found[0] : null);
  if (only) return { id: only.id };
  if (found.length > 0) return { problem: ambiguous(reference, found) };
  return {
    problem: `No account matches ${quoted(reference)}. Use its label, profile URL, number or ID; separate several with |.`,
  };
}

/** Returns a profile URL without scheme, `www.` and trailing slash, which may be omitted; null for another text. */
function profileOf(reference: string): string | null {
  const address = /^https?:\/\//i.test(reference) ? reference : `https://${reference}`;
  if (!/^https?:\/\/[^\s/]+\.[^\s/]+\//i.test(address)) return null;
  try {
    const { host, pathname, search, hash } = new URL(address);
    return host.replace(/^www\./, '') + pathname.replace(/\/$/, '') + search + hash;
  } catch {
    return null;
  }
}

function folded(name: string): string {
  return visibleIn(name.normalize('NFC')).replaceAll(/\s+/g, ' ').toLowerCase();
}

function ambiguous(reference: string, found: readonly Entry[]): string {
  const shown = found
    .slice(0, MAX_CANDIDATES)
    .map(({ loginId, network, profileUrl }) => `${loginId} (${profileUrl ?? network})`);
  const more = found.length > MAX_CANDIDATES ? ` and ${found.length - MAX_CANDIDATES} more` : '';
  return `${quoted(reference)} matches ${found.length} accounts. Use the number of one: ${shown.join(', ')}${more}.`;
}
