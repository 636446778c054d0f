import { AsyncLocalStorage } from 'node:async_hooks';
import { context, propagation, trace } from '@opentelemetry/api';
import { expect, test, vi } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { recordSpans } from '../support/spans.ts';
import { openTransport, TRANSPORTS, type Transport } from '../support/transports.ts';

// That traces cost nothing unless they are wanted is shown by what is not done then.

const LIST = '{ accounts(first: 1, surface: CURRENT) { nodes { displayName } } }';

/** What was called, and how often, while an operation with one call was answered. */
async function doneFor(transport: Transport) {
  const graph = await startGraph();
  const run = openTransport(transport, graph.url, graph.caller.both);
  // What is loaded for the first operation does what it likes.
  await run({ query: LIST });
  const spies = {
    getTracer: vi.spyOn(trace, 'getTracer'),
    setSpan: vi.spyOn(trace, 'setSpan'),
    active: vi.spyOn(context, 'active'),
    with: vi.spyOn(context, 'with'),
    extract: vi.spyOn(propagation, 'extract'),
    inject: vi.spyOn(propagation, 'inject'),
    track: vi.spyOn(AsyncLocalStorage.prototype, 'run'),
    enter: vi.spyOn(AsyncLocalStorage.prototype, 'enterWith'),
  };
  expect((await run({ query: LIST })).errors).toEqual([]);
  const done = Object.entries(spies).map(([name, { mock }]) => [name, mock.calls.length] as const);
  for (const spy of Object.values(spies)) spy.mockRestore();
  return Object.fromEntries(done);
}

test.each(TRANSPORTS)(
  'over %s, unless something records spans, nothing is collected, begun or tracked',
  async (transport) => {
    const done = await doneFor(transport);
    expect(Object.entries(done).filter(([, times]) => times > 0)).toEqual([]);
    // The control: the same count sees what is done for spans that are recorded.
    recordSpans();
    // Without a host that has instrumentations, contexts are handed on as values.
    expect(await doneFor(transport)).toMatchObject({ extract: 1, setSpan: 2, track: 0, enter: 0 });
  },
);
