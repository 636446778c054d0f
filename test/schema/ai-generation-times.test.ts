import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingEach } from '../support/wire-changes.ts';

const graph = shareGraph();

const READABLE = [
  ['20-Nov-2026 03:19 PM', '2026-11-20T15:19'],
  ['20-Nov-2026 12:00 PM', '2026-11-20T12:00'],
  ['20-Nov-2026 12:00 AM', '2026-11-20T00:00'],
  ['20-Nov-2026 12:59 AM', '2026-11-20T00:59'],
  ['20-Nov-2026 11:59 PM', '2026-11-20T23:59'],
  ['29-Feb-2028 01:05 AM', '2028-02-29T01:05'],
  ['01-Jan-2027 01:05 am', '2027-01-01T01:05'],
  [' 1-Dec-2026 1:05 PM ', '2026-12-01T13:05'],
] as const;

test('a time of the history is one of the service’s own clock, with no instant', async () => {
  graph.sandbox.faults.add(
    changingEach('GET /openai/historyList', (index) => ({ createdOn: READABLE[index]?.[0] ?? '' })),
  );
  const { data, errors } = await graph.query(
    `{ aiGenerations(first: ${READABLE.length}) { nodes { createdAtLocal createdAt } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.aiGenerations.nodes).toEqual(
    READABLE.map(([, createdAtLocal]) => ({ createdAtLocal, createdAt: null })),
  );
});

const UNREADABLE = [
  '20-Nov-2026 13:19 PM',
  '20-Nov-2026 00:19 AM',
  '20-Nov-2026 03:60 PM',
  '31-Nov-2026 03:19 PM',
  '29-Feb-2027 03:19 PM',
  '00-Nov-2026 03:19 PM',
  '20-Foo-2026 03:19 PM',
  '20-11-2026 03:19 PM',
  '20-Nov-2026',
  '20-Nov-26 03:19 PM',
  'yesterday',
];

test('a time of the history that can’t be read is an error of that field alone', async () => {
  graph.sandbox.faults.add(
    changingEach('GET /openai/historyList', (index) => ({ createdOn: UNREADABLE[index] ?? '' })),
  );
  const answer = await graph.query(
    `{ aiGenerations(first: ${UNREADABLE.length}) { nodes { prompt createdAtLocal } } }`,
  );
  expect(errorsOf(answer)).toEqual(
    UNREADABLE.map((_, index) => `aiGenerations.nodes.${index}.createdAtLocal UPSTREAM_MALFORMED`).toSorted(),
  );
  expect(answer.data.aiGenerations.nodes).toEqual(
    UNREADABLE.map(() => ({ prompt: expect.any(String) as string, createdAtLocal: null })),
  );
});
