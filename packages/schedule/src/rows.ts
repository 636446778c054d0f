import type { AccountDirectory } from './accounts.ts';
import { damageOf, valuesIn, visibleIn } from './cells.ts';
import {
  CONTENT_COLUMNS,
  VARIANTS,
  type ContentColumn,
  type TableProblem,
  type TableRow,
  type Variant,
} from './table.ts';
import { readTime } from './times.ts';

/** The input of `createPost` for a row, without its key: accounts and times in order, since another order is the same post. */
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
  /** Its cells by column name. */
  readonly cells: ReadonlyMap<string, string>;
  /** If there are problems, it holds only what could be read. */
  readonly input: PostInput;
  /** What is wrong with its cells; the graph finds the rest. */
  readonly problems: readonly TableProblem[];
}

/** Reads a row as a post, with all problems of its cells. */
export function readRow(row: TableRow, directory: AccountDirectory): PostRow {
  const reader = new RowReader(row);
  const input = {
    accountIds: reader.accountIds(directory),
    timing: reader.timing(),
    variants: reader.variants(),
  };
  return { row: row.row, line: row.line, cells: row.cells, input, problems: reader.problems };
}

const NETWORKS = Object.keys(VARIANTS) as readonly (keyof typeof VARIANTS)[];
const WITH_LONG_FORM: readonly string[] = ['google-business', 'youtube'];

class RowReader {
  readonly #row: TableRow;
  readonly problems: TableProblem[];
  readonly #damaged = new Set<string>();

  constructor(row: TableRow) {
    this.#row = row;
    this.problems = [...row.problems];
    for (const [column, cell] of row.cells) {
      const damage = damageOf(cell);
      if (damage === null) continue;
      this.#report(column, damage);
      this.#damaged.add(column);
    }
  }

  #cell(column: string): string | null {
    return this.#row.cells.get(column) ?? null;
  }

  // What a damaged cell contains is no other mistake.
  #report(column: string, message: string): void {
    const { row, line } = this.#row;
    if (!this.#damaged.has(column)) this.problems.push({ line, row, column, message });
  }

  accountIds(directory: AccountDirectory): string[] {
    const found = directory.find(this.#cell('account') ?? '');
    for (const one of found) if ('problem' in one) this.#report('account', one.problem);
    return found.flatMap((one) => ('id' in one ? [one.id] : [])).toSorted();
  }

  /** Returns the time or placement; empty if neither can be read. */
  timing(): PostInput['timing'] {
    const [time, placement] = [this.#cell('time'), this.#cell('placement')];
    if ((time === null) === (placement === null))
      this.#report('time', 'The row needs either a time or a placement.');
    if (time !== null) return this.#times(time);
    const word = this.#word('placement', ['queue', 'now', 'next']);
    return word === null ? {} : { placement: word };
  }

  #times(cell: string): PostInput['timing'] {
    const times = valuesIn(cell).map(readTime);
    if (times.length === 0) this.#report('time', 'The time is missing.');
    for (const time of times) if ('problem' in time) this.#report('time', time.problem);
    const scheduledAtLocal = times.flatMap((time) => ('local' in time ? [time.local] : [])).toSorted();
    const scheduledAt = times.flatMap((time) => ('instant' in time ? [time.instant] : [])).toSorted();
    if (scheduledAtLocal.length > 0 && scheduledAt.length > 0)
      this.#report('time', 'The times of a row must all have an offset, or all have none.');
    if (scheduledAtLocal.length > 0) return { scheduledAtLocal };
    return scheduledAt.length > 0 ? { scheduledAt } : {};
  }

  /** Reads one of a few words as the graph spells it; null for an empty cell or another word. */
  #word(column: string, words: readonly string[]): string | null {
    const cell = this.#cell(column);
    if (cell === null) return null;
    const word = visibleIn(cell).toLowerCase();
    if (words.includes(word)) return word.toUpperCase();
    this.#report(column, `The cell must be ${words.join(', ')} or empty.`);
    return null;
  }

  variants(): VariantInput[] {
    const own = NETWORKS.filter((network) =>
      CONTENT_COLUMNS.some((name) => this.#row.cells.has(`${name}:${network}`)),
    );
    // Text without a network belongs to the original.
    const hasOriginal = this.#cell('text') !== null || own.length === 0;
    const networks = hasOriginal ? [...new Set(['original' as const, ...own])] : own;
    const instagramPostType = this.#word('instagram-post-type', ['post', 'reels', 'story']) ?? 'POST';
    return networks.map((network) => {
      const isLongForm =
        WITH_LONG_FORM.includes(network) || !networks.some((one) => WITH_LONG_FORM.includes(one));
      return { variant: VARIANTS[network], instagramPostType, ...this.#content(network, isLongForm) };
    });
  }

  /**
   * @param isLongForm Whether the variant uses the columns for all networks of content that only Google Business and
   * YouTube accept. Without a variant for these, every variant does, so that the graph refuses it.
   */
  #content(network: string, isLongForm: boolean): Partial<VariantInput> {
    const cell = (name: ContentColumn): string | null =>
      this.#cell(columnFor(name, network, this.#row.cells));
    const longForm = (name: ContentColumn): string | null =>
      isLongForm ? cell(name) : this.#cell(`${name}:${network}`);
    const link = longForm('link')?.trim() ?? null;
    const isLink = link === null || isAbsoluteUrl(link);
    if (!isLink)
      this.#report(columnFor('link', network, this.#row.cells), 'The link is not an absolute URL.');
    const [tagIds, mediaIds] = [valuesIn(cell('tags')), valuesIn(cell('media'))];
    const texts = {
      text: cell('text'),
      comment: cell('comment'),
      title: longForm('title'),
      linkUrl: isLink ? link : null,
      longText: longForm('long-text'),
    };
    return {
      ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)),
      ...(tagIds.length > 0 && { tagIds }),
      ...(mediaIds.length > 0 && { mediaIds }),
    };
  }
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
function columnFor(name: ContentColumn, network: string, cells: ReadonlyMap<string, string>): string {
  const own = `${name}:${network}`;
  return cells.has(own) ? own : name;
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
  { input, cells }: Pick<PostRow, 'input' | 'cells'>,
): string | null {
  const [, argument, index = '', field = ''] = path ?? [];
  if (argument === 'accountIds') return 'account';
  // What is wrong with a placement is found where the row is read.
  if (argument === 'timing') return 'time';
  if (argument !== 'variants') return null;
  const variant = input.variants[Number(index)]?.variant;
  const network = NETWORKS.find((one) => VARIANTS[one] === variant);
  const name = COLUMN_OF_FIELD[field];
  return name === undefined || network === undefined ? 'text' : columnFor(name, network, cells);
}

/** The times of a post, or its placement. */
export function timesOf({ timing }: PostInput): readonly string[] {
  const { scheduledAtLocal, scheduledAt, placement } = timing;
  const instants = scheduledAt?.map((instant) => instant.replace(/:00\.000Z$/, 'Z'));
  return scheduledAtLocal ?? instants ?? [placement?.toLowerCase() ?? ''];
}

/** The first text of a post; empty if it has none. */
export function textOf({ variants }: PostInput): string {
  return variants.map(({ text }) => text ?? '').find((text) => text !== '') ?? '';
}
