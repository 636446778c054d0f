import { describe, expect, test } from 'vitest';
import { jsonOf, postJson } from '../support/raw-http.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { documentOf, EXAMPLES, problemsOf, write, type Input } from '../support/writes.ts';

const graph = shareGraph({ environment: { SERVICE_TIME_ZONE: 'Europe/Paris' } });

const localTime = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 16);
const localDay = (index: number): string => localTime(Date.UTC(2031, 4, 1 + index, 10));
const hoursAgo = (hours: number): string => localTime(Date.now() - hours * 3_600_000);
const accountId = (): unknown => (EXAMPLES.createPost['accountIds'] as readonly unknown[])[0];
const postAt = (at: string) => ({ ...EXAMPLES.createPost, timing: { scheduledAtLocal: [at] } });

async function problemsFor(timing: Input): Promise<string[]> {
  const payload = await write(graph, 'createPost', { ...EXAMPLES.createPost, timing });
  expect(payload.outcome).toBe('REJECTED');
  expect(graph.sandbox.requests.count()).toBe(0);
  return problemsOf(payload);
}

describe('a time of the service’s own clock', () => {
  test.each([
    [
      'past',
      '2020-01-01T10:00',
      /is in the past: on the service’s clock \(Europe\/Paris\) it is \d\d:\d\d on \d/,
    ],
    ['30 February', '2031-02-30T10:00', /^2031-02-30 10:00 is not a date on the calendar/],
    ['31 April', '2031-04-31T10:00', /is not a date on the calendar/],
    ['29 February of a common year', '2031-02-29T10:00', /is not a date on the calendar/],
    [
      'skipped by a change of the clock',
      '2031-03-30T02:30',
      /^02:30 on 30 March 2031 is skipped or repeated when the clocks change/,
    ],
    [
      'there twice because of a change of the clock',
      '2031-10-26T02:30',
      /^02:30 on 26 October 2031 is skipped or repeated/,
    ],
  ])('must not be %s', async (_, at, message) => {
    expect(await problemsFor({ scheduledAtLocal: ['2031-05-20T10:00', at] })).toEqual([
      'INVALID_INPUT input.timing.scheduledAtLocal.1',
    ]);
    const { userErrors } = await write(graph, 'createPost', {
      ...EXAMPLES.createPost,
      timing: { scheduledAtLocal: [at] },
    });
    expect(userErrors[0]?.message).toMatch(message);
  });

  test('is good right before and right after a change of the clock, and on 29 February of a leap year', async () => {
    const at = [
      '2031-03-30T01:59',
      '2031-03-30T03:00',
      '2031-10-26T01:59',
      '2031-10-26T03:00',
      '2032-02-29T10:00',
    ];
    const { outcome } = await write(graph, 'createPost', {
      ...EXAMPLES.createPost,
      timing: { scheduledAtLocal: at },
    });
    expect(outcome).toBe('COMPLETED');
  });

  test.each(['variable', 'document'] as const)(
    'in a %s may have seconds of :00, which are left out',
    async (place) => {
      const { caller, sandbox, url } = graph;
      const at = ['2031-05-20T10:00:00', '2031-05-21T10:00'];
      const times = place === 'document' ? JSON.stringify(at) : '$at';
      const query = `mutation ${place === 'document' ? '' : '($at: [LocalDateTime!])'} {
        createPost(input: { accountIds: ["${String(accountId())}"], timing: { scheduledAtLocal: ${times} },
          variants: [{ variant: ORIGINAL, text: "x" }] }) { outcome } }`;
      const reply = await postJson(`${url}/graphql`, { query, variables: { at } }, caller.both);
      expect(jsonOf(reply)).toMatchObject({ data: { createPost: { outcome: 'COMPLETED' } } });
      const [request] = sandbox.requests.of('POST /posts/create');
      expect(JSON.parse(request?.body ?? '')).toMatchObject({
        scheduleDateTime: ['2031-05-20 10:00', '2031-05-21 10:00'],
      });
    },
  );

  test('with seconds and without is the same one to an idempotency key', async () => {
    const postAtTime = (at: string) =>
      write(graph, 'createPost', { ...postAt(at), idempotencyKey: 'seconds' });
    expect(await postAtTime('2031-05-20T10:00')).toMatchObject({ outcome: 'COMPLETED', replayed: false });
    expect(await postAtTime('2031-05-20T10:00:00')).toMatchObject({ outcome: 'COMPLETED', replayed: true });
  });

  test('must stand there once', async () => {
    const at = ['2031-05-20T10:00', '2031-05-20T10:00'];
    expect(await problemsFor({ scheduledAtLocal: at })).toEqual([
      'INVALID_INPUT input.timing.scheduledAtLocal.1',
    ]);
  });

  test('must be one of 1 to 250', async () => {
    expect(await problemsFor({ scheduledAtLocal: [] })).toEqual([
      'INVALID_INPUT input.timing.scheduledAtLocal',
    ]);
    const at = Array.from({ length: 251 }, (_, index) => localDay(index));
    expect(await problemsFor({ scheduledAtLocal: at })).toEqual([
      'INVALID_INPUT input.timing.scheduledAtLocal',
    ]);
  });

  test.each([
    '2031-05-20 10:00',
    '2031-05-20T10:00:01',
    '2031-05-20T10:00:00.000',
    '2031-05-20T10:00:00Z',
    '2031-05-20T10:00:',
    '2031-05-20T24:00',
    '2031-13-01T10:00',
    '2031-05-20',
    'soon',
  ])('has no other form, such as %s', async (at) => {
    const input = { ...EXAMPLES.createPost, timing: { scheduledAtLocal: ['2031-05-20T10:00', at] } };
    const { url, caller } = graph;
    const answer = await postJson(
      `${url}/graphql`,
      { query: documentOf('createPost'), variables: { input } },
      caller.both,
    );
    expect(jsonOf(answer)).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test('of another form is refused with the place where it stands', async () => {
    const input = { ...EXAMPLES.createPost, timing: { scheduledAtLocal: ['2031-05-20T10:00', 'soon'] } };
    const answer = await postJson(`${graph.url}/graphql`, {
      query: documentOf('createPost'),
      variables: { input },
    });
    expect(answer.text).toMatch(/timing\.scheduledAtLocal\[1\]/);
  });
});

describe('an instant', () => {
  test.each([
    ['past', '2020-01-01T10:00:00Z'],
    ['no whole minute', '2031-05-20T10:00:30Z'],
    ['no whole minute by a thousandth', '2031-05-20T10:00:00.001Z'],
    ['an hour that the service’s clock has twice', '2031-10-26T00:30:00Z'],
    ['that hour’s second time', '2031-10-26T01:30:00Z'],
  ])('must not be %s', async (_, instant) => {
    expect(await problemsFor({ scheduledAt: ['2031-05-20T08:00:00Z', instant] })).toEqual([
      'INVALID_INPUT input.timing.scheduledAt.1',
    ]);
  });

  test('must stand there once, however it is written', async () => {
    const atInstants = ['2031-05-20T08:00:00Z', '2031-05-20T10:00:00+02:00'];
    expect(await problemsFor({ scheduledAt: atInstants })).toEqual([
      'INVALID_INPUT input.timing.scheduledAt.1',
    ]);
  });
});

describe('without a zone of the service’s clock', () => {
  const bare = shareGraph();

  test('no instant can be told', async () => {
    const timing = { scheduledAt: ['2031-05-20T10:00:00Z'] };
    const payload = await write(bare, 'createPost', { ...EXAMPLES.createPost, timing });
    expect(problemsOf(payload)).toEqual(['INVALID_INPUT input.timing.scheduledAt']);
    expect(payload.userErrors[0]?.message).toContain('the service’s time zone is not configured');
    const update = { ...EXAMPLES.createStatusUpdate, timing: { scheduledAt: '2031-05-20T10:00:00Z' } };
    expect(problemsOf(await write(bare, 'createStatusUpdate', update))).toEqual([
      'INVALID_INPUT input.timing.scheduledAt',
    ]);
    expect(bare.sandbox.requests.count()).toBe(0);
  });

  test('a time is past only where it is past everywhere', async () => {
    expect((await write(bare, 'createPost', postAt(hoursAgo(11)))).outcome).toBe('COMPLETED');
    const past = await write(bare, 'createPost', postAt(hoursAgo(13)));
    expect(problemsOf(past)).toEqual(['INVALID_INPUT input.timing.scheduledAtLocal.0']);
    expect(past.userErrors[0]?.message).toMatch(/^\d\d:\d\d on \d.* is in the past in every time zone\.$/);
  });

  test('no clock change is known, but the calendar is', async () => {
    const at = ['2031-03-30T02:30', '2031-10-26T02:30'];
    const good = { ...EXAMPLES.createPost, timing: { scheduledAtLocal: at } };
    expect((await write(bare, 'createPost', good)).outcome).toBe('COMPLETED');
    const bad = { ...EXAMPLES.createPost, timing: { scheduledAtLocal: ['2031-02-30T02:30'] } };
    expect(problemsOf(await write(bare, 'createPost', bad))).toEqual([
      'INVALID_INPUT input.timing.scheduledAtLocal.0',
    ]);
  });
});
