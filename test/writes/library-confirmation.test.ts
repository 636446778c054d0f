import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { losing, UNKNOWN, writeElsewhere } from '../support/lost-answers.ts';
import { EXAMPLES, verdictOf, write, type Input } from '../support/writes.ts';

// When the answer to the creation of a library item is lost, the library is looked at once: one item that is equal and
// new is the one that was made. Whatever is less certain stays unknown.

const CREATE = 'POST /library/create';
const ITEM = EXAMPLES.createLibraryItem;

/** Holds the next creation until what is returned is called, and then hangs up on it. */
function holding(graph: RunningGraph, effect: 'done' | 'none'): () => void {
  let socket: Socket | undefined;
  graph.sandbox.faults.add({
    kind: 'raw',
    effect,
    endpoint: CREATE,
    write: (request) => {
      ({ socket } = request);
    },
  });
  return () => socket?.destroy();
}

test('an item that is found is the payload’s, with its ids', async () => {
  const graph = await startGraph();
  losing(graph, CREATE);
  const payload = await write(graph, 'createLibraryItem', ITEM);
  const made = graph.sandbox.state.owner('harbour').library.at(-1);
  expect(payload).toMatchObject({
    outcome: 'COMPLETED',
    libraryItem: { itemId: made?.id, title: 'Tide table' },
    message: null,
  });
  expect(graph.sandbox.requests.all.map(({ endpoint }) => endpoint)).toEqual([
    'GET /library/list',
    CREATE,
    'GET /library/list',
  ]);
});

test('an equal item that was there before is not taken for the one that was asked for', async () => {
  const graph = await startGraph();
  await writeElsewhere(graph, 'createLibraryItem', ITEM);
  losing(graph, CREATE, 'none');
  expect(verdictOf(await write(graph, 'createLibraryItem', ITEM))).toEqual(UNKNOWN);
});

test('an equal item of last week is not taken for a new one', async () => {
  let now = Date.now() - 7 * 86_400_000;
  const graph = await startGraph({ sandbox: { now: () => now } });
  await writeElsewhere(graph, 'createLibraryItem', ITEM);
  now = Date.now();
  losing(graph, CREATE, 'none');
  expect(verdictOf(await write(graph, 'createLibraryItem', ITEM))).toEqual(UNKNOWN);
});

test.each([-5, 5])('nor is one when the service’s clock goes %i minutes ahead of ours', async (minutes) => {
  const graph = await startGraph({ sandbox: { now: () => Date.now() + minutes * 60_000 } });
  await writeElsewhere(graph, 'createLibraryItem', ITEM);
  losing(graph, CREATE, 'none');
  expect(verdictOf(await write(graph, 'createLibraryItem', ITEM))).toEqual(UNKNOWN);
});

test('of two equal new items, none is taken for that of the write whose response was lost', async () => {
  const graph = await startGraph();
  const hangUp = holding(graph, 'done');
  const lost = write(graph, 'createLibraryItem', ITEM);
  await graph.sandbox.requests.waitFor(CREATE, 1);
  expect((await write(graph, 'createLibraryItem', ITEM)).outcome).toBe('COMPLETED');
  hangUp();
  expect(verdictOf(await lost)).toEqual(UNKNOWN);
});

test('an equal item that another write is told of is not taken for it', async () => {
  const graph = await startGraph();
  const hangUp = holding(graph, 'none');
  const lost = write(graph, 'createLibraryItem', ITEM);
  await graph.sandbox.requests.waitFor(CREATE, 1);
  expect((await write(graph, 'createLibraryItem', ITEM)).outcome).toBe('COMPLETED');
  hangUp();
  expect(verdictOf(await lost)).toEqual(UNKNOWN);
});

test('while an equal write is under way, an item that is found may be its own', async () => {
  const graph = await startGraph();
  const hangUp = holding(graph, 'none');
  const lost = write(graph, 'createLibraryItem', ITEM);
  await graph.sandbox.requests.waitFor(CREATE, 1);
  const call = holdAnswers(graph.sandbox, { endpoint: CREATE, effect: 'done' });
  const other = write(graph, 'createLibraryItem', ITEM);
  await call.arrived();
  hangUp();
  expect(verdictOf(await lost)).toEqual(UNKNOWN);
  call.release();
  expect((await other).outcome).toBe('COMPLETED');
});

test('a write under way of another title leaves no doubt about an item that is found', async () => {
  const graph = await startGraph();
  const call = holdAnswers(graph.sandbox, { endpoint: CREATE, effect: 'done' });
  const other = write(graph, 'createLibraryItem', { ...ITEM, title: 'Timetable' });
  await call.arrived();
  losing(graph, CREATE);
  expect(verdictOf(await write(graph, 'createLibraryItem', ITEM))).toEqual(['COMPLETED']);
  call.release();
  expect((await other).outcome).toBe('COMPLETED');
});

test('two equal new items of others leave it open which is whose', async () => {
  const graph = await startGraph();
  const hangUp = holding(graph, 'done');
  const lost = write(graph, 'createLibraryItem', ITEM);
  await graph.sandbox.requests.waitFor(CREATE, 1);
  const [request] = graph.sandbox.requests.of(CREATE);
  const headers = { 'x-api-key': graph.sandbox.owners[0].apiKey, 'content-type': 'application/json' };
  await fetch(`${graph.sandbox.url}/library/create`, { method: 'POST', headers, body: request?.body ?? '' });
  hangUp();
  expect(verdictOf(await lost)).toEqual(UNKNOWN);
});

test.each<[string, Input]>([
  ['title', { title: 'Tide table, part two' }],
  ['kind', { kind: 'HASHTAG' }],
  ['tags', { tags: ['tides', 'more'] }],
  ['text', { variants: [{ variant: 'ORIGINAL', text: 'Low water.' }] }],
])('an item of another %s that somebody makes meanwhile is not taken for it', async (_, changes) => {
  const graph = await startGraph();
  const hangUp = holding(graph, 'none');
  const lost = write(graph, 'createLibraryItem', ITEM);
  await graph.sandbox.requests.waitFor(CREATE, 1);
  await writeElsewhere(graph, 'createLibraryItem', { ...ITEM, ...changes });
  hangUp();
  expect(verdictOf(await lost)).toEqual(UNKNOWN);
});

test.each([0, 1])('a look that fails (after %i that did not) leaves the outcome unknown', async (skip) => {
  const graph = await startGraph();
  losing(graph, CREATE);
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /library/list', skip });
  expect(verdictOf(await write(graph, 'createLibraryItem', ITEM))).toEqual(UNKNOWN);
});

test('a look that fails before it is sent does not keep an item from being made', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /library/list' });
  expect(verdictOf(await write(graph, 'createLibraryItem', ITEM))).toEqual(['COMPLETED']);
});

test('an item without tags and without text is found as well', async () => {
  const graph = await startGraph();
  losing(graph, CREATE);
  const { outcome } = await write(graph, 'createLibraryItem', {
    title: 'Nothing yet',
    kind: 'POST',
    variants: [{}],
  });
  expect(outcome).toBe('COMPLETED');
});
