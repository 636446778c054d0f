import { assert, asyncProperty, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { cases } from '../support/depth.ts';
import { onlyRequest, sentFields, sentForm } from '../support/sent.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { EXAMPLES, legacyAccount, legacyGroup, write, type Input } from '../support/writes.ts';

const shared = shareGraph();
const PLAIN = 'POST /oauth/post/update';
const WITH_IMAGE = 'POST /oauth/post/updatewithimage';
const IMAGE = 'https://pictures.example.com/ferry.jpg?a=1&b=2';

async function formFor(graph: RunningGraph, changes: Input) {
  graph.sandbox.requests.clear();
  // The tests share one queue, which must not be full before the last of them.
  graph.sandbox.state.owner('harbour').queueLimit = 10_000;
  const input = { ...EXAMPLES.createStatusUpdate, ...changes };
  const { outcome } = await write(graph, 'createStatusUpdate', input);
  expect(outcome).toBe('COMPLETED');
  return sentForm(graph, 'imageUrl' in changes ? WITH_IMAGE : PLAIN);
}

test('lists and records are bracketed form fields, and nothing undocumented is sent', async () => {
  const form = await formFor(shared, {
    idempotencyKey: 'a-key',
    text: 'Späti & “Späti” +1% [x]=y',
    accountIds: [legacyAccount(410_203), legacyAccount(410_201)],
    timing: { placement: 'NOW' },
    preview: {
      title: 'T',
      url: 'https://t.example/?a=1',
      imagePath: 'https://t.example/i.jpg',
      description: 'D',
    },
  });
  expect(form).toEqual([
    ['account_id[0]', '410203'],
    ['account_id[1]', '410201'],
    ['now', '1'],
    ['post_content', 'Späti & “Späti” +1% [x]=y'],
    ['preview[description]', 'D'],
    ['preview[image]', 'https://t.example/i.jpg'],
    ['preview[title]', 'T'],
    ['preview[url]', 'https://t.example/?a=1'],
  ]);
});

test('an update with an image goes to the call for images, without a preview', async () => {
  const form = await formFor(shared, { imageUrl: IMAGE, preview: null });
  expect(form).toEqual([
    ['account_id[0]', '410201'],
    ['image_url', IMAGE],
    ['post_content', 'The ferry is late.'],
  ]);
  expect(shared.sandbox.requests.count(PLAIN)).toBe(0);
});

/** The fields of the form that say when it goes out. */
async function timingFor(changes: Input, graph: RunningGraph = shared): Promise<unknown> {
  const form = await formFor(graph, changes);
  return Object.fromEntries(form.filter(([name]) => name === 'now' || name === 'schedule_date'));
}

describe('when it goes out', () => {
  test.each([
    ['2031-05-20T00:00', '2031-05-20 00:00 AM'],
    ['2031-05-20T09:05', '2031-05-20 09:05 AM'],
    ['2031-05-20T11:59', '2031-05-20 11:59 AM'],
    ['2031-05-20T12:00', '2031-05-20 12:00 PM'],
    ['2031-05-20T13:05', '2031-05-20 13:05 PM'],
    ['2031-12-31T23:59', '2031-12-31 23:59 PM'],
  ])('%s is sent as %s, and no word of now', async (at, scheduleDate) => {
    expect(await timingFor({ timing: { scheduledAtLocal: at } })).toEqual({ schedule_date: scheduleDate });
    expect(await timingFor({ timing: { scheduledAtLocal: at }, imageUrl: IMAGE })).toEqual({
      schedule_date: scheduleDate,
    });
  });

  test('an instant is sent as the time of the service’s own clock', async () => {
    const timing = { scheduledAt: '2031-05-20T22:35:00Z' };
    const sent = await timingFor(
      { timing },
      await startGraph({ environment: { SERVICE_TIME_ZONE: 'Asia/Kolkata' } }),
    );
    expect(sent).toEqual({ schedule_date: '2031-05-21 04:05 AM' });
  });

  test.each<[string, Input]>([
    ['the queue', { timing: { placement: 'QUEUE' } }],
    ['nothing', {}],
    ['null', { timing: null }],
  ])('%s sends neither now nor a date', async (_, changes) => {
    expect(await timingFor(changes)).toEqual({});
  });

  test.each(['1', 'true'])('at once is sent as the operator says: %s', async (now) => {
    const graph = await startGraph({ environment: { LEGACY_TRUE: now } });
    const timing = { placement: 'NOW' };
    expect(await timingFor({ timing }, graph)).toEqual({ now });
    expect(await timingFor({ timing, imageUrl: IMAGE }, graph)).toEqual({ now });
  });
});

describe('whom it goes to', () => {
  test('groups are sent as their accounts, each once, and never as a group', async () => {
    const form = await formFor(shared, {
      accountIds: [legacyAccount(410_202)],
      accountGroupIds: [legacyGroup(5_102), legacyGroup(5_101)],
    });
    expect(form.map(([name]) => name)).not.toContain('group_id');
    expect(form.filter(([name]) => name.startsWith('account_id'))).toEqual([
      ['account_id[0]', '410202'],
      ['account_id[1]', '410204'],
      ['account_id[2]', '410212'],
      ['account_id[3]', '410213'],
      ['account_id[4]', '410201'],
      ['account_id[5]', '410203'],
      ['account_id[6]', '410206'],
    ]);
  });

  test('groups alone will do, as will an empty group beside another', async () => {
    const form = await formFor(shared, {
      accountIds: null,
      accountGroupIds: [legacyGroup(5_104), legacyGroup(5_103)],
    });
    expect(form.filter(([name]) => name.startsWith('account_id')).map(([, id]) => id)).toEqual([
      '410202',
      '410207',
      '410209',
    ]);
  });

  test('the lists of the legacy surface are read once each, and the groups only for groups', async () => {
    const graph = await startGraph();
    await formFor(graph, {});
    expect(graph.sandbox.requests.all.map(({ endpoint }) => endpoint)).toEqual([
      'GET /oauth/accounts',
      PLAIN,
    ]);
    graph.sandbox.requests.clear();
    await formFor(graph, { accountGroupIds: [legacyGroup(5_101)] });
    expect(graph.sandbox.requests.all.map(({ endpoint }) => String(endpoint)).toSorted()).toEqual([
      'GET /oauth/accounts',
      'GET /oauth/groups',
      PLAIN,
    ]);
  });
});

test('parts of a preview that are left out or null are not sent', async () => {
  const preview = { title: null, url: 'https://t.example' };
  const form = await formFor(shared, { preview });
  expect(form.filter(([name]) => name.startsWith('preview'))).toEqual([
    ['preview[url]', 'https://t.example'],
  ]);
  expect(await formFor(shared, { preview: {} })).toHaveLength(2);
});

test.each([
  ['header', { authorization: 'Bearer demo-token-harbour' }, 2, ''],
  ['body', {}, 3, ''],
  ['query', {}, 2, 'access_token=demo-token-harbour'],
])('the token travels in the %s', async (placement, headers, fields, query) => {
  const graph = await startGraph({ environment: { LEGACY_TOKEN_PLACEMENT: placement } });
  const form = await formFor(graph, {});
  expect(form).toHaveLength(fields);
  expect(onlyRequest(graph, PLAIN).headers['authorization']).toBe(
    'authorization' in headers ? headers.authorization : undefined,
  );
  expect(String(onlyRequest(graph, PLAIN).query)).toBe(query);
});

test('any text arrives as it was written', async () => {
  const graph = shared;
  const anyText = string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter(
    (text) => text.trim() !== '',
  );
  await assert(
    asyncProperty(anyText, async (text) => {
      graph.sandbox.requests.clear();
      await write(graph, 'createStatusUpdate', {
        ...EXAMPLES.createStatusUpdate,
        text,
        preview: { title: text },
      });
      expect(sentFields(graph, PLAIN)).toMatchObject({ post_content: text, preview: { title: text } });
    }),
    {
      numRuns: cases(30, 1_000),
      examples: [['&access_token=x'], ['account_id[0]=9'], ['%00'], ['a\r\nb'], ['\u{1F600}']],
    },
  );
});

test.each(['a\ud800b', 'a\udc00b', '\ud83d'])(
  'half a character in %j costs no other character',
  async (text) => {
    const graph = shared;
    const payload = await write(graph, 'createStatusUpdate', { ...EXAMPLES.createStatusUpdate, text });
    if (payload.outcome === 'REJECTED') expect(payload.userErrors[0]?.code).toBe('INVALID_INPUT');
    else
      expect(sentFields(graph, PLAIN)).toMatchObject({
        post_content: text.replace(/[\ud800-\udfff]/, '\ufffd'),
      });
  },
);
