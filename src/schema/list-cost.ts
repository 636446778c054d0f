import type { PagedList } from '../lists/reader.ts';
import { bestPageSize, pagesCovering, type Range } from '../lists/pages.ts';
import { MAX_SCAN_PAGES } from '../lists/scan.ts';
import { DEFAULT_WINDOW, MAX_WINDOW, windowOf, type WindowArguments } from '../lists/window.ts';
import type { NodeType } from '../records/global-id.ts';
import type { CostTally, ResultSet } from './cost.ts';

/** Most pages that a look through a list takes: each of them once more, to be certain that a record is not there. */
const SCAN_CALLS = 2 * MAX_SCAN_PAGES;

/** The lists of the service that have no look-up by id. */
export type ScannedList = 'accounts' | 'groups' | 'queue' | 'AI history';

/** Takes down a look through a list; one for all who look for something in it. */
export function addScan(tally: CostTally, list: ScannedList): void {
  tally.add(`scan of ${list}`, SCAN_CALLS);
}

/** A list to read windows of; if it is narrowed here, `source` is the list of the service that is read as a whole. */
export interface NarrowedList<T> {
  readonly list: PagedList<T>;
  readonly source: PagedList<T> | null;
}

/** Takes down the reading of a whole list at one time; one for all who narrow it. */
export function addWhole(tally: CostTally, { fingerprint }: { readonly fingerprint: string }): void {
  tally.add(`whole ${fingerprint}`, SCAN_CALLS);
}

/** The lists that the legacy surface answers as a whole. */
export type LegacyList = 'legacy accounts' | 'legacy groups';

/** Takes down a list of the legacy surface; one call for all who read it. */
export function addLegacy(tally: CostTally, list: LegacyList): void {
  tally.add(list, 1);
}

/** Most records that a connection's arguments ask for; a number that is refused later counts as the nearest that is not. */
export function windowCount({ first, last }: WindowArguments): number {
  return Math.min(Math.max(last ?? first ?? DEFAULT_WINDOW, 1), MAX_WINDOW);
}

/** A window of a list, and what of its records is in hand. */
export interface ShownWindow {
  readonly args: WindowArguments;
  readonly type: NodeType;
  readonly part: string;
}

/** Takes down a window of a list that the legacy surface answers as a whole, and gives the records that it shows. */
export function addLegacyWindow(
  tally: CostTally,
  list: LegacyList,
  { args, type, part }: ShownWindow,
): ResultSet[] {
  addLegacy(tally, list);
  return [{ type, part, name: `${list} ${JSON.stringify(args)}`, count: windowCount(args) }];
}

/** Takes down a window of a list that comes in pages, and gives the records that it shows. */
export function addWindow<T>(
  tally: CostTally,
  list: PagedList<T>,
  { args, type, part }: ShownWindow,
): ResultSet[] {
  const count = windowCount(args);
  const name = nameOfWindow(list, args);
  tally.add(name, windowCalls(list, args, count));
  return [{ type, part, name, count }];
}

/** Takes down a window of a list that may be narrowed here, and gives the records that it shows. */
export function addNarrowedWindow<T>(
  tally: CostTally,
  { list, source }: NarrowedList<T>,
  shown: ShownWindow,
): ResultSet[] {
  if (source === null) return addWindow(tally, list, shown);
  addWhole(tally, source);
  const { args, type, part } = shown;
  return [{ type, part, name: nameOfWindow(list, args), count: windowCount(args) }];
}

function nameOfWindow(
  { fingerprint }: { readonly fingerprint: string },
  { first, last, after, before }: WindowArguments,
): string {
  return `${fingerprint} ${JSON.stringify([first, last, after, before])}`;
}

function windowCalls<T>(list: PagedList<T>, args: WindowArguments, count: number): number {
  const { direction, anchor } = windowOf({ ...args, ...countIn(args, count) }, list);
  const { sizes } = list.memory;
  const pages = (range: Range): number => pagesCovering(range, bestPageSize(range, sizes)).length;
  if (anchor === null && direction === 'forward') return pages({ from: 0, to: count });
  // The end is known once a page has told it; where it then lies among the pages, nobody knows before.
  if (anchor === null) return 2 + Math.ceil(count / sizes.max);
  const place = anchor.position;
  return direction === 'forward'
    ? pages({ from: place, to: place + count + 1 })
    : pages({ from: Math.max(place - count, 0), to: place + 1 });
}

function countIn({ first, last }: WindowArguments, count: number): WindowArguments {
  return { ...(first == null ? {} : { first: count }), ...(last == null ? {} : { last: count }) };
}
