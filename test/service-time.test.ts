import * as fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { createRequire } from 'node:module';
import { expect, test, vi } from 'vitest';
import { instantOf, localOf } from '../src/service-time.ts';

// Temporal, by which the service's clock is computed, is the reference for each time by itself.

/** Zones whose clocks change by an hour, by half of one, twice a year or more often, by a whole day, or never. */
const ZONES =
  'Europe/Helsinki America/New_York Australia/Lord_Howe Africa/Casablanca Antarctica/Troll Pacific/Apia UTC -12:00'.split(
    ' ',
  );

function referenceInstant(local: string, zone: string): number | null {
  try {
    return Temporal.PlainDateTime.from(local).toZonedDateTime(zone, { disambiguation: 'reject' })
      .epochMilliseconds;
  } catch {
    return null;
  }
}

function expectSame(zone: string, ms: number): void {
  const local = new Date(ms).toISOString().slice(0, 16);
  expect(instantOf(local, zone)?.getTime() ?? null, `${zone} ${local}`).toBe(referenceInstant(local, zone));
  const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  expect(localOf(new Date(ms), zone)).toBe(zoned.toPlainDateTime().toString({ smallestUnit: 'minute' }));
}

test.each([
  ['in the spring of 2026', 'Europe/Helsinki Antarctica/Troll', '2026-03-28T20:00', '2026-03-29T06:00'],
  ['in the autumn of 2026', 'Europe/Helsinki Antarctica/Troll', '2026-10-24T20:00', '2026-10-25T06:00'],
  ['in New York', 'America/New_York', '2026-11-01T00:00', '2026-11-01T10:00'],
  ['on Lord Howe Island', 'Australia/Lord_Howe', '2026-10-03T10:00', '2026-10-04T06:00'],
  ['in Ramadan', 'Africa/Casablanca', '2026-02-14T22:00', '2026-02-15T06:00'],
  ['by a day that Samoa left out', 'Pacific/Apia', '2011-12-29T00:00', '2011-12-31T12:00'],
  ['at the turn of a year', 'Pacific/Apia UTC -12:00', '2026-12-31T10:00', '2027-01-01T14:00'],
])('times are converted as Temporal does, around a change of the clock %s', (_, zones, from, until) => {
  for (const zone of zones.split(' '))
    for (let ms = Date.parse(`${from}Z`); ms < Date.parse(`${until}Z`); ms += 30 * 60_000)
      expectSame(zone, ms);
});

test('times are converted as Temporal does, in any year', () => {
  const ms = fc.integer({ min: Date.parse('0001-01-03'), max: Date.parse('9999-12-28') });
  fc.assert(fc.property(fc.constantFrom(...ZONES), ms, expectSame));
});

test('a thousand times of a year take no more of Temporal than a few of its days', () => {
  const { Temporal: loaded } = createRequire(import.meta.url)('temporal-polyfill') as {
    Temporal: typeof Temporal;
  };
  const zoned = vi.spyOn(loaded.Instant.prototype, 'toZonedDateTimeISO');
  for (let minute = 0; minute < 1_000; minute += 1) {
    const local = new Date(Date.UTC(2044, 0, 1, 0, minute * 500)).toISOString().slice(0, 16);
    expect(localOf(instantOf(local, 'Europe/Lisbon') ?? new Date(0), 'Europe/Lisbon')).toBe(local);
  }
  expect(zoned.mock.calls.length).toBeLessThan(10);
});
