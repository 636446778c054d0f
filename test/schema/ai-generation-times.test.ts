import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changing, changingEach } from '../support/wire-changes.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

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
const UNREADABLE_ISO = ['2026-11-31T10:20:00', '2026-11-20T24:20:00', '2026-11-20T10:20:60', '2026-11-20T10'];

test.each([
  ['display', UNREADABLE],
  ['ISO', UNREADABLE_ISO],
])(
  'a time of the history in %s form that can’t be read is an error of that field alone',
  async (_form, times) => {
    graph.sandbox.faults.add(
      changingEach('GET /openai/historyList', (index) => ({ createdOn: times[index] ?? '' })),
    );
    const answer = await graph.query(
      `{ aiGenerations(first: ${times.length}) { nodes { prompt createdAtLocal } } }`,
    );
    expect(errorsOf(answer)).toEqual(
      times.map((_, index) => `aiGenerations.nodes.${index}.createdAtLocal UPSTREAM_MALFORMED`).toSorted(),
    );
    expect(answer.data.aiGenerations.nodes).toEqual(
      times.map(() => ({ prompt: expect.any(String) as string, createdAtLocal: null })),
    );
  },
);

const WALL_CLOCKS = [
  ['2026-01-05T10:20:00', '2026-01-05T10:20'],
  ['2026-01-05T10:20:59', '2026-01-05T10:20'],
  ['2026-01-05T10:20:00.123', '2026-01-05T10:20'],
  ['2026-01-05T10:20', '2026-01-05T10:20'],
  ['2026-01-05 10:20:00', '2026-01-05T10:20'],
  ['2028-02-29T23:59:59', '2028-02-29T23:59'],
  ['0000-00-00T00:00:00', null],
  ['0000-00-00 00:00:00', null],
] as const;

test('an ISO time of the history without an offset is one of the service’s own clock, and no instant', async () => {
  graph.sandbox.faults.add(
    changingEach('GET /openai/historyList', (index) => ({ createdOn: WALL_CLOCKS[index]?.[0] ?? '' })),
  );
  const { data, errors } = await graph.query(
    `{ aiGenerations(first: ${WALL_CLOCKS.length}) { nodes { createdAt createdAtLocal } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.aiGenerations.nodes).toEqual(
    WALL_CLOCKS.map(([, createdAtLocal]) => ({ createdAt: null, createdAtLocal })),
  );
});

test('an ISO time of the history with an offset is an instant', async () => {
  const instants = ['2026-01-05T10:20:00Z', '2026-01-05T12:20:00+02:00', '2026-01-05 10:20:00+0000'];
  graph.sandbox.faults.add(
    changingEach('GET /openai/historyList', (index) => ({ createdOn: instants[index] ?? '' })),
  );
  const { data } = await graph.query('{ aiGenerations(first: 3) { nodes { createdAt createdAtLocal } } }');
  const node = { createdAt: '2026-01-05T10:20:00.000Z', createdAtLocal: null };
  expect(data.aiGenerations.nodes).toEqual([node, node, node]);
});

const GENERATE = documentOf('generateAiText', 'aiGeneration { createdAt createdAtLocal }');

/** The fresh text of an answer with this time. */
async function generatedAt(createdOn: string) {
  graph.sandbox.faults.add(changing('POST /openai/response', 'response.createdOn', createdOn));
  return await graph.query(GENERATE, { variables: { input: EXAMPLES.generateAiText } });
}

const FRESH = [
  ['2026-01-05T10:20:00', { createdAt: null, createdAtLocal: '2026-01-05T10:20' }],
  ['2026-01-05T10:20:00Z', { createdAt: '2026-01-05T10:20:00.000Z', createdAtLocal: null }],
] as const;

test.each(FRESH)('of a fresh text, the time %s stands where it belongs', async (createdOn, times) => {
  const { data, errors } = await generatedAt(createdOn);
  expect(errors).toEqual([]);
  expect(data.generateAiText.aiGeneration).toEqual(times);
});

test('of a fresh text, a time of another form is an error of the instant alone', async () => {
  const answer = await generatedAt('05-Jan-2026 10:20 AM');
  expect(errorsOf(answer)).toEqual(['generateAiText.aiGeneration.createdAt UPSTREAM_MALFORMED']);
  expect(answer.data.generateAiText.aiGeneration).toEqual({ createdAt: null, createdAtLocal: null });
});
