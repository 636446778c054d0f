import { getIntrospectionQuery, getNamedType, isLeafType, type GraphQLObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { times } from '../support/large-operations.ts';
import { wholeSelection } from '../support/selection.ts';
import { openTransport, type Operation } from '../support/transports.ts';
import { account } from '../support/writes.ts';

const large = shareGraph({ sandbox: { data: 'large' } });

test('an introspection may not be larger than any other result', async () => {
  const low = await startGraph({ environment: { MAX_RESULT_FIELDS: '100' } });
  const { data, errors } = await openTransport('HTTP', low.url)({ query: '{ __schema { types { name } } }' });
  expect(data).toBeNull();
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringMatching(/limit for fields of the result: \d+ \(maximum 100\)/),
  ]);
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
