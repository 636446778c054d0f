import { describe, expect, test } from 'vitest';
import { errorsOf, shareGraph } from '../support/graph.ts';
import { changing, changingEach, onlyFaults, queueLabels } from '../support/sandbox.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

// Times that the service writes in words, or by its own clock.

const graph = shareGraph();
const berlin = shareGraph({ environment: { SERVICE_TIME_ZONE: 'Europe/Berlin' } });

type Labels = Partial<ReturnType<typeof queueLabels>>;

type Scheduled = Readonly<Record<'scheduledAtLocal' | 'scheduledAt', string | null>>;

/** The times of queued posts with these labels, and no others. */
async function scheduledWith(labels: readonly Labels[], running = graph): Promise<readonly Scheduled[]> {
  onlyFaults(
    running.sandbox,
    changingEach('GET /posts/queued', (index) => ({ ...queueLabels(''), ...labels[index] })),
  );
  const data = await running.dataOf(
    `{ queuedPosts(first: ${labels.length}) { nodes { scheduledAtLocal scheduledAt } } }`,
  );
  return data.queuedPosts.nodes;
}

/** The times that texts are read as, beside the texts, so that a failure shows which one is wrong. */
async function timesOf(texts: readonly string[], labelsOf: (text: string) => Labels) {
  const read = await scheduledWith(texts.map(labelsOf));
  return texts.map((text, index) => [text, read[index]?.scheduledAtLocal]);
}

describe('the time of a queued post', () => {
  const READABLE = {
    'Sat, Nov 21, 2026 at 09:30 AM': '2026-11-21T09:30',
    'Saturday, November 21, 2026 09:30 PM': '2026-11-21T21:30',
    '21 Nov 2026 12:00 AM': '2026-11-21T00:00',
    '21st November 2026, 12:30 PM': '2026-11-21T12:30',
    '12th November 2026, 12:30 PM': '2026-11-12T12:30',
    '24th November 2026, 12:30 PM': '2026-11-24T12:30',
    '21-Nov-2026 09:30 AM': '2026-11-21T09:30',
    '2026-11-21 21:30': '2026-11-21T21:30',
    '2026-11-21T21:30:59': '2026-11-21T21:30',
    'Nov 21, 2026 00:05': '2026-11-21T00:05',
    'Nov 1 2026 1:05 p.m.': '2026-11-01T13:05',
    'Tues, Sept. 1, 2026 at 09:30': '2026-09-01T09:30',
    '2026/9/1 09:30': '2026-09-01T09:30',
  };

  test.each(['formatedPostDate', 'postDate'])('is read from %s in any documented form', async (label) => {
    const texts = Object.keys(READABLE);
    expect(await timesOf(texts, (text) => ({ [label]: text }))).toEqual(Object.entries(READABLE));
  });

  test('is null where a label is ambiguous or unreadable', async () => {
    const texts = [
      '03/04/2026 09:30 AM',
      '03/04/26 09:30 AM',
      'Nov 21, 2026',
      'Tomorrow at 09:30 AM',
      'Nov 31, 2026 09:30 AM',
      'Nov 21, 2026 13:30 PM',
      'Nov 21, 2026 24:00',
      'Nov 21, 2026 09:61 AM',
      'Fri, Nov 21, 2026 at 09:30 AM',
      'Satday, Nov 21, 2026 at 09:30 AM',
      '21st Marraskuu 2026 09:30',
      '21rd Nov 2026 09:30',
      '11st Nov 2026 09:30',
      '2026-11/21 09:30',
      'MMM DD, YYYY hh:mm A',
      '',
    ];
    expect(await timesOf(texts, (text) => ({ formatedPostDate: text, postDate: text }))).toEqual(
      texts.map((text) => [text, null]),
    );
  });

  test.each<[labels: Labels, time: string | null]>([
    [{ postDateFormat: 'Nov 21, 2026', postTimeFormat: '12:05 AM' }, '2026-11-21T00:05'],
    [{ postDateFormat: 'Nov 22, 2026', postTimeFormat: '12:05 AM' }, '2026-11-22T00:05'],
    [{ postDateFormat: 'Nov 21, 2026' }, null],
    [{ postTimeFormat: '12:05 AM' }, null],
    [{ postDateFormat: 'MMM DD, YYYY', postDate: '21-Nov-2026 09:30 AM' }, '2026-11-21T09:30'],
    [
      { formatedPostDate: 'Sat, Nov 21, 2026 at 09:30 AM', postDate: '21-Nov-2026 09:30 AM' },
      '2026-11-21T09:30',
    ],
    [{ formatedPostDate: 'Sat, Nov 21, 2026 at 09:30 AM', postDate: '21-Nov-2026 09:31 AM' }, null],
    [{ formatedPostDate: 'Sat, Nov 21, 2026 at 09:30 AM', postDate: '03/04/2026 09:30' }, '2026-11-21T09:30'],
  ])('is what its labels agree on: %j is %s', async (labels, time) => {
    expect((await scheduledWith([labels]))[0]?.scheduledAtLocal).toBe(time);
  });

  test('is an instant only with the zone of the service’s clock, and not where a clock change makes it ambiguous', async () => {
    const instants: Readonly<Record<string, string | null>> = {
      '21-Nov-2026 09:30 AM': '2026-11-21T08:30:00.000Z',
      '21-Jul-2026 09:30 AM': '2026-07-21T07:30:00.000Z',
      '21-Nov-2026 12:00 AM': '2026-11-20T23:00:00.000Z',
      '29-Mar-2026 02:30 AM': null,
      '25-Oct-2026 02:59 AM': null,
      '03/04/2026': null,
    };
    const labels = Object.keys(instants).map((postDate) => ({ postDate }));
    const zoned = await scheduledWith(labels, berlin);
    expect(labels.map(({ postDate }, index) => [postDate, zoned[index]?.scheduledAt])).toEqual(
      Object.entries(instants),
    );
    const zoneless = await scheduledWith(labels);
    expect(zoneless).toEqual(zoned.map((time) => ({ ...time, scheduledAt: null })));
    expect(zoneless[3]?.scheduledAtLocal).toBe('2026-03-29T02:30');
  });
});

const localOf = (createdAtLocal: string | null) => ({ createdAt: null, createdAtLocal });

// In the history it has many forms, which are in the table of test/conformance.
test.each<[createdOn: string, times: object]>([
  ['2026-01-05T10:20:00', localOf('2026-01-05T10:20')],
  ['2026-01-05T10:20:00Z', { createdAt: '2026-01-05T10:20:00.000Z', createdAtLocal: null }],
  ['05-Jan-2026 10:20 AM', localOf('2026-01-05T10:20')],
])(
  'the time of a generated text is read from the answer of the mutation in each form: %s',
  async (createdOn, times) => {
    graph.sandbox.faults.add(changing('POST /openai/response', 'response.createdOn', createdOn));
    const document = documentOf('generateAiText', 'aiGeneration { createdAt createdAtLocal }');
    const answer = await graph.query(document, { variables: { input: EXAMPLES.generateAiText } });
    expect(errorsOf(answer)).toEqual([]);
    expect(answer.data.generateAiText.aiGeneration).toEqual(times);
  },
);
