import { isAbsoluteUrl } from '../sources/absolute-url.ts';
import type { CreatePostInput, PostVariantInput } from '../writes/create-post.ts';
import type { AccountDirectory } from './accounts.ts';
import {
  LONG_FORM_COLUMNS,
  nameOf,
  nameOfVariant,
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
  readonly input: CreatePostInput;
}

/** The result of reading a row: the post, or what is wrong with it. */
export type ReadRow = { readonly post: PostRow } | { readonly problems: readonly TableProblem[] };

/** Separates multiple values of a cell. */
const SEPARATOR = '|';
const LONG_FORM_VARIANTS: readonly Variant[] = ['gmb', 'youtube'];
const PLACEMENTS = ['queue', 'now', 'next'] as const;
const INSTAGRAM_POST_TYPES = ['post', 'reels', 'story'] as const;

/** Reads a row as a post, or reports all of its problems. */
export function readRow({ row, line, cells }: TableRow, directory: AccountDirectory): ReadRow {
  const problems: TableProblem[] = [];
  const reader: RowReader = {
    cell: (name) => cells.get(name) ?? null,
    problem: (column, message) => void problems.push({ line, row, column, message }),
  };
  const accountIds = accountIdsIn(reader, directory);
  const timing = timingIn(reader);
  const variants = variantsIn(reader);
  if (problems.length > 0 || timing === null) return { problems };
  return { post: { row, line, input: { accountIds, timing, variants } } };
}

/** Reads the cells of a row and collects problems. */
interface RowReader {
  readonly cell: (name: string) => string | null;
  readonly problem: (column: string | null, message: string) => void;
}

function listIn(cell: string | null): string[] {
  return (cell ?? '')
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function accountIdsIn({ cell, problem }: RowReader, directory: AccountDirectory): string[] {
  const references = listIn(cell('account'));
  if (references.length === 0) problem('account', 'is empty.');
  const ids = references.flatMap((reference) => {
    const found = directory.find(reference);
    if ('id' in found) return [found.id];
    problem('account', found.problem);
    return [];
  });
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined) problem('account', `names ${directory.nameOf(twice)} twice.`);
  return ids;
}

function timingIn({ cell, problem }: RowReader): CreatePostInput['timing'] | null {
  const [time, placement] = [cell('time'), cell('placement')];
  if (time !== null && placement !== null) {
    problem('placement', 'is given beside a time; a row has one of them.');
    return null;
  }
  if (placement !== null) {
    const word = placement.trim().toLowerCase();
    const known = PLACEMENTS.find((one) => one === word);
    if (known === undefined) problem('placement', `must be ${PLACEMENTS.join(', ')} or empty.`);
    return known === undefined ? null : { placement: known };
  }
  if (time === null) problem('time', 'is empty, and so is placement; a row needs one of them.');
  return time === null ? null : timesIn(time, problem);
}

function timesIn(cell: string, problem: RowReader['problem']): CreatePostInput['timing'] | null {
  const times = listIn(cell).map(readTime);
  for (const time of times) if ('problem' in time) problem('time', time.problem);
  const scheduledAtLocal = times.flatMap((time) => ('local' in time ? [time.local] : []));
  const scheduledAt = times.flatMap((time) => ('instant' in time ? [time.instant] : []));
  if (scheduledAt.length === 0) return { scheduledAtLocal };
  if (scheduledAtLocal.length === 0) return { scheduledAt };
  problem('time', 'has times with an offset and times without one; write all of a row in one way.');
  return null;
}

function variantsIn(reader: RowReader): PostVariantInput[] {
  const asked = Object.values(VARIANTS).filter((variant) =>
    contentColumns().some((name) => reader.cell(nameOf({ name, variant })) !== null),
  );
  // Text without a network belongs to the original.
  const variants =
    reader.cell('text') === null && asked.length > 0 ? asked : [...new Set<Variant>(['original', ...asked])];
  for (const name of LONG_FORM_COLUMNS)
    if (reader.cell(name) !== null && !variants.some((one) => LONG_FORM_VARIANTS.includes(one))) {
      problemOfLongForm(name, reader);
    }
  const instagramPostType = instagramPostTypeIn(reader);
  return variants.map((variant) => ({ variant, instagramPostType, ...contentIn(variant, reader) }));
}

function problemOfLongForm(name: ContentColumn, { problem }: RowReader): void {
  const columns = LONG_FORM_VARIANTS.map((variant) => nameOf({ name, variant })).join(' or ');
  problem(
    name,
    `is for Google Business and YouTube alone; write ${columns}, and for other networks put it into the text.`,
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
  const isLongForm = LONG_FORM_VARIANTS.includes(variant);
  const cell = (name: ContentColumn): string | null =>
    reader.cell(nameOf({ name, variant })) ??
    ((LONG_FORM_COLUMNS as readonly ContentColumn[]).includes(name) && !isLongForm
      ? null
      : reader.cell(name));
  const [text, comment, title, link, longText] = [
    cell('text'),
    cell('comment'),
    cell('title'),
    cell('link')?.trim(),
    cell('long-text'),
  ];
  if (link !== undefined && !isAbsoluteUrl(link))
    reader.problem(nameOf({ name: 'link', variant }), 'is not a URL.');
  const [tagIds, mediaIds] = [listIn(cell('tags')), listIn(cell('media'))];
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

function instagramPostTypeIn({ cell, problem }: RowReader): PostVariantInput['instagramPostType'] {
  const word = cell('instagram-post-type')?.trim().toLowerCase() ?? 'post';
  const known = INSTAGRAM_POST_TYPES.find((one) => one === word);
  if (known === undefined)
    problem('instagram-post-type', `must be ${INSTAGRAM_POST_TYPES.join(', ')} or empty.`);
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
  { input }: Pick<PostRow, 'input'>,
): string | null {
  const [, argument, index = '', field = ''] = path ?? [];
  if (argument === 'accountIds') return 'account';
  // What is wrong with a placement is found where the row is read.
  if (argument === 'timing') return 'time';
  if (argument !== 'variants') return null;
  const name = COLUMN_OF_FIELD[field];
  if (name === undefined) return 'text';
  const variant = input.variants[Number(index)]?.variant;
  return variant === undefined || variant === 'original' ? name : `${name}:${nameOfVariant(variant)}`;
}
