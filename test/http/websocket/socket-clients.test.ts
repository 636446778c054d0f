import { createClient, type Client } from 'graphql-ws';
import { WebSocket as UndiciWebSocket } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket as WsWebSocket } from 'ws';
import { startGraph, type CallerHeaders } from '../../support/graph.ts';
import { startServer } from '../../support/server.ts';
import { shareGraph } from '../../support/shared-graph.ts';
import { documentOf, EXAMPLES } from '../../support/writes.ts';

// Chromium's is a third: GraphiQL's tests run over it.
const IMPLEMENTATIONS = [
  ['undici', UndiciWebSocket],
  ['ws', WsWebSocket],
] as const;

const graph = shareGraph();

/** A close code and its reason, as a client of WebSocket sees them. */
type Closed = readonly [code: number, reason: string];

interface Conversation {
  readonly client: Client;
  readonly closed: Promise<Closed>;
}

function converse(
  { url }: { readonly url: string },
  webSocketImpl: unknown,
  connectionParams: CallerHeaders,
): Conversation {
  let client: Client | undefined;
  const closed = new Promise<Closed>((resolve) => {
    client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl,
      connectionParams,
      retryAttempts: 0,
      lazyCloseTimeout: 60_000,
      on: {
        closed: (event) => {
          const { code, reason } = event as { readonly code: number; readonly reason: string };
          resolve([code, reason]);
        },
      },
    });
  });
  if (!client) throw new Error('no client');
  const opened = client;
  onTestFinished(async () => await opened.dispose());
  return { client: opened, closed };
}

async function only<T>(results: AsyncIterable<T>): Promise<T> {
  const found: T[] = [];
  for await (const result of results) found.push(result);
  expect(found).toHaveLength(1);
  return found[0] as T;
}

test.each(IMPLEMENTATIONS)(
  '%s: queries, mutations and errors end their operation alone',
  async (_, socket) => {
    const { client } = converse(graph, socket, graph.caller.both);
    const names = client.iterate({ query: '{ accounts(first: 2) { nodes { displayName } } }' });
    expect(await only(names)).toMatchObject({
      data: {
        accounts: { nodes: [{ displayName: 'Kelpgate Roasters' }, { displayName: 'kelpgate.roasters' }] },
      },
    });
    await expect(only(client.iterate({ query: '{ nothing }' }))).rejects.toMatchObject([
      { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    ]);
    const input = {
      ...EXAMPLES.createDraft,
      variants: [{ variant: 'ORIGINAL', text: '🦀 “ünïcödé”\n'.repeat(500) }],
    };
    const draft = { query: documentOf('createDraft'), variables: { input } };
    expect(await only(client.iterate(draft))).toMatchObject({
      data: { createDraft: { outcome: 'COMPLETED' } },
    });
    expect(graph.sandbox.requests.count('POST /draft/create')).toBe(1);
  },
);

test.each(IMPLEMENTATIONS)(
  '%s: twenty operations on one socket get each their own answer',
  async (_, socket) => {
    const { client } = converse(graph, socket, graph.caller.key);
    const asked = Array.from({ length: 20 }, (_unused, index) => index + 1);
    const query = 'query ($n: Int!) { accounts(first: $n) { nodes { id } } }';
    const sizes = await Promise.all(
      asked.map(async (n) => {
        const { data } = await only(
          client.iterate<{ accounts: { nodes: unknown[] } }>({ query, variables: { n } }),
        );
        return data?.accounts.nodes.length;
      }),
    );
    expect(sizes).toEqual(asked.map((n) => Math.min(n, 12)));
  },
);

test.each(IMPLEMENTATIONS)('%s: a slow text arrives, and its stream completes', async (_, socket) => {
  const own = await startGraph({ explorer: true, sandbox: { slowAiDelayMs: 200 } });
  const { client } = converse(own, socket, own.caller.key);
  const ask =
    'mutation { generateAiText(input: { prompt: "Rain, slowly", tone: "warm" }) { aiGeneration { id } } }';
  interface Asked {
    generateAiText: { aiGeneration: { id: string } };
  }
  const { data } = await only(client.iterate<Asked>({ query: ask }));
  const id = data?.generateAiText.aiGeneration.id;
  const query = 'subscription ($id: ID!) { aiGenerationUpdated(id: $id) { status text } }';
  const states: string[] = [];
  for await (const { data: event } of client.iterate<{ aiGenerationUpdated: { status: string } }>({
    query,
    variables: { id },
  }))
    states.push(event?.aiGenerationUpdated.status ?? '');
  // The text may be there before the subscription is.
  expect(states.at(-1)).toBe('COMPLETE');
  expect(states.slice(0, -1).every((state) => state === 'PENDING')).toBe(true);
});

test.each(IMPLEMENTATIONS)('%s: a subscription that is left ends upstream too', async (_, socket) => {
  const own = await startGraph({ explorer: true });
  const { client } = converse(own, socket, own.caller.key);
  const events = client.iterate({ query: 'subscription { aiGenerationFinished { id } }' });
  const reading = events.next();
  await own.sandbox.push.waitForOpen(1);
  await events.return?.();
  expect(await reading).toMatchObject({ done: true });
  await expect.poll(() => own.sandbox.push.open()).toBe(0);
});

test.each(IMPLEMENTATIONS)('%s: a message that is too big closes the socket with 1009', async (_, socket) => {
  const { client, closed } = converse(graph, socket, graph.caller.key);
  await expect(
    only(client.iterate({ query: `{ __typename } #${'x'.repeat(200_000)}` })),
  ).rejects.toBeDefined();
  expect((await closed)[0]).toBe(1009);
});

test.each(IMPLEMENTATIONS)('%s: too many messages close the socket with 1008', async (_, socket) => {
  const own = await startGraph({ environment: { WS_MESSAGES_PER_SECOND: '1' } });
  const { client, closed } = converse(own, socket, own.caller.key);
  await only(client.iterate({ query: '{ __typename }' }));
  const flood = Array.from({ length: 400 }, () => only(client.iterate({ query: '{ __typename }' })));
  await Promise.allSettled(flood);
  expect((await closed)[0]).toBe(1008);
});

test.each(IMPLEMENTATIONS)('%s: when the server ends, the socket is closed with 1012', async (_, socket) => {
  const server = await startServer();
  const { client, closed } = converse(server, socket, {});
  await only(client.iterate({ query: '{ __typename }' }));
  await server.close();
  expect((await closed)[0]).toBe(1012);
});
