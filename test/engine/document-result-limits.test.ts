import { describe, expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { nestedLists, times } from '../support/large-operations.ts';
import { startLive } from '../support/live.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { openTransport, TRANSPORTS, type Operation, type Outcome } from '../support/transports.ts';
import { account } from '../support/writes.ts';

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

/** With graphql-js, a result is made as a whole before it is checked. */
const WHILE_IT_RUNS = { EXECUTOR: 'compiled' };

const strict = shareGraph({ sandbox: { data: 'large' }, environment: WHILE_IT_RUNS });

const lengthOf = ({ data, errors }: Outcome): number => JSON.stringify({ data, errors }).length;

test.each(Object.entries(CUT_OFF))(
  '%s: beyond the limit the operation fails as a whole, on every transport; where the limit is higher it does not',
  async (_name, { setting, who, operation, message, raised = '1000000' }) => {
    for (const transport of TRANSPORTS) {
      const run = openTransport(transport, strict.url, strict.caller[who]);
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

test('a response within the limit of bytes is never larger on the wire', async () => {
  for (const { operation, who } of Object.values(CUT_OFF)) {
    const { text } = await responseTo(strict, operation, strict.caller[who]);
    expect(Buffer.byteLength(text)).toBeLessThan(4_000_000);
  }
});

async function responseTo(
  { url }: RunningGraph,
  operation: Operation,
  headers: Readonly<Record<string, string>>,
) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(operation),
  });
  return { text: await response.text() };
}

test('graphql-js: beyond the limit the operation fails as a whole, though all of it was executed', async () => {
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
    const graph = await startGraph({ environment: { ...WHILE_IT_RUNS, ...environment } });
    const { data } = await openTransport('HTTP', graph.url, graph.caller.both)({ query: threeDrafts() });
    return [graph.sandbox.requests.of('POST /draft/create').length, data];
  };
  expect(await sent({ MAX_RESULT_FIELDS: '4' })).toEqual([1, null]);
  expect(await sent({ MAX_RESULT_FIELDS: '12' })).toEqual([
    3,
    expect.objectContaining({ m2: expect.anything() }),
  ]);
});

/** The lines that tell of errors. */
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

  test('has a line for each operation, so that none is lost', async () => {
    const graph = await startGraph();
    const run = openTransport('HTTP', graph.url);
    for (let time = 0; time < 3; time += 1) await run({ query: '{ node(id: "x") { id } }' });
    expect(linesOf(graph).map(({ code, count }) => [code, count])).toEqual(
      Array.from({ length: 3 }, () => ['BAD_USER_INPUT', 1]),
    );
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
