import type * as TemporalPolyfill from 'temporal-polyfill';
import { load } from './load.ts';

// The service's clock. The service states no time zone, but the operator may configure one.

// Loaded when a time is first formatted or parsed.
const temporal = () => (load('temporal-polyfill') as typeof TemporalPolyfill).Temporal;

/** The zone that reaches every wall-clock time last: a time that is past there is past everywhere. */
const LATEST_ZONE = '-12:00';

/**
 * Returns the instant of a wall-clock time (`YYYY-MM-DDTHH:mm`) in a zone; null if a clock change skips or repeats that
 * time, so that it is not a single instant.
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

/** Returns the wall-clock time of an instant in a zone, to the minute. */
export function localOf(instant: Date, timeZone: string): string {
  const zoned = temporal().Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone);
  return zoned.toPlainDateTime().toString({ smallestUnit: 'minute' });
}

/** Whether a text is a date and time that exists in the calendar, unlike the 30th of February. */
export function isOnCalendar(local: string): boolean {
  try {
    temporal().PlainDateTime.from(local, { overflow: 'reject' });
    return true;
  } catch {
    return false;
  }
}

/** Explains why a post can't have this wall-clock time, or returns null. Without a zone, past means past everywhere. */
export function problemOfTime(local: string, timeZone: string | null, nowMs: number): string | null {
  if (!isOnCalendar(local)) return 'is not a day of the calendar.';
  const instant = instantOf(local, timeZone ?? LATEST_ZONE);
  if (instant === null) return 'falls into a change of the clock, which skips that time or has it twice.';
  if (instant.getTime() > nowMs) return null;
  if (timeZone === null) return 'is in the past by the clock of every time zone.';
  const now = localOf(new Date(nowMs), timeZone);
  return `is in the past by the clock of the service (${timeZone}), which shows ${now}.`;
}
