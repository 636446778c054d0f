import * as fc from 'fast-check';
import { choosableSizes, learn, type PageSizes } from '../../src/lists/pages.ts';
import { readWindow } from '../../src/lists/reader.ts';
import type { PagedList, SizeMemory } from '../../src/lists/reading.ts';
import { windowOf, type WindowArguments } from '../../src/lists/window.ts';
import type { Page } from '../../src/sources/current/client.ts';
import { SourceError } from '../../src/sources/errors.ts';

export interface Row {
  readonly id: number;
}

/** What a service may do with a page past the end: give none, the last one by its own number or by the requested one, refuse, or break. */
const BEYOND = ['empty', 'last-page', 'repeat-last', 'rejected', 'broken'] as const;

/** How a model service is set up; by default it serves pages of any size, and is asked for 100 at most. */
export interface ModelOptions {
  readonly length?: number;
  /** The service raises smaller sizes to `min`, and lowers larger ones to `max`. */
  readonly serves?: { readonly min?: number; readonly max?: number };
  readonly beyond?: (typeof BEYOND)[number];
  /** What the reader knows of the page sizes at first. */
  readonly sizes?: PageSizes;
}

/** A service with one list, which counts its calls and can be changed at any time. */
export interface Model {
  rows: Row[];
  calls: { readonly page: number; readonly size: number }[];
  readonly memory: SizeMemory;
  /** Runs before each call is answered. */
  beforeCall: () => void;
  /** New records, as many as asked for. */
  readonly made: (count: number) => Row[];
  /** The list as one operation sees it: a page is requested once, unless it is requested afresh. */
  readonly operation: () => PagedList<Row>;
}

export function modelOf({ length = 0, serves = {}, beyond = 'empty', ...rest }: ModelOptions = {}): Model {
  const { sizes = choosableSizes(100) } = rest;
  const { min = 1, max = Infinity } = serves;
  let lastId = 0;
  const made = (count: number): Row[] => Array.from({ length: count }, () => ({ id: (lastId += 1) }));
  const call = async (page: number, asked: number): Promise<Page<Row>> => {
    // No page larger than the maximum is ever requested, whatever sizes were returned.
    const isAskable = sizes.fixed || asked <= sizes.max;
    if (page < 1 || asked < 1 || !isAskable) throw new Error(`page ${page} of ${asked}`);
    model.calls.push({ page, size: asked });
    model.beforeCall();
    return cut(model.rows, page, Math.min(Math.max(asked, min), max), beyond);
  };
  const model: Model = {
    rows: made(length),
    calls: [],
    memory: { sizes },
    beforeCall: () => {},
    made,
    operation() {
      const kept = new Map<string, Promise<Page<Row>>>();
      return {
        fingerprint: 'model-list',
        surface: 'current',
        memory: model.memory,
        keyOf: (row) => String(row.id),
        readPage(page, size, fresh) {
          const name = `${page} ${size}`;
          const answer = (fresh ? undefined : kept.get(name)) ?? call(page, size);
          kept.set(name, answer);
          return answer;
        },
      };
    },
  };
  return model;
}

function cut(
  rows: readonly Row[],
  page: number,
  size: number,
  beyond: NonNullable<ModelOptions['beyond']>,
): Page<Row> {
  const last = Math.max(Math.ceil(rows.length / size), 1);
  if (page > last && beyond === 'rejected') throw new SourceError('rejected', 'current', 'no such page');
  if (page > last && beyond === 'broken')
    throw new SourceError('unavailable', 'current', 'oh', { status: 500 });
  const shown = page > last && beyond !== 'empty' ? last : page;
  return {
    page: beyond === 'repeat-last' ? page : shown,
    size,
    total: rows.length,
    rows: rows.slice((shown - 1) * size, shown * size),
  };
}

/** The list with pages that `change` makes of the answers. */
export function changed(list: PagedList<Row>, change: (page: Page<Row>) => Page<Row>): PagedList<Row> {
  return { ...list, readPage: async (...request) => change(await list.readPage(...request)) };
}

/** Makes a change before one call of the next reading, counted from 1. */
export function changeBefore(model: Model, call: number, change: () => Row[]): void {
  model.beforeCall = () => {
    if (model.calls.length === call) model.rows = change();
  };
}

/** Reads a window as an operation of its own, or as one with a list of its own. */
export async function look(model: Model, args: WindowArguments, own: Partial<PagedList<Row>> = {}) {
  const list = { ...model.operation(), ...own };
  model.calls = [];
  const { rows, cursorOf, ...facts } = await readWindow(list, windowOf(args, list));
  return {
    ...facts,
    ids: idsOf(rows),
    start: rows.length > 0 ? cursorOf(0) : null,
    end: rows.length > 0 ? cursorOf(rows.length - 1) : null,
    calls: model.calls,
  };
}

/** What a window showed, and which calls it made. */
export type Seen = Awaited<ReturnType<typeof look>>;

export const idsOf = (rows: readonly Row[]): number[] => rows.map(({ id }) => id);

/** Sizes up to a maximum that the service is known to serve. */
export const learned = (most: number): PageSizes => learn(choosableSizes(most), most, most);

/** The fewest pages of sizes up to `max` that hold all places from `from` up to `to`, each with the last place of the one before. */
export function fewestPages(from: number, to: number, max: number): number {
  let pages = 0;
  for (let end = from; end < to; pages += 1) {
    const place = pages === 0 ? from : end - 1;
    end = Math.max(...Array.from({ length: max }, (_, less) => firstMultipleAbove(place, less + 1)));
  }
  return pages;
}

const firstMultipleAbove = (place: number, size: number): number => place - (place % size) + size;

/** The pages of one size that hold all places from `from` up to `to`. */
export function pagesOfSize(from: number, to: number, size: number): number {
  return to <= from ? 0 : Math.ceil(to / size) - Math.floor(from / size);
}

export const anyBeyond = fc.constantFrom(...BEYOND);
export const anyCount = fc.integer({ min: 1, max: 100 });
export const anyLength = fc.integer({ min: 0, max: 400 });
