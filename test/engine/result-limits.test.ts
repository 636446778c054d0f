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
import { onlyError, startGraph, type RunningGraph, shareGraph } from '../support/graph.ts';
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

/** What is cut off while it runs, and where: as a result that holds nothing but the limit. */
const CUT_OFF: Readonly<
  Record<
    string,
    { setting: string; who: 'both' | 'token'; operation: Operation; message: RegExp; raised?: string }
  >
> = {
  'fields of nested lists': {
    setting: 'MAX_RESULT_FIELDS',
    who: 'token',
    operation: nestedLists('id loginId displayName profileUrl network color isPaused statusCode'),
    message: /fields of the result: 25\d{3} \(maximum 25000\)/,
  },
  cursors: {
    setting: 'MAX_RESULT_FIELDS',
    who: 'token',
    operation: {
      query: nestedLists('id').query.replace(
        'nodes { id }',
        `edges { ${times(8, (index) => `a${index}: cursor`)} }`,
      ),
    },
    message: /fields of the result: 25\d{3} \(maximum 25000\)/,
  },
  'errors of counterparts without a credential': {
    setting: 'MAX_RESULT_ERRORS',
    who: 'token',
    operation: nestedLists('counterpart { id }'),
    message: /errors of the result: 501 \(maximum 500\)/,
  },
  'a long name in many rows': {
    setting: 'MAX_RESULT_BYTES',
    who: 'token',
    operation: nestedLists(`${'n'.repeat(9_000)}: id`),
    message: /bytes of the result: 40\d{5} \(maximum 4000000\)/,
    raised: '100000000',
  },
};

// With graphql-js, a result is made as a whole before it is checked.
const large = shareGraph({ sandbox: { data: 'large' }, environment: { EXECUTOR: 'compiled' } });

const lengthOf = ({ data, errors }: Outcome): number => JSON.stringify({ data, errors }).length;

test.each(Object.entries(CUT_OFF))(
  '%s: beyond the limit the operation fails as a whole on every transport; with a higher limit it does not',
  async (_name, { setting, who, operation, message, raised = '1000000' }) => {
    for (const transport of TRANSPORTS) {
      const run = openTransport(transport, large.url, large.caller[who]);
      const outcome = await run(operation);
      expect([outcome.isResult, outcome.data, outcome.errors.length]).toEqual([true, null, 1]);
      expect(outcome.errors[0]?.message).toMatch(message);
      expect(outcome.errors[0]).not.toHaveProperty('path');
      expect(outcome.errors[0]?.extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: false });
      expect(outcome.extensions['cost']).toMatchObject({ calls: 1 });
      expect(lengthOf(outcome)).toBeLessThan(400);
    }
    const weak = await startGraph({ sandbox: { data: 'large' }, environment: { [setting]: raised } });
    const outcome = await openTransport('HTTP', weak.url, weak.caller[who])(operation);
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
  const sent = async (environment: Record<string, string>): Promise<readonly [number, unknown]> => {
    const graph = await startGraph({ environment: { EXECUTOR: 'compiled', ...environment } });
    const { data } = await openTransport('HTTP', graph.url, graph.caller.both)({ query: threeDrafts() });
    return [graph.sandbox.requests.of('POST /draft/create').length, data];
  };
  expect(await sent({ MAX_RESULT_FIELDS: '4' })).toEqual([1, null]);
  expect(await sent({ MAX_RESULT_FIELDS: '12' })).toEqual([
    3,
    expect.objectContaining({ m2: expect.anything() }),
  ]);
});

/** The lines about errors. */
const linesOf = ({ log }: RunningGraph) =>
  log
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'an operation failed');

describe('the log', () => {
  const operation = nestedLists('counterpart { id }');
  test('has one line for each code of an operation, with their count', async () => {
    const graph = await startGraph({
      environment: { MAX_RESULT_ERRORS: '100000' },
      sandbox: { data: 'large' },
    });
    const { errors } = await openTransport(
      'HTTP',
      graph.url,
      graph.caller.token,
    )({
      query: `${operation.query.slice(0, -1)} a: node(id: "x") { id } b: node(id: "y") { id } }`,
    });
    expect(errors.length).toBeGreaterThan(1_000);
    expect(linesOf(graph).map(({ code, count }) => [code, count])).toEqual([
      ['BAD_USER_INPUT', 2],
      ['CREDENTIAL_MISSING', errors.length - 2],
    ]);
  });
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
  '25 names for a field of 100 rows': {
    query: `{ accounts(first: 100) { nodes { ${times(25, (index) => `a${index}: displayName`)} } } }`,
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

/** A list that counts how many of its elements are read. */
function watched(length: number): { readonly list: readonly string[]; readonly read: () => number } {
  let reads = 0;
  const list = Array.from({ length }, () => 'x'.repeat(98));
  const get = (of: readonly string[], name: string | symbol): unknown => {
    if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
    return Reflect.get(of, name) as unknown;
  };
  return { list: new Proxy(list, { get }), read: () => reads };
}

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

  test('measuring stops soon after the limit', () => {
    const bounded = watched(10_000);
    expect(resultSize([bounded.list], 1_000).bytes).toBeGreaterThan(1_000);
    expect(bounded.read()).toBeLessThan(20);
    const unbounded = watched(10_000);
    expect(resultSize([unbounded.list], Infinity).bytes).toBeGreaterThan(1_000_000);
    expect(unbounded.read()).toBe(10_000);
  });

  test('fields are counted to the end if the result has fewer bytes than it might have', () => {
    const wide = {
      texts: ['ä'.repeat(2_000)],
      ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}`, 1])),
    };
    const bytes = { resultBytes: 5_500, resultErrors: 10 };
    expect(resultError({ data: wide }, { ...bytes, resultFields: 20 })?.message).toContain(
      'fields of the result',
    );
    expect(resultError({ data: wide }, { ...bytes, resultFields: 100 })).toBeNull();
  });

  test('errors of a result are counted, too', () => {
    const limits = { resultFields: 1_000, resultErrors: 2, resultBytes: 1_000 };
    const errors = Array.from({ length: 3 }, (_, at) => new GraphQLError(`error ${at}`));
    expect(resultError({ errors }, limits)?.message).toContain('errors of the result: 3 (maximum 2)');
    expect(resultError({ errors: errors.slice(1) }, limits)).toBeNull();
  });
});
