import { cutText } from '../cut-text.ts';
import { nameOfAccount, type QueueRow } from './queue-rows.ts';
import { inOneLine } from './text-table.ts';

// iCalendar (RFC 5545), for calendars that subscribe to a file. The one library for it that is kept up wants Node 22.

/** How a calendar is made. */
export interface CalendarOptions {
  readonly now: Date;
  /** The zone of the service's clock; null where it is not known, and times are those of whoever looks. */
  readonly timeZone: string | null;
}

const MOST_SUMMARY = 70;

/** The queue as a calendar: one event for each post whose time can be told. */
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
  const text = row.text ?? '';
  const summary = cutText(inOneLine(`${nameOfAccount(row)}: ${row.title ?? text}`), MOST_SUMMARY);
  const details = [text, row.linkUrl, row.obstacles.length > 0 ? `(${row.obstacles.join(', ')})` : null];
  return [
    'BEGIN:VEVENT',
    `UID:queued-post-${encodeURIComponent(row.postId)}@social-publishing-graphql`,
    `DTSTAMP:${utc(now.toISOString())}`,
    `DTSTART:${start}`,
    `SUMMARY:${escaped(summary)}`,
    `DESCRIPTION:${escaped(details.filter(Boolean).join('\n\n'))}`,
    `CATEGORIES:${escaped(row.network)}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

// An instant needs no definition of its zone in the file, and is the same moment; without a zone, the time floats.
function startOf({ scheduledAt, scheduledAtLocal }: QueueRow): string | null {
  if (scheduledAt !== null) return utc(scheduledAt);
  return scheduledAtLocal === null ? null : `${scheduledAtLocal.replaceAll(/[-:]/g, '')}00`;
}

function utc(iso: string): string {
  return `${iso.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

function escaped(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll(/\r\n?|[\n\u2028\u2029]/g, '\\n')
    .replaceAll(/[\p{Cc}]/gu, ' ');
}

const MOST_OCTETS = 75;

/** A line in pieces of at most 75 octets, none of which cuts a character in two. */
function folded(line: string): string {
  const pieces: string[] = [];
  let piece = '';
  for (const character of line) {
    // The space that a further piece begins with counts.
    const room = pieces.length === 0 ? MOST_OCTETS : MOST_OCTETS - 1;
    if (Buffer.byteLength(piece + character) > room) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece].join('\r\n ');
}
