import { PAGE_INFO, readList, type Graph, type ListDocument } from './graph.ts';
import { countOf, cutText, inOneLine, textTable, type TextColumn } from './text.ts';

/** What prevents a post from being published, by the names of the graph's fields. */
const OBSTACLES = [
  'isAccountPaused',
  'isPaused',
  'isLocked',
  'needsReconnect',
  'isDeleted',
  'isSpam',
] as const;
const TEXTS = [
  'scheduledAtLocal',
  'scheduledAt',
  'scheduledLabel',
  'title',
  'text',
  'linkUrl',
  'comment',
  'failureText',
] as const;

type Post = Readonly<
  Record<'id' | 'postId', string> &
    Record<(typeof TEXTS)[number], string | null> &
    Record<(typeof OBSTACLES)[number], boolean | null>
> & {
  readonly account: Readonly<
    Record<'id' | 'label' | 'network', string> & Record<'loginId' | 'displayName', string | null>
  > | null;
};

const QUEUE = `query ($after: String) { list: queuedPosts(first: 100, after: $after) {
  nodes { id postId account { id loginId displayName label network } ${[...TEXTS, ...OBSTACLES].join(' ')} }
  ${PAGE_INFO} } }` as ListDocument<Post>;

/** A post of the queue; a field that is missing or can't be read is null. */
export type QueueRow = ReturnType<typeof rowOf>;

/** The rows of the queue, and the number of posts without an id. */
export interface QueueListing {
  readonly rows: readonly QueueRow[];
  readonly unreadableRows: number;
}

/**
 * Reads the whole queue, in order.
 *
 * @throws WalkError if it is too long, or changed so much that its pages do not fit together
 */
export async function readQueue(graph: Graph): Promise<QueueListing> {
  const { nodes, unreadable } = await readList(graph, QUEUE);
  return { rows: nodes.map(rowOf), unreadableRows: unreadable };
}

function rowOf(post: Post) {
  const { id, postId, account, scheduledAtLocal, scheduledAt, scheduledLabel } = post;
  const flags: string[] = OBSTACLES.filter((name) => post[name] === true);
  return {
    id,
    postId,
    accountName: account?.displayName ?? null,
    accountLabel: account?.label ?? null,
    accountId: account?.id ?? null,
    loginId: account?.loginId ?? null,
    network: account?.network ?? 'UNKNOWN',
    scheduledAtLocal,
    scheduledAt,
    scheduledLabel,
    title: post.title || null,
    text: post.text,
    linkUrl: post.linkUrl || null,
    comment: post.comment || null,
    obstacles: post.failureText ? [...flags, 'failureText'] : flags,
  };
}

const TABLE: readonly TextColumn<QueueRow>[] = [
  {
    title: 'Time',
    most: 32,
    cell: (row) => row.scheduledAtLocal?.replace('T', ' ') ?? row.scheduledLabel ?? '',
  },
  { title: 'Account', most: 36, cell: ({ accountLabel }) => accountLabel ?? '' },
  { title: 'Network', most: 16, cell: ({ network }) => network },
  { title: 'Text', most: 70, cell: (row) => row.text || row.title || '' },
  { title: 'Obstacles', most: 40, cell: ({ obstacles }) => obstacles.join(', ') },
];

/** Formats the queue as a plain text table. */
export function tableOfQueue(rows: readonly QueueRow[]): string {
  return [...textTable(TABLE, rows), '', countOf(rows.length, 'post')].map((line) => `${line}\n`).join('');
}

const CSV: Readonly<Record<string, (row: QueueRow) => string | null>> = {
  id: ({ id }) => id,
  postId: ({ postId }) => postId,
  account: ({ accountLabel }) => accountLabel,
  accountId: ({ accountId }) => accountId,
  loginId: ({ loginId }) => loginId,
  network: ({ network }) => network,
  scheduledAtLocal: ({ scheduledAtLocal }) => scheduledAtLocal?.replace('T', ' ') ?? null,
  scheduledAt: ({ scheduledAt }) => scheduledAt,
  title: ({ title }) => title,
  text: (row) => row.text,
  linkUrl: ({ linkUrl }) => linkUrl,
  comment: ({ comment }) => comment,
  obstacles: ({ obstacles }) => obstacles.join(' '),
};

/** A byte order mark, by which spreadsheet programs recognise UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Formats the queue as CSV (RFC 4180) for spreadsheet programs. */
export function csvOfQueue(rows: readonly QueueRow[]): string {
  const lines = [Object.keys(CSV), ...rows.map((row) => Object.values(CSV).map((cell) => cell(row) ?? ''))];
  return BYTE_ORDER_MARK + lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

/** Characters that a spreadsheet program treats as the start of a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;

// A program that opens the file would run the formula, whoever wrote it; the apostrophe marks the cell as text.
function cellOf(value: string): string {
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",;\r\n\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The options of a calendar. */
export interface CalendarOptions {
  readonly now: Date;
  /** The zone of the service's clock; null if unknown, in which case times are in the viewer's own zone. */
  readonly timeZone: string | null;
}

const MAX_SUMMARY = 70;

/**
 * Formats the queue as a calendar (iCalendar, RFC 5545): one event for each post with a known time. The only maintained
 * library for it requires Node 22.
 */
export function calendarOfQueue(rows: readonly QueueRow[], { now, timeZone }: CalendarOptions): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//social-publishing-graphql//queue//EN',
    'CALSCALE:GREGORIAN',
    'X-WR-CALNAME:Queued posts',
    ...(timeZone === null ? [] : [`X-WR-TIMEZONE:${timeZone}`]),
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...rows.flatMap((row) => eventOf(row, now)),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

function eventOf(row: QueueRow, now: Date): string[] {
  const start = startOf(row);
  if (start === null) return [];
  const content = row.text ?? '';
  const summary = inOneLine(`${row.accountLabel ?? row.network}: ${row.title ?? content}`);
  const details = [content, row.linkUrl, row.obstacles.length > 0 ? `(${row.obstacles.join(', ')})` : null];
  return [
    'BEGIN:VEVENT',
    `UID:queued-post-${encodeURIComponent(row.postId)}@social-publishing-graphql`,
    `DTSTAMP:${utc(now.toISOString())}`,
    `DTSTART:${start}`,
    `SUMMARY:${escaped(cutText(summary, MAX_SUMMARY))}`,
    `DESCRIPTION:${escaped(details.filter(Boolean).join('\n\n'))}`,
    `CATEGORIES:${escaped(row.network)}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

// A UTC instant needs no zone definition in the file and is the same moment; without a zone, the time floats.
function startOf({ scheduledAt, scheduledAtLocal }: QueueRow): string | null {
  if (scheduledAt !== null) return utc(scheduledAt);
  return scheduledAtLocal === null ? null : `${scheduledAtLocal.replaceAll(/[-:]/g, '')}00`;
}

const utc = (iso: string): string => `${iso.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

function escaped(value: string): string {
  return value
    .replaceAll(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll(/\r\n?|[\n\u2028\u2029]/g, '\\n')
    .replaceAll(/[\p{Cc}]/gu, ' ');
}

const MAX_OCTETS = 75;

/** Folds a line into pieces of at most 75 octets without splitting a character. */
function folded(line: string): string {
  const pieces: string[] = [];
  let piece = '';
  for (const character of line) {
    // The leading space of a continuation line counts.
    const room = pieces.length === 0 ? MAX_OCTETS : MAX_OCTETS - 1;
    if (Buffer.byteLength(piece + character) > room) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece].join('\r\n ');
}

/** The format of a queue; a plain text table by default. */
export interface QueueFormat {
  readonly json?: boolean;
  readonly csv?: boolean;
  /** A calendar (iCalendar). */
  readonly ics?: boolean;
}

/** The queue in a format; `timeZone` is that of the service's clock, if it is known. */
export function textOf(
  { rows }: QueueListing,
  { json, csv, ics }: QueueFormat,
  timeZone: string | null,
): string {
  if (json === true) return `${JSON.stringify(rows, null, 2)}\n`;
  if (csv === true) return csvOfQueue(rows);
  return ics === true ? calendarOfQueue(rows, { now: new Date(), timeZone }) : tableOfQueue(rows);
}

/** What a format omits, apart from the output, which may go into a file. */
export function remarksOn({ rows, unreadableRows }: QueueListing, { ics }: QueueFormat): string {
  const timeless = ics === true ? rows.filter(({ scheduledAtLocal }) => scheduledAtLocal === null).length : 0;
  return [
    ...(unreadableRows > 0 ? [`Omitted: ${countOf(unreadableRows, 'post')} without an id.\n`] : []),
    ...(timeless > 0 ? [`Omitted: ${countOf(timeless, 'post')} with an unreadable time.\n`] : []),
  ].join('');
}
