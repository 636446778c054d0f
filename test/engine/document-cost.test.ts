import * as fc from 'fast-check';
import { getNamedType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { cases, isDeep } from '../support/depth.ts';
import { callsOf, globalId } from '../support/calls.ts';
import { generateOperation } from '../support/documents.ts';
import { openEstimates } from '../support/estimates.ts';
import { ownWayOf, wholeSelection } from '../support/selection.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { openTransport, type Operation } from '../support/transports.ts';
import { account, EXAMPLES, documentOf, idOf, legacyAccount, type MutationName } from '../support/writes.ts';

const graph = shareGraph({
  sandbox: { data: 'large' },
  environment: { MAX_COST: '100000', MAX_SELECTIONS: '5000' },
});

interface Cost {
  readonly estimated: number;
  readonly calls: number;
  readonly limit: number;
}

async function costOf(operation: Operation): Promise<Cost> {
  graph.sandbox.requests.clear();
  const run = openTransport('HTTP', graph.url, graph.caller.both);
  const { extensions, errors } = await run(operation);
  const cost = extensions['cost'] as Cost | undefined;
  if (!cost) throw new Error(`no cost: ${JSON.stringify(errors)}`);
  expect(cost.calls).toBe(graph.sandbox.requests.all.length);
  return cost;
}

const ALIASES = Array.from(
  { length: 10 },
  (_, index) => `a${index}: accounts(first: 20) { nodes { health { state } } }`,
);

/** What applications ask for, how many calls it is thought to take, and how often the real number goes into that. */
const TYPICAL: Readonly<Record<string, readonly [query: string, estimated: number, factor: number]>> = {
  'nothing of the service': ['{ surfaces { surface } }', 0, 1],
  'a page of names': ['{ accounts(first: 50) { nodes { displayName } } }', 1, 1],
  'a page with its health': ['{ accounts(first: 50) { nodes { health { state } } } }', 51, 1.2],
  'many fields of the detail': [
    '{ accounts(first: 50) { nodes { health { state } settingId connectedAt postingSchedule { day } } } }',
    51,
    1.2,
  ],
  'the same list ten times': [`{ ${ALIASES.join(' ')} }`, 21, 1.2],
  'the last page': ['{ accounts(last: 20) { nodes { displayName } } }', 3, 1.5],
  'the queue with its accounts': [
    '{ queuedPosts(first: 50) { nodes { text account { displayName } } } }',
    1,
    1,
  ],
  'the queue with details': [
    '{ queuedPosts(first: 50) { nodes { account { health { credentialExpiresAt } } } } }',
    51,
    1.5,
  ],
  'the queue of each account': [
    '{ accounts(first: 50) { nodes { queuedPosts(first: 5) { totalCount } } } }',
    41,
    2,
  ],
  'a queue narrowed in two ways': [
    '{ a: queuedPosts(filter: { networks: [X] }) { totalCount } b: queuedPosts(filter: { text: "tea" }) { totalCount } }',
    40,
    2,
  ],
  'accounts by their health': [
    '{ accounts(filter: { networks: [X], healthStates: [HEALTHY] }) { totalCount } }',
    140,
    10,
  ],
  'warnings of a post': [
    `{ validatePost(input: { accountIds: ["${account()}"], timing: { placement: QUEUE }, variants: [] }) { warnings { code } lookedAt { queueTotal } } }`,
    43,
    2,
  ],
  'the library, whose pages are short': ['{ libraryItems(first: 50) { nodes { title } } }', 5, 1],
  'the AI history': ['{ aiGenerations(first: 30) { nodes { text } } }', 1, 1],
  'both surfaces of the accounts': [
    '{ accounts(first: 20) { nodes { displayName counterpart { isPaused } } } }',
    2,
    1,
  ],
  'the legacy surface': ['{ accounts(surface: LEGACY) { nodes { displayName groups { name } } } }', 2, 1],
  'groups and their members': [
    '{ accountGroups(first: 20) { nodes { name accounts { nodes { displayName } } } } }',
    1,
    1,
  ],
  'one account': [`{ account(id: "${account()}") { displayName health { state } settingId } }`, 1, 1],
  'one account twice': [
    `{ a: account(id: "${account()}") { displayName } b: node(id: "${account()}") { id } }`,
    1,
    1,
  ],
  'the plan': ['{ membership { currentPlan { name } } }', 1, 1],
  'a dashboard': [
    `{ accounts(first: 50) { nodes { settingId } }
       accountGroups(first: 5) { nodes { accounts { nodes { settingId connectedAt } } } }
       queuedPosts(first: 50) { nodes { account { settingId requiresClientApproval } } } }`,
    203,
    // Which accounts the three have in common, nobody knows before.
    4,
  ],
};

/** The first answer of a list shows the size of its pages. */
const FIRST_ANSWERS = `{ accounts(first: 1) { totalCount } queuedPosts(first: 1) { totalCount }
  libraryItems(first: 1) { totalCount } aiGenerations(first: 1) { totalCount } accountGroups(first: 1) { totalCount } }`;

test('the estimate for a typical operation is no less than the number of calls it makes, and close to it', async () => {
  await costOf({ query: FIRST_ANSWERS });
  for (const [name, [query, estimated, factor]] of Object.entries(TYPICAL)) {
    const cost = await costOf({ query });
    expect(cost, name).toMatchObject({ estimated, limit: 100_000 });
    expect(cost.calls, name).toBeLessThanOrEqual(estimated);
    expect(estimated, name).toBeLessThanOrEqual(cost.calls * factor);
  }
});

/** The places that an account can be read from, each with a hole for what is read of it. */
const ORIGINS: Readonly<Record<string, string>> = {
  'a list': 'accounts(first: 4) { nodes { … } }',
  'the end of a list': 'accounts(last: 4) { edges { node { … } } }',
  'its id': `account(id: "${account()}") { … }`,
  'a node': `node(id: "${account()}") { ... on Account { … } }`,
  nodes: `nodes(ids: ["${account()}", "${legacyAccount()}"]) { ... on Account { … } }`,
  'a group': 'accountGroups(first: 2) { nodes { accounts(first: 3) { nodes { … } } } }',
  'the queue': 'queuedPosts(first: 4) { nodes { account { … } } }',
  'the legacy list': 'accounts(surface: LEGACY, first: 4) { nodes { … } }',
  'a legacy group':
    'accountGroups(surface: LEGACY, first: 2) { nodes { accounts(first: 3) { nodes { … } } } }',
  'the other surface of a legacy account':
    'accounts(surface: LEGACY, first: 4) { nodes { counterpart { … } } }',
  'a group of an account': 'accounts(first: 2) { nodes { groups { accounts(first: 2) { nodes { … } } } } }',
  'a group of an account by its id': `account(id: "${account()}") { groups { accounts(first: 2) { nodes { … } } } }`,
  'a check of a post': `validatePost(input: { accountIds: ["${account()}"], timing: { placement: QUEUE }, variants: [] }) { accounts { … } }`,
};

const ACCOUNT = schema.getType('Account');
const FIELDS = isObjectType(ACCOUNT)
  ? Object.values(ACCOUNT.getFields()).map(({ name, type }) => {
      const inner = getNamedType(type);
      const own = ownWayOf('Account', name);
      if (own !== undefined) return own;
      return isObjectType(inner)
        ? `${name} { ${wholeSelection(inner.name, ['Account', 'AccountGroup'])} }`
        : name;
    })
  : [];

/** Fields that are estimated alike when each is read alone: together they need no more calls than one of them. */
function groupsOf(place: string): string[][] {
  if (isDeep) return FIELDS.map((field) => [field]);
  const estimate = openEstimates();
  const groups = new Map<number | null, string[]>();
  for (const field of FIELDS) {
    const estimated = estimate(`{ ${place.replace('…', field)} }`);
    groups.set(estimated, [...(groups.get(estimated) ?? []), field]);
  }
  return [...groups.values()];
}

describe('with three pages of queued posts, which show as much as ten', () => {
  beforeAll(() => void graph.sandbox.state.owner('harbour').drainQueue(700));

  test.each(Object.entries(ORIGINS))(
    'no field of an account from %s makes more calls than estimated',
    async (_name, place) => {
      expect(FIELDS.length).toBeGreaterThan(40);
      for (const fields of groupsOf(place)) {
        const { estimated, calls } = await costOf({ query: `{ ${place.replace('…', fields.join(' '))} }` });
        expect(calls, fields.join(' ')).toBeLessThanOrEqual(estimated);
      }
    },
  );
});

/** Ids of each kind, of records that are there and of others. */
const IDS = {
  accounts: [account(), legacyAccount(), legacyAccount(1)],
  groups: [
    idOf('AccountGroup', 'current', 5_101),
    idOf('AccountGroup', 'legacy', 5_103),
    globalId('AccountGroup', 'none'),
  ],
  others: [globalId('QueuedPost', 'none'), globalId('AiGeneration', 'none')],
  nonsense: ['', 'nonsense', '1ac:410201'],
};

test('looking records up by their ids makes no more calls than estimated', async () => {
  const one = 'query ($id: ID!) { node(id: $id) { id } }';
  const several = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
  for (const [kind, ids] of Object.entries(IDS)) {
    const operations: Operation[] = [
      ...ids.map((id) => ({ query: one, variables: { id } })),
      { query: several, variables: { ids } },
    ];
    for (const operation of operations) {
      const { estimated, calls } = await costOf(operation);
      expect(calls, `${kind}: ${JSON.stringify(operation.variables)}`).toBeLessThanOrEqual(estimated);
    }
  }
});

test('a random query makes no more calls than estimated', async () => {
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const { estimated, calls } = await costOf(generateOperation(g));
      expect(calls).toBeLessThanOrEqual(estimated);
    }),
    { numRuns: cases(25, 1_000) },
  );
});

test.each(Object.entries(EXAMPLES))(
  'the mutation %s makes no more calls than estimated',
  async (name, input) => {
    const mutation = name as MutationName;
    const { estimated, calls } = await costOf({
      query: documentOf(mutation),
      variables: mutation === 'createBillingPortalSession' ? {} : { input },
    });
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(estimated);
    expect(Object.keys(callsOf(graph)).length).toBeGreaterThan(0);
  },
);
