import { isAbsoluteUrl } from '../sources/absolute-url.ts';
import type { CreatePostInput, PostVariantInput } from '../writes/create-post.ts';
import type { AccountDirectory } from './accounts.ts';
import { damageOf, valuesIn, visibleIn } from './cells.ts';
import {
  isPostable,
  LONG_FORM_COLUMNS,
  nameOf,
  VARIANTS,
  type ContentColumn,
  type Variant,
} from './columns.ts';
import type { TableProblem, TableRow } from './table.ts';
import { readTime } from './times.ts';

/** A row of a table as the post that it requests. */
export interface PostRow {
  readonly row: number;
  readonly line: number;
  /** If there are problems, it holds only what could be read. */
  readonly input: CreatePostInput;
  /** The columns in which it has a cell. */
  readonly columns: ReadonlySet<string>;
  readonly problems: readonly TableProblem[];
}

const LONG_FORM_VARIANTS: readonly Variant[] = ['gmb', 'youtube'];
const PLACEMENTS = ['queue', 'now', 'next'] as const;
const INSTAGRAM_POST_TYPES = ['post', 'reels', 'story'] as const;

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
  const columns = [...cells.keys()];
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
  return { row, line, input, columns: new Set(columns), problems };
}

/** Reads the cells of a row and collects problems. */
interface RowReader {
  /** The columns in which the row has a cell. */
  readonly columns: readonly string[];
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
function timingIn({ cell, problem }: RowReader): CreatePostInput['timing'] {
  const [time, placement] = [cell('time'), cell('placement')];
  if (time !== null && placement !== null)
    problem('placement', 'A row cannot have both a time and a placement.');
  if (time !== null) return timesIn(time, problem);
  if (placement === null) {
    problem('time', 'The row needs a time or a placement.');
    return {};
  }
  const word = visibleIn(placement).toLowerCase();
  const known = PLACEMENTS.find((one) => one === word);
  if (known === undefined) problem('placement', `The placement must be ${PLACEMENTS.join(', ')} or empty.`);
  return known === undefined ? {} : { placement: known };
}

function timesIn(cell: string, problem: RowReader['problem']): CreatePostInput['timing'] {
  const values = valuesIn(cell);
  const times = values.map(readTime);
  if (times.length === 0) problem('time', 'The time is missing.');
  for (const time of times) if ('problem' in time) problem('time', time.problem);
  const scheduledAtLocal = times.flatMap((time) => ('local' in time ? [time.local] : []));
  const scheduledAt = times.flatMap((time) => ('instant' in time ? [time.instant] : []));
  if (scheduledAt.length === 0) return scheduledAtLocal.length === 0 ? {} : { scheduledAtLocal };
  if (scheduledAtLocal.length === 0) return { scheduledAt };
  problem('time', 'The times of a row must all have an offset, or all have none.');
  return { scheduledAtLocal };
}

function variantsIn(reader: RowReader): PostVariantInput[] {
  const asked = [...VARIANTS.values()].filter((variant) =>
    contentColumns().some((name) => reader.cell(nameOf({ name, variant })) !== null),
  );
  // Text without a network belongs to the original.
  const variants =
    reader.cell('text') === null && asked.length > 0 ? asked : [...new Set<Variant>(['original', ...asked])];
  for (const name of LONG_FORM_COLUMNS)
    if (reader.cell(name) !== null && !variants.some((one) => LONG_FORM_VARIANTS.includes(one))) {
      problemOfLongForm(name, reader);
    }
  if (!reader.columns.some(isPostable)) reader.problem('text', 'The row needs a text or media.');
  const instagramPostType = instagramPostTypeIn(reader);
  return variants.map((variant) => ({ variant, instagramPostType, ...contentIn(variant, reader) }));
}

function problemOfLongForm(name: ContentColumn, { problem }: RowReader): void {
  const columns = LONG_FORM_VARIANTS.map((variant) => nameOf({ name, variant })).join(' or ');
  problem(
    name,
    `Only Google Business and YouTube support this: use the column ${columns}. For other networks, include it in the text.`,
  );
}

const contentColumns = (): readonly ContentColumn[] => [
  'text',
  'comment',
  'tags',
  'media',
  ...LONG_FORM_COLUMNS,
];

function contentIn(
  variant: Variant,
  reader: RowReader,
): Omit<PostVariantInput, 'variant' | 'instagramPostType'> {
  const columnOf = (name: ContentColumn): string =>
    columnFor(name, variant, (one) => reader.cell(one) !== null);
  const isLongForm = LONG_FORM_VARIANTS.includes(variant);
  const cell = (name: ContentColumn): string | null =>
    reader.cell(
      (LONG_FORM_COLUMNS as readonly ContentColumn[]).includes(name) && !isLongForm
        ? nameOf({ name, variant })
        : columnOf(name),
    );
  const [text, comment, title, link, longText] = [
    cell('text'),
    cell('comment'),
    cell('title'),
    cell('link')?.trim(),
    cell('long-text'),
  ];
  if (link !== undefined && !isAbsoluteUrl(link))
    reader.problem(columnOf('link'), 'The link is not an absolute URL.');
  const [tagIds, mediaIds] = [valuesIn(cell('tags')), valuesIn(cell('media'))];
  return {
    ...(text === null ? {} : { text }),
    ...(comment === null ? {} : { comment }),
    ...(title === null ? {} : { title }),
    ...(link === undefined ? {} : { linkUrl: link }),
    ...(longText === null ? {} : { longText }),
    ...(tagIds.length === 0 ? {} : { tagIds }),
    ...(mediaIds.length === 0 ? {} : { mediaIds }),
  };
}

/** Returns the column from which a variant has its content: its own one if it is filled, otherwise the one for all. */
function columnFor(name: ContentColumn, variant: Variant, isFilled: (column: string) => boolean): string {
  const own = nameOf({ name, variant });
  return isFilled(own) ? own : name;
}

function instagramPostTypeIn({ cell, problem }: RowReader): PostVariantInput['instagramPostType'] {
  const word = visibleIn(cell('instagram-post-type') ?? 'post').toLowerCase();
  const known = INSTAGRAM_POST_TYPES.find((one) => one === word);
  if (known === undefined)
    problem(
      'instagram-post-type',
      `The Instagram post type must be ${INSTAGRAM_POST_TYPES.join(', ')} or empty.`,
    );
  return known ?? 'post';
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
  return variant === undefined ? name : columnFor(name, variant, (column) => columns.has(column));
}
