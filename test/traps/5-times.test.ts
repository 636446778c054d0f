import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingRecord } from '../support/wire-changes.ts';
import { changing } from '../support/wire-changes.ts';

const graph = shareGraph();

test('slots of a schedule come as a 24-hour clock from Monday on, earliest first, with no day invented', async () => {
  const slots = {
    Sun: ['12:00 PM', '12:00 AM', '08:30 AM', '11:59 pm'],
    Wed: ['01:05 PM', '1:05 AM'],
    Mon: [],
  };
  graph.sandbox.faults.add(changing('GET /accounts/view/{loginId}', 'response.scheduleSlots', slots));
  const { data, errors } = await graph.query(
    '{ accounts(first: 1) { nodes { postingSchedule { day times } } } }',
  );
  expect(errors).toEqual([]);
  expect(data.accounts.nodes[0].postingSchedule).toEqual([
    { day: 'MONDAY', times: [] },
    { day: 'WEDNESDAY', times: ['01:05', '13:05'] },
    { day: 'SUNDAY', times: ['00:00', '08:30', '12:00', '23:59'] },
  ]);
});

test.each([
  ['3 hours ago', null, '3 hours ago'],
  ['a few seconds ago', null, 'a few seconds ago'],
  ['2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z', null],
  ['2026-11-20T08:00:00+05:30', '2026-11-20T02:30:00.000Z', null],
  ['0000-00-00 00:00:00', null, null],
  ['', null, null],
])('an edit %o is a date only where the service gives one', async (edited, lastEditedAt, lastEditedLabel) => {
  graph.sandbox.faults.add(changingRecord('GET /library/list', 'lastEditedOn', edited));
  const { data, errors } = await graph.query(
    '{ libraryItems(first: 1) { nodes { lastEditedAt lastEditedLabel } } }',
  );
  expect(errors).toEqual([]);
  expect(data.libraryItems.nodes).toEqual([{ lastEditedAt, lastEditedLabel }]);
});

const EXPIRY_MS = Date.parse('2027-01-02T03:04:05Z');

test.each([EXPIRY_MS, EXPIRY_MS / 1_000, String(EXPIRY_MS), String(EXPIRY_MS / 1_000)])(
  'an expiry of the list, whose unit nobody states, is the same instant as %o',
  async (expiryHeader) => {
    graph.sandbox.faults.add(changingRecord('GET /accounts/list', 'expiryHeader', expiryHeader));
    const { data, errors } = await graph.query(
      '{ accounts(first: 1) { nodes { health { credentialExpiresAt } } } }',
    );
    expect(errors).toEqual([]);
    expect(data.accounts.nodes[0].health.credentialExpiresAt).toBe('2027-01-02T03:04:05.000Z');
  },
);

test.each([
  ['2026-11-20T08:00:00Z', '2026-11-20T08:00:00.000Z'],
  ['2026-11-20 08:00:00+00:00', '2026-11-20T08:00:00.000Z'],
  ['0000-00-00 00:00:00', null],
  ['null', null],
])('a date %o is the instant %o', async (lastUsed, instant) => {
  graph.sandbox.faults.add(changingRecord('GET /library/list', 'lastUsed', lastUsed));
  const { data, errors } = await graph.query('{ libraryItems(first: 1) { nodes { lastUsedAt } } }');
  expect(errors).toEqual([]);
  expect(data.libraryItems.nodes).toEqual([{ lastUsedAt: instant }]);
});

test.each([
  '2026-11-20T08:00:00',
  '2026-11-20',
  '2026-02-30T08:00:00Z',
  '2026-13-01T08:00:00Z',
  '20-Nov-2026 03:19 PM',
  '1795161600000',
])('a date %o, without an offset or not in the calendar, is no instant', async (lastUsed) => {
  graph.sandbox.faults.add(changingRecord('GET /library/list', 'lastUsed', lastUsed));
  const answer = await graph.query('{ libraryItems(first: 1) { nodes { title lastUsedAt } } }');
  expect(errorsOf(answer)).toEqual(['libraryItems.nodes.0.lastUsedAt UPSTREAM_MALFORMED']);
});
