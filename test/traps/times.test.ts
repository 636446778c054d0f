import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingEach } from '../support/wire-changes.ts';

const graph = shareGraph();

const EDITS = [
  ['3 hours ago', null, '3 hours ago'],
  ['a few seconds ago', null, 'a few seconds ago'],
  ['2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z', null],
  ['2026-11-20T08:00:00+05:30', '2026-11-20T02:30:00.000Z', null],
  ['2026-11-20T08:00:00', null, '2026-11-20T08:00:00'],
  ['0000-00-00 00:00:00', null, null],
  ['', null, null],
] as const;

test('the time of an edit is an instant only where the service sends one, and otherwise a label', async () => {
  graph.sandbox.faults.add(
    changingEach('GET /library/list', (index) => ({ lastEditedOn: EDITS[index]?.[0] ?? '' })),
  );
  const { data, errors } = await graph.query(
    `{ libraryItems(first: ${EDITS.length}) { nodes { lastEditedAt lastEditedLabel } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.libraryItems.nodes).toEqual(
    EDITS.map(([, lastEditedAt, lastEditedLabel]) => ({ lastEditedAt, lastEditedLabel })),
  );
});

test('the expiry of a credential, whose unit nobody states, is the same instant in seconds and milliseconds', async () => {
  const expiryMs = Date.parse('2027-01-02T03:04:05Z');
  const spellings = [expiryMs, expiryMs / 1_000, String(expiryMs), String(expiryMs / 1_000)];
  const expiryOf = (index: number) => ({ expiryHeader: spellings[index] ?? 0 });
  graph.sandbox.faults.add(changingEach('GET /accounts/list', expiryOf));
  const { data, errors } = await graph.query(
    `{ accounts(first: ${spellings.length}) { nodes { health { credentialExpiresAt } } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.accounts.nodes).toEqual(
    spellings.map(() => ({ health: { credentialExpiresAt: '2027-01-02T03:04:05.000Z' } })),
  );
});

test('a time is an instant only with its offset and within the calendar', async () => {
  const instants = ['2026-11-20T08:00:00Z', '2026-11-20 08:00:00+00:00', '0000-00-00 00:00:00', 'null'];
  const others = ['2026-11-20T08:00:00', '2026-11-20', '2026-02-30T08:00:00Z', '20-Nov-2026 03:19 PM'];
  graph.sandbox.faults.add(
    changingEach('GET /library/list', (index) => ({ lastUsed: [...instants, ...others][index] ?? '' })),
  );
  const answer = await graph.query('{ libraryItems(first: 8) { nodes { lastUsedAt } } }');
  const at = '2026-11-20T08:00:00.000Z';
  expect(
    (answer.data.libraryItems.nodes as { lastUsedAt: unknown }[]).map((node) => node.lastUsedAt),
  ).toEqual([at, at, null, null, null, null, null, null]);
  expect(errorsOf(answer)).toEqual(
    others.map((_, index) => `libraryItems.nodes.${instants.length + index}.lastUsedAt UPSTREAM_MALFORMED`),
  );
});
