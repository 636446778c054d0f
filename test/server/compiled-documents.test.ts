import { setTimeout as after } from 'node:timers/promises';
import { parse, type DocumentNode, type ExecutionResult } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { createExecutor, type Execute } from '../../src/server/compiled-documents.ts';
import { errorsOf } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

// It is loaded when it is needed for the first time; from then on it is there at once.
beforeAll(() => import('graphql-jit'));

const HOT = { COMPILE_AFTER: '3' };

const PLACES = `query ($ids: [ID!]!) {
  nodes(ids: $ids) { id }
  second: accounts(first: 1, surface: LEGACY) {
    nodes { displayName health { state } groups { name } }
  }
  third: accounts(first: 200) { totalCount }
}`;

/** An answer without what differs from one request to the next. */
const comparable = ({
  data,
  errors,
}: {
  readonly data: unknown;
  readonly errors: readonly object[];
}): unknown =>
  JSON.parse(JSON.stringify({ data, errors }).replaceAll(/"requestId":"[^"]+"/g, '"requestId":""'));

test('an answer is the same before its document is compiled and after, its errors with their places too', async () => {
  const graph = await startGraph({ environment: HOT });
  graph.sandbox.faults.add({ kind: 'status', status: 503, endpoint: 'GET /oauth/groups', times: 99 });
  const variables = { ids: ['MWFjOjQxMDIwMQ', 'garbage', 'MWFjOjE'] };
  const answers: unknown[] = [];
  for (let round = 0; round < 5; round += 1)
    answers.push(comparable(await graph.query(PLACES, { variables })));
  const last = await graph.query(PLACES, { variables });
  expect(errorsOf(last)).toEqual([
    'nodes.1 BAD_USER_INPUT',
    'second.nodes.0.groups SURFACE_UNAVAILABLE',
    'third BAD_USER_INPUT',
  ]);
  expect(last.errors.map(({ locations }) => locations?.length)).toEqual([1, 1, 1]);
  for (const answer of answers) expect(answer).toEqual(comparable(last));
});

const inputOf = (timing: object) => ({ variables: { input: { ...EXAMPLES.createPost, timing } } });

test('variables are checked as before: two members of a oneOf never publish anything', async () => {
  const graph = await startGraph({ environment: HOT });
  const document = documentOf('createPost');
  for (let round = 0; round < 4; round += 1) await graph.query(document, inputOf({ placement: 'QUEUE' }));
  const both = graph.query(document, inputOf({ placement: 'NOW', at: ['2035-01-01T09:00'] }));
  await expect(both).rejects.toThrow('Exactly one key must be specified');
  expect(graph.sandbox.requests.count('POST /posts/create')).toBe(4);
});

test('a variable within a literal is checked each time', async () => {
  const graph = await startGraph({ environment: HOT });
  const query = `mutation ($at: [LocalDateTime!], $ids: [ID!]!) {
    createPost(input: { accountIds: $ids, variants: [{ variant: ORIGINAL, text: "x" }], timing: { at: $at } }) {
      outcome
    }
  }`;
  const ids = EXAMPLES.createPost['accountIds'];
  for (let round = 0; round < 5; round += 1) {
    const { data, errors } = await graph.query(query, { variables: { ids } });
    expect(data?.createPost ?? null).toBeNull();
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
  }
  expect(graph.sandbox.requests.count('POST /posts/create')).toBe(0);
});

test('the defaults of inner fields count, and other variables give another answer', async () => {
  const graph = await startGraph({ environment: HOT });
  const query =
    'query ($first: Int, $by: [AccountOrder!]) { accounts(first: $first, orderBy: $by) { nodes { loginId } } }';
  const variables = [1, 2, 3, 4, 5].map((first) => ({ first, by: [{ field: 'LOGIN_ID' }] }));
  for (const one of variables) {
    const { data, errors } = await graph.query(query, { variables: one });
    expect(errors).toEqual([]);
    expect(data.accounts.nodes).toHaveLength(one.first);
  }
  const sorts = graph.sandbox.requests.of('GET /accounts/list').map(({ query: sent }) => sent.get('sort'));
  expect(new Set(sorts).size).toBe(1);
});

const LOCAL = '{ __typename }';

function executorOf(compileAfter: number): Execute {
  return createExecutor({ compileAfter, hideSuggestions: false });
}

async function run(
  execute: Execute,
  document: DocumentNode,
  operationName?: string,
): Promise<ExecutionResult> {
  return await execute({ schema, document, contextValue: {}, ...(operationName ? { operationName } : {}) });
}

test('each operation of a document is compiled by itself', async () => {
  const execute = executorOf(1);
  const document = parse('query A { a: __typename } query B { b: __typename }');
  for (const round of [1, 2, 3]) {
    await after(10);
    expect(await run(execute, document, 'A'), `round ${round}`).toEqual({ data: { a: 'Query' } });
    expect(await run(execute, document, 'B'), `round ${round}`).toEqual({ data: { b: 'Query' } });
  }
  expect((await run(execute, document)).errors?.[0]?.message).toContain('Must provide operation name');
  expect((await run(execute, document, 'C')).errors?.[0]?.message).toContain('Unknown operation named "C"');
});

test('with 0, and for what is not executed again, nothing is compiled', async () => {
  const document = parse(LOCAL);
  // graphql’s own objects have no prototype.
  const isCompiled = async (execute: Execute): Promise<boolean> =>
    Object.getPrototypeOf((await run(execute, document)).data) !== null;
  const outcomes = async (execute: Execute, rounds: number): Promise<Set<boolean>> => {
    const seen = new Set<boolean>();
    for (let round = 0; round < rounds; round += 1) seen.add(await isCompiled(execute));
    return seen;
  };
  expect(await outcomes(executorOf(0), 50)).toEqual(new Set([false]));
  const often = executorOf(20);
  expect(await outcomes(often, 19)).toEqual(new Set([false]));
  // What compiles is loaded only now.
  await expect.poll(() => isCompiled(often), { timeout: 5_000 }).toBe(true);
});
