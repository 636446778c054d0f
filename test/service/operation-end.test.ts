import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { globalId } from '../support/calls.ts';
import { startGraph } from '../support/graph.ts';
import { connectSocket } from '../support/web-sockets.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const TWO_SECONDS = { environment: { OPERATION_TIMEOUT: '2s' } };
const SOON = { timeout: 1_000, interval: 5 };

/** An item that is not there is looked for in three steps: by itself, in the first page of the library, in the others. */
const THREE_STEPS = `{ libraryItem(id: "${globalId('LibraryItem', 'f'.repeat(24))}") { title } surfaces { surface } }`;

describe('an operation whose time is over', () => {
  test('ends with what is left of it when its reads come one after the other (I11)', async () => {
    const graph = await startGraph(TWO_SECONDS);
    graph.sandbox.faults.add({ kind: 'delay', ms: 800, endpoint: '*', times: 10 });
    const startedAt = performance.now();
    const { data, errors } = await graph.query(THREE_STEPS);
    const ms = performance.now() - startedAt;
    expect(errorsOf({ errors })).toEqual(['libraryItem UPSTREAM_TIMEOUT']);
    expect(data.surfaces).toHaveLength(2);
    expect(ms).toBeGreaterThan(1_900);
    expect(ms).toBeLessThan(2_500);
    expect(graph.sandbox.requests.count('GET /library/list')).toBeGreaterThan(1);
    await expect.poll(() => graph.sandbox.requests.open, SOON).toBe(0);
  });

  test('ends over a socket too', async () => {
    const graph = await startGraph({ environment: { OPERATION_TIMEOUT: '1s' } });
    graph.sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list' });
    const startedAt = performance.now();
    const socket = connectSocket(graph.url, { connectionParams: graph.caller.key });
    const { errors = [] } = await socket.run({ query: '{ accounts { totalCount } }' });
    expect(errors[0]?.extensions?.['code']).toBe('UPSTREAM_TIMEOUT');
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    await expect.poll(() => graph.sandbox.requests.open, SOON).toBe(0);
  });

  test('answers with everything when its reads are just fast enough', async () => {
    const graph = await startGraph(TWO_SECONDS);
    graph.sandbox.faults.add({ kind: 'delay', ms: 150, endpoint: '*', times: 10 });
    expect(errorsOf(await graph.query(THREE_STEPS))).toEqual([]);
  });

  test('does not end a write, which is waited for as long as it may take', async () => {
    const graph = await startGraph({ environment: { OPERATION_TIMEOUT: '1s' } });
    graph.sandbox.faults.add({ kind: 'delay', ms: 1_300, effect: 'none', endpoint: 'POST /draft/create' });
    const payload = await write(graph, 'createDraft', EXAMPLES.createDraft);
    expect(payload.outcome).toBe('COMPLETED');
    expect(graph.sandbox.requests.count('POST /draft/create')).toBe(1);
  });
});
