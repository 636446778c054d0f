import type * as TemporalPolyfill from 'temporal-polyfill';
import { load } from './load.ts';

// The service's clock. It states no zone; the operator may.

// Loaded by the first time that is told or read.
const temporal = () => (load('temporal-polyfill') as typeof TemporalPolyfill).Temporal;

/** The zone in which every wall-clock time comes last: what is past there is past everywhere. */
const LATEST_ZONE = '-12:00';

/**
 * The instant of a wall-clock time (`YYYY-MM-DDTHH:mm`) in a zone; null where a clock change skips that time or has it
 * twice, so that it is no one instant.
 */
export function instantOf(local: string, timeZone: string): Date | null {
  const wallClock = temporal().PlainDateTime.from(local);
  try {
    return new Date(wallClock.toZonedDateTime(timeZone, { disambiguation: 'reject' }).epochMilliseconds);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The wall-clock time of an instant in a zone, to the minute. */
export function localOf(instant: Date, timeZone: string): string {
  const zoned = temporal().Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone);
  return zoned.toPlainDateTime().toString({ smallestUnit: 'minute' });
}

/** True for a text that is a day and a time of the calendar, such as no 30th of February. */
export function isOnCalendar(local: string): boolean {
  try {
    temporal().PlainDateTime.from(local, { overflow: 'reject' });
    return true;
  } catch {
    return false;
  }
}

/** What is wrong with a wall-clock time as the time of a post, or null. Without a zone, only what is past everywhere is past. */
export function problemOfTime(local: string, timeZone: string | null, nowMs: number): string | null {
  if (!isOnCalendar(local)) return 'is not a day of the calendar.';
  const instant = instantOf(local, timeZone ?? LATEST_ZONE);
  if (instant === null) return 'falls into a change of the clock, which skips that time or has it twice.';
  if (instant.getTime() > nowMs) return null;
  if (timeZone === null) return 'is in the past by the clock of every time zone.';
  const now = localOf(new Date(nowMs), timeZone);
  return `is in the past by the clock of the service (${timeZone}), which shows ${now}.`;
}
