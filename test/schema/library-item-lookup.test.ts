import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { callsOf, globalId } from '../support/calls.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

const ABSENT = globalId('LibraryItem', 'f'.repeat(24));

const lookUp = (running: RunningGraph, id: string) =>
  running.query('query ($id: ID!) { libraryItem(id: $id) { itemId title } node(id: $id) { id } }', {
    variables: { id },
  });

test('an item is found with one call, by either field', async () => {
  const [item] = graph.sandbox.state.owner('harbour').library;
  const id = globalId('LibraryItem', item?.id ?? '');
  const { data, errors } = await lookUp(graph, id);
  expect(errors).toEqual([]);
  expect(data).toEqual({ libraryItem: { itemId: item?.id, title: item?.title }, node: { id } });
  expect(callsOf(graph)).toEqual({ 'GET /library/view/{contentid}': 1 });
});

test('the id of an item is the same from the list and from its own look-up', async () => {
  const { data } = await graph.query('{ libraryItems(first: 3) { nodes { id itemId title } } }');
  for (const node of data.libraryItems.nodes as { id: string }[]) {
    const again = await graph.query(`{ libraryItem(id: "${node.id}") { id itemId title } }`);
    expect(again.data.libraryItem).toEqual(node);
  }
});

test('an item that is not there is null where the view refuses it and the whole library does not hold it', async () => {
  for (const status of [400, 403, 404, 410, 422]) {
    graph.sandbox.requests.clear();
    graph.sandbox.faults.clear();
    graph.sandbox.faults.add({ kind: 'status', status, endpoint: 'GET /library/view/{contentid}', times: 9 });
    const { data, errors } = await lookUp(graph, ABSENT);
    expect(errors, String(status)).toEqual([]);
    expect(data).toEqual({ libraryItem: null, node: null });
    expect(callsOf(graph)['GET /library/view/{contentid}']).toBe(1);
    expect(callsOf(graph)['GET /library/list']).toBeGreaterThanOrEqual(2);
  }
});

test.each([
  [401, 'CREDENTIAL_REJECTED'],
  [429, 'RATE_LIMITED'],
  [500, 'SURFACE_UNAVAILABLE'],
  [503, 'SURFACE_UNAVAILABLE'],
  [200, 'UPSTREAM_MALFORMED'],
])(
  'an item that may not be there is an error where the view says %d, and nothing else is asked',
  async (status, code) => {
    const own = await startGraph({ sandbox: { quirks: { missingLibraryItemStatus: status } } });
    const answer = await lookUp(own, ABSENT);
    expect(answer.data).toEqual({ libraryItem: null, node: null });
    expect(errorsOf(answer)).toEqual([`libraryItem ${code}`, `node ${code}`]);
    expect(callsOf(own)).toEqual({ 'GET /library/view/{contentid}': 1 });
  },
);

test('an item that the view refuses although the library lists it is an error, never null without one', async () => {
  const [item] = graph.sandbox.state.owner('harbour').library;
  graph.sandbox.faults.add({ kind: 'status', status: 422, endpoint: 'GET /library/view/{contentid}' });
  const answer = await lookUp(graph, globalId('LibraryItem', item?.id ?? ''));
  expect(errorsOf(answer)).toEqual(['libraryItem UPSTREAM_REJECTED', 'node UPSTREAM_REJECTED']);
});

test('a refused item is an error where the list can’t be read either', async () => {
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /library/list', times: 99 });
  const answer = await lookUp(graph, ABSENT);
  expect(errorsOf(answer)).toEqual(['libraryItem SURFACE_UNAVAILABLE', 'node SURFACE_UNAVAILABLE']);
});

test('a refused item is SCAN_LIMIT_REACHED where the library has more than twenty pages', async () => {
  const own = await startGraph({ sandbox: { data: 'large' } });
  const answer = await lookUp(own, ABSENT);
  expect(answer.data).toEqual({ libraryItem: null, node: null });
  expect(errorsOf(answer)).toEqual(['libraryItem SCAN_LIMIT_REACHED', 'node SCAN_LIMIT_REACHED']);
  expect(callsOf(own)).toEqual({ 'GET /library/view/{contentid}': 1, 'GET /library/list': 20 });
});

test('an item of another owner is not there', async () => {
  const [item] = graph.sandbox.state.owner('fernlight').library;
  const { data, errors } = await lookUp(graph, globalId('LibraryItem', item?.id ?? ''));
  expect(errors).toEqual([]);
  expect(data).toEqual({ libraryItem: null, node: null });
});

test('an id that is none of the service is bad input and reaches nothing', async () => {
  const rawIds = [
    '../accounts/list',
    'a/b',
    'a?b=c',
    'a#b',
    '%2e%2e',
    '..',
    '.',
    'ä b',
    'a\\b',
    'x'.repeat(200),
  ];
  for (const rawId of rawIds) {
    const answer = await lookUp(graph, globalId('LibraryItem', rawId));
    expect(errorsOf(answer), rawId).toEqual(['libraryItem BAD_USER_INPUT', 'node BAD_USER_INPUT']);
  }
  expect(graph.sandbox.requests.count()).toBe(0);
});
