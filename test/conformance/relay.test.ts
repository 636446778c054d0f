import {
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  Network,
  RecordSource,
  Store,
  type ConcreteRequest,
  type RecordSourceSelectorProxy,
} from 'relay-runtime';
import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { blocksOf } from '../support/files.ts';
import { EXAMPLES } from '../support/writes.ts';

// What relay-compiler makes of a document, as far as the runtime reads it.
const scalar = (name: string) => ({ alias: null, args: null, kind: 'ScalarField', name, storageKey: null });
const linked = (name: string, concreteType: string, selections: readonly object[], more: object = {}) => ({
  alias: null,
  args: null,
  concreteType,
  kind: 'LinkedField',
  name,
  plural: false,
  selections,
  storageKey: null,
  ...more,
});

function requestOf(operationKind: string, text: string, selections: readonly object[]): ConcreteRequest {
  const variable = { defaultValue: null, kind: 'LocalArgument', name: 'input' };
  const argumentDefinitions = operationKind === 'mutation' ? [variable] : [];
  const type = operationKind === 'mutation' ? 'Mutation' : 'Query';
  const fragment = { metadata: null, name: 'Test', type, abstractKey: null };
  return {
    fragment: { argumentDefinitions, kind: 'Fragment', selections, ...fragment },
    kind: 'Request',
    operation: { argumentDefinitions, kind: 'Operation', name: 'Test', selections },
    params: { cacheID: text, id: null, metadata: {}, name: 'Test', operationKind, text },
  } as unknown as ConcreteRequest;
}

const QUEUE = linked('queuedPosts', 'QueuedPostConnection', [scalar('totalCount')], {
  args: [{ kind: 'Literal', name: 'first', value: 1 }],
  storageKey: 'queuedPosts(first:1)',
});
const READ = requestOf('query', 'query Test { queuedPosts(first: 1) { totalCount } }', [QUEUE]);
const WRITE = requestOf(
  'mutation',
  'mutation Test($input: CreatePostInput!) { createPost(input: $input) { query { queuedPosts(first: 1) { totalCount } } } }',
  [
    linked('createPost', 'CreatePostPayload', [linked('query', 'Query', [QUEUE])], {
      args: [{ kind: 'Variable', name: 'input', variableName: 'input' }],
    }),
  ],
);

/** A store that has the length of the queue, and what it holds of it. */
async function storeOf(graph: RunningGraph) {
  const environment = new Environment({
    network: Network.create(async ({ text }, variables) => {
      const { data } = await graph.query(text ?? '', { variables });
      return { data };
    }),
    store: new Store(new RecordSource()),
  });
  const operation = createOperationDescriptor(READ, {});
  environment.retain(operation);
  const read = async (): Promise<void> => void (await fetchQuery(environment, READ, {}).toPromise());
  await read();
  const length = (): unknown => {
    const { data } = environment.lookup(operation.fragment);
    return (data as { readonly queuedPosts?: { readonly totalCount?: number } }).queuedPosts?.totalCount;
  };
  return { environment, read, length };
}

function write(
  environment: Environment,
  updater?: (store: RecordSourceSelectorProxy) => void,
): Promise<unknown> {
  return new Promise((onCompleted, onError) => {
    const variables = { input: EXAMPLES.createPost };
    commitMutation(environment, {
      mutation: WRITE,
      variables,
      onCompleted,
      onError,
      ...(updater && { updater }),
    });
  });
}

test('the updater that is shown gives Relay’s root what was read below the `query` of a payload', async () => {
  const [, shown] = blocksOf('Relay', 'js', 'docs/clients.md');
  // oxlint-disable-next-line typescript/no-implied-eval -- the function stands in this project's own page
  const updater = new Function(`${shown}; return updater`)() as (store: RecordSourceSelectorProxy) => void;
  const { environment, length } = await storeOf(await startGraph());
  const before = length() as number;
  await write(environment, updater);
  expect(length()).toBeGreaterThan(before);
});
