import { visibleIn } from './cells.ts';

/** The variants that a column may apply to, as the graph names them, by the name after its colon. */
const VARIANT_NAMES = {
  original: 'ORIGINAL',
  facebook: 'FACEBOOK',
  x: 'X',
  linkedin: 'LINKEDIN',
  'google-business': 'GOOGLE_BUSINESS',
  youtube: 'YOUTUBE',
} as const;

/** A variant of a post, as the graph names it. */
export type Variant = (typeof VARIANT_NAMES)[keyof typeof VARIANT_NAMES];
export const VARIANTS: ReadonlyMap<string, Variant> = new Map(Object.entries(VARIANT_NAMES));

/** The columns that apply to the whole post. */
const POST_COLUMNS = ['account', 'time', 'placement', 'instagram-post-type'] as const;
/** The columns that may also apply to a single variant, such as `text:x`. */
export const CONTENT_COLUMNS = ['text', 'comment', 'tags', 'media', 'title', 'link', 'long-text'] as const;
/** The content that only Google Business and YouTube accept. */
export const LONG_FORM_COLUMNS = ['title', 'link', 'long-text'] as const satisfies readonly ContentColumn[];

type PostColumn = (typeof POST_COLUMNS)[number];
export type ContentColumn = (typeof CONTENT_COLUMNS)[number];

/** The content of a column of a table. */
export type Column =
  { readonly name: PostColumn } | { readonly name: ContentColumn; readonly variant: Variant | null };

/** Returns the name of a column, as used in messages. */
export function nameOf(column: Column): string {
  if (!('variant' in column) || column.variant === null) return column.name;
  return `${column.name}:${nameOfVariant(column.variant)}`;
}

const nameOfVariant = (variant: Variant): string => variant.toLowerCase().replaceAll('_', '-');

/** Parses the name of a column; null if it is not one. Case and surrounding spaces do not matter. */
export function parseColumn(header: string): Column | null {
  const [name = '', variantName, ...rest] = visibleIn(header)
    .toLowerCase()
    .split(':')
    .map((part) => part.trim().replaceAll(/[_\s]+/g, '-'));
  if (rest.length > 0) return null;
  const isOf = <T extends string>(names: readonly T[]): T | undefined => names.find((one) => one === name);
  if (variantName === undefined) {
    const whole = isOf(POST_COLUMNS);
    if (whole !== undefined) return { name: whole };
  }
  const content = isOf(CONTENT_COLUMNS);
  if (content === undefined) return null;
  if (variantName === undefined) return { name: content, variant: null };
  const variant = VARIANTS.get(variantName);
  return variant === undefined ? null : { name: content, variant };
}

/** Whether a column, by its name, holds something that can be posted. */
export function isPostable(name: string): boolean {
  return /^(?:text|media|long-text|link)(?::|$)/.test(name);
}

/** Lists the names of all columns, for messages. */
export function knownColumns(): string {
  const variants = [...VARIANTS.keys()].slice(1).join(', ');
  return `${[...POST_COLUMNS, ...CONTENT_COLUMNS].join(', ')}; ${CONTENT_COLUMNS.join(', ')} also for one network, as text:x (${variants})`;
}
