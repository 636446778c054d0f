import * as fc from 'fast-check';
import { getNamedType, GraphQLError, isLeafType, type GraphQLObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { resultError, resultSize } from '../../src/engine/limits/result.ts';
import { schema } from '../../src/schema/index.ts';
import { onlyError, startGraph, shareGraph } from '../support/graph.ts';
import { wholeSelection } from '../support/selection.ts';
import { openTransport, TRANSPORTS, type Operation } from '../support/transports.ts';
import { openGreeted, subscribe } from '../support/web-sockets.ts';
import { account, documentOf, EXAMPLES, idOf } from '../support/writes.ts';

/** So many texts with blanks between. */
const times = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

const threeDrafts = () =>
  `mutation { ${times(
    3,
    (index) => `m${index}: createDraft(input: { accountIds: ["${account()}"] }) { outcome draftId }`,
  )} }`;

const large = shareGraph({ sandbox: { data: 'large' } });
const usual = shareGraph();

const twelve = (fields: string, more = ''): string =>
  `{ accounts(first: 12, surface: LEGACY) { nodes { ${fields} } } ${more} }`;

/** What is cut off while it runs: the limit, how much was found then, and the calls that were made. */
const CUT_OFF: readonly (readonly [setting: string, limit: number, found: RegExp, query: string, number])[] =
  [
    ['MAX_RESULT_FIELDS', 40, /fields of the result: 4\d/, twelve('id loginId displayName'), 1],
    ['MAX_RESULT_FIELDS', 40, /fields of the result: \d+/, '{ __schema { types { name } } }', 0],
    // Without a credential of the other surface.
    ['MAX_RESULT_ERRORS', 5, /errors of the result: 6/, twelve('counterpart { id }'), 1],
    ['MAX_RESULT_BYTES', 20_000, /bytes of the result: 2\d{4}/, twelve(`${'n'.repeat(9_000)}: id`), 1],
  ];

test.each(CUT_OFF)(
  'beyond %s=%i a result fails as a whole on every transport; with a higher limit it does not',
  async (setting, limit, found, query, calls) => {
    const message = new RegExp(`${found.source} \\(maximum ${limit}\\)`);
    // With graphql-js, a result is made as a whole before it is checked.
    const strict = await startGraph({ environment: { EXECUTOR: 'compiled', [setting]: String(limit) } });
    for (const transport of TRANSPORTS) {
      const outcome = await openTransport(transport, strict.url, strict.caller.token)({ query });
      expect([outcome.isResult, outcome.data, outcome.errors.length]).toEqual([true, null, 1]);
      expect(outcome.errors[0]?.message).toMatch(message);
      expect(outcome.errors[0]).not.toHaveProperty('path');
      expect(outcome.errors[0]?.extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: false });
      expect(outcome.extensions['cost']).toMatchObject({ calls });
    }
    const { data } = await openTransport('HTTP', usual.url, usual.caller.token)({ query });
    expect(JSON.stringify(data).length).toBeGreaterThan(200);
  },
);

test.each([
  ['compiled', 1],
  ['graphql-js', 3],
])('with EXECUTOR=%s, %i of three mutations are sent before a result is cut off', async (EXECUTOR, sent) => {
  const graph = await startGraph({ environment: { EXECUTOR, MAX_RESULT_FIELDS: '4' } });
  const outcome = await openTransport('HTTP', graph.url, graph.caller.both)({ query: threeDrafts() });
  expect([outcome.data, outcome.errors.length]).toEqual([null, 1]);
  expect(outcome.errors[0]?.extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: false });
  expect(graph.sandbox.requests.count('POST /draft/create')).toBe(sent);
});

test('the log has one line for each code of an operation, with their count', async () => {
  const query = twelve('counterpart { id }', 'a: node(id: "x") { id } b: node(id: "y") { id }');
  await openTransport('HTTP', usual.url, usual.caller.token)({ query });
  const lines = usual.log.map((line) => JSON.parse(line) as Record<string, unknown>);
  const failed = lines.filter(({ msg }) => msg === 'an operation failed');
  expect(failed.map(({ code, count }) => [code, count])).toEqual([
    ['BAD_USER_INPUT', 2],
    ['CREDENTIAL_MISSING', 12],
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
};

test.each(Object.entries(LEGITIMATE))('within the limits: %s', async (_name, operation) => {
  const { data, errors } = await openTransport('HTTP', large.url, large.caller.both)(operation);
  expect(errors.filter(({ extensions }) => extensions['code'] === 'LIMIT_EXCEEDED')).toEqual([]);
  expect(data).toBeTypeOf('object');
});

const cheap = shareGraph({ environment: { MAX_COST: '3' } });

test.each(TRANSPORTS)(
  'over %s, with MAX_COST=3, reads beyond the third fail, and the others are in the result',
  async (transport) => {
    const run = openTransport(transport, cheap.url, cheap.caller.both);
    const query = '{ accounts(first: 10) { nodes { displayName settingId } } }';
    const { data, errors } = await run({ query });
    expect(data.accounts.nodes).toHaveLength(10);
    expect(errors).toHaveLength(8);
    for (const { message, extensions } of errors) {
      expect(message).toBe('The operation exceeds the limit for calls to the service (maximum 3).');
      expect(extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: false });
    }
    expect(cheap.sandbox.requests.count('GET /accounts/view/{loginId}')).toBe(2);
    expect(cheap.sandbox.requests.count()).toBe(3);
  },
);

const costing = (calls: number) => ({ payload: { extensions: { cost: { calls, limit: 1 } } } });

test.each(['compiled', 'graphql-js'])(
  'with EXECUTOR=%s, each event of a subscription is a result of its own, with calls of its own',
  async (EXECUTOR) => {
    const limits = { MAX_COST: '1', MAX_RESULT_FIELDS: '7' };
    const graph = await startGraph({ environment: { EXECUTOR, ...limits, WATCH_INTERVAL: '100ms' } });
    const socket = await openGreeted(graph.url, graph.caller.key);
    socket.send(
      subscribe('1', 'subscription { queueChanged { queuedPost { account { groups { name } } } } }'),
    );
    expect(await socket.next()).toMatchObject(costing(0));
    for (const errorMsg of ['Oops', 'Ouch']) {
      Object.assign(graph.sandbox.state.owner('harbour').queue[0] ?? {}, { errorMsg });
      const event = await socket.next();
      expect(event).toMatchObject(costing(1));
      expect(event).not.toHaveProperty('payload.errors');
    }
    socket.send(subscribe('2', 'subscription { accountHealthChanged { accounts { accountId } } }'));
    const refused = { extensions: { code: 'LIMIT_EXCEEDED' } };
    expect(await socket.next()).toMatchObject({ id: '2', payload: { data: null, errors: [refused] } });
  },
);

const afterLocal = 'afterLocal: "2031-05-01T10:00"';
const group = idOf('AccountGroup', 'current', '5101');

test.each([
  ['nodes(ids: $ids) { id }', idOf('QueuedPost', 'current', '1')],
  [`freeSlots(accountIds: $ids, ${afterLocal}) { scheduledAtLocal }`, account()],
  [`freeSlots(accountGroupIds: $ids, ${afterLocal}) { scheduledAtLocal }`, group],
  ['accounts(filter: { accountGroupIds: $ids }) { totalCount }', group],
])('an operation reads 10,000 IDs in lists, counted for each field: %s', async (field, id) => {
  const query = `query ($ids: [ID!]!) { a: ${field} b: ${field} c: ${field} }`;
  const { errors } = await usual.query(query, {
    variables: { ids: Array.from({ length: 4_000 }, () => id) },
  });
  const exceeded = errors.filter(({ extensions }) => extensions['code'] === 'LIMIT_EXCEEDED');
  expect(exceeded).toMatchObject([
    { message: 'The operation exceeds the limit for IDs in lists (maximum 10000).', path: ['c'] },
  ]);
});

test('a write is refused before it is sent if no call is left for it', async () => {
  const graph = await startGraph({ environment: { MAX_COST: '2' } });
  const { data, errors } = await graph.query(threeDrafts());
  expect([data.m0?.outcome, data.m1?.outcome, data.m2]).toEqual(['COMPLETED', 'COMPLETED', null]);
  expect(onlyError({ errors }).extensions['code']).toBe('LIMIT_EXCEEDED');
  expect(graph.sandbox.requests.count('POST /draft/create')).toBe(2);
});

test('a write that was sent is never interrupted by the limit', async () => {
  const graph = await startGraph({ environment: { MAX_COST: '1', READ_BEFORE_WRITES: 'on' } });
  const input = { ...EXAMPLES.createPost, idempotencyKey: 'within-the-limit' };
  const data = await graph.dataOf(documentOf('createPost'), { variables: { input } });
  expect(data.createPost.outcome).toBe('COMPLETED');
});

const textBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('the size of a result', () => {
  test('is that of its JSON to within escapes and short scalars', () => {
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

  test('includes its errors, and its fields to the end if the result has fewer bytes than it might have', () => {
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
