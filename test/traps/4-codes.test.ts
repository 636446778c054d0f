import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingRecord } from '../support/wire-changes.ts';
import { changing } from '../support/wire-changes.ts';

const graph = shareGraph();

const LETTERS = [
  ['isPaused', 'isPaused', []],
  ['isLocked', 'isLocked', []],
  ['isBlocked', 'isBlocked', []],
  ['fbAppInstall', 'isFacebookAppInstalled', []],
  ['hasAnalytics', 'hasAnalytics', []],
  ['hasInbox', 'hasInbox', []],
  ['inboxAccess', 'isGranted', ['permissions', 'inbox']],
  ['analyticsAccess', 'isGranted', ['permissions', 'analytics']],
] as const;

test.each(LETTERS)(
  'the letter %s means %s: N is false, Y is true, anything else is neither',
  async (wire, field, within) => {
    const selection = [...within, field].reduceRight(
      (inner, name) => (inner === '' ? name : `${name} { ${inner} }`),
      '',
    );
    const read = async (value: unknown): Promise<[unknown, string[]]> => {
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(changingRecord('GET /accounts/list', wire, value));
      const answer = await graph.query(`{ accounts(first: 1) { nodes { ${selection} } } }`);
      const holder = within.reduce((inner, name) => inner[name], answer.data.accounts.nodes[0]);
      return [holder[field], errorsOf(answer).map((error) => error.split(' ')[1] ?? '')];
    };
    expect(await read('Y')).toEqual([true, []]);
    expect(await read('N')).toEqual([false, []]);
    for (const value of ['y', 'n', 'Yes', 'No', '0', '1', 0, 1, true, false, 'YN']) {
      expect(await read(value), String(value)).toEqual([null, ['UPSTREAM_MALFORMED']]);
    }
  },
);

test('a value that is no letter is told to the operator once, without the value', async () => {
  const fresh = await startGraph();
  fresh.sandbox.faults.add(changingRecord('GET /accounts/list', 'isLocked', 'perhaps-once'));
  for (const _ of [1, 2]) await fresh.query('{ accounts(first: 1) { nodes { isLocked } } }');
  const lines = fresh.log.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.filter(({ field }) => field === 'isLocked')).toHaveLength(1);
  expect(fresh.log.join('')).not.toContain('perhaps-once');
});

test.each([
  ['N', 'QUEUED'],
  ['n', 'UNKNOWN'],
  ['P', 'UNKNOWN'],
  ['published', 'UNKNOWN'],
  ['', null],
])('a post status %o, of which one code is known, is %s beside its code', async (status, name) => {
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'postStatus', status));
  const { data } = await graph.query('{ queuedPosts(first: 1) { nodes { status statusCode } } }');
  expect(data.queuedPosts.nodes).toEqual([{ status: name, statusCode: status || null }]);
});

test.each([
  ['T', 'TEXT'],
  ['I', 'IMAGE'],
  ['V', 'UNKNOWN'],
  ['constructor', 'UNKNOWN'],
  ['', null],
])('a post type %o is %s beside its code, in the queue and in the library', async (type, name) => {
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'postType', type));
  graph.sandbox.faults.add(changingRecord('GET /library/list', 'content.postType', type));
  const { data } = await graph.query(
    '{ queuedPosts(first: 1) { nodes { contentKind contentCode } } libraryItems(first: 1) { nodes { content { contentKind contentCode } } } }',
  );
  const shown = { contentKind: name, contentCode: type || null };
  expect(data.queuedPosts.nodes).toEqual([shown]);
  expect(data.libraryItems.nodes).toEqual([{ content: shown }]);
});

const SEEN_ONCE = [
  ['GET /posts/queued', 'via', 'queuedPosts', 'via'],
  ['GET /posts/queued', 'accessType', 'queuedPosts', 'account { accessCode }'],
  ['GET /accounts/list', 'accessType', 'accounts', 'accessCode'],
  ['GET /accounts/list', 'systemBaseStatus', 'accounts', 'systemBaseStatusCode'],
] as const;

test.each(SEEN_ONCE)(
  '%s: a %s that was never seen stays the text that it is',
  async (endpoint, wire, list, field) => {
    graph.sandbox.faults.add(changingRecord(endpoint, wire, 'Zeppelin'));
    const answer = await graph.query(`{ ${list}(first: 1) { nodes { ${field} } } }`);
    expect(answer.errors).toEqual([]);
    expect(JSON.stringify(answer.data)).toContain('"Zeppelin"');
  },
);

test.each([
  ['post', 'POST'],
  ['Post', 'POST'],
  ['hashTag', 'HASHTAG'],
  ['Hashtag', 'HASHTAG'],
  ['hashtag', 'HASHTAG'],
  ['carousel', 'UNKNOWN'],
  ['__proto__', 'UNKNOWN'],
])('a library item or a generation of the kind %s is one of %s, however it is spelt', async (code, kind) => {
  graph.sandbox.faults.add(changingRecord('GET /library/list', 'type', code));
  graph.sandbox.faults.add(changingRecord('GET /openai/historyList', 'generatedFrom', code));
  const { data } = await graph.query(
    '{ libraryItems(first: 1) { nodes { kind kindCode } } aiGenerations(first: 1) { nodes { origin originCode } } }',
  );
  expect(data.libraryItems.nodes).toEqual([{ kind, kindCode: code }]);
  expect(data.aiGenerations.nodes).toEqual([{ origin: kind, originCode: code }]);
});

test.each([
  ['facebook-page', 'FACEBOOK'],
  ['fb-group', 'FACEBOOK'],
  ['twitter', 'X'],
  ['twitter-profile', 'X'],
  ['x-profile', 'X'],
  ['linkedin-pages', 'LINKEDIN'],
  ['LinkedIn-Group', 'LINKEDIN'],
  ['instagram-business', 'INSTAGRAM'],
  ['gmb-location', 'GOOGLE_BUSINESS'],
  ['google-business', 'GOOGLE_BUSINESS'],
  ['youtube', 'YOUTUBE'],
  ['tiktok-business', 'TIKTOK'],
  ['xing-profile', 'UNKNOWN'],
  ['mastodon', 'UNKNOWN'],
  ['', 'UNKNOWN'],
])('the platform %o belongs to %s, and its code is never lost', async (code, network) => {
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'scenario', code));
  graph.sandbox.faults.add(changingRecord('GET /oauth/accounts', 'account_type', code));
  const { data, errors } = await graph.query(
    '{ queuedPosts(first: 1) { nodes { account { network platformCode } } } accounts(first: 1, surface: LEGACY) { nodes { network platformCode } } }',
  );
  expect(errors).toEqual([]);
  const shown = { network, platformCode: code || null };
  expect(data.queuedPosts.nodes).toEqual([{ account: shown }]);
  expect(data.accounts.nodes).toEqual([shown]);
});

test.each([
  [true, null],
  [false, null],
  [15, 15],
  [12.5, 12.5],
  [0, 0],
])('the discount that is declared a flag and comes as %o is %o', async (value, percent) => {
  graph.sandbox.faults.add(changing('GET /membership/plan/list', 'response.biannualDiscountPercent', value));
  const { data, errors } = await graph.query('{ membership { biannualDiscountPercent isBiannual } }');
  expect(errors).toEqual([]);
  expect(data.membership).toEqual({ biannualDiscountPercent: percent, isBiannual: true });
});

test.each([
  ['No Template', null],
  ['Invitation', 'Invitation'],
  ['', null],
])('the template %o of a generation is %o', async (template, shown) => {
  graph.sandbox.faults.add(changingRecord('GET /openai/historyList', 'templateUsed', template));
  const { data } = await graph.query('{ aiGenerations(first: 1) { nodes { template } } }');
  expect(data.aiGenerations.nodes).toEqual([{ template: shown }]);
});

test('codes of genders that nobody has explained pass as the numbers that they are', async () => {
  const audience = { minAge: 18, maxAge: 65, gender: [0, 2, 77], limitAudiance: ['city', { radius: 5 }] };
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'extraData.fbAudianceTargeting', audience));
  const { data } = await graph.query(
    '{ queuedPosts(first: 1) { nodes { facebookAudience { minAge maxAge gender limitAudience } } } }',
  );
  expect(data.queuedPosts.nodes).toEqual([
    {
      facebookAudience: {
        minAge: 18,
        maxAge: 65,
        gender: [0, 2, 77],
        limitAudience: ['city', { radius: 5 }],
      },
    },
  ]);
});
