import { expect, test, vi } from 'vitest';
import { startGraph, connectGraph } from '../../../test/support/graph.ts';
import { createPrinter, Delivery } from '../src/deliver.ts';
import { follow } from '../src/follow.ts';
import { accountHealth, queue } from '../src/lists.ts';
import { Outbox } from '../src/outbox.ts';
import { memoryStore } from './memory-store.ts';

test('changes are followed with a graph that is reached over HTTP and a socket', async () => {
  const server = await startGraph({ environment: { WATCH_INTERVAL: '100ms' } });
  const owner = server.sandbox.state.owner('harbour');
  const graph = connectGraph(server);
  const store = memoryStore();
  let output = '';
  /** Follows both lists as one process does; gives what ends it. */
  const start = async () => {
    const end = new AbortController();
    const outbox = await Outbox.open(store);
    const send = createPrinter({ write: (text) => (output += text) });
    const delivery = new Delivery(outbox, { send, onFailure: vi.fn(), onGone: vi.fn() });
    const options = { graph, outbox, onAdded: () => delivery.look(), signal: end.signal };
    const following = Promise.all([queue, accountHealth].map((list) => follow(list, options)));
    await expect.poll(() => [outbox.known('queue'), outbox.known('account_health')]).not.toContain(null);
    return async () => {
      end.abort();
      await following;
      await delivery.stop();
    };
  };
  const endFirst = await start();
  const [first] = owner.queue;
  Object.assign(first ?? {}, { errorMsg: 'Oops' });
  await expect.poll(() => output).toMatch(/"queue\.changed".*"changedFields":\["failureText"\]/);
  await endFirst();
  // Between two processes.
  const account = owner.accounts.find(({ surfaces, paused }) => surfaces.current && !paused);
  Object.assign(account ?? {}, { paused: true });
  Object.assign(first ?? {}, { dueAt: 0 });
  const endSecond = await start();
  await expect.poll(() => output).toContain('"queue.left"');
  await expect.poll(() => output).toMatch(/"account_health\.changed".*"after":\{"state":"PAUSED"/);
  await endSecond();
});
