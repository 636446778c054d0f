import { cutText } from '../cut-text.ts';
import type { QueueRow } from './queue-rows.ts';
import { inOneLine } from './text-table.ts';

// iCalendar (RFC 5545), for calendars that subscribe to a file. The only maintained library for it requires Node 22.

/** The options of a calendar. */
export interface CalendarOptions {
  readonly now: Date;
  /** The zone of the service's clock; null if unknown, in which case times are in the viewer's own zone. */
  readonly timeZone: string | null;
}

const MOST_SUMMARY = 70;

/** Formats the queue as a calendar: one event for each post with a known time. */
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
  const summary = cutText(
    inOneLine(`${row.accountLabel ?? row.network}: ${row.title ?? text}`),
    MOST_SUMMARY,
  );
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

// A UTC instant needs no zone definition in the file and is the same moment; without a zone, the time floats.
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

/** Folds a line into pieces of at most 75 octets without splitting a character. */
function folded(line: string): string {
  const pieces: string[] = [];
  let piece = '';
  for (const character of line) {
    // The leading space of a continuation line counts.
    const room = pieces.length === 0 ? MOST_OCTETS : MOST_OCTETS - 1;
    if (Buffer.byteLength(piece + character) > room) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece].join('\r\n ');
}
