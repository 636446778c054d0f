import { expect, test } from 'vitest';
import { addDays, addMonths, clockIn, instantOf, mondayOf, weeksOfMonth } from '../src/lib/local-time.ts';

test('days are counted without regard to clock changes', () => {
  expect(addDays('2026-10-24', 2)).toBe('2026-10-26');
  expect(addDays('2027-03-28', -1)).toBe('2027-03-27');
  const months = [addMonths('2026-01-31', 1), addMonths('2026-03-31', -1), addMonths('2026-12-15', 1)];
  expect(months).toEqual(['2026-02-28', '2026-02-28', '2027-01-15']);
  expect([mondayOf('2026-11-29'), mondayOf('2026-11-30')]).toEqual(['2026-11-23', '2026-11-30']);
});

test('a month has the weeks that it touches, from Monday', () => {
  const weeks = weeksOfMonth('2026-11-26');
  const mondays = '2026-10-26 2026-11-02 2026-11-09 2026-11-16 2026-11-23 2026-11-30';
  expect(weeks.map(([monday]) => monday).join(' ')).toBe(mondays);
  expect(weeksOfMonth('2027-02-10')).toHaveLength(4);
  expect(new Set(weeks.map((week) => week.length))).toEqual(new Set([7]));
});

test('the clock of a zone and an instant belong together, but for an hour that is skipped', () => {
  const zone = 'Europe/Paris';
  for (const local of ['2026-10-25T01:30', '2026-10-25T03:30', '2027-03-28T01:59', '2027-03-28T03:00'])
    expect(clockIn(zone, instantOf(local, zone) ?? new Date(0))).toBe(local);
  expect(instantOf('2026-07-01T09:00', zone)?.toISOString()).toBe('2026-07-01T07:00:00.000Z');
  expect(instantOf('2026-10-26T09:00', zone)?.toISOString()).toBe('2026-10-26T08:00:00.000Z');
  expect(instantOf('2027-03-28T02:30', zone)).toBeNull();
});
