import * as fc from 'fast-check';
import {
  getIntrospectionQuery,
  getNamedType,
  GraphQLError,
  isLeafType,
  type GraphQLObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { resultError, resultSize } from '../../src/engine/limits/result.ts';
import { schema } from '../../src/schema/index.ts';
import { onlyError, startGraph, shareGraph } from '../support/graph.ts';
import { startLive } from '../support/live.ts';
import { wholeSelection } from '../support/selection.ts';
import { openTransport, TRANSPORTS, type Operation, type Outcome } from '../support/transports.ts';
import { account, documentOf, EXAMPLES } from '../support/writes.ts';

/** So many texts with blanks between. */
const times = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

/** Lists within lists of the legacy surface, with something selected below the innermost. */
const nestedLists = (inside: string): Operation => ({
  query: `{ accountGroups(first: 40, surface: LEGACY) { nodes { accounts(first: 8) { nodes { groups {
    accounts(first: 8) { nodes { ${inside} } } } } } } } }`,
});

/** What is cut off while it runs, by its setting, with the limit as it is told. */
const CUT_OFF: readonly (readonly [
  what: string,
  setting: string,
  raised: string,
  operation: Operation,
  message: RegExp,
])[] = [
  [
    'fields of nested lists',
    'MAX_RESULT_FIELDS',
    '1000000',
    nestedLists('id loginId displayName profileUrl network color isPaused statusCode'),
    /fields of the result: 25\d{3} \(maximum 25000\)/,
  ],
  [
    'errors of counterparts without a credential',
    'MAX_RESULT_ERRORS',
    '1000000',
    nestedLists('counterpart { id }'),
    /errors of the result: 501 \(maximum 500\)/,
  ],
  [
    'a long name in many rows',
    'MAX_RESULT_BYTES',
    '100000000',
    nestedLists(`${'n'.repeat(9_000)}: id`),
    /bytes of the result: 40\d{5} \(maximum 4000000\)/,
  ],
];

// With graphql-js, a result is made as a whole before it is checked.
const large = shareGraph({ sandbox: { data: 'large' }, environment: { EXECUTOR: 'compiled' } });

const lengthOf = ({ data, errors }: Outcome): number => JSON.stringify({ data, errors }).length;

test.each(CUT_OFF)(
  '%s: beyond the limit the operation fails as a whole on every transport; with a higher limit it does not',
  async (_what, setting, raised, operation, message) => {
    for (const transport of TRANSPORTS) {
      const run = openTransport(transport, large.url, large.caller.token);
      const outcome = await run(operation);
      expect([outcome.isResult, outcome.data, outcome.errors.length]).toEqual([true, null, 1]);
      expect(outcome.errors[0]?.message).toMatch(message);
      expect(outcome.errors[0]).not.toHaveProperty('path');
      expect(outcome.errors[0]?.extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: false });
      expect(outcome.extensions['cost']).toMatchObject({ calls: 1 });
      expect(lengthOf(outcome)).toBeLessThan(400);
    }
    const weak = await startGraph({ sandbox: { data: 'large' }, environment: { [setting]: raised } });
    const outcome = await openTransport('HTTP', weak.url, weak.caller.token)(operation);
    expect(outcome.data.accountGroups.nodes).toHaveLength(40);
    expect(lengthOf(outcome)).toBeGreaterThan(200_000);
  },
);

test('with graphql-js, the operation fails as a whole after all of it was executed', async () => {
  const environment = { EXECUTOR: 'graphql-js', MAX_RESULT_FIELDS: '8' };
  const graph = await startGraph({ environment });
  const outcome = await openTransport('HTTP', graph.url, graph.caller.both)({ query: threeDrafts() });
  expect([outcome.data, outcome.errors.length]).toEqual([null, 1]);
  expect(outcome.errors[0]?.extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: false });
  expect(graph.sandbox.requests.of('POST /draft/create')).toHaveLength(3);
});

const threeDrafts = () =>
  `mutation { ${times(
    3,
    (index) => `m${index}: createDraft(input: { accountIds: ["${account()}"] }) { outcome draftId }`,
  )} }`;

test('after a result is cut off, the remaining mutations are not sent', async () => {
  const graph = await startGraph({ environment: { EXECUTOR: 'compiled', MAX_RESULT_FIELDS: '4' } });
  const { data } = await openTransport('HTTP', graph.url, graph.caller.both)({ query: threeDrafts() });
  expect(data).toBeNull();
  expect(graph.sandbox.requests.of('POST /draft/create')).toHaveLength(1);
});

test('the log has one line for each code of an operation, with their count', async () => {
  const environment = { MAX_RESULT_ERRORS: '100000' };
  const graph = await startGraph({ environment, sandbox: { data: 'large' } });
  const run = openTransport('HTTP', graph.url, graph.caller.token);
  const { query } = nestedLists('counterpart { id }');
  const { errors } = await run({
    query: `${query.slice(0, -1)} a: node(id: "x") { id } b: node(id: "y") { id } }`,
  });
  expect(errors.length).toBeGreaterThan(1_000);
  const lines = graph.log.map((line) => JSON.parse(line) as Record<string, unknown>);
  const failed = lines.filter(({ msg }) => msg === 'an operation failed');
  expect(failed.map(({ code, count }) => [code, count])).toEqual([
    ['BAD_USER_INPUT', 2],
    ['CREDENTIAL_MISSING', errors.length - 2],
  ]);
});

/** What the events of a slow generation say, within a limit of fields. */
async function toldWith(resultFields: number): Promise<unknown[]> {
  const graph = await startLive('history', { environment: { MAX_RESULT_FIELDS: String(resultFields) } });
  const { contentId } = await graph.ask();
  const reading = graph.watch(contentId);
  await reading.received(1);
  graph.sandbox.generations.finish(contentId);
  await reading.ended();
  return reading.events.map(
    ({ generation, errors: [error] }) => generation?.status ?? error?.extensions['code'],
  );
}

test('each event of a subscription is a result of its own', async () => {
  // An event has 18 fields.
  expect(await toldWith(18)).toEqual(['PENDING', 'COMPLETE']);
  expect(await toldWith(17)).toEqual(['LIMIT_EXCEEDED', 'LIMIT_EXCEEDED']);
});

const PLAIN_FIELDS = Object.values((schema.getType('Account') as GraphQLObjectType).getFields())
  .filter(({ args, type }) => args.length === 0 && isLeafType(getNamedType(type)))
  .map(({ name }) => name);

/** What applications ask for, which has to stay within the limits as they come. */
const LEGITIMATE: Readonly<Record<string, Operation>> = {
  '100 queued posts with all their fields': {
    query: `{ queuedPosts(first: 100) { nodes { ${wholeSelection('QueuedPost', ['Account'])} } } }`,
  },
  '100 accounts with all their fields': {
    query: `{ accounts(first: 100) { nodes { ${wholeSelection('Account', ['AccountGroup'])} } } }`,
  },
  '100 accounts of the legacy surface with their groups and their counterparts': {
    query:
      '{ accounts(first: 100, surface: LEGACY) { edges { cursor node { displayName counterpart { displayName } groups { name accounts(first: 100) { nodes { displayName } } } } } } }',
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
  'a new name for each plain field of 100 rows': {
    query: `{ accounts(first: 100) { nodes { ${PLAIN_FIELDS.map((name) => `my_${name}: ${name}`).join(' ')} } } }`,
  },
  'a full introspection': {
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

test.each(Object.entries(LEGITIMATE))('within the limits: %s', async (_name, operation) => {
  const { data, errors } = await openTransport('HTTP', large.url, large.caller.both)(operation);
  expect(errors.filter(({ extensions }) => extensions['code'] === 'LIMIT_EXCEEDED')).toEqual([]);
  expect(data).toBeTypeOf('object');
});

test('an introspection may not be larger than any other result', async () => {
  const low = await startGraph({ environment: { MAX_RESULT_FIELDS: '100' } });
  const { data, errors } = await openTransport('HTTP', low.url)({ query: '{ __schema { types { name } } }' });
  expect(data).toBeNull();
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringMatching(/limit for fields of the result: \d+ \(maximum 100\)/),
  ]);
});

const DETAILS = 'GET /accounts/view/{loginId}';

describe('MAX_COST=3', () => {
  const graph = shareGraph({ environment: { MAX_COST: '3' } });

  test.each(TRANSPORTS)(
    'over %s, reads beyond the third fail, and the others are in the result',
    async (transport) => {
      graph.sandbox.requests.clear();
      const run = openTransport(transport, graph.url, graph.caller.both);
      const { data, errors } = await run({
        query: '{ accounts(first: 10) { nodes { displayName settingId } } }',
      });
      expect(data.accounts.nodes).toHaveLength(10);
      expect(errors).toHaveLength(8);
      for (const { message, extensions } of errors) {
        expect(message).toBe('The operation exceeds the limit for calls to the service (maximum 3).');
        expect(extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: false });
      }
      expect(graph.sandbox.requests.count(DETAILS)).toBe(2);
      expect(graph.sandbox.requests.count()).toBe(3);
    },
  );

  test('an operation with three calls is answered, and reports its cost', async () => {
    const run = openTransport('HTTP', graph.url, graph.caller.both);
    const { errors, extensions } = await run({ query: '{ accounts(first: 2) { nodes { settingId } } }' });
    expect([errors, extensions['cost']]).toEqual([[], { calls: 3, limit: 3 }]);
  });
});

test('a write is refused before it is sent if no call is left for it', async () => {
  const graph = await startGraph({ environment: { MAX_COST: '2' } });
  const { data, errors } = await graph.query(
    `mutation ($input: CreateDraftInput!) {
      a: createDraft(input: $input) { outcome }
      b: createDraft(input: $input) { outcome }
      c: createDraft(input: $input) { outcome }
    }`,
    { variables: { input: EXAMPLES.createDraft } },
  );
  expect([data.a?.outcome, data.b?.outcome, data.c]).toEqual(['COMPLETED', 'COMPLETED', null]);
  expect(onlyError({ errors }).extensions['code']).toBe('LIMIT_EXCEEDED');
  expect(graph.sandbox.requests.count('POST /draft/create')).toBe(2);
});

test('a write that was sent is never interrupted by the limit', async () => {
  const graph = await startGraph({ environment: { MAX_COST: '1', READ_BEFORE_WRITES: 'on' } });
  const input = { ...EXAMPLES.createPost, idempotencyKey: 'within-the-limit' };
  const { data, errors } = await graph.query(documentOf('createPost'), { variables: { input } });
  expect(errors).toEqual([]);
  expect(data.createPost.outcome).toBe('COMPLETED');
});

const textBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('the size of a result', () => {
  test('the size of a result is that of its JSON to within escapes and short scalars', () => {
    const examples = ['', 'abc', 'ä€😀', ['a', 'b'], { name: 'value' }, [], {}, [{ a: ['x'.repeat(5_000)] }]];
    for (const value of examples) {
      const [bytes, text] = [resultSize(value, Infinity).bytes, textBytes(value)];
      expect(bytes).toBeGreaterThanOrEqual(text);
      expect(bytes).toBeLessThanOrEqual(text + 2 + text / 2);
    }
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
        const [bytes, text] = [resultSize(value, Infinity).bytes, textBytes(value)];
        expect(bytes).toBeLessThanOrEqual(8 * text + 8);
        expect(text).toBeLessThanOrEqual(6 * bytes + 32);
      }),
    );
  });

  test('errors are counted, and fields to the end if the result has fewer bytes than it might have', () => {
    const wide = {
      texts: ['ä'.repeat(2_000)],
      ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}`, 1])),
    };
    const bytes = { resultBytes: 5_500, resultErrors: 10 };
    expect(resultError({ data: wide }, { ...bytes, resultFields: 20 })?.message).toContain(
      'fields of the result',
    );
    expect(resultError({ data: wide }, { ...bytes, resultFields: 100 })).toBeNull();
    const errors = Array.from({ length: 11 }, () => new GraphQLError('no'));
    expect(resultError({ errors }, { ...bytes, resultFields: 100 })?.message).toContain(
      'errors of the result: 11',
    );
  });
});
