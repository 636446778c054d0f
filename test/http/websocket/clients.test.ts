import { createClient } from 'graphql-ws';
import { WebSocket as UndiciWebSocket } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket as WsWebSocket } from 'ws';
import { startServer } from '../../support/server.ts';
import { shareGraph } from '../../support/graph.ts';
import { documentOf, EXAMPLES } from '../../support/writes.ts';

const graph = shareGraph({ explorer: true });

async function only<T>(results: AsyncIterable<T>): Promise<T> {
  const found: T[] = [];
  for await (const result of results) found.push(result);
  expect(found).toHaveLength(1);
  return found[0] as T;
}

// Chromium's is a third: GraphiQL's tests run over it.
describe.each([
  ['undici', UndiciWebSocket],
  ['ws', WsWebSocket],
])('with the WebSocket of %s', (_name, webSocketImpl) => {
  /** A client of the protocol, and the code that its socket is closed with. */
  function converse(url: string, connectionParams = {}) {
    const closed: number[] = [];
    const client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl,
      connectionParams,
      retryAttempts: 0,
      lazyCloseTimeout: 60_000,
      on: { closed: (event) => void closed.push((event as { readonly code: number }).code) },
    });
    onTestFinished(async () => await client.dispose());
    return { client, closed };
  }

  test('operations get each their own result or error, and a message too large closes with 1009', async () => {
    const { client, closed } = converse(graph.url, graph.caller.both);
    const query = 'query ($n: Int!) { accounts(first: $n) { nodes { id } } }';
    const sizes = [1, 2, 3, 4, 5].map(async (n) => {
      const { data } = await only(
        client.iterate<{ accounts: { nodes: unknown[] } }>({ query, variables: { n } }),
      );
      return data?.accounts.nodes.length;
    });
    await expect(only(client.iterate({ query: '{ nothing }' }))).rejects.toMatchObject([
      { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    ]);
    const text = '🦀 “ünïcödé”\n'.repeat(500);
    const input = { ...EXAMPLES.createDraft, variants: [{ variant: 'ORIGINAL', text }] };
    const draft = client.iterate({ query: documentOf('createDraft'), variables: { input } });
    expect(await only(draft)).toMatchObject({ data: { createDraft: { outcome: 'COMPLETED' } } });
    expect(await Promise.all(sizes)).toEqual([1, 2, 3, 4, 5]);
    await expect(
      only(client.iterate({ query: `{ __typename } #${'x'.repeat(200_000)}` })),
    ).rejects.toBeDefined();
    expect(closed).toEqual([1009]);
  });

  test('a subscription that is left ends upstream too', async () => {
    const { client } = converse(graph.url, graph.caller.key);
    const events = client.iterate({ query: 'subscription { aiGenerationFinished { id } }' });
    const reading = events.next();
    await graph.sandbox.push.waitForOpen(1);
    await events.return?.();
    expect(await reading).toMatchObject({ done: true });
    await expect.poll(() => graph.sandbox.push.open()).toBe(0);
  });

  test('when the server ends, the socket is closed with 1012', async () => {
    const { url, close } = await startServer();
    const { client, closed } = converse(url);
    await only(client.iterate({ query: '{ __typename }' }));
    await close();
    await expect.poll(() => closed).toEqual([1012]);
  });
});
