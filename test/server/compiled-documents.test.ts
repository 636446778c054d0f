import { parse, type DocumentNode, type ExecutionResult } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { createExecutor, type Execute } from '../../src/server/compiled-documents.ts';
import { errorsOf } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

const often = { COMPILE_AFTER: '3' };

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
  const graph = await startGraph({ environment: often });
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
  const graph = await startGraph({ environment: often });
  const document = documentOf('createPost');
  for (let round = 0; round < 4; round += 1) await graph.query(document, inputOf({ placement: 'QUEUE' }));
  const both = graph.query(document, inputOf({ placement: 'NOW', at: ['2035-01-01T09:00'] }));
  await expect(both).rejects.toThrow('Exactly one key must be specified');
  expect(graph.sandbox.requests.count('POST /posts/create')).toBe(4);
});

test('a variable within a literal is checked each time', async () => {
  const graph = await startGraph({ environment: often });
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
  const graph = await startGraph({ environment: often });
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
  for (const round of [1, 2]) {
    expect(await run(execute, document, 'A'), `round ${round}`).toEqual({ data: { a: 'Query' } });
    expect(await run(execute, document, 'B'), `round ${round}`).toEqual({ data: { b: 'Query' } });
  }
  expect((await run(execute, document)).errors?.[0]?.message).toContain('Must provide operation name');
  expect((await run(execute, document, 'C')).errors?.[0]?.message).toContain('Unknown operation named "C"');
});

test('with 0, and for what is not executed again, nothing is compiled', async () => {
  const document = parse(LOCAL);
  const isCompiled = async (execute: Execute, rounds: number): Promise<boolean> => {
    let result: ExecutionResult = {};
    for (let round = 0; round < rounds; round += 1) result = await run(execute, document);
    // graphql’s own objects have no prototype.
    return Object.getPrototypeOf(result.data) !== null;
  };
  expect(await isCompiled(executorOf(0), 50)).toBe(false);
  expect(await isCompiled(executorOf(20), 19)).toBe(false);
  expect(await isCompiled(executorOf(20), 20)).toBe(true);
});
