import { expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { DETAIL_FIELDS, LIST_ONLY_FIELDS, ACCOUNT_FIELDS } from '../support/accounts.ts';
import { startGraph, type RunningGraph, shareGraph } from '../support/graph.ts';
import { callsOf } from '../support/calls.ts';
import { account } from '../support/writes.ts';

// How many calls of the service an operation makes.

const graph = shareGraph();
const large = shareGraph({ sandbox: { data: 'large' } });

const LIST = 'GET /accounts/list';
const VIEW = 'GET /accounts/view/{loginId}';
const GROUPS = 'GET /group/list';
const QUEUE = 'GET /posts/queued';
const LEGACY_ACCOUNTS = 'GET /oauth/accounts';
const LEGACY_GROUPS = 'GET /oauth/groups';

type Calls = Partial<Record<EndpointName, number>>;

/** What the queue itself has of a post's account. */
const EMBEDDED = `id loginId displayName profileUrl avatarUrl color network platformCode platformId accessCode
  networkAccountId isFacebookAppInstalled isLocked isPaused health { needsReconnect }`;
/** What the groups have of their members. */
const OF_MEMBERS = `id displayName profileUrl avatarUrl color network platformName platformId isLocked
  health { needsReconnect } isFacebookAppInstalled`;
const fiftyPosts = (ofAccount: string): string =>
  `{ queuedPosts(first: 50) { nodes { text account { ${ofAccount} } } } }`;
const listOnly = 'inboxCount hasInbox linkShortener { name } pageId';
const fiveById = [1, 2, 3, 4, 5].map((n) => `a${n}: account(id: "${account(410_200 + n)}") { ${listOnly} }`);

const DASHBOARD = `{
  surfaces { surface isConfigured hasCredential }
  accounts(first: 50) {
    totalCount
    nodes { displayName network avatarUrl isPaused queuedPostCount errorCount health { state needsReconnect } groups { name } }
  }
  accountGroups(first: 20) { nodes { name accounts { totalCount nodes { displayName } } } }
  queuedPosts(first: 50) { totalCount nodes { title text scheduledAtLocal account { displayName network } } }
  libraryItems(first: 50) { totalCount nodes { title useCount content { text } } }
  aiGenerations(first: 50) { totalCount nodes { prompt text createdAtLocal } }
  membership { currentPlan { name features { key text } } connectedAccountCount }
}`;

type Rows = Readonly<Record<string, readonly [query: string, calls: Calls]>>;

const LARGE: Rows = {
  'fifty accounts with fields of their list': [
    `{ accounts(first: 50) { totalCount nodes { ...ListFields } } } ${LIST_ONLY_FIELDS}`,
    { [LIST]: 1 },
  ],
  'fifty accounts with fields of their details': [
    `{ accounts(first: 50) { nodes { ...DetailFields } } } ${DETAIL_FIELDS}`,
    { [LIST]: 1, [VIEW]: 50 },
  ],
  'forty groups with their members': [
    `{ accountGroups(first: 40) { nodes { name createdAt accounts(first: 100) { nodes { ${OF_MEMBERS} } } } } }`,
    { [GROUPS]: 1 },
  ],
  'fifty posts with what the queue has of their accounts': [fiftyPosts(EMBEDDED), { [QUEUE]: 1 }],
  // They are of 37 accounts.
  'fifty posts with a field of details under two names': [
    fiftyPosts('loginId settingId again: settingId'),
    { [QUEUE]: 1, [VIEW]: 37 },
  ],
  'fifty posts with what needs the details': [
    fiftyPosts('loginId health { state }'),
    { [QUEUE]: 1, [VIEW]: 37 },
  ],
  'fifty posts with fields of the account list': [fiftyPosts(listOnly), { [QUEUE]: 1, [LIST]: 1 }],
};

const SMALL: Rows = {
  'an account by its id with fields of its detail': [
    `{ account(id: "${account()}") { displayName isPaused health { state } ...DetailFields groups { name } } } ${DETAIL_FIELDS}`,
    { [VIEW]: 1 },
  ],
  'five accounts by their ids with fields of their list': [
    `{ ${fiveById.join(' ')} }`,
    { [VIEW]: 5, [LIST]: 1 },
  ],
  'details in several lists and under several names': [
    `{ accounts(first: 50) { nodes { settingId again: settingId } }
       accountGroups { nodes { accounts { nodes { settingId connectedAt } } } }
       queuedPosts(first: 50) { nodes { account { settingId requiresClientApproval } } } }`,
    { [LIST]: 1, [VIEW]: 12, [GROUPS]: 1, [QUEUE]: 1 },
  ],
  'health.state, which the list has of locked and blocked accounts': [
    '{ accounts(first: 100) { nodes { health { state } } } }',
    { [LIST]: 1, [VIEW]: 10 },
  ],
  'health.state on the legacy surface': [
    '{ accounts(first: 100, surface: LEGACY) { nodes { health { state } } } }',
    { [LEGACY_ACCOUNTS]: 1 },
  ],
  'the names of the groups of accounts': [
    '{ accounts(first: 100) { nodes { groups { id groupId name } } } }',
    { [LIST]: 1 },
  ],
  'other fields of the groups of accounts': [
    '{ accounts(first: 100) { nodes { groups { createdAt companyId accounts { nodes { displayName } } } } } }',
    { [LIST]: 1, [GROUPS]: 1 },
  ],
  'everything of the legacy lists': [
    `{ one: accounts(first: 3, surface: LEGACY) { nodes { ...AccountFields } }
       two: accounts(last: 3, surface: LEGACY, orderBy: [{ field: DISPLAY_NAME }]) { nodes { groups { accounts { nodes { statusCode } } } } }
       groups: accountGroups(surface: LEGACY) { nodes { accounts { nodes { groups { name } } } } } } ${ACCOUNT_FIELDS}`,
    { [LEGACY_ACCOUNTS]: 1, [LEGACY_GROUPS]: 1 },
  ],
  'a dashboard: its lists, its plan and the details of its accounts': [
    DASHBOARD,
    {
      [LIST]: 1,
      [VIEW]: 12,
      [GROUPS]: 1,
      [QUEUE]: 1,
      'GET /library/list': 2,
      'GET /openai/historyList': 1,
      'GET /membership/plan/list': 1,
    },
  ],
  'one window under several names': [
    '{ one: queuedPosts(first: 9) { totalCount } two: queuedPosts(first: 9) { edges { cursor } } }',
    { [QUEUE]: 1 },
  ],
};

const ROWS = [
  ...Object.entries(LARGE).map(([what, row]) => [what, large, ...row] as const),
  ...Object.entries(SMALL).map(([what, row]) => [what, graph, ...row] as const),
];

test.each(ROWS)('%s cost only the calls that they need', async (_what, running, query, calls) => {
  expect((await running.query(query)).errors).toEqual([]);
  expect(callsOf(running)).toEqual(calls);
});

test.each([
  ['six lists', '*', 6],
  ['twelve details', VIEW, 12],
] as const)(
  'the calls for the %s of a dashboard are made at the same time',
  async (_what, endpoint, count) => {
    const own: RunningGraph = await startGraph();
    own.sandbox.faults.add({ kind: 'never-answer', endpoint, times: Number.POSITIVE_INFINITY });
    const answer = own.query(DASHBOARD);
    await expect.poll(() => own.sandbox.requests.open).toBe(count);
    await own.sandbox.close();
    expect((await answer).errors.length).toBeGreaterThan(0);
  },
);
