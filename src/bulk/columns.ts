import type { PostVariantInput } from '../writes/create-post.ts';

/** A variant of a post, in the service's own word for it. */
export type Variant = PostVariantInput['variant'];

/** The variants that a column may be for, by the name that follows its colon. */
export const VARIANTS: Readonly<Record<string, Variant>> = {
  original: 'original',
  facebook: 'facebook',
  x: 'twitter',
  linkedin: 'linkedin',
  'google-business': 'gmb',
  youtube: 'youtube',
};

/** The columns that are about the whole post. */
const POST_COLUMNS = ['account', 'time', 'placement', 'instagram-post-type'] as const;
/** The columns that may also be for one variant, as `text:x`. */
const CONTENT_COLUMNS = ['text', 'comment', 'tags', 'media', 'title', 'link', 'long-text'] as const;
/** The content that Google Business and YouTube alone take. */
export const LONG_FORM_COLUMNS = ['title', 'link', 'long-text'] as const satisfies readonly ContentColumn[];

export type PostColumn = (typeof POST_COLUMNS)[number];
export type ContentColumn = (typeof CONTENT_COLUMNS)[number];

/** What a column of a table holds. */
export type Column =
  { readonly name: PostColumn } | { readonly name: ContentColumn; readonly variant: Variant | null };

/** The name of a column as it is written in messages. */
export function nameOf(column: Column): string {
  if (!('variant' in column) || column.variant === null) return column.name;
  return `${column.name}:${nameOfVariant(column.variant)}`;
}

/** The name of a variant, as it follows the colon of a column. */
export function nameOfVariant(variant: Variant): string {
  return Object.keys(VARIANTS).find((name) => VARIANTS[name] === variant) ?? variant;
}

/** Reads the name of a column; null for one that is none. Upper case, underscores and spaces around it do not count. */
export function parseColumn(header: string): Column | null {
  const [name = '', variantName, ...rest] = header
    .toLowerCase()
    .split(':')
    .map((part) => part.trim().replaceAll(/[_ ]/g, '-'));
  if (rest.length > 0) return null;
  const isOf = <T extends string>(names: readonly T[]): T | undefined => names.find((one) => one === name);
  if (variantName === undefined) {
    const whole = isOf(POST_COLUMNS);
    if (whole !== undefined) return { name: whole };
  }
  const content = isOf(CONTENT_COLUMNS);
  if (content === undefined) return null;
  if (variantName === undefined) return { name: content, variant: null };
  const variant = VARIANTS[variantName];
  return variant === undefined ? null : { name: content, variant };
}

/** The names of all columns, for people. */
export function knownColumns(): string {
  const variants = Object.keys(VARIANTS).slice(1).join(', ');
  return `${[...POST_COLUMNS, ...CONTENT_COLUMNS].join(', ')}; ${CONTENT_COLUMNS.join(', ')} also for one network, as text:x (${variants})`;
}
