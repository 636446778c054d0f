import { Temporal } from 'temporal-polyfill';
import { createBoundedCache } from './bounded-cache.ts';
import { getOrInsertComputed } from './remember.ts';
import { isOnCalendar } from './sources/wall-clock.ts';

// The service's clock. The service states no time zone, but the operator may configure one.

/** The zone that reaches every wall-clock time last: a time that is past there is past everywhere. */
const LATEST_ZONE = '-12:00';

/**
 * Returns the instant of a wall-clock time (`YYYY-MM-DDTHH:mm`) in a zone; null if a clock change skips or repeats that
 * time, so that it is not a single instant.
 */
export function instantOf(local: string, timeZone: string): Date | null {
  const localMs = Date.parse(`${local}Z`);
  let instant: Date | null = null;
  for (const { fromMs, untilMs, offsetMs } of periodsAround(localMs, timeZone)) {
    const ms = localMs - offsetMs;
    if (ms < fromMs || ms >= untilMs) continue;
    if (instant !== null) return null;
    instant = new Date(ms);
  }
  return instant;
}

/** Returns the wall-clock time of an instant in a zone, to the minute. */
export function localOf(instant: Date, timeZone: string): string {
  const ms = instant.getTime();
  const period = periodsAround(ms, timeZone).find(({ fromMs, untilMs }) => ms >= fromMs && ms < untilMs);
  return new Date(ms + (period?.offsetMs ?? 0)).toISOString().slice(0, -':00.000Z'.length);
}

/** A time between two changes of a clock. */
interface ClockPeriod {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offsetMs: number;
}

/** Temporal takes a hundred times as long as this cache, and an operation may convert thousands of times. */
const periods = createBoundedCache<readonly ClockPeriod[]>({ maxEntries: 1_000 });
/** More than the offset of any zone, and than any change of it. */
const MARGIN_MS = 2 * 86_400_000;

/** Returns the periods of a zone's clock in the year around a time, with a margin. */
function periodsAround(ms: number, timeZone: string): readonly ClockPeriod[] {
  const year = new Date(ms).getUTCFullYear();
  const key = `${timeZone} ${year}`;
  return getOrInsertComputed(periods, key, () => [
    ...periodsIn(timeZone, yearStart(year) - MARGIN_MS, yearStart(year + 1) + MARGIN_MS),
  ]);
}

function* periodsIn(timeZone: string, startMs: number, endMs: number): Generator<ClockPeriod> {
  for (let fromMs = startMs; fromMs < endMs;) {
    const zoned = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(timeZone);
    const untilMs = zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity;
    yield { fromMs, untilMs, offsetMs: zoned.offsetNanoseconds / 1e6 };
    fromMs = untilMs;
  }
}

// `Date.UTC` takes the years before 100 for those of the twentieth century.
function yearStart(year: number): number {
  return new Date(0).setUTCFullYear(year);
}

/** Explains why a post can't have this wall-clock time, or returns null. Without a zone, past means past everywhere. */
export function problemOfTime(local: string, timeZone: string | null, nowMs: number): string | null {
  const time = timeAndDay(local);
  if (!isOnCalendar(local)) return `${local.replace('T', ' ')} is not a date on the calendar.`;
  const instant = instantOf(local, timeZone ?? LATEST_ZONE);
  if (instant === null) return `${time} is skipped or repeated when the clocks change; choose another time.`;
  if (instant.getTime() > nowMs) return null;
  if (timeZone === null) return `${time} is in the past in every time zone.`;
  const now = timeAndDay(localOf(new Date(nowMs), timeZone));
  return `${time} is in the past: on the service’s clock (${timeZone}) it is ${now}.`;
}

// Made on first use, which takes 10 ms; `toLocaleDateString` would make one each time.
let dayFormat: Intl.DateTimeFormat | undefined;

/** Writes a wall-clock time for people: `15:20 on 25 November 2030`. */
export function timeAndDay(local: string): string {
  const day = new Date(`${local.slice(0, 10)}T00:00Z`);
  dayFormat ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return `${local.slice(11)} on ${Number.isNaN(day.getTime()) ? local.slice(0, 10) : dayFormat.format(day)}`;
}
