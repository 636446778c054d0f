import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changing, changingEach, changingRecord } from '../support/wire-changes.ts';

const graph = shareGraph();

/** The fields of an account that are letters in the list. */
const LETTERS = 'isPaused isLocked isBlocked isFacebookAppInstalled hasAnalytics hasInbox';
const LETTERS_ON_THE_WIRE = ['isPaused', 'isLocked', 'isBlocked', 'fbAppInstall', 'hasAnalytics', 'hasInbox'];

const allLetters = (value: boolean | null) => ({
  isPaused: value,
  isLocked: value,
  isBlocked: value,
  isFacebookAppInstalled: value,
  hasAnalytics: value,
  hasInbox: value,
});

test('a letter Y is true and N is false; any other value is null with an error', async () => {
  const values = ['Y', 'N', 'y', 'n', 'Yes', 'No', '0', 0, 1, true, false, 'YN'];
  graph.sandbox.faults.add(
    changingEach('GET /accounts/list', (index) =>
      Object.fromEntries(LETTERS_ON_THE_WIRE.map((wire) => [wire, values[index]])),
    ),
  );
  const answer = await graph.query(`{ accounts(first: ${values.length}) { nodes { ${LETTERS} } } }`);
  expect(answer.data.accounts.nodes).toEqual([
    allLetters(true),
    allLetters(false),
    ...values.slice(2).map(() => allLetters(null)),
  ]);
  expect(answer.errors).toHaveLength((values.length - 2) * LETTERS_ON_THE_WIRE.length);
  expect(new Set(errorsOf(answer).map((error) => error.split(' ')[1]))).toEqual(
    new Set(['UPSTREAM_MALFORMED']),
  );
});

test('a value that is no letter is told to the operator once, without the value', async () => {
  const fresh = await startGraph();
  fresh.sandbox.faults.add(changingRecord('GET /accounts/list', 'isLocked', 'perhaps-once'));
  for (const _ of [1, 2]) await fresh.query('{ accounts(first: 1) { nodes { isLocked } } }');
  const lines = fresh.log.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.filter(({ field }) => field === 'isLocked')).toHaveLength(1);
  expect(fresh.log.join('')).not.toContain('perhaps-once');
});

const STATUSES = [
  ['N', 'QUEUED'],
  ['n', 'UNKNOWN'],
  ['P', 'UNKNOWN'],
  ['published', 'UNKNOWN'],
  ['', null],
] as const;

test('a post status other than the one that is documented is UNKNOWN beside its code', async () => {
  graph.sandbox.faults.add(
    changingEach('GET /posts/queued', (index) => ({ postStatus: STATUSES[index]?.[0] ?? '' })),
  );
  const { data } = await graph.query('{ queuedPosts(first: 5) { nodes { status statusCode } } }');
  expect(data.queuedPosts.nodes).toEqual(
    STATUSES.map(([code, status]) => ({ status, statusCode: code || null })),
  );
});

const POST_TYPES = [
  ['T', 'TEXT'],
  ['I', 'IMAGE'],
  ['V', 'UNKNOWN'],
  ['constructor', 'UNKNOWN'],
  ['', null],
] as const;

test('a post type has its name beside its code, in the queue and in the library', async () => {
  const typeOf = (index: number): string => POST_TYPES[index]?.[0] ?? '';
  graph.sandbox.faults.add(changingEach('GET /posts/queued', (index) => ({ postType: typeOf(index) })));
  graph.sandbox.faults.add(
    changingEach('GET /library/list', (index) => ({ 'content.postType': typeOf(index) })),
  );
  const { data } = await graph.query(
    '{ queuedPosts(first: 5) { nodes { contentKind contentCode } } libraryItems(first: 5) { nodes { content { contentKind contentCode } } } }',
  );
  const shown = POST_TYPES.map(([code, contentKind]) => ({ contentKind, contentCode: code || null }));
  expect(data.queuedPosts.nodes).toEqual(shown);
  expect(data.libraryItems.nodes).toEqual(shown.map((content) => ({ content })));
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

const KINDS = [
  ['post', 'POST'],
  ['Post', 'POST'],
  ['hashTag', 'HASHTAG'],
  ['Hashtag', 'HASHTAG'],
  ['hashtag', 'HASHTAG'],
  ['carousel', 'UNKNOWN'],
  ['__proto__', 'UNKNOWN'],
] as const;

test('the kind of a library item or a generation is known however it is spelt', async () => {
  const codeOf = (index: number): string => KINDS[index]?.[0] ?? 'post';
  graph.sandbox.faults.add(changingEach('GET /library/list', (index) => ({ type: codeOf(index) })));
  graph.sandbox.faults.add(
    changingEach('GET /openai/historyList', (index) => ({ generatedFrom: codeOf(index) })),
  );
  const { data } = await graph.query(
    '{ libraryItems(first: 7) { nodes { kind kindCode } } aiGenerations(first: 7) { nodes { origin originCode } } }',
  );
  expect(data.libraryItems.nodes).toEqual(KINDS.map(([kindCode, kind]) => ({ kind, kindCode })));
  expect(data.aiGenerations.nodes).toEqual(KINDS.map(([originCode, origin]) => ({ origin, originCode })));
});

const PLATFORMS = [
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
] as const;

test('a platform belongs to its network, and its code is never lost', async () => {
  const codeOf = (index: number): string => PLATFORMS[index]?.[0] ?? '';
  graph.sandbox.faults.add(changingEach('GET /posts/queued', (index) => ({ scenario: codeOf(index) })));
  graph.sandbox.faults.add(changingEach('GET /oauth/accounts', (index) => ({ account_type: codeOf(index) })));
  const { data, errors } = await graph.query(
    '{ queuedPosts(first: 15) { nodes { account { network platformCode } } } accounts(first: 13, surface: LEGACY) { nodes { network platformCode } } }',
  );
  expect(errors).toEqual([]);
  const shown = PLATFORMS.map(([code, network]) => ({ network, platformCode: code || null }));
  expect(data.queuedPosts.nodes).toEqual(shown.map((account) => ({ account })));
  // The sandbox has thirteen legacy accounts.
  expect(data.accounts.nodes).toEqual(shown.slice(0, 13));
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
