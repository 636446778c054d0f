import { Temporal } from 'temporal-polyfill';

/**
 * The instant of a wall-clock time (`YYYY-MM-DDTHH:mm`) in a zone; null where a clock change skips that time or has it
 * twice, so that it is no one instant.
 */
export function instantOf(local: string, timeZone: string): Date | null {
  const wallClock = Temporal.PlainDateTime.from(local);
  try {
    return new Date(wallClock.toZonedDateTime(timeZone, { disambiguation: 'reject' }).epochMilliseconds);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
