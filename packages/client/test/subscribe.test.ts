import { expect, test } from 'vitest';
import { GraphError } from '../src/errors.ts';
import { QueueChanged } from '../src/documents.ts';
import { subscribe } from '../src/subscribe.ts';
import { startGraph } from '../../../test/support/graph.ts';
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts';
import { clientOf } from './clients.ts';

const environment = { WATCH_INTERVAL: '50ms' };

test('a subscription yields the current state and each change, and goes on after a lost connection', async () => {
  const graph = await startGraph({ environment });
  const way = await startTcpProxy(Number(new URL(graph.url).port));
  const connections: boolean[] = [];
  const kinds: string[] = [];
  const events = subscribe(
    clientOf(graph, { way: `http://127.0.0.1:${way.port}` }),
    QueueChanged,
    {},
    { onConnection: (isOpen) => void (connections.at(-1) !== isOpen && connections.push(isOpen)) },
  );
  for await (const { queueChanged } of events) {
    kinds.push(queueChanged?.kind ?? 'none');
    if (kinds.length === 1) graph.sandbox.makeHappen({ kind: 'publish' });
    if (kinds.length === 2) {
      way.cut();
      setTimeout(() => way.restore(), 200);
    }
    if (kinds.length === 3) break;
  }
  expect(kinds).toEqual(['SNAPSHOT', 'LEFT', 'SNAPSHOT']);
  expect(connections).toEqual([true, false, true]);
});

test('a subscription that the graph refuses ends with its error, and one that is cancelled with the reason', async () => {
  const graph = await startGraph({ environment });
  const refused = subscribe(clientOf(graph, { credentials: { accessToken: 'none' } }), QueueChanged, {});
  await expect(refused.next()).rejects.toBeInstanceOf(GraphError);
  const stopping = new AbortController();
  const events = subscribe(clientOf(graph), QueueChanged, {}, { signal: stopping.signal });
  await events.next();
  const next = events.next();
  stopping.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
});
