import type { PagedList } from '../lists/reader.ts';
import { bestPageSize, pagesCovering, type Range } from '../lists/pages.ts';
import { MAX_SCAN_PAGES } from '../lists/scan.ts';
import { DEFAULT_WINDOW, MAX_WINDOW, windowOf, type WindowArguments } from '../lists/window.ts';
import type { NodeType } from '../records/global-id.ts';
import type { CostTally, ResultSet } from './cost.ts';

/** Maximum page reads of a scan: each page twice, to be certain that a record is missing. */
const SCAN_CALLS = 2 * MAX_SCAN_PAGES;

/** The lists of the service that have no lookup by id. */
export type ScannedList = 'accounts' | 'groups' | 'queue' | 'AI history';

/** Adds a scan of a list to the tally; all lookups in the list share one. */
export function addScan(tally: CostTally, list: ScannedList): void {
  tally.add(`scan of ${list}`, SCAN_CALLS);
}

/** A list to read windows of; if it is filtered here, `source` is the service's list, which is read as a whole. */
export interface NarrowedList<T> {
  readonly list: PagedList<T>;
  readonly source: PagedList<T> | null;
}

/** Adds one consistent read of a whole list to the tally; all filters of the list share it. */
export function addWhole(tally: CostTally, { fingerprint }: { readonly fingerprint: string }): void {
  tally.add(`whole ${fingerprint}`, SCAN_CALLS);
}

/** The lists that the legacy surface returns as a whole. */
export type LegacyList = 'legacy accounts' | 'legacy groups';

/** Adds a list of the legacy surface to the tally; all its readers share one call. */
export function addLegacy(tally: CostTally, list: LegacyList): void {
  tally.add(list, 1);
}

/** Returns the maximum number of records requested; an invalid number, rejected later, is clamped. */
export function windowCount({ first, last }: WindowArguments): number {
  return Math.min(Math.max(last ?? first ?? DEFAULT_WINDOW, 0), MAX_WINDOW);
}

/** A window of a list, and the part of its records that it contains. */
export interface ShownWindow {
  readonly args: WindowArguments;
  readonly type: NodeType;
  readonly part: string;
}

/** Adds a window of a list that the legacy surface returns as a whole to the tally, and returns its records. */
export function addLegacyWindow(
  tally: CostTally,
  list: LegacyList,
  { args, type, part }: ShownWindow,
): ResultSet[] {
  addLegacy(tally, list);
  return [{ type, part, name: `${list} ${JSON.stringify(args)}`, count: windowCount(args) }];
}

/** Adds a window of a paginated list to the tally, and returns its records. */
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

/** Adds a window of a list that may be filtered here to the tally, and returns its records. */
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
  // Even an empty page takes a call, for the length of the list.
  if (anchor === null && direction === 'forward') return pages({ from: 0, to: Math.max(count, 1) });
  // The end is unknown until a page reports it, and so is its alignment with page boundaries.
  if (anchor === null) return 2 + Math.ceil(count / sizes.max);
  const place = anchor.position;
  return direction === 'forward'
    ? pages({ from: place, to: place + count + 1 })
    : pages({ from: Math.max(place - count, 0), to: place + 1 });
}

function countIn({ first, last }: WindowArguments, count: number): WindowArguments {
  return { ...(first == null ? {} : { first: count }), ...(last == null ? {} : { last: count }) };
}
