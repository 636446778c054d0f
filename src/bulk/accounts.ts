import { readWhole } from '../lists/scan.ts';
import { isSameProfile, labelOf } from '../records/account.ts';
import type { RecordContext } from '../records/context.ts';
import { encodeGlobalId, parseGlobalId } from '../records/global-id.ts';
import { networkOf } from '../records/network.ts';
import { isAbsoluteUrl } from '../sources/absolute-url.ts';
import type { AccountListItem } from '../sources/current/accounts.ts';
import { readable } from '../sources/view.ts';
import { quoted } from '../writes/problems.ts';
import { SEPARATOR, visibleIn } from './cells.ts';

/** The account to which a cell refers, by its global id, or why there is none. */
export type FoundAccount = { readonly id: string } | { readonly problem: string };

/** Finds accounts of the owner by the names people use for them. */
export interface AccountDirectory {
  /**
   * Finds the accounts of a cell, each by its global id, its `loginId`, the address of its profile, or its label. A
   * label may contain the separator: the longest one counts.
   */
  find(cell: string): FoundAccount[];
  /** Returns the label of an account by its global id; the id itself for an unknown account. */
  labelOf(id: string): string;
}

/** The known fields of an account; a field that can't be read is null. */
interface Entry {
  readonly loginId: string;
  readonly label: string;
  readonly address: string | null;
  readonly network: string;
}

const MOST_CANDIDATES = 10;

/**
 * Reads the account list, once.
 *
 * @throws PagingError if it is longer than 20 pages, SourceError if it can't be read
 */
export async function readAccountDirectory({ loaders }: RecordContext): Promise<AccountDirectory> {
  const entries = (await readWhole(loaders.accounts({}))).flatMap(entryOf);
  const byId = new Map(entries.map((entry) => [idOf(entry.loginId), entry]));
  const known = new Map<string, FoundAccount>();
  const findOne = (reference: string): FoundAccount => {
    const found = known.get(reference) ?? findIn(entries, reference);
    known.set(reference, found);
    return found;
  };
  const labels = new Set(entries.flatMap(({ label }) => (label.includes(SEPARATOR) ? folded(label) : [])));
  return {
    find: (cell) => referencesIn(cell, labels).map(findOne),
    labelOf: (id) => byId.get(id)?.label ?? parseGlobalId(id)?.rawId ?? id,
  };
}

function entryOf(account: AccountListItem): Entry[] {
  const loginId = readable(() => account.loginId);
  if (loginId === null) return [];
  return [
    {
      loginId,
      label: labelOf({ loginId, part: account }),
      address: readable(() => account.profileUrl),
      network: networkOf(readable(() => account.platformCode)),
    },
  ];
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
  if (parseGlobalId(reference) !== null) return { id: reference };
  const isNumber = /^\d{1,20}$/.test(reference);
  if (isNumber && entries.some(({ loginId }) => loginId === reference)) return { id: idOf(reference) };
  const address = addressIn(reference);
  const found = entries.filter((entry) =>
    address === null ? folded(entry.label) === folded(reference) : isSameProfile(entry.address, address),
  );
  const [only, another] = found;
  // Looking the account up later shows whether the number exists.
  if (only === undefined) return isNumber ? { id: idOf(reference) } : { problem: unknownAccount(reference) };
  return another === undefined ? { id: idOf(only.loginId) } : { problem: ambiguous(reference, found) };
}

function idOf(loginId: string): string {
  return encodeGlobalId({ type: 'Account', surface: 'current', rawId: loginId });
}

/** Returns a reference as a URL, or null; the scheme may be omitted. */
function addressIn(reference: string): string | null {
  const address = /^https?:\/\//i.test(reference) ? reference : `https://${reference}`;
  return /^[^\s/]+\.[^\s/]+\//.test(address.replace(/^https?:\/\//i, '')) && isAbsoluteUrl(address)
    ? address
    : null;
}

function folded(name: string): string {
  return visibleIn(name.normalize('NFC')).replaceAll(/\s+/g, ' ').toLowerCase();
}

function unknownAccount(reference: string): string {
  return `No account matches ${quoted(reference)}. Use its label, profile URL, number or ID; separate several with |.`;
}

function ambiguous(reference: string, found: readonly Entry[]): string {
  const shown = found
    .slice(0, MOST_CANDIDATES)
    .map(({ loginId, network, address }) => `${loginId} (${[network, address].filter(Boolean).join(', ')})`);
  const more = found.length > MOST_CANDIDATES ? ` and ${found.length - MOST_CANDIDATES} more` : '';
  return `${quoted(reference)} matches ${found.length} accounts. Use the number of one: ${shown.join(', ')}${more}.`;
}
