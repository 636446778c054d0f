import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { globalId } from '../support/calls.ts';
import { startGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/held-answers.ts';

import { holdClock } from '../support/held-clock.ts';
import { holdDeadlines } from '../support/held-deadlines.ts';
import { holdTimers } from '../support/held-timers.ts';
import { connectSocket } from '../support/web-sockets.ts';
import { EXAMPLES, write } from '../support/writes.ts';

/** An item that is not there is looked for in three steps: by itself, in the first page of the library, in the others. */
const THREE_STEPS = `{ libraryItem(id: "${globalId('LibraryItem', 'f'.repeat(24))}") { title } surfaces { surface } }`;
const LIBRARY = 'GET /library/list';

/** Less than a read may take, so that the operation’s end is a timer of its own. */
const OPERATION_MS = 14_000;
const environment = { OPERATION_TIMEOUT: `${OPERATION_MS}ms` };

/** An answer that does not end, and is never silent for long: with its deadline held nothing else ends the call. */
const ENDLESS = { kind: 'dribble', intervalMs: 1_000 } as const;

describe('an operation whose time is over', () => {
  test('ends with what is left of it when its reads come one after the other', async () => {
    const clock = holdClock();
    holdDeadlines();
    const timers = holdTimers();
    timers.hold(OPERATION_MS - 5_000, 'what is left');
    const graph = await startGraph({ environment });
    const firstPage = holdAnswers(graph.sandbox, { endpoint: LIBRARY });
    graph.sandbox.faults.add({ ...ENDLESS, endpoint: LIBRARY });
    const answer = graph.query(THREE_STEPS);
    await firstPage.arrived();
    clock.advance(5_000);
    firstPage.release();
    await expect.poll(() => timers.names).toEqual(['what is left']);
    timers.fire('what is left');
    const { data, errors } = await answer;
    expect(errorsOf({ errors })).toEqual(['libraryItem UPSTREAM_TIMEOUT']);
    expect(data.surfaces).toHaveLength(2);
    await expect.poll(() => graph.sandbox.requests.open).toBe(0);
  });

  test('ends over a socket too', async () => {
    holdClock();
    holdDeadlines();
    const timers = holdTimers();
    timers.hold(OPERATION_MS, 'its time');
    const graph = await startGraph({ environment });
    graph.sandbox.faults.add({ ...ENDLESS, endpoint: 'GET /accounts/list' });
    const socket = connectSocket(graph.url, { connectionParams: graph.caller.key });
    const answer = socket.run({ query: '{ accounts { totalCount } }' });
    await expect.poll(() => timers.names).toEqual(['its time']);
    timers.fire('its time');
    const { errors = [] } = await answer;
    expect(errors[0]?.extensions?.['code']).toBe('UPSTREAM_TIMEOUT');
    await expect.poll(() => graph.sandbox.requests.open).toBe(0);
  });

  test('does not end a write, which is waited for as long as it may take', async () => {
    const graph = await startGraph({ environment: { OPERATION_TIMEOUT: '1s' } });
    const { faults, requests } = graph.sandbox;
    const call = holdAnswers(graph.sandbox, { effect: 'none', endpoint: 'POST /draft/create' });
    const writing = write(graph, 'createDraft', EXAMPLES.createDraft);
    await call.arrived();
    // A read that begins later is over before: the time of the write’s operation is over, too.
    faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list' });
    const later = await graph.query('{ accounts(surface: CURRENT) { totalCount } }');
    expect(errorsOf(later)).toEqual(['accounts UPSTREAM_TIMEOUT']);
    call.release();
    expect((await writing).outcome).toBe('COMPLETED');
    expect(requests.count('POST /draft/create')).toBe(1);
  });
});

test('an operation answers with everything when its reads, one after the other, are in time', async () => {
  const graph = await startGraph({ environment: { OPERATION_TIMEOUT: '1m' } });
  graph.sandbox.faults.add({ kind: 'delay', ms: 20, endpoint: '*', times: 10 });
  expect(errorsOf(await graph.query(THREE_STEPS))).toEqual([]);
  expect(graph.sandbox.requests.count(LIBRARY)).toBeGreaterThan(1);
});
