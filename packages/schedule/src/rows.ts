import type { AccountDirectory } from './accounts.ts';
import { damageOf, valuesIn, visibleIn } from './cells.ts';
import {
  CONTENT_COLUMNS,
  isPostable,
  LONG_FORM_COLUMNS,
  nameOf,
  VARIANTS,
  type ContentColumn,
  type Variant,
} from './columns.ts';
import type { TableProblem, TableRow } from './table.ts';
import { readTime } from './times.ts';

/** The input of `createPost` for a row, without its key. */
export interface PostInput {
  readonly accountIds: readonly string[];
  readonly timing: {
    readonly placement?: string;
    readonly scheduledAtLocal?: readonly string[];
    readonly scheduledAt?: readonly string[];
  };
  readonly variants: readonly VariantInput[];
}

interface VariantInput {
  readonly variant: Variant;
  readonly instagramPostType: string;
  readonly text?: string;
  readonly comment?: string;
  readonly title?: string;
  readonly linkUrl?: string;
  readonly longText?: string;
  readonly tagIds?: readonly string[];
  readonly mediaIds?: readonly string[];
}

/** A row of a table as the post that it requests. */
export interface PostRow {
  readonly row: number;
  readonly line: number;
  /** The cell with the accounts. */
  readonly accountCell: string;
  /** If there are problems, it holds only what could be read. */
  readonly input: PostInput;
  /** The columns in which it has a cell. */
  readonly columns: ReadonlySet<string>;
  readonly problems: readonly TableProblem[];
}

const LONG_FORM_VARIANTS: readonly Variant[] = ['GOOGLE_BUSINESS', 'YOUTUBE'];

/** Reads a row as a post, with all of its problems. */
export function readRow(
  { row, line, cells, problems: found }: TableRow,
  directory: AccountDirectory,
): PostRow {
  const problems = [...found];
  const damaged = new Map([...cells].map(([name, cell]) => [name, damageOf(cell)]));
  const report = (column: string, message: string): void =>
    void problems.push({ line, row, column, message });
  for (const [name, message] of damaged) if (message !== null) report(name, message);
  const columns = new Set(cells.keys());
  const reader: RowReader = {
    columns,
    cell: (name) => cells.get(name) ?? null,
    // What a damaged cell contains is no other mistake.
    problem: (column, message) => void (damaged.get(column) ?? report(column, message)),
  };
  const input = {
    accountIds: accountIdsIn(reader, directory),
    timing: timingIn(reader),
    variants: variantsIn(reader),
  };
  return { row, line, accountCell: cells.get('account') ?? '', input, columns, problems };
}

/** Reads the cells of a row and collects problems. */
interface RowReader {
  /** The columns in which the row has a cell. */
  readonly columns: ReadonlySet<string>;
  readonly cell: (name: string) => string | null;
  readonly problem: (column: string, message: string) => void;
}

function accountIdsIn({ cell, problem }: RowReader, directory: AccountDirectory): string[] {
  const found = directory.find(cell('account') ?? '');
  if (found.length === 0) problem('account', 'The account is missing.');
  for (const one of found) if ('problem' in one) problem('account', one.problem);
  const ids = found.flatMap((one) => ('id' in one ? [one.id] : []));
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined) problem('account', `${directory.labelOf(twice)} is given twice.`);
  return [...new Set(ids)];
}

/** Returns the time or placement of a row; empty if neither can be read. */
function timingIn(reader: RowReader): PostInput['timing'] {
  const [time, placement] = [reader.cell('time'), reader.cell('placement')];
  if (time !== null && placement !== null)
    reader.problem('placement', 'A row cannot have both a time and a placement.');
  if (time !== null) return timesIn(time, reader);
  if (placement === null) {
    reader.problem('time', 'The row needs a time or a placement.');
    return {};
  }
  const known = wordIn('placement', { noun: 'placement', words: ['queue', 'now', 'next'] }, reader);
  return known === null ? {} : { placement: known };
}

function timesIn(cell: string, { problem }: RowReader): PostInput['timing'] {
  const times = valuesIn(cell).map(readTime);
  if (times.length === 0) problem('time', 'The time is missing.');
  for (const time of times) if ('problem' in time) problem('time', time.problem);
  const scheduledAtLocal = times.flatMap((time) => ('local' in time ? [time.local] : []));
  const scheduledAt = times.flatMap((time) => ('instant' in time ? [time.instant] : []));
  if (scheduledAt.length === 0) return scheduledAtLocal.length === 0 ? {} : { scheduledAtLocal };
  if (scheduledAtLocal.length === 0) return { scheduledAt };
  problem('time', 'The times of a row must all have an offset, or all have none.');
  return { scheduledAtLocal };
}

/** Reads one of a few words as the graph spells it; null for an empty cell or another word. */
function wordIn(
  column: string,
  { noun, words }: { readonly noun: string; readonly words: readonly string[] },
  { cell, problem }: RowReader,
): string | null {
  const text = cell(column);
  if (text === null) return null;
  const word = visibleIn(text).toLowerCase();
  if (words.includes(word)) return word.toUpperCase();
  problem(column, `The ${noun} must be ${words.join(', ')} or empty.`);
  return null;
}

function variantsIn(reader: RowReader): VariantInput[] {
  const { cell, problem, columns } = reader;
  const asked = [...VARIANTS.values()].filter((variant) =>
    CONTENT_COLUMNS.some((name) => columns.has(nameOf({ name, variant }))),
  );
  // Text without a network belongs to the original.
  const variants =
    cell('text') === null && asked.length > 0 ? asked : [...new Set<Variant>(['ORIGINAL', ...asked])];
  for (const name of LONG_FORM_COLUMNS)
    if (columns.has(name) && !variants.some((one) => LONG_FORM_VARIANTS.includes(one))) {
      const own = LONG_FORM_VARIANTS.map((variant) => nameOf({ name, variant })).join(' or ');
      problem(
        name,
        `Only Google Business and YouTube support this: use the column ${own}. For other networks, include it in the text.`,
      );
    }
  if (![...columns].some(isPostable)) problem('text', 'The row needs a text or media.');
  const types = { noun: 'Instagram post type', words: ['post', 'reels', 'story'] };
  const instagramPostType = wordIn('instagram-post-type', types, reader) ?? 'POST';
  return variants.map((variant) => ({ variant, instagramPostType, ...contentIn(variant, reader) }));
}

function contentIn(variant: Variant, { cell, columns, problem }: RowReader): Partial<VariantInput> {
  const columnOf = (name: ContentColumn): string => columnFor(name, variant, columns);
  const contentOf = (name: ContentColumn): string | null => cell(columnOf(name));
  const longForm = (name: (typeof LONG_FORM_COLUMNS)[number]): string | null =>
    LONG_FORM_VARIANTS.includes(variant) ? contentOf(name) : cell(nameOf({ name, variant }));
  const link = longForm('link')?.trim() ?? null;
  const isLink = link === null || isAbsoluteUrl(link);
  if (!isLink) problem(columnOf('link'), 'The link is not an absolute URL.');
  const [tagIds, mediaIds] = [valuesIn(contentOf('tags')), valuesIn(contentOf('media'))];
  const texts = {
    text: contentOf('text'),
    comment: contentOf('comment'),
    title: longForm('title'),
    linkUrl: isLink ? link : null,
    longText: longForm('long-text'),
  };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)),
    ...(tagIds.length === 0 ? {} : { tagIds }),
    ...(mediaIds.length === 0 ? {} : { mediaIds }),
  };
}

// `URL.canParse` of Node 20 is only reliable for ASCII: after many calls, it rejects `https://müller.example`.
function isAbsoluteUrl(text: string): boolean {
  try {
    return new URL(text).href !== '';
  } catch {
    return false;
  }
}

/** Returns the column from which a variant has its content: its own one if it is filled, otherwise the one for all. */
function columnFor(name: ContentColumn, variant: Variant, columns: ReadonlySet<string>): string {
  const own = nameOf({ name, variant });
  return columns.has(own) ? own : name;
}

const COLUMN_OF_FIELD: Readonly<Record<string, ContentColumn>> = {
  text: 'text',
  comment: 'comment',
  tagIds: 'tags',
  mediaIds: 'media',
  title: 'title',
  linkUrl: 'link',
  longText: 'long-text',
};

/** Returns the name of the column from which an argument of `createPost` was read; null if there is none. */
export function columnOfPath(
  path: readonly string[] | null,
  { input, columns }: Pick<PostRow, 'input' | 'columns'>,
): string | null {
  const [, argument, index = '', field = ''] = path ?? [];
  if (argument === 'accountIds') return 'account';
  // What is wrong with a placement is found where the row is read.
  if (argument === 'timing') return 'time';
  if (argument !== 'variants') return null;
  const name = COLUMN_OF_FIELD[field];
  if (name === undefined) return 'text';
  const variant = input.variants[Number(index)]?.variant;
  return variant === undefined ? name : columnFor(name, variant, columns);
}
