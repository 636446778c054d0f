import {
  getIntrospectionQuery,
  getNamedType,
  introspectionFromSchema,
  isLeafType,
  type GraphQLObjectType,
  type IntrospectionSchema,
} from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { nestedLists, times } from '../support/large-operations.ts';
import { refusalsIn } from '../support/refusals.ts';
import { wholeSelection } from '../support/selection.ts';
import { openTransport, TRANSPORTS, type Operation } from '../support/transports.ts';
import { account } from '../support/writes.ts';

const graph = shareGraph();
const large = shareGraph({ sandbox: { data: 'large' } });

const junk = (count: number): string[] => Array.from({ length: count }, () => 'x');

const nodes = (names: number, ids: readonly string[]): Operation => ({
  query: `query ($ids: [ID!]!) { ${times(names, (index) => `a${index}: nodes(ids: $ids) { id }`)} }`,
  variables: { ids },
});
const validatePost = (names: number, input: object): Operation => ({
  query: `query ($input: CreatePostInput!) { ${times(
    names,
    (index) => `a${index}: validatePost(input: $input) { userErrors { code } }`,
  )} }`,
  variables: { input: { accountIds: [account()], timing: { placement: 'QUEUE' }, variants: [], ...input } },
});
const variants = (count: number): object[] => Array.from({ length: count }, () => ({ variant: 'X' }));

const FRAGMENT = 'fragment F on Query { nodes(ids: $ids) { id } }';

/** Refused before anything is executed: an operation at the limit, one beyond it, and what the refusal says. */
const REFUSED: Readonly<
  Record<string, { setting: string; fits: Operation; tooMuch: Operation; refusal: string | RegExp }>
> = {
  'ids in one argument': {
    setting: 'MAX_LIST_IDS',
    fits: nodes(1, junk(100)),
    tooMuch: nodes(1, junk(101)),
    refusal: 'ids in one argument: 101 of 100',
  },
  'ids in all arguments': {
    setting: 'MAX_IDS',
    fits: nodes(2, junk(100)),
    tooMuch: nodes(3, junk(100)),
    refusal: 'ids in all arguments: 300 of 200',
  },
  'ids in a fragment that is spread several times': {
    setting: 'MAX_IDS',
    fits: { query: `query ($ids: [ID!]!) { ...F ...F } ${FRAGMENT}`, variables: { ids: junk(100) } },
    tooMuch: {
      query: `query ($ids: [ID!]!) { ...F ...F ...F } ${FRAGMENT}`,
      variables: { ids: junk(100) },
    },
    refusal: 'ids in all arguments: 300 of 200',
  },
  'ids in inputs of a query': {
    setting: 'MAX_IDS',
    fits: validatePost(10, { accountIds: junk(20) }),
    tooMuch: validatePost(11, { accountIds: junk(20) }),
    refusal: 'ids in all arguments: 220 of 200',
  },
  'values in all arguments': {
    setting: 'MAX_ARGUMENT_VALUES',
    fits: validatePost(10, { variants: variants(300) }),
    tooMuch: validatePost(15, { variants: variants(400) }),
    refusal: /^values in all arguments: \d{5} of 10000$/,
  },
  'long texts in all arguments': {
    setting: 'MAX_ARGUMENT_VALUES',
    fits: validatePost(1, { utmSetId: 'x'.repeat(120_000) }),
    tooMuch: validatePost(10, { utmSetId: 'x'.repeat(120_000) }),
    refusal: /^values in all arguments: \d{5} of 10000$/,
  },
  'estimated fields': {
    setting: 'MAX_ESTIMATED_FIELDS',
    fits: nestedLists('id loginId'),
    tooMuch: nestedLists('id loginId displayName', 'first: 20'),
    refusal: /^estimated fields of the result: \d+ of 250000$/,
  },
  introspection: {
    setting: 'MAX_RESULT_FIELDS',
    fits: {
      query: getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true, schemaDescription: true }),
    },
    tooMuch: {
      query: `{ __schema { ${times(12, (index) => `a${index}: types { ...T }`)} } }
        fragment T on __Type { name kind description fields { name description type { name kind description } } }`,
    },
    refusal: /^fields of the result: 2\d{4} of 25000$/,
  },
};

test.each(Object.entries(REFUSED))(
  '%s: what is within the limit is executed, what is beyond is refused on every transport, and executed where the limit is higher',
  async (_name, { setting, fits, tooMuch, refusal }) => {
    for (const transport of TRANSPORTS) {
      const run = openTransport(transport, graph.url, graph.caller.both);
      expect((await run(fits)).data, transport).toBeTypeOf('object');
      graph.sandbox.requests.clear();
      expect(refusalsIn(await run(tooMuch))).toEqual(
        typeof refusal === 'string' ? refusal : expect.stringMatching(refusal),
      );
      expect(graph.sandbox.requests.all).toEqual([]);
    }
    const weak = await startGraph({ environment: { [setting]: '1000000' } });
    const run = openTransport('HTTP', weak.url, weak.caller.both);
    expect((await run(tooMuch)).data).toBeTypeOf('object');
  },
);

test('what is estimated of an introspection is what it has', async () => {
  const low = await startGraph({ environment: { MAX_RESULT_FIELDS: '100' } });
  const run = openTransport('HTTP', low.url);
  const { types } = Object.values(introspectionFromSchema(schema))[0] as IntrospectionSchema;
  const names = 'types { name }';
  expect(refusalsIn(await run({ query: `{ __schema { ${names} } }` }))).toMatch(
    new RegExp(`^fields of the result: ${types.length + 2} of 100$`),
  );
  const exact = await startGraph({ environment: { MAX_RESULT_FIELDS: String(types.length + 2) } });
  expect((await openTransport('HTTP', exact.url)({ query: `{ __schema { ${names} } }` })).errors).toEqual([]);
});

test('the ids of a write are not ids that are looked up: its own limit of a list holds', async () => {
  const run = openTransport('HTTP', graph.url, graph.caller.both);
  const query =
    'mutation ($input: CreateDraftInput!) { createDraft(input: $input) { outcome userErrors { path } } }';
  const { data } = await run({ query, variables: { input: { accountIds: junk(250) } } });
  expect(data.createDraft.outcome).toBe('REJECTED');
  expect(data.createDraft.userErrors).toHaveLength(51);
});

const PLAIN_FIELDS = Object.values((schema.getType('Account') as GraphQLObjectType).getFields())
  .filter(({ args, type }) => args.length === 0 && isLeafType(getNamedType(type)))
  .map(({ name }) => name);

/** What applications ask for, which has to stay within the limits as they come. */
const LEGITIMATE: Readonly<Record<string, Operation>> = {
  '100 queued posts with all their fields': {
    query: `{ queuedPosts(first: 100) { nodes { ${wholeSelection('QueuedPost', ['Account'])} } } }`,
  },
  '100 library items with all their fields': {
    query: `{ libraryItems(first: 100) { nodes { ${wholeSelection('LibraryItem')} } } }`,
  },
  '100 texts with all their fields': {
    query: `{ aiGenerations(first: 100) { edges { cursor node { ${wholeSelection('AiGeneration')} } } } }`,
  },
  '100 accounts with all their fields': {
    query: `{ accounts(first: 100) { nodes { ${wholeSelection('Account', ['AccountGroup'])} } } }`,
  },
  '100 accounts of the legacy surface with their groups and their counterparts': {
    query:
      '{ accounts(first: 100, surface: LEGACY) { edges { cursor node { displayName counterpart { displayName } groups { name accounts(first: 100) { nodes { displayName } } } } } } }',
  },
  'all groups with their accounts': {
    query:
      '{ accountGroups(first: 100) { nodes { name accounts(first: 100) { totalCount nodes { id displayName platformName } } } } }',
  },
  '100 records by their ids': {
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Account { displayName health { state } } } }',
    variables: { ids: Array.from({ length: 100 }, (_, index) => account(411_012 + index)) },
  },
  '21 keys of a stitching batch': {
    query: `query (${times(21, (index) => `$_${index}_id: ID!`)}) { ${times(
      21,
      (index) => `_${index}_node: node(id: $_${index}_id) { ...F }`,
    )} } fragment F on Account { __typename id displayName network health { state } }`,
    variables: Object.fromEntries(
      Array.from({ length: 21 }, (_, index) => [`_${index}_id`, account(411_012 + index)]),
    ),
  },
  'ten lists with different filters': {
    query: `{ ${times(
      10,
      (index) =>
        `a${index}: accounts(first: 20, filter: { platformIds: [${index}] }) { totalCount nodes { id displayName network } }`,
    )} }`,
  },
  'a new name for each plain field of 100 rows': {
    query: `{ accounts(first: 100) { nodes { ${PLAIN_FIELDS.map((name) => `my_${name}: ${name}`).join(' ')} } } }`,
  },
  'everything that the schema says of itself': {
    query: getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  },
};

test.each(Object.entries(LEGITIMATE))('%s: within the limits', async (_name, operation) => {
  const { data, errors } = await openTransport('HTTP', large.url, large.caller.both)(operation);
  expect(errors.filter(({ extensions }) => extensions['code'] === 'LIMIT_EXCEEDED')).toEqual([]);
  expect(data).toBeTypeOf('object');
});

test('25 names for fields of 100 rows: within the limits', async () => {
  const query = `{ accounts(first: 100) { nodes { ${times(25, (index) => `a${index}: displayName`)} } } }`;
  const { data, errors } = await openTransport('HTTP', large.url, large.caller.both)({ query });
  expect([data.accounts.nodes.length, errors]).toEqual([100, []]);
});
