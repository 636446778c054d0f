import { describe, expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingEach } from '../support/wire-changes.ts';

const graph = shareGraph();

interface Labels {
  readonly formatedPostDate: string;
  readonly postDate: string;
  readonly postDateFormat: string;
  readonly postTimeFormat: string;
}
const NO_LABELS: Labels = { formatedPostDate: '', postDate: '', postDateFormat: '', postTimeFormat: '' };

interface Scheduled {
  readonly scheduledAtLocal: string | null;
  readonly scheduledAt: string | null;
}

/** What the graph makes of the labels of as many posts. */
async function scheduledWithEach(running: RunningGraph, labels: readonly Partial<Labels>[]) {
  running.sandbox.faults.clear();
  running.sandbox.faults.add(
    changingEach('GET /posts/queued', (index) => ({ ...NO_LABELS, ...labels[index] })),
  );
  const { data, errors } = await running.query(
    `{ queuedPosts(first: ${labels.length}) { nodes { scheduledAtLocal scheduledAt } } }`,
  );
  expect(errors).toEqual([]);
  return data.queuedPosts.nodes as Scheduled[];
}

/** What the graph makes of the labels of a post. */
async function scheduledWith(running: RunningGraph, labels: Partial<Labels>): Promise<Scheduled> {
  const [scheduled] = await scheduledWithEach(running, [labels]);
  if (!scheduled) throw new Error('no post');
  return scheduled;
}

/** The readings of texts beside the texts, so that a failure shows which is read wrongly. */
const besideTexts = <T>(texts: readonly string[], read: readonly T[]): (readonly [string, T | undefined])[] =>
  texts.map((text, index) => [text, read[index]]);

const READABLE: Readonly<Record<string, string>> = {
  'Sat, Nov 21, 2026 at 09:30 AM': '2026-11-21T09:30',
  'Saturday, November 21, 2026 09:30 PM': '2026-11-21T21:30',
  '21 Nov 2026 12:00 AM': '2026-11-21T00:00',
  '21st November 2026, 12:30 PM': '2026-11-21T12:30',
  '21-Nov-2026 09:30 AM': '2026-11-21T09:30',
  '2026-11-21 21:30': '2026-11-21T21:30',
  '2026-11-21T21:30:59': '2026-11-21T21:30',
  'Nov 21, 2026 00:05': '2026-11-21T00:05',
  'Nov 1 2026 1:05 p.m.': '2026-11-01T13:05',
  'Tues, Sept. 1, 2026 at 09:30': '2026-09-01T09:30',
  '2026/9/1 09:30': '2026-09-01T09:30',
};

const UNREADABLE = [
  '03/04/2026 09:30 AM',
  '03-04-2026 09:30 AM',
  '3.4.2026 09:30',
  '03/04/26 09:30 AM',
  'Nov 21, 2026',
  'Tomorrow at 09:30 AM',
  'Nov 31, 2026 09:30 AM',
  'Nov 21, 2026 13:30 PM',
  'Nov 21, 2026 24:00',
  'Nov 21, 2026 09:61 AM',
  '2026-11-21 09:30:75',
  'Fri, Nov 21, 2026 at 09:30 AM',
  'Satday, Nov 21, 2026 at 09:30 AM',
  '21st Marraskuu 2026 09:30',
  '21 Novembre 2026 09:30',
  '21rd Nov 2026 09:30',
  '2026-11/21 09:30',
  'MMM DD, YYYY hh:mm A',
  '',
];

describe('the labels of a queued post', () => {
  test('tell a time in whichever of the documented forms they are', async () => {
    const texts = Object.keys(READABLE);
    for (const label of ['formatedPostDate', 'postDate'] as const) {
      const read = await scheduledWithEach(
        graph,
        texts.map((text) => ({ [label]: text })),
      );
      const expected = Object.values(READABLE).map((scheduledAtLocal) => ({
        scheduledAtLocal,
        scheduledAt: null,
      }));
      expect(besideTexts(texts, read), label).toEqual(besideTexts(texts, expected));
    }
  });

  test('that read in two ways, or in none, tell no time', async () => {
    const read = await scheduledWithEach(
      graph,
      UNREADABLE.map((text) => ({ formatedPostDate: text, postDate: text })),
    );
    const times = read.map(({ scheduledAtLocal }) => scheduledAtLocal);
    expect(besideTexts(UNREADABLE, times)).toEqual(UNREADABLE.map((text) => [text, null]));
  });

  test('date and time in two labels are one time', async () => {
    const labels = { postDateFormat: 'Nov 21, 2026', postTimeFormat: '12:05 AM' };
    expect((await scheduledWith(graph, labels)).scheduledAtLocal).toBe('2026-11-21T00:05');
    expect((await scheduledWith(graph, { ...labels, postTimeFormat: '' })).scheduledAtLocal).toBeNull();
    expect((await scheduledWith(graph, { ...labels, postDateFormat: '' })).scheduledAtLocal).toBeNull();
  });

  test('labels that agree in other words are one time, labels that disagree are none', async () => {
    const agreeing = { formatedPostDate: 'Sat, Nov 21, 2026 at 09:30 AM', postDate: '21-Nov-2026 09:30 AM' };
    expect((await scheduledWith(graph, agreeing)).scheduledAtLocal).toBe('2026-11-21T09:30');
    expect(
      (await scheduledWith(graph, { ...agreeing, postDate: '21-Nov-2026 09:31 AM' })).scheduledAtLocal,
    ).toBeNull();
    expect((await scheduledWith(graph, { ...agreeing, postDate: '03/04/2026 09:30' })).scheduledAtLocal).toBe(
      '2026-11-21T09:30',
    );
  });

  test('a pattern in place of a formatted date leaves the other labels to tell', async () => {
    const other = await startGraph({ sandbox: { quirks: { postDateFormat: 'pattern' } } });
    const { data } = await other.query(
      '{ queuedPosts(first: 3) { nodes { scheduledAtLocal scheduledDateLabel } } }',
    );
    const due = other.sandbox.state
      .owner('harbour')
      .queue.map(({ dueAt }) => new Date(dueAt).toISOString().slice(0, 16));
    expect(data.queuedPosts.nodes).toEqual(
      due.slice(0, 3).map((scheduledAtLocal) => ({ scheduledAtLocal, scheduledDateLabel: 'MMM DD, YYYY' })),
    );
  });
});

describe('with the zone of the service’s clock configured', () => {
  const berlin = shareGraph({ environment: { SERVICE_TIME_ZONE: 'Europe/Berlin' } });

  test('a post is due at the instant that its time is in the zone, on either side of a clock change', async () => {
    const instants = {
      '21-Nov-2026 09:30 AM': '2026-11-21T08:30:00.000Z',
      '21-Jul-2026 09:30 AM': '2026-07-21T07:30:00.000Z',
      '21-Nov-2026 12:00 AM': '2026-11-20T23:00:00.000Z',
      '29-Mar-2026 01:59 AM': '2026-03-29T00:59:00.000Z',
      '29-Mar-2026 03:00 AM': '2026-03-29T01:00:00.000Z',
      '25-Oct-2026 03:00 AM': '2026-10-25T02:00:00.000Z',
    };
    const read = await scheduledWithEach(
      berlin,
      Object.keys(instants).map((postDate) => ({ postDate })),
    );
    const at = read.map(({ scheduledAt }) => scheduledAt);
    expect(besideTexts(Object.keys(instants), at)).toEqual(Object.entries(instants));
  });

  test('a time that a clock change skips or has twice is no instant', async () => {
    const times = {
      '29-Mar-2026 02:00 AM': '2026-03-29T02:00',
      '29-Mar-2026 02:30 AM': '2026-03-29T02:30',
      '25-Oct-2026 02:00 AM': '2026-10-25T02:00',
      '25-Oct-2026 02:59 AM': '2026-10-25T02:59',
    };
    const read = await scheduledWithEach(
      berlin,
      Object.keys(times).map((postDate) => ({ postDate })),
    );
    expect(read).toEqual(
      Object.values(times).map((scheduledAtLocal) => ({ scheduledAtLocal, scheduledAt: null })),
    );
  });

  test('a post without a readable time has no instant either', async () => {
    expect(await scheduledWith(berlin, { postDate: '03/04/2026' })).toEqual({
      scheduledAtLocal: null,
      scheduledAt: null,
    });
  });

  test('the history keeps its wall-clock time, and no instant is made of it', async () => {
    const { data } = await berlin.query('{ aiGenerations(first: 2) { nodes { createdAt createdAtLocal } } }');
    for (const { createdAt, createdAtLocal } of data.aiGenerations.nodes as Record<string, string | null>[]) {
      expect(createdAt).toBeNull();
      expect(createdAtLocal).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
    }
  });
});
